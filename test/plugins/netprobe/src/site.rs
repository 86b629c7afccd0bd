//! `site` is a small web server: pages by their paths, for any number of connections, until stdin ends.

use crate::params::{failed, Outcome, Params};
use crate::stream::write_all;
use crate::tcp::{accept_one, open_listener, socket_address, Tcp};
use serde_json::{json, Value};
use wasip2::cli::stdin::get_stdin;
use wasip2::io::poll::{poll, Pollable};

pub fn run(op: &str, params: &Params) -> Option<Outcome> {
    (op == "site").then(|| site(params))
}

/// A connection and what has come over it; one that is answered and held open is only watched for its end.
struct Visit {
    arrival: Pollable,
    tcp: Tcp,
    got: Vec<u8>,
    held: bool,
}

fn site(params: &Params) -> Outcome {
    let pages = params.get("pages").ok_or_else(|| failed(-32602, "pages is missing", Value::Null))?;
    let listener = open_listener(socket_address(params)?, None)?;
    let arrival = listener.subscribe();
    let stdin = get_stdin();
    let end = stdin.subscribe();
    let mut visits: Vec<Visit> = Vec::new();
    let mut requests = 0u64;
    loop {
        let ready = {
            let mut all = vec![&arrival, &end];
            all.extend(visits.iter().map(|visit| &visit.arrival));
            poll(&all)
        };
        let mut over = Vec::new();
        for index in ready {
            match index {
                0 => {
                    let tcp = accept_one(&listener)?;
                    let arrival = tcp.input.as_ref().expect("input").subscribe();
                    visits.push(Visit { arrival, tcp, got: Vec::new(), held: false });
                }
                1 => {
                    if stdin.read(1024).is_err() {
                        return Ok(json!({ "requests": requests }));
                    }
                }
                _ => {
                    let visit = &mut visits[index as usize - 2];
                    match visit.tcp.input.as_ref().expect("input").read(65536) {
                        Err(_) => over.push(index as usize - 2),
                        Ok(bytes) => visit.got.extend_from_slice(&bytes),
                    }
                    if visit.held {
                        continue;
                    }
                    if let Some(request) = parse(&visit.got) {
                        requests += 1;
                        visit.held = answer(visit, &request, pages);
                        if !visit.held && !over.contains(&(index as usize - 2)) {
                            over.push(index as usize - 2);
                        }
                    }
                }
            }
        }
        over.sort_unstable();
        for index in over.into_iter().rev() {
            visits.swap_remove(index);
        }
    }
}

/// `{method, target, headers, body}` when all of it is there.
fn parse(got: &[u8]) -> Option<Value> {
    let head_end = find(got, b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&got[..head_end]);
    let mut lines = head.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?, first.next()?);
    let headers: serde_json::Map<String, Value> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), json!(value.trim())))
        .collect();
    let rest = &got[head_end + 4..];
    let text = |name: &str| headers.get(name).and_then(Value::as_str);
    let body = if text("transfer-encoding") == Some("chunked") {
        unchunk(rest)?
    } else {
        let length = text("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        rest.get(..length)?.to_vec()
    };
    let (size, body) = (body.len(), String::from_utf8_lossy(&body).into_owned());
    let shown = if size > 4096 { Value::Null } else { json!(body) };
    Some(json!({ "method": method, "target": target, "headers": headers, "size": size, "body": shown }))
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

fn unchunk(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = find(rest, b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..line]).ok()?.trim(), 16).ok()?;
        rest = rest.get(line + 2..)?;
        if size == 0 {
            return Some(body);
        }
        body.extend_from_slice(rest.get(..size)?);
        rest = rest.get(size + 2..)?;
    }
}

/// Answers with the page of the path, `{status?, headers?, body?, echo?, hold?}`. True: the connection stays as it is.
fn answer(visit: &Visit, request: &Value, pages: &Value) -> bool {
    let target = request["target"].as_str().unwrap_or("/");
    let path = target.split('?').next().unwrap_or(target);
    let missing = json!({ "status": 404, "body": "no such page" });
    let page = Params(pages.get(path).unwrap_or(&missing));
    let mut head = format!("HTTP/1.1 {} Probe\r\nConnection: close\r\n", page.number_or("status", 200));
    for pair in page.list("headers").unwrap_or(&[]) {
        head.push_str(&format!("{}: {}\r\n", pair[0].as_str().unwrap_or(""), pair[1].as_str().unwrap_or("")));
    }
    head.push_str("\r\n");
    let body = if page.flag("echo") { request.to_string() } else { page.text_or("body", "").to_string() };
    let out = visit.tcp.output.as_ref().expect("output");
    let written = write_all(out, head.as_bytes()).and_then(|()| write_all(out, body.as_bytes()));
    written.is_ok() && page.flag("hold")
}
