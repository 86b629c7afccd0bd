//! A database, opened.

use crate::value::{json_of, Param};
use rusqlite::{params_from_iter, Connection, OpenFlags};
use sausage_plugin::serde_json::{json, Value};
use sausage_plugin::{Error, Result};
use std::fs;
use std::path::Path;

const FOLDER: &str = "/state/sqlite";

/// The path of a database by its name.
pub fn path_of(name: &str) -> Result<String> {
    let usable = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    if name.is_empty() || name.len() > 100 || !name.chars().all(usable) {
        return Err(Error::invalid_params("database: a name has letters, digits, - and _, 100 at most"));
    }
    Ok(format!("{FOLDER}/{name}.db"))
}

pub struct Database(Connection);

impl Database {
    pub fn open(path: &str) -> Result<Self> {
        if let Some(folder) = Path::new(path).parent() {
            fs::create_dir_all(folder)?;
        }
        // WASI knows no locks on files; the lock of the world, which the caller holds, is in their place.
        let connection = Connection::open_with_flags_and_vfs(path, OpenFlags::default(), c"unix-none").map_err(told)?;
        Ok(Database(connection))
    }

    /// The names of the columns, the rows, and whether there were more.
    pub fn query(&self, sql: &str, params: &[Param], limit: usize) -> Result<(Vec<String>, Vec<Vec<Value>>, bool)> {
        let mut statement = self.0.prepare(sql).map_err(told)?;
        let columns: Vec<String> = statement.column_names().into_iter().map(String::from).collect();
        let mut rows = statement.query(params_from_iter(params)).map_err(told)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(told)? {
            if found.len() == limit {
                return Ok((columns, found, true));
            }
            let values = (0..columns.len()).map(|at| row.get_ref(at).map(json_of));
            found.push(values.collect::<rusqlite::Result<_>>().map_err(told)?);
        }
        Ok((columns, found, false))
    }

    /// The number of rows that have changed, and the last row ID.
    pub fn exec(&self, sql: &str, params: &[Param]) -> Result<(u64, i64)> {
        let before = self.0.total_changes();
        if params.is_empty() {
            self.0.execute_batch(sql).map_err(told)?;
        } else {
            self.0.execute(sql, params_from_iter(params)).map_err(told)?;
        }
        Ok((self.0.total_changes() - before, self.0.last_insert_rowid()))
    }

    pub fn tables(&self) -> Result<Vec<(String, String)>> {
        let sql = "select name, sql from sqlite_schema where type in ('table', 'view') and name not like 'sqlite_%' order by name";
        let mut statement = self.0.prepare(sql).map_err(told)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).map_err(told)?;
        rows.collect::<rusqlite::Result<_>>().map_err(told)
    }
}

/// What SQLite says, whole, with its code.
fn told(error: rusqlite::Error) -> Error {
    let code = error.sqlite_error().map(|error| error.extended_code);
    Error::msg(error.to_string()).with_data(json!({ "sqlite": code }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sausage_plugin::serde_json::from_value;

    fn fresh(test: &str) -> Database {
        let path = format!("/tmp/sqlite-{test}/main.db");
        let _ = fs::remove_dir_all(Path::new(&path).parent().unwrap());
        Database::open(&path).unwrap()
    }

    fn params(values: Value) -> Vec<Param> {
        from_value(values).unwrap()
    }

    #[test]
    fn rows_come_back_as_they_went_in() {
        let database = fresh("rows");
        database.exec("create table t (a, b); create index i on t (a)", &[]).unwrap();
        let values = [json!(9007199254740993i64), json!(1.5), json!("grün"), json!(null), json!({ "base64": "aGk=" })];
        for value in &values {
            let changed = database.exec("insert into t values (?, 1)", &params(json!([value]))).unwrap();
            assert_eq!(changed.0, 1);
        }
        let (columns, rows, more) = database.query("select a from t order by rowid", &[], 10).unwrap();
        assert_eq!((columns, more), (vec!["a".to_string()], false));
        assert_eq!(rows.concat(), values);
        let (_, rows, more) = database.query("select a from t where b = ?", &params(json!([1])), 2).unwrap();
        assert_eq!((rows.len(), more), (2, true));
        assert_eq!(database.exec("update t set b = 2", &[]).unwrap().0, 5);
        assert_eq!(database.tables().unwrap(), [("t".to_string(), "CREATE TABLE t (a, b)".to_string())]);
    }

    #[test]
    fn errors_are_those_of_sqlite() {
        let database = fresh("errors");
        let error = database.query("selec 1", &[], 1).unwrap_err();
        assert!(error.message.contains("syntax error"), "{}", error.message);
        database.exec("create table t (a unique); insert into t values (1)", &[]).unwrap();
        let error = database.exec("insert into t values (?)", &params(json!([1]))).unwrap_err();
        assert_eq!(error.data.unwrap()["sqlite"], 2067);
        assert!(path_of("../x").is_err() && path_of("").is_err());
    }

    #[test]
    fn what_is_not_committed_is_gone() {
        let database = fresh("rollback");
        database.exec("create table t (a)", &[]).unwrap();
        database.exec("begin; insert into t values (1)", &[]).unwrap();
        drop(database);
        let again = Database::open("/tmp/sqlite-rollback/main.db").unwrap();
        assert_eq!(again.query("select * from t", &[], 1).unwrap().1, Vec::<Vec<Value>>::new());
    }
}
