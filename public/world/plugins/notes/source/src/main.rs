//! The plugin `notes`: keeps short notes in `/state/notes/notes.json`.
//!
//! A plugin is a small program that answers one call and ends. The call arrives as a line of JSON on stdin, the
//! answer leaves as a line of JSON on stdout; `rpc.rs` does both. What the methods do stands in `notes.rs`, and
//! `discover.json` describes them to other plugins.

#[cfg(target_arch = "wasm32")]
mod heap;
mod notes;
mod rpc;

use notes::Notes;
use rpc::{Core, Error, Params};
use serde_json::{json, Value};
use std::io::{stdin, stdout, BufRead, Write};

const FILE: &str = "/state/notes/notes.json";

fn main() {
    let mut core = Core::new(stdin().lock(), stdout().lock());
    // No request before the end of stdin: the core has changed its mind, and there is nothing to do.
    if let Some(request) = core.receive() {
        let result = handle(&mut core, &Notes::in_file(FILE), &request.method, &request.params);
        core.answer(&request, result);
    }
}

fn handle<R: BufRead, W: Write>(
    core: &mut Core<R, W>,
    notes: &Notes,
    method: &str,
    params: &Params,
) -> Result<Value, Error> {
    match method {
        "add" => {
            let text = params.text("text")?;
            core.locked(FILE, || notes.add(text)).map(|note| json!(note))
        }
        "remove" => {
            let id = params.integer("id")?;
            core.locked(FILE, || notes.remove(id)).map(|note| json!(note))
        }
        // Needs no lock: the file is only ever replaced whole, so a reader sees one state or the next.
        "list" => notes.list().map(|notes| json!({ "notes": notes })),
        "rpc.discover" => Ok(serde_json::from_str(include_str!("discover.json")).expect("discover.json is JSON")),
        _ => Err(Error::method_not_found(method)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays the core: `input` is what it says, one message a line. Returns what the plugin said.
    fn converse(file: &str, method: &str, params: Value, input: &str) -> (Result<Value, Error>, String) {
        let mut output = Vec::new();
        let mut core = Core::new(input.as_bytes(), &mut output);
        let result = handle(&mut core, &Notes::in_file(file), method, &Params::from(params));
        (result, String::from_utf8(output).unwrap())
    }

    #[test]
    fn add_holds_the_lock_while_it_writes() {
        let file = notes::fresh_file("main-add");
        let granted = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"held\":true}}\n";
        let (result, said) = converse(&file, "add", json!({"text": "milk"}), granted);
        assert_eq!(result.unwrap(), json!({"id": 1, "text": "milk"}));
        let said: Vec<Value> = said.split_whitespace().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(said[0]["method"], "core.lock");
        assert_eq!(said[0]["params"], json!({ "path": FILE }));
        assert_eq!(said[1], json!({"jsonrpc": "2.0", "method": "core.unlock", "params": {"path": FILE}}));
    }

    #[test]
    fn without_the_lock_nothing_is_written() {
        let file = notes::fresh_file("main-refused");
        let refused = "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"no\"}}\n";
        assert_eq!(converse(&file, "add", json!({"text": "milk"}), refused).0.unwrap_err().code, -32602);
        assert_eq!(converse(&file, "add", json!({"text": "milk"}), "").0.unwrap_err().code, rpc::INTERNAL_ERROR);
        assert_eq!(converse(&file, "list", json!({}), "").0.unwrap(), json!({"notes": []}));
    }

    #[test]
    fn wrong_params_are_named() {
        let file = notes::fresh_file("main-params");
        let error = |method, params| converse(&file, method, params, "").0.unwrap_err();
        assert_eq!(error("add", json!({})).code, rpc::INVALID_PARAMS);
        assert!(error("add", json!({})).message.contains("text"));
        assert!(error("add", json!({"text": 7})).message.contains("text"));
        assert!(error("remove", json!({"id": "1"})).message.contains("id"));
        assert!(error("remove", json!({"id": -1})).message.contains("id"));
        assert_eq!(error("fly", json!({})).code, rpc::METHOD_NOT_FOUND);
    }

    #[test]
    fn every_described_method_exists() {
        let file = notes::fresh_file("main-discover");
        let document = converse(&file, "rpc.discover", json!({}), "").0.unwrap();
        let methods = document["methods"].as_array().unwrap();
        let names: Vec<&str> = methods.iter().map(|method| method["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["add", "list", "remove"]);
        for name in names {
            let code = converse(&file, name, json!({}), "").0.err().map(|error| error.code);
            assert_ne!(code, Some(rpc::METHOD_NOT_FOUND));
        }
    }
}
