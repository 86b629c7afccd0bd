//! The secrets and the file that they live in: an object of JSON, name to value.

use sausage_plugin::{serde_json, Error, Result};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

pub struct Store {
    file: PathBuf,
    secrets: BTreeMap<String, String>,
}

impl Store {
    pub fn in_file(path: &str) -> Self {
        Store { file: path.into(), secrets: BTreeMap::new() }
    }

    /// Reads the file; a missing one holds nothing.
    pub fn load(&mut self) -> Result<()> {
        self.secrets = match fs::read(&self.file) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| self.failed(error))?,
            Err(error) if error.kind() == ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(self.failed(error)),
        };
        Ok(())
    }

    pub fn get(&self, name: &str) -> Result<String> {
        self.secrets.get(name).cloned().ok_or_else(|| unknown(name))
    }

    pub fn names(&self) -> Vec<String> {
        self.secrets.keys().cloned().collect()
    }

    pub fn set(&mut self, name: String, value: String) -> Result<()> {
        let mut secrets = self.secrets.clone();
        secrets.insert(name, value);
        self.save(secrets)
    }

    pub fn remove(&mut self, name: &str) -> Result<()> {
        let mut secrets = self.secrets.clone();
        secrets.remove(name).ok_or_else(|| unknown(name))?;
        self.save(secrets)
    }

    /// What the file does not take is not kept either.
    fn save(&mut self, secrets: BTreeMap<String, String>) -> Result<()> {
        let text = serde_json::to_string_pretty(&secrets).expect("secrets are JSON");
        let temporary = self.file.with_extension("json.new");
        fs::create_dir_all(self.file.parent().expect("a file is in a folder"))
            .and_then(|()| fs::write(&temporary, text))
            .and_then(|()| fs::rename(&temporary, &self.file))
            .map_err(|error| self.failed(error))?;
        self.secrets = secrets;
        Ok(())
    }

    /// The reason of a JSON error could quote a secret, so only its place is told.
    fn failed(&self, error: impl Into<std::io::Error>) -> Error {
        let error = error.into();
        let reason = match error.kind() {
            ErrorKind::InvalidData | ErrorKind::UnexpectedEof => "it is no object of JSON with texts".to_string(),
            _ => error.to_string(),
        };
        Error::new(Error::INTERNAL, format!("{}: {reason}", self.file.display()))
    }
}

fn unknown(name: &str) -> Error {
    Error::invalid_params(format!("name: there is no secret {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh(test: &str) -> Store {
        let base = if cfg!(target_os = "wasi") { PathBuf::from("/tmp") } else { std::env::temp_dir() };
        let folder = base.join(format!("secrets-{test}"));
        let _ = fs::remove_dir_all(&folder);
        Store::in_file(folder.join("secrets.json").to_str().unwrap())
    }

    #[test]
    fn a_secret_is_there_until_it_is_removed() {
        let mut store = fresh("kept");
        store.load().unwrap();
        store.set("a".into(), "one".into()).unwrap();
        store.set("b".into(), "two".into()).unwrap();
        store.set("a".into(), "three".into()).unwrap();
        let mut again = Store::in_file(store.file.to_str().unwrap());
        again.load().unwrap();
        assert_eq!(again.names(), ["a", "b"]);
        assert_eq!(again.get("a").unwrap(), "three");
        again.remove("a").unwrap();
        assert!(again.get("a").unwrap_err().message.contains("no secret a"));
        assert!(again.remove("a").is_err());
    }

    #[test]
    fn a_damaged_file_is_an_error_that_quotes_nothing() {
        let mut store = fresh("damaged");
        store.set("a".into(), "one".into()).unwrap();
        fs::write(&store.file, "{\"hush\": 1}").unwrap();
        let message = store.load().unwrap_err().message;
        assert!(message.contains("secrets.json") && !message.contains("hush"), "{message}");
        assert_eq!(fs::read_to_string(&store.file).unwrap(), "{\"hush\": 1}");
    }
}
