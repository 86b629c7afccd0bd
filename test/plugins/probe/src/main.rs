//! The plugin `probe` does on command whatever a test of the protocol needs. Every operation is a method, and `do`
//! runs a list of them. `README.md` describes each.

mod faults;
mod files;
mod heap;
mod messages;
mod output;
mod params;
mod report;
mod script;
mod version;
mod wire;

use params::{Failure, Outcome, Params};
use serde_json::Value;
use wire::{Request, Wire};

pub struct Probe {
    pub wire: Wire,
    /// The call that this process exists for; None before it was read.
    pub request: Option<Request>,
    /// No answer is due any more when the process ends.
    pub answered: bool,
    pub files: files::OpenFiles,
}

impl Probe {
    /// Runs one operation. The outcome is JSON text, so that what a test sent comes back byte for byte.
    pub fn run(&mut self, op: &str, params: &Value) -> Outcome {
        let params = Params(params);
        None.or_else(|| output::run(self, op, &params))
            .or_else(|| messages::run(self, op, &params))
            .or_else(|| files::run(self, op, &params))
            .or_else(|| report::run(op, &params))
            .or_else(|| faults::run(op, &params))
            .or_else(|| script::run(self, op, &params))
            .unwrap_or_else(|| Err(Failure::new(-32601, format!("probe has no method {op}"))))
    }

    pub fn answer(&mut self, outcome: Outcome) {
        self.answered = true;
        if let Some(id) = self.request.as_ref().and_then(|request| request.id.clone()) {
            self.wire.answer(&id, outcome);
        }
    }
}

fn main() {
    let mut probe = Probe { wire: Wire::new(), request: None, answered: false, files: Default::default() };
    script::before(&mut probe);
    let Some(request) = probe.wire.request() else { return };
    let (method, text) = (request.method.clone(), request.params.clone());
    probe.request = Some(request);
    let outcome = match method.as_str() {
        "echo" => Ok(text),
        _ => probe.run(&method, &serde_json::from_str(&text).unwrap_or(Value::Null)),
    };
    if !probe.answered {
        probe.answer(outcome);
    }
}
