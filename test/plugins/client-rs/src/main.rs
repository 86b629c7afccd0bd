//! Prints the clients that the SDK's `import!` makes, for the test that compares them with the host's. stdin has a document
//! a line, as `<name> <document>`; the texts follow each other, each after a line with its length in bytes.

#[path = "../../../../public/world/plugins/cargo/sdk/macros/src/client/mod.rs"]
mod client;
#[path = "../../../../public/world/plugins/cargo/sdk/macros/src/json.rs"]
mod json;

use std::io::{read_to_string, stdin};

fn main() {
    for line in read_to_string(stdin()).expect("stdin is UTF-8").lines() {
        let (name, document) = line.split_once(' ').expect("a name, a space, a document");
        let made = json::Json::parse(document).and_then(|json| client::client(&json, name));
        let text = made.unwrap_or_else(|reason| format!("error: {reason}"));
        print!("{}\n{text}", text.len());
    }
}
