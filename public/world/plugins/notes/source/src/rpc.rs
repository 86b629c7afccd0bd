//! The wire between a plugin and the core: JSON-RPC 2.0, one message a line.

use serde::Deserialize;
use serde_json::{json, Map, Value};
use std::io::{BufRead, Write};

pub const METHOD_NOT_FOUND: i64 = -32601;
pub const INVALID_PARAMS: i64 = -32602;
pub const INTERNAL_ERROR: i64 = -32603;

/// An error as the caller will see it.
#[derive(Debug)]
pub struct Error {
    pub code: i64,
    pub message: String,
}

impl Error {
    pub fn method_not_found(method: &str) -> Self {
        Error { code: METHOD_NOT_FOUND, message: format!("notes has no method {method}") }
    }
    pub fn invalid(param: &str, what: &str) -> Self {
        Error { code: INVALID_PARAMS, message: format!("{param} {what}") }
    }
    pub fn internal(message: String) -> Self {
        Error { code: INTERNAL_ERROR, message }
    }
}

/// The named params of a request. Reading one that is missing or has another type is an error that names it.
pub struct Params(Map<String, Value>);

impl From<Value> for Params {
    fn from(value: Value) -> Self {
        Params(if let Value::Object(map) = value { map } else { Map::new() })
    }
}

impl Params {
    pub fn text(&self, name: &str) -> Result<&str, Error> {
        self.0.get(name).and_then(Value::as_str).ok_or_else(|| Error::invalid(name, "must be a string"))
    }
    pub fn integer(&self, name: &str) -> Result<u64, Error> {
        self.0.get(name).and_then(Value::as_u64).ok_or_else(|| Error::invalid(name, "must be an integer from 0 on"))
    }
}

/// What is left of a request when its params are skipped.
#[derive(Deserialize)]
struct Envelope {
    id: Value,
    method: String,
}

pub struct Request {
    /// None in a notification, which gets no answer.
    id: Option<Value>,
    pub method: String,
    pub params: Params,
}

/// The other end of the wire.
pub struct Core<R, W> {
    input: R,
    output: W,
    /// The ID of the newest request of our own.
    last: u64,
}

impl<R: BufRead, W: Write> Core<R, W> {
    pub fn new(input: R, output: W) -> Self {
        Core { input, output, last: 0 }
    }

    /// The next request or notification; None at the end of stdin.
    pub fn receive(&mut self) -> Option<Request> {
        loop {
            let mut message = self.read()?;
            if let Some(Value::String(method)) = message.get_mut("method").map(Value::take) {
                let params = Params::from(message.get_mut("params").map_or(Value::Null, Value::take));
                return Some(Request { id: message.get_mut("id").map(Value::take), method, params });
            }
        }
    }

