//! Params of operations, and what becomes of an operation.

use serde::Serialize;
use serde_json::{json, Value};

/// JSON text of a result, or a failure.
pub type Outcome = Result<String, Failure>;

pub fn done(value: impl Serialize) -> Outcome {
    Ok(serde_json::to_string(&value).expect("results are JSON"))
}

/// JSON text of an error object: what another method answered is passed on as it came.
#[derive(Debug)]
pub struct Failure(pub String);

impl Failure {
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Failure(json!({ "code": code, "message": message.into() }).to_string())
    }
    pub fn missing(param: &str) -> Self {
        Failure::new(-32602, format!("{param} is missing or has a wrong type"))
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        let data = json!({ "kind": format!("{:?}", error.kind()), "os": error.raw_os_error() });
        Failure(json!({ "code": -32000, "message": error.to_string(), "data": data }).to_string())
    }
}

pub struct Params<'a>(pub &'a Value);

impl<'a> Params<'a> {
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name)
    }
    pub fn text(&self, name: &str) -> Result<&'a str, Failure> {
        self.get(name).and_then(Value::as_str).ok_or_else(|| Failure::missing(name))
    }
    pub fn number(&self, name: &str) -> Result<u64, Failure> {
        self.get(name).and_then(Value::as_u64).ok_or_else(|| Failure::missing(name))
    }
    pub fn number_or(&self, name: &str, otherwise: u64) -> u64 {
        self.number(name).unwrap_or(otherwise)
    }
    pub fn flag(&self, name: &str) -> bool {
        self.get(name).and_then(Value::as_bool).unwrap_or(false)
    }
    pub fn list(&self, name: &str) -> Result<&'a [Value], Failure> {
        self.get(name).and_then(Value::as_array).map(Vec::as_slice).ok_or_else(|| Failure::missing(name))
    }

    /// The bytes that `text`, `bytes` (numbers) or `fill` (so many times the letter x) stand for, `repeat` times.
    pub fn content(&self) -> Result<Vec<u8>, Failure> {
        let once = if let Ok(text) = self.text("text") {
            text.as_bytes().to_vec()
        } else if let Ok(bytes) = self.list("bytes") {
            bytes.iter().map(|byte| byte.as_u64().unwrap_or(0) as u8).collect()
        } else {
            vec![b'x'; self.number("fill").map_err(|_| Failure::missing("text, bytes or fill"))? as usize]
        };
        Ok(once.repeat(self.number_or("repeat", 1) as usize))
    }
}
