//! The wire: one JSON-RPC message a line, on stdin and stdout.

use crate::params::{Failure, Outcome};
use serde_json::{json, Value};
use std::io::{stdin, stdout, BufRead, Write};

/// The next message; None at the end of stdin.
pub fn read() -> Option<Value> {
    for line in stdin().lock().lines() {
        if let Ok(message) = serde_json::from_str(&line.ok()?) {
            return Some(message);
        }
    }
    None
}

fn send(message: Value) {
    let mut out = stdout().lock();
    out.write_all(format!("\n{message}\n").as_bytes()).and_then(|()| out.flush()).expect("stdout");
}

pub fn notify(name: &str, params: Value) {
    send(json!({ "jsonrpc": "2.0", "method": "core.notify", "params": { "name": name, "params": params } }));
}

pub fn message(id: &Value, outcome: Outcome) -> Value {
    match outcome {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(Failure(error)) => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
    }
}

pub fn answer(id: &Value, outcome: Outcome) {
    if !id.is_null() {
        send(message(id, outcome));
    }
}

/// Reads to the end of stdin.
pub fn hang() -> Outcome {
    while read().is_some() {}
    Ok(Value::Null)
}
