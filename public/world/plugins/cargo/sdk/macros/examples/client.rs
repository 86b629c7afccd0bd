//! Prints the client of a plugin: its name is the argument, its document comes on stdin. With several documents, one a
//! line as `<name> <document>`, the texts follow each other, each after a line with its length in bytes.

#[path = "../src/client/mod.rs"]
mod client;
#[path = "../src/json.rs"]
mod json;

use std::io::{read_to_string, stdin};

fn main() {
    let input = read_to_string(stdin()).expect("stdin is UTF-8");
    let make = |name: &str, document: &str| {
        let made = json::Json::parse(document).and_then(|json| client::client(&json, name));
        made.unwrap_or_else(|reason| format!("error: {reason}"))
    };
    match std::env::args().nth(1) {
        Some(name) => print!("{}", make(&name, &input)),
        None => {
            for line in input.lines() {
                let (name, document) = line.split_once(' ').expect("a name, a space, a document");
                let text = make(name, document);
                print!("{}\n{text}", text.len());
            }
        }
    }
}
