//! The wire: JSON-RPC 2.0, one message a line (R3.1).

use crate::Result;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A message as it is read. What is not there is `None`; an ID or a result that is null is not.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Message {
    pub id: Option<Value>,
    pub method: Option<String>,
    pub params: Map<String, Value>,
    pub result: Option<Value>,
    pub error: Option<Value>,
    /// Why the rest could not be read: JSON can hold what `Value` cannot.
    pub fault: Option<String>,
}

/// What is left of a message when its values are skipped.
#[derive(Deserialize)]
struct Envelope {
    id: Option<Value>,
    method: Option<String>,
}

impl Message {
    /// `None` for what is no object of JSON.
    pub fn parse(line: &[u8]) -> Option<Message> {
        let mut object = match serde_json::from_slice(line) {
            Ok(Value::Object(object)) => object,
            Ok(_) => return None,
            // Values nested too deep, gigantic numbers, halves of surrogate pairs: whoever waits must hear of it.
            Err(error) => {
                let Envelope { id, method } = serde_json::from_slice(line).ok()?;
                let fault = Some(error.to_string());
                return Some(Message {
                    id,
                    method,
                    fault,
                    ..Message::default()
                });
            }
        };
        let mut take = |name: &str| object.get_mut(name).map(Value::take);
        Some(Message {
            id: take("id"),
            method: if let Some(Value::String(method)) = take("method") {
                Some(method)
            } else {
                None
            },
            params: if let Some(Value::Object(params)) = take("params") {
                params
            } else {
                Map::new()
            },
            result: take("result"),
            error: take("error"),
            fault: None,
        })
    }
}

/// The JSON text of a result, or an error.
pub(crate) type Reply = Result<String>;

/// The result of a call.
pub(crate) type Answer = Result<Value>;

/// The line of a request, or of a notification where there is no ID. It begins with a newline too, so that a `print!`
/// before it cannot damage it (R3.1-4).
pub(crate) fn request<P: Serialize + ?Sized>(id: Option<u64>, method: &str, params: &P) -> Result<String> {
    let method = serde_json::to_string(method)?;
    let params = serde_json::to_string(params)?;
    let id = id.map(|id| format!("\"id\":{id},")).unwrap_or_default();
    Ok(format!(
        "\n{{\"jsonrpc\":\"2.0\",{id}\"method\":{method},\"params\":{params}}}\n"
    ))
}

/// The line of an answer, under the ID as it was written.
pub(crate) fn response(id: &str, reply: Reply) -> String {
    let (name, text) = match reply {
        Ok(result) => ("result", result),
        Err(error) => ("error", serde_json::to_string(&error).expect("an error is JSON")),
    };
    format!("\n{{\"jsonrpc\":\"2.0\",\"id\":{id},\"{name}\":{text}}}\n")
}

/// Takes the whole lines out of what has been read.
pub(crate) struct Lines {
    bytes: Vec<u8>,
    /// Where the search for the next newline goes on.
    searched: usize,
}

impl Lines {
    pub const fn new() -> Self {
        Lines {
            bytes: Vec::new(),
            searched: 0,
        }
    }

    /// Reads once from a source; false at its end.
    pub fn fill(&mut self, read: impl FnOnce(&mut [u8]) -> std::io::Result<usize>) -> bool {
        const CHUNK: usize = 64 * 1024;
        let length = self.bytes.len();
        self.bytes.resize(length + CHUNK, 0);
        let count = read(&mut self.bytes[length..]).unwrap_or(0);
        self.bytes.truncate(length + count);
        count > 0
    }

    /// Adds bytes that have come.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Bytes that are not taken yet.
    pub fn length(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there is a whole line.
    pub fn has_line(&mut self) -> bool {
        let rest = &self.bytes[self.searched..];
        let found = rest.iter().position(|byte| *byte == b'\n');
        self.searched += found.unwrap_or(rest.len());
        found.is_some()
    }

    /// The next line without its newline; at the end of the source, what has none counts too (R3.1-5).
    pub fn next(&mut self) -> Option<Vec<u8>> {
        if self.bytes.is_empty() {
            return None;
        }
        let rest = if self.has_line() {
            self.bytes.split_off(self.searched + 1)
        } else {
            Vec::new()
        };
        let mut line = std::mem::replace(&mut self.bytes, rest);
        line.truncate(self.searched);
        self.searched = 0;
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[test]
    fn null_is_an_id_and_a_result() {
        let message = Message::parse(br#"{"jsonrpc":"2.0","id":null,"result":null}"#).unwrap();
        assert_eq!((message.id, message.result), (Some(Value::Null), Some(Value::Null)));
        let message = Message::parse(br#"{"jsonrpc":"2.0","method":"a\u0062","params":{"n":1}}"#).unwrap();
        assert_eq!((message.id, message.method.as_deref()), (None, Some("ab")));
        assert_eq!(message.params["n"], 1);
        assert_eq!(Message::parse(b"[1]"), None);
        assert_eq!(Message::parse(b"{"), None);
    }

    #[test]
    fn r3_3_5_a_message_whose_values_cannot_be_read_is_still_one() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        for value in [&deep, r#""\ud800""#, "1e999"] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":"p-1","method":"add","params":{{"a":{value}}}}}"#);
            let message = Message::parse(line.as_bytes()).unwrap();
            assert_eq!(
                (message.id, message.method.as_deref()),
                (Some("p-1".into()), Some("add"))
            );
            assert!(message.fault.is_some());
        }
    }

    #[test]
    fn lines_come_whole_however_they_arrive() {
        let mut lines = Lines::new();
        for piece in [&b"{\"a\":"[..], b"1}\n\n{", b"}\nrest"] {
            assert!(lines.fill(|buffer| {
                buffer[..piece.len()].copy_from_slice(piece);
                Ok(piece.len())
            }));
        }
        assert_eq!(lines.next().unwrap(), b"{\"a\":1}");
        assert_eq!(lines.next().unwrap(), b"");
        assert_eq!(lines.next().unwrap(), b"{}");
        assert!(!lines.has_line());
        assert!(!lines.fill(|_| Ok(0)));
        assert_eq!(lines.next().unwrap(), b"rest");
        assert_eq!(lines.next(), None);
    }

    #[test]
    fn a_message_stands_between_newlines() {
        let line = request(None, "core.unlock", &serde_json::json!({ "path": "/a" })).unwrap();
        assert_eq!(
            line,
            "\n{\"jsonrpc\":\"2.0\",\"method\":\"core.unlock\",\"params\":{\"path\":\"/a\"}}\n"
        );
        let line = response("1.0", Err(Error::new(3, "no")));
        assert_eq!(
            line,
            "\n{\"jsonrpc\":\"2.0\",\"id\":1.0,\"error\":{\"code\":3,\"message\":\"no\"}}\n"
        );
    }
}
