//! Raw output: `print`, `stderr`, `answer`, `silent`.

use crate::params::{done, Failure, Outcome, Params};
use crate::Probe;
use std::io::Write;

pub fn run(probe: &mut Probe, op: &str, params: &Params) -> Option<Outcome> {
    Some(match op {
        "print" => params.content().and_then(|bytes| {
            probe.wire.print(&bytes);
            done(bytes.len())
        }),
        "stderr" => stderr(params),
        "answer" => answer(probe, params),
        "silent" => {
            probe.answered = true;
            done(())
        }
        _ => return None,
    })
}

/// Raw bytes, or `lines` numbered lines.
fn stderr(params: &Params) -> Outcome {
    let mut stderr = std::io::stderr().lock();
    if let Ok(lines) = params.number("lines") {
        let text = params.text("text").unwrap_or("line");
        for number in 0..lines {
            stderr.write_all(format!("{text} {number}\n").as_bytes())?;
        }
        return done(lines);
    }
    let bytes = params.content()?;
    stderr.write_all(&bytes)?;
    done(bytes.len())
}

/// Answers now, under the ID of the call or, with `id` (JSON text), under another one.
fn answer(probe: &mut Probe, params: &Params) -> Outcome {
    probe.answered = true;
    let own = || probe.request.as_ref().and_then(|request| request.id.clone());
    let id = params.text("id").ok().map(String::from).or_else(own).ok_or_else(|| Failure::missing("id"))?;
    let outcome = match params.get("error") {
        Some(error) => Err(Failure(error.to_string())),
        None => Ok(params.get("result").map_or("null".into(), |result| result.to_string())),
    };
    probe.wire.answer(&id, outcome);
    done(())
}
