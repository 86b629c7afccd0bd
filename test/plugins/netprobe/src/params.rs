//! Params of operations, and what becomes of an operation.

use serde_json::{json, Value};
use wasip2::sockets::network::ErrorCode;

pub type Outcome = Result<Value, Failure>;

/// An error object.
#[derive(Debug)]
pub struct Failure(pub Value);

pub fn failed(code: i64, message: &str, data: Value) -> Failure {
    Failure(json!({ "code": code, "message": message, "data": data }))
}

/// `connection-refused` and the like, as WIT writes them.
pub fn kebab(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !text.is_empty() {
            text.push('-');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

impl From<ErrorCode> for Failure {
    fn from(code: ErrorCode) -> Self {
        let name = code.name();
        failed(-32000, name, json!({ "code": name }))
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        failed(-32000, &error.to_string(), Value::Null)
    }
}

pub struct Params<'a>(pub &'a Value);

impl<'a> Params<'a> {
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name)
    }
    pub fn text(&self, name: &str) -> Result<&'a str, Failure> {
        self.get(name).and_then(Value::as_str).ok_or_else(|| missing(name))
    }
    pub fn number(&self, name: &str) -> Result<u64, Failure> {
        self.get(name).and_then(Value::as_u64).ok_or_else(|| missing(name))
    }
    pub fn number_or(&self, name: &str, otherwise: u64) -> u64 {
        self.number(name).unwrap_or(otherwise)
    }
    pub fn text_or(&self, name: &str, otherwise: &'a str) -> &'a str {
        self.text(name).unwrap_or(otherwise)
    }
    pub fn flag(&self, name: &str) -> bool {
        self.get(name).and_then(Value::as_bool).unwrap_or(false)
    }
    pub fn list(&self, name: &str) -> Result<&'a [Value], Failure> {
        self.get(name).and_then(Value::as_array).map(Vec::as_slice).ok_or_else(|| missing(name))
    }

    /// The bytes of `text`, or `fill`: so many of a pattern that shows a byte that is lost or doubled.
    pub fn content(&self) -> Result<Vec<u8>, Failure> {
        match self.text("text") {
            Ok(text) => Ok(text.as_bytes().to_vec()),
            Err(_) => Ok(pattern(0, self.number("fill").map_err(|_| missing("text or fill"))? as usize)),
        }
    }
}

fn missing(param: &str) -> Failure {
    failed(-32602, &format!("{param} is missing or has a wrong type"), Value::Null)
}

/// Byte `i` is made of `i`, with a period that no buffer size divides.
pub fn pattern(from: usize, length: usize) -> Vec<u8> {
    (from..from + length).map(|i| (i % 251) as u8).collect()
}
