//! Endpoints: `endpoint` serves one interface (`add`, and `ask`, which asks back), `use-endpoint` is a client of it.

use crate::params::{failed, Failure, Outcome, Params};
use crate::stream::{read_some, write_all};
use crate::tcp::{accept_one, open_connection, open_listener, port_of, to_wasi, Tcp};
use crate::wire::message;
use serde_json::{json, Value};
use std::net::SocketAddr;

pub fn run(op: &str, params: &Params) -> Option<Outcome> {
    Some(match op {
        "endpoint" => serve(params),
        "use-endpoint" => call(params),
        _ => return None,
    })
}

/// JSON-RPC over a connection, one message a line.
struct Lines {
    tcp: Tcp,
    read: Vec<u8>,
}

impl Lines {
    fn new(tcp: Tcp) -> Self {
        Lines { tcp, read: Vec::new() }
    }

    fn send(&self, message: Value) -> Result<(), Failure> {
        write_all(self.tcp.output.as_ref().expect("output"), format!("{message}\n").as_bytes())
    }

    /// The next message; None at the end.
    fn next(&mut self) -> Result<Option<Value>, Failure> {
        loop {
            if let Some(end) = self.read.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.read.drain(..=end).collect();
                match serde_json::from_slice(&line) {
                    Ok(message) => return Ok(Some(message)),
                    Err(_) => continue,
                }
            }
            match read_some(self.tcp.input.as_ref().expect("input"), 65536)? {
                Some(bytes) => self.read.extend_from_slice(&bytes),
                None => return Ok(None),
            }
        }
    }
}

/// Serves `connections` of them, one after the other, at the address in the file `path`, which is written in one step.
/// `owner` and `interface` are what the file says, for tests of a file that is wrong.
fn serve(params: &Params) -> Outcome {
    let at = SocketAddr::from(([127, 0, 0, 1], params.number_or("port", 0) as u16));
    let listener = open_listener(to_wasi(at), None)?;
    let port = port_of(listener.local_address()?);
    let pid = std::env::var("SAUSAGE_PID").unwrap_or_default();
    let path = params.text("path")?;
    let line = format!("tcp:127.0.0.1:{port} {} control\n", params.text_or("owner", &pid));
    std::fs::write(format!("{path}.new"), line)?;
    std::fs::rename(format!("{path}.new"), path)?;
    for _ in 0..params.number_or("connections", 1) {
        let mut lines = Lines::new(accept_one(&listener)?);
        while let Some(request) = lines.next()? {
            let outcome = handle(&mut lines, &pid, &request);
            lines.send(message(&request["id"], outcome))?;
        }
    }
    Ok(json!({ "port": port }))
}

fn handle(lines: &mut Lines, pid: &str, request: &Value) -> Outcome {
    let params = &request["params"];
    match request["method"].as_str() {
        Some("rpc.endpoint") => Ok(json!({ "owner": pid, "plugin": "netprobe", "interface": "control" })),
        Some("add") => {
            let told = json!({ "call": request["id"], "name": "adding", "params": params });
            lines.send(json!({ "jsonrpc": "2.0", "method": "core.notify", "params": told }))?;
            Ok(json!(params["a"].as_i64().unwrap_or(0) + params["b"].as_i64().unwrap_or(0)))
        }
        // asks the client, while the client waits for the answer
        Some("ask") => {
            lines.send(json!({ "jsonrpc": "2.0", "id": "back", "method": "double", "params": params }))?;
            let answer = lines.next()?.unwrap_or(Value::Null);
            Ok(json!({ "client said": answer["result"] }))
        }
        _ => Err(failed(-32601, "control has no such method", Value::Null)),
    }
}

/// Reads the file `path`, connects, checks with `rpc.endpoint` that the right process answers, and calls `method`.
fn call(params: &Params) -> Outcome {
    let line = std::fs::read_to_string(params.text("path")?)?;
    let [address, owner, interface] = line.split_whitespace().collect::<Vec<_>>()[..] else {
        return Err(failed(-32000, "this is no endpoint file", Value::Null));
    };
    let at: SocketAddr = address
        .trim_start_matches("tcp:")
        .parse()
        .map_err(|_| failed(-32000, "this is no address", Value::Null))?;
    let mut lines = Lines::new(open_connection(to_wasi(at))?);
    let who = ask(&mut lines, 1, "rpc.endpoint", json!({}), &mut Vec::new())?;
    if who["owner"] != owner || who["interface"] != interface {
        return Err(failed(-32000, "another process answers", json!({ "wanted": owner, "got": who["owner"] })));
    }
    let mut told = Vec::new();
    let given = params.get("params").cloned().unwrap_or_else(|| json!({}));
    let result = ask(&mut lines, 2, params.text("method")?, given, &mut told)?;
    Ok(json!({ "who": who, "result": result, "told": told }))
}

/// Calls a method, and meanwhile answers what the other side asks and keeps what it tells.
fn ask(lines: &mut Lines, id: u64, method: &str, params: Value, told: &mut Vec<Value>) -> Outcome {
    lines.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
    loop {
        let got = lines.next()?.ok_or_else(|| failed(-32000, "the connection ended", Value::Null))?;
        match got["method"].as_str() {
            Some("core.notify") => told.push(got["params"].clone()),
            Some("double") => {
                let doubled = got["params"]["x"].as_i64().unwrap_or(0) * 2;
                lines.send(message(&got["id"], Ok(json!(doubled))))?;
            }
            _ if got["id"] == id => {
                return match got.get("error") {
                    Some(error) => Err(Failure(error.clone())),
                    None => Ok(got["result"].clone()),
                }
            }
            _ => {}
        }
    }
}
