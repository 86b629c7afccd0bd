//! The plugin `sqlite`: a database in `/state/sqlite/`, for whoever can write SQL.

mod database;
mod value;

/// SQLite on a file of the world.
#[sausage_plugin::plugin(grace = 2)]
mod sqlite {
    use crate::database::{path_of, Database};
    use crate::value::Param;
    use sausage_plugin::schemars::JsonSchema;
    use sausage_plugin::serde::Serialize;
    use sausage_plugin::serde_json::Value;
    use sausage_plugin::{lock, Result};

    /// What a query answers.
    #[derive(Serialize, JsonSchema)]
    #[serde(crate = "sausage_plugin::serde")]
    #[schemars(crate = "sausage_plugin::schemars")]
    pub struct Rows {
        columns: Vec<String>,
        /// A value for each column.
        rows: Vec<Vec<Value>>,
        /// There were more than the limit.
        more: bool,
    }

    /// What has changed.
    #[derive(Serialize, JsonSchema)]
    #[serde(crate = "sausage_plugin::serde")]
    #[schemars(crate = "sausage_plugin::schemars")]
    pub struct Changes {
        /// Rows that were added, changed or removed.
        rows: u64,
        /// The row ID of what was added last.
        id: i64,
    }

    /// A table or a view.
    #[derive(Serialize, JsonSchema)]
    #[serde(crate = "sausage_plugin::serde")]
    #[schemars(crate = "sausage_plugin::schemars")]
    pub struct Table {
        name: String,
        /// How it was made.
        sql: String,
    }

    /// Runs one statement and answers its rows.
    pub fn query(
        sql: String,
        /// For each ? in the statement a number, a text, null, or {"base64": "…"}.
        params: Option<Vec<Param>>,
        /// The rows that are wanted at most; 1,000 if it is not said.
        limit: Option<u32>,
        /// The name of the database; main if it is not said.
        database: Option<String>,
    ) -> Result<Rows> {
        with(database, |database| {
            let limit = limit.unwrap_or(1000) as usize;
            let (columns, rows, more) = database.query(&sql, &params.unwrap_or_default(), limit)?;
            Ok(Rows { columns, rows, more })
        })
    }

    /// Runs one statement, or without params any number of them, and answers what has changed.
    pub fn exec(
        sql: String,
        /// For each ? in the statement a number, a text, null, or {"base64": "…"}.
        params: Option<Vec<Param>>,
        /// The name of the database; main if it is not said.
        database: Option<String>,
    ) -> Result<Changes> {
        with(database, |database| {
            let (rows, id) = database.exec(&sql, &params.unwrap_or_default())?;
            Ok(Changes { rows, id })
        })
    }

    /// The tables and views, and how they were made.
    pub fn tables(
        /// The name of the database; main if it is not said.
        database: Option<String>,
    ) -> Result<Vec<Table>> {
        with(database, |database| {
            let tables = database.tables()?;
            Ok(tables.into_iter().map(|(name, sql)| Table { name, sql }).collect())
        })
    }

    /// Opens a database for as long as this process alone holds the lock on its file.
    fn with<T>(name: Option<String>, work: impl FnOnce(Database) -> Result<T>) -> Result<T> {
        let path = path_of(name.as_deref().unwrap_or("main"))?;
        lock(&path, || work(Database::open(&path)?))
    }
}
