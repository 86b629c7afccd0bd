//! The notes and the file that they live in.

use sausage_plugin::schemars::JsonSchema;
use sausage_plugin::serde::{Deserialize, Serialize};
use sausage_plugin::{serde_json, Error, Result};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A note.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(crate = "sausage_plugin::serde")]
#[schemars(crate = "sausage_plugin::schemars")]
pub struct Note {
    /// Belongs to this note for ever, also after it was removed.
    pub id: u64,
    /// What it says.
    pub text: String,
}

/// What the file holds. `next` is the ID of the next note, so that the ID of a removed one never comes back.
#[derive(Serialize, Deserialize)]
#[serde(crate = "sausage_plugin::serde")]
struct Content {
    next: u64,
    notes: Vec<Note>,
}

pub struct Store {
    file: PathBuf,
}

impl Store {
    pub fn in_file(path: &str) -> Self {
        Store { file: PathBuf::from(path) }
    }

    pub fn list(&self) -> Result<Vec<Note>> {
        Ok(self.load()?.notes)
    }

    pub fn add(&self, text: &str) -> Result<Note> {
        let mut content = self.load()?;
        let note = Note { id: content.next, text: text.to_string() };
        content.next += 1;
        content.notes.push(note.clone());
        self.save(&content)?;
        Ok(note)
    }

    pub fn remove(&self, id: u64) -> Result<Note> {
        let mut content = self.load()?;
        let position = content.notes.iter().position(|note| note.id == id);
        let position = position.ok_or_else(|| Error::invalid_params(format!("id {id} is the ID of no note")))?;
        let note = content.notes.remove(position);
        self.save(&content)?;
        Ok(note)
    }

    fn load(&self) -> Result<Content> {
        match fs::read(&self.file) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| self.failed(error.into())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Content { next: 1, notes: Vec::new() }),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// Writes a second file and renames it over the first: who reads meanwhile, or after a crash, finds one or the
    /// other, never half of each.
    fn save(&self, content: &Content) -> Result<()> {
        let bytes = serde_json::to_vec(content).expect("notes are JSON");
        let temporary = self.file.with_extension("json.new");
        write_with_folder(&temporary, &bytes)
            .and_then(|()| fs::rename(&temporary, &self.file))
            .map_err(|error| self.failed(error))
    }

    fn failed(&self, error: io::Error) -> Error {
        Error::new(Error::INTERNAL, format!("{}: {error}", self.file.display()))
    }
}

/// The folder is missing only once, so it is made only when a write says so.
fn write_with_folder(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::write(path, bytes) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            fs::create_dir_all(path.parent().expect("a file is in a folder"))?;
            fs::write(path, bytes)
        }
        done => done,
    }
}

/// A path in a new, empty folder. WASI has no folder for temporary files, so there it is one of the test's world.
#[cfg(test)]
pub fn fresh_file(test: &str) -> String {
    let base = if cfg!(target_os = "wasi") { PathBuf::from("/tmp") } else { std::env::temp_dir() };
    let folder = base.join(format!("notes-{test}"));
    let _ = fs::remove_dir_all(&folder);
    folder.join("notes.json").to_str().unwrap().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_there_until_it_is_removed() {
        let notes = Store::in_file(&fresh_file("remove"));
        assert_eq!(notes.list().unwrap(), []);
        let milk = notes.add("milk").unwrap();
        let bread = notes.add("brød \"fresh\"\n").unwrap();
        assert_eq!(notes.list().unwrap(), [milk.clone(), bread.clone()]);
        assert_eq!(notes.remove(milk.id).unwrap(), milk);
        assert_eq!(notes.list().unwrap(), [bread]);
    }

    #[test]
    fn an_id_is_never_used_again() {
        let notes = Store::in_file(&fresh_file("ids"));
        let first = notes.add("milk").unwrap();
        notes.remove(first.id).unwrap();
        assert_ne!(notes.add("bread").unwrap().id, first.id);
        assert!(notes.remove(first.id).unwrap_err().message.contains("id 1"));
    }

    #[test]
    fn a_damaged_file_is_an_error_and_stays_as_it_is() {
        let path = fresh_file("damaged");
        write_with_folder(Path::new(&path), b"{\"next\": 1").unwrap();
        let notes = Store::in_file(&path);
        assert!(notes.add("milk").unwrap_err().message.contains(&path));
        assert_eq!(fs::read(&path).unwrap(), b"{\"next\": 1");
    }

    #[test]
    fn no_temporary_file_is_left() {
        let path = fresh_file("temporary");
        Store::in_file(&path).add("milk").unwrap();
        let folder = fs::read_dir(Path::new(&path).parent().unwrap()).unwrap();
        let names: Vec<_> = folder.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["notes.json"]);
    }
}
