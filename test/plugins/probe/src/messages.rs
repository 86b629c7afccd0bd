//! Messages to others: `call`, `send`, `await`, `parallel`, `notify`, `progress`, `lock`, `unlock`; and from them:
//! `receive`, `eof`, `hang`.

use crate::params::{done, Failure, Outcome, Params};
use crate::Probe;
use serde_json::{json, Value};
use std::thread::sleep;
use std::time::Duration;

pub fn run(probe: &mut Probe, op: &str, params: &Params) -> Option<Outcome> {
    Some(match op {
        "call" => send(probe, params).and_then(|id| wait(probe, &id, params.flag("log"))),
        "send" => send(probe, params).and_then(done),
        "await" => params.text("id").and_then(|id| wait(probe, id, params.flag("log"))),
        "parallel" => parallel(probe, params),
        "notify" => params.text("method").and_then(|method| {
            probe.wire.send(None, method, &inner(params));
            done(())
        }),
        "progress" => progress(probe, params),
        "lock" => lock(probe, params),
        "unlock" => params.text("path").and_then(|path| {
            probe.wire.send(None, "core.unlock", &json!({ "path": path }).to_string());
            done(())
        }),
        "receive" => receive(probe, params.number_or("count", 1)),
        "eof" => eof(probe, params),
        "hang" => {
            probe.answered = true;
            eof(probe, params)
        }
        _ => return None,
    })
}

fn inner(params: &Params) -> String {
    params.get("params").map_or("{}".into(), Value::to_string)
}

/// Sends a request and returns its ID; with `detach`, the method is called through `core.call`.
fn send(probe: &mut Probe, params: &Params) -> Result<String, Failure> {
    let method = params.text("method")?;
    let id = params.text("id").map_or_else(|_| probe.wire.next_id(), String::from);
    if params.flag("detach") {
        let given = params.get("params").cloned().unwrap_or_else(|| json!({}));
        let detached = json!({ "method": method, "params": given, "detach": true });
        probe.wire.send(Some(&id), "core.call", &detached.to_string());
    } else {
        probe.wire.send(Some(&id), method, &inner(params));
    }
    Ok(id)
}

/// The answer itself; with `log`, the answer and what came before it.
fn wait(probe: &mut Probe, id: &str, log: bool) -> Outcome {
    let outcome = probe.wire.wait(id);
    if log {
        let before = serde_json::to_string(&probe.wire.unread()).expect("text is JSON");
        return Ok(format!("{{{},\"before\":{before}}}", named(&outcome)));
    }
    outcome
}

/// `"result":…` or `"error":…`.
fn named(outcome: &Outcome) -> String {
    match outcome {
        Ok(result) => format!("\"result\":{result}"),
        Err(Failure(error)) => format!("\"error\":{error}"),
    }
}

/// Sends all `calls`, then waits for all; the answers stand in the order of the calls.
fn parallel(probe: &mut Probe, params: &Params) -> Outcome {
    let calls = params.list("calls")?;
    let ids = calls.iter().map(|call| send(probe, &Params(call))).collect::<Result<Vec<_>, _>>()?;
    let answers: Vec<String> = ids.iter().map(|id| format!("{{{}}}", named(&probe.wire.wait(id)))).collect();
    Ok(format!("[{}]", answers.join(",")))
}

/// `core.notify` to the caller, `times` times, with the number of each beside the given `params`.
fn progress(probe: &mut Probe, params: &Params) -> Outcome {
    let times = params.number_or("times", 1);
    for number in 0..times {
        let mut given = params.get("params").cloned().unwrap_or_else(|| json!({}));
        given["number"] = json!(number);
        let name = params.text("name").unwrap_or("progress");
        probe.wire.send(None, "core.notify", &json!({ "name": name, "params": given }).to_string());
        sleep(Duration::from_millis(params.number_or("pause", 0)));
    }
    done(times)
}

fn lock(probe: &mut Probe, params: &Params) -> Outcome {
    let mut given = json!({ "path": params.text("path")? });
    if let Some(wait) = params.get("wait") {
        given["wait"] = wait.clone();
    }
    let id = probe.wire.next_id();
    probe.wire.send(Some(&id), "core.lock", &given.to_string());
    wait(probe, &id, false)
}

fn receive(probe: &mut Probe, count: u64) -> Outcome {
    let lines: Vec<String> = (0..count).map_while(|_| probe.wire.line()).collect();
    done(lines)
}

/// Reads to the end of stdin and answers what came; with `path`, writes it into that file too.
fn eof(probe: &mut Probe, params: &Params) -> Outcome {
    let lines: Vec<String> = std::iter::from_fn(|| probe.wire.line()).collect();
    if let Ok(path) = params.text("path") {
        std::fs::write(path, json!({ "lines": lines }).to_string())?;
    }
    done(lines)
}
