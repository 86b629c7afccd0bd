//! The plugin `notes`: keeps short notes in `/state/notes/notes.json`.
//!
//! A plugin is a small program that answers one call and ends. Each `pub fn` below is a method; the SDK reads the call,
//! writes the answer, and tells other plugins what the doc comments say. How the file is kept stands in `notes.rs`.

mod store;

/// Keeps short notes in one file of the world.
#[sausage_plugin::plugin(grace = 2)]
mod notes {
    use crate::store::{Note, Store};
    use sausage_plugin::schemars::JsonSchema;
    use sausage_plugin::serde::Serialize;
    use sausage_plugin::{lock, Result};

    const FILE: &str = "/state/notes/notes.json";

    /// All notes.
    #[derive(Serialize, JsonSchema)]
    #[serde(crate = "sausage_plugin::serde")]
    #[schemars(crate = "sausage_plugin::schemars")]
    pub struct Notes {
        /// Oldest first.
        notes: Vec<Note>,
    }

    /// Keeps a new note and answers it with its ID.
    pub fn add(
        /// What the note says.
        text: String,
    ) -> Result<Note> {
        lock(FILE, || Store::in_file(FILE).add(&text))
    }

    /// Answers all notes, the oldest first.
    pub fn list() -> Result<Notes> {
        // Needs no lock: the file is only ever replaced whole, so a reader sees one state or the next.
        Ok(Notes { notes: Store::in_file(FILE).list()? })
    }

    /// Takes a note away for good and answers what it was.
    pub fn remove(
        /// The ID that `add` answered.
        id: u64,
    ) -> Result<Note> {
        lock(FILE, || Store::in_file(FILE).remove(id))
    }
}
