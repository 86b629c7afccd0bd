//! Scripts: `do`, `repeat`, and methods that a test writes into the world.

use crate::params::{done, Failure, Outcome, Params};
use crate::version::version;
use crate::Probe;
use serde_json::{json, Value};

pub fn run(probe: &mut Probe, op: &str, params: &Params) -> Option<Outcome> {
    match op {
        "echo" => Some(done(params.0)),
        "do" => Some(params.list("steps").and_then(|steps| all(probe, steps))),
        "repeat" => Some(repeat(probe, params)),
        "rpc.discover" => Some(Ok(file_for(op).unwrap_or_else(|| include_str!("discover.json").replace('\n', "")))),
        _ => Some(all_of_text(probe, &file_for(op)?)),
    }
}

/// Runs what the world has for the time before stdin is read.
pub fn before(probe: &mut Probe) {
    if let Some(text) = file_for("before") {
        if let Err(Failure(error)) = all_of_text(probe, &text) {
            eprintln!("before: {error}");
        }
    }
}

/// The text of `/state/<plugin>/<version>/<name>.json`, else of `/state/<plugin>/<name>.json`.
fn file_for(name: &str) -> Option<String> {
    let plugin = std::env::var("SAUSAGE_PLUGIN").unwrap_or_else(|_| "probe".into());
    let paths = [format!("/state/{plugin}/{}/{name}.json", version()), format!("/state/{plugin}/{name}.json")];
    let text = paths.iter().find_map(|path| std::fs::read_to_string(path).ok())?;
    Some(text.replace('\n', " "))
}

fn all_of_text(probe: &mut Probe, text: &str) -> Outcome {
    let steps: Vec<Value> =
        serde_json::from_str(text).map_err(|error| Failure::new(-32603, format!("script: {error}")))?;
    all(probe, &steps)
}

/// Runs `{op, …}` after `{op, …}` and answers all results. The first failure ends it, but for a step with `catch`,
/// whose result is then `{"error": …}`.
fn all(probe: &mut Probe, steps: &[Value]) -> Outcome {
    let mut results = Vec::new();
    for step in steps {
        let params = Params(step);
        results.push(match probe.run(params.text("op")?, step) {
            Err(Failure(error)) if params.flag("catch") => format!("{{\"error\":{error}}}"),
            outcome => outcome?,
        });
    }
    Ok(format!("[{}]", results.join(",")))
}

/// Runs `steps` so many `times` and answers how often.
fn repeat(probe: &mut Probe, params: &Params) -> Outcome {
    let (times, steps) = (params.number("times")?, params.list("steps")?);
    for _ in 0..times {
        all(probe, steps)?;
    }
    done(json!({ "times": times }))
}