    pub fn answer(&mut self, request: &Request, result: Result<Value, Error>) {
        let Some(id) = &request.id else { return };
        self.write(match result {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(error) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": error.code, "message": error.message } })
            }
        });
    }

    /// Calls a method of the core or of a plugin and waits for its result.
    pub fn call(&mut self, method: &str, params: Value) -> Result<Value, Error> {
        self.last += 1;
        let id = self.last;
        self.write(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            // The end of stdin means "stop now": no answer will come any more.
            let stopped = || Error::internal(format!("stopped while waiting for {method}"));
            let mut message = self.read().ok_or_else(stopped)?;
            if message.get("method").is_some() || message["id"] != id {
                continue;
            }
            return match message.get("error") {
                None => Ok(message["result"].take()),
                Some(error) => Err(Error {
                    code: error["code"].as_i64().unwrap_or(INTERNAL_ERROR),
                    message: error["message"].as_str().unwrap_or_default().to_string(),
                }),
            };
        }
    }

    /// Runs `work` while this process alone holds the lock on `path`.
    pub fn locked<T>(&mut self, path: &str, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        self.call("core.lock", json!({ "path": path }))?;
        let result = work();
        self.write(json!({ "jsonrpc": "2.0", "method": "core.unlock", "params": { "path": path } }));
        result
    }

    fn read(&mut self) -> Option<Value> {
        loop {
            let mut line = Vec::new();
            if self.input.read_until(b'\n', &mut line).ok()? == 0 {
                return None;
            }
            match serde_json::from_slice(&line) {
                Ok(message @ Value::Object(_)) => return Some(message),
                Ok(_) => {} // what is no JSON object is no message
                Err(error) => self.refuse(&line, &error)?,
            }
        }
    }

    /// JSON can hold what `Value` cannot: values nested too deep, halves of surrogate pairs. A request with such params is
    /// answered, and is the end of what this process has to do.
    fn refuse(&mut self, line: &[u8], error: &serde_json::Error) -> Option<()> {
        if !line.starts_with(b"{") {
            return Some(());
        }
        match serde_json::from_slice(line) {
            Ok(Envelope { id, method }) => {
                let message = format!("the params of {method} cannot be read: {error}");
                let error = json!({ "code": INVALID_PARAMS, "message": message });
                self.write(json!({ "jsonrpc": "2.0", "id": id, "error": error }));
            }
            // A message all the same: to read on would be to wait for ever.
            Err(_) => eprintln!("a message cannot be read: {error}"),
        }
        None
    }

    /// One write for a whole message, and a newline before it, so that an unfinished line cannot spoil it.
    fn write(&mut self, message: Value) {
        let sent = self.output.write_all(format!("\n{message}\n").as_bytes()).and_then(|()| self.output.flush());
        if let Err(error) = sent {
            eprintln!("stdout: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_the_id_of_its_request() {
        let mut output = Vec::new();
        let input = "noise\n\n{\"jsonrpc\":\"2.0\",\"id\":\"p-1\",\"method\":\"list\"}\n";
        let mut core = Core::new(input.as_bytes(), &mut output);
        let request = core.receive().unwrap();
        assert_eq!(request.method, "list");
        core.answer(&request, Ok(json!({})));
        assert_eq!(output, b"\n{\"id\":\"p-1\",\"jsonrpc\":\"2.0\",\"result\":{}}\n");
    }

    #[test]
    fn params_that_cannot_be_read_are_answered() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        for value in [&deep, r#""\ud800""#, "1e999"] {
            let mut output = Vec::new();
            let input = format!(r#"{{"jsonrpc":"2.0","id":"p-1","method":"add","params":{{"text":{value}}}}}"#);
            assert!(Core::new(input.as_bytes(), &mut output).receive().is_none());
            let answer: Value = serde_json::from_slice(&output).unwrap();
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("p-1"), &json!(INVALID_PARAMS)));
        }
    }

    #[test]
    fn a_notification_gets_no_answer() {
        let mut output = Vec::new();
        let mut core = Core::new(&b"{\"jsonrpc\":\"2.0\",\"method\":\"list\"}\n"[..], &mut output);
        let request = core.receive().unwrap();
        core.answer(&request, Ok(json!({})));
        assert!(output.is_empty());
    }

    #[test]
    fn a_request_that_is_nested_too_deep_is_the_last_one() {
        let deep = format!("{{\"method\":\"list\",\"params\":{{\"a\":{}1{}}}}}\n", "[".repeat(200), "]".repeat(200));
        let input = deep + "{\"jsonrpc\":\"2.0\",\"method\":\"list\"}\n";
        assert!(Core::new(input.as_bytes(), Vec::new()).receive().is_none());
    }

    #[test]
    fn a_call_waits_for_its_own_answer() {
        let input = concat!(
            "{\"jsonrpc\":\"2.0\",\"method\":\"core.notify\",\"params\":{}}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":\"of another\"}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"mine\"}\n",
        );
        let mut core = Core::new(input.as_bytes(), Vec::new());
        assert_eq!(core.call("a.b", json!({})).unwrap(), "mine");
        assert_eq!(core.call("a.b", json!({})).unwrap_err().code, INTERNAL_ERROR);
    }
}
