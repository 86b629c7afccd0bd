//! The plugin `netprobe` does on command whatever a test of the network needs, over `wasi:sockets` and `wasi:http` as
//! they are: `std::net` does not work on wasm32-wasip1. Every operation is a method, and `do` runs a list of them.

mod endpoint;
mod heap;
mod http;
mod load;
mod lookup;
mod params;
mod site;
mod stream;
mod tcp;
mod udp;
mod wire;

use params::{failed, Failure, Outcome, Params};
use serde_json::{json, Value};
use std::collections::HashMap;

/// What the steps of a script have opened, by the names that they gave.
#[derive(Default)]
pub struct Probe {
    pub tcp: HashMap<String, tcp::Tcp>,
    pub udp: HashMap<String, udp::Udp>,
}

impl Probe {
    fn run(&mut self, op: &str, params: &Params) -> Outcome {
        match op {
            "do" => self.all(params.list("steps")?),
            "sleep" => {
                std::thread::sleep(std::time::Duration::from_millis(params.number("ms")?));
                Ok(Value::Null)
            }
            "trap" => std::process::abort(),
            "hang" => wire::hang(),
            "notify" => {
                wire::notify(params.text("name")?, params.get("params").cloned().unwrap_or_else(|| json!({})));
                Ok(Value::Null)
            }
            _ => None
                .or_else(|| tcp::run(self, op, params))
                .or_else(|| udp::run(self, op, params))
                .or_else(|| lookup::run(op, params))
                .or_else(|| http::run(op, params))
                .or_else(|| endpoint::run(op, params))
                .or_else(|| load::run(op, params))
                .or_else(|| site::run(op, params))
                .unwrap_or_else(|| Err(failed(-32601, &format!("netprobe has no method {op}"), Value::Null))),
        }
    }

    /// Runs `{op, …}` after `{op, …}`; the first failure ends it, but for a step with `catch`.
    fn all(&mut self, steps: &[Value]) -> Outcome {
        let mut results = Vec::new();
        for step in steps {
            let params = Params(step);
            match self.run(params.text("op")?, &params) {
                Err(Failure(error)) if params.flag("catch") => results.push(json!({ "error": error })),
                outcome => results.push(outcome?),
            }
        }
        Ok(Value::Array(results))
    }
}

fn main() {
    let Some(request) = wire::read() else { return };
    let method = request["method"].as_str().unwrap_or("").to_string();
    let outcome = match method.as_str() {
        "rpc.discover" => Ok(serde_json::from_str(include_str!("discover.json")).expect("the document is JSON")),
        _ => Probe::default().run(&method, &Params(&request["params"])),
    };
    wire::answer(&request["id"], outcome);
}
