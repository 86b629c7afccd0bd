//! The wire, kept as raw text wherever a test may want to see or send the exact bytes.

use crate::params::{Failure, Outcome};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Stdin, Write};

pub struct Request {
    /// JSON text; None in a notification.
    pub id: Option<String>,
    pub method: String,
    /// JSON text.
    pub params: String,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

pub struct Wire {
    input: BufReader<Stdin>,
    last: u64,
    /// Lines that were read while something else was waited for, oldest first.
    waiting: VecDeque<String>,
}

impl Wire {
    pub fn new() -> Self {
        Wire { input: BufReader::new(io::stdin()), last: 0, waiting: VecDeque::new() }
    }

    /// An ID that no other request of this process has, as JSON text.
    pub fn next_id(&mut self) -> String {
        self.last += 1;
        self.last.to_string()
    }

    /// The next line of stdin, without those that are waiting; None at the end.
    fn read(&mut self) -> Option<String> {
        let mut line = Vec::new();
        match self.input.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(String::from_utf8_lossy(&line).trim_end_matches('\n').to_string()),
        }
    }

    /// The next line, those that wait first.
    pub fn line(&mut self) -> Option<String> {
        self.waiting.pop_front().or_else(|| self.read())
    }

    /// Waits for the request or notification that this process was started for. Answers to requests that were sent
    /// before are kept; the request may be among the lines that wait already.
    pub fn request(&mut self) -> Option<Request> {
        let mut kept = VecDeque::new();
        let request = loop {
            let Some(line) = self.line() else { break None };
            match serde_json::from_str::<Envelope>(&line) {
                Ok(Envelope { id, method: Some(method), params, .. }) if method != "core.notify" => {
                    let params = params.map_or("{}", RawValue::get).to_string();
                    break Some(Request { id: id.map(|id| id.get().to_string()), method, params });
                }
                _ => kept.push_back(line),
            }
        };
        kept.append(&mut self.waiting);
        self.waiting = kept;
        request
    }

    /// Waits for the answer to the request with this ID. Other lines are kept for later.
    pub fn wait(&mut self, id: &str) -> Outcome {
        let mut looked_at = 0;
        loop {
            while looked_at < self.waiting.len() {
                if let Some(outcome) = outcome_for(id, &self.waiting[looked_at]) {
                    self.waiting.remove(looked_at);
                    return outcome;
                }
                looked_at += 1;
            }
            let line = self.read().ok_or_else(|| Failure::new(-32000, "stdin ended before the answer"))?;
            self.waiting.push_back(line);
        }
    }

    /// The requests and notifications that were read and that nobody has looked at.
    pub fn unread(&mut self) -> Vec<String> {
        let (answers, others) = self.waiting.drain(..).partition(|line| is_answer(line));
        self.waiting = answers;
        let others: VecDeque<String> = others;
        others.into()
    }

    pub fn send(&mut self, id: Option<&str>, method: &str, params: &str) {
        let id = id.map_or(String::new(), |id| format!("\"id\":{id},"));
        let method = serde_json::to_string(method).expect("text is JSON");
        self.print(format!("\n{{\"jsonrpc\":\"2.0\",{id}\"method\":{method},\"params\":{params}}}\n").as_bytes());
    }

    pub fn answer(&mut self, id: &str, outcome: Outcome) {
        let (name, text) = match outcome {
            Ok(result) => ("result", result),
            Err(Failure(error)) => ("error", error),
        };
        self.print(format!("\n{{\"jsonrpc\":\"2.0\",\"id\":{id},\"{name}\":{text}}}\n").as_bytes());
    }

    /// Raw bytes on stdout, in one write.
    pub fn print(&mut self, bytes: &[u8]) {
        let mut stdout = io::stdout().lock();
        if let Err(error) = stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            eprintln!("stdout: {error}");
        }
    }
}

fn is_answer(line: &str) -> bool {
    matches!(serde_json::from_str::<Envelope>(line), Ok(Envelope { id: Some(_), method: None, .. }))
}

fn outcome_for(id: &str, line: &str) -> Option<Outcome> {
    let text = |raw: &RawValue| raw.get().to_string();
    match serde_json::from_str::<Envelope>(line) {
        Ok(Envelope { id: Some(got), method: None, result, error, .. }) if got.get() == id => {
            Some(error.map_or_else(|| Ok(result.map_or("null".into(), text)), |error| Err(Failure(text(error)))))
        }
        _ => None,
    }
}
