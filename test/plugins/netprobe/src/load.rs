//! Many connections and many bytes: `serve`, `many`, `flood`, `drain`, `ping`, `pong`.

use crate::params::{failed, Failure, Outcome, Params};
use crate::stream::{failure, read_count, write_all};
use crate::tcp::{accept_one, open_connection, open_listener, socket_address, Tcp};
use serde_json::{json, Value};
use wasip2::cli::stdin::get_stdin;
use wasip2::clocks::monotonic_clock::now;
use wasip2::io::poll::{poll, Pollable};
use wasip2::io::streams::StreamError;

pub fn run(op: &str, params: &Params) -> Option<Outcome> {
    Some(match op {
        "serve" => serve(params),
        "many" => many(params),
        "flood" => flood(params),
        "drain" => drain(params),
        "ping" => ping(params),
        "pong" => pong(params),
        _ => return None,
    })
}

fn halves(tcp: &Tcp) -> (&wasip2::io::streams::InputStream, &wasip2::io::streams::OutputStream) {
    (tcp.input.as_ref().expect("input"), tcp.output.as_ref().expect("output"))
}

/// Accepts connections and sends back what comes over each, all at the same time, until stdin ends.
fn serve(params: &Params) -> Outcome {
    let listener = open_listener(socket_address(params)?, params.number("backlog").ok())?;
    let arrival = listener.subscribe();
    let stdin = get_stdin();
    let end = stdin.subscribe();
    let mut open: Vec<(Pollable, Tcp)> = Vec::new();
    let (mut served, mut most) = (0u64, 0usize);
    loop {
        let ready = {
            let mut all = vec![&arrival, &end];
            all.extend(open.iter().map(|(pollable, _)| pollable));
            poll(&all)
        };
        let mut ended = Vec::new();
        for index in ready {
            match index {
                0 => {
                    let tcp = accept_one(&listener)?;
                    open.push((halves(&tcp).0.subscribe(), tcp));
                    served += 1;
                    most = most.max(open.len());
                }
                1 => match stdin.read(1024) {
                    Err(_) => return Ok(json!({ "served": served, "most": most })),
                    Ok(_) => continue,
                },
                _ => {
                    let (input, output) = halves(&open[index as usize - 2].1);
                    match input.read(65536) {
                        Ok(bytes) => write_all(output, &bytes)?,
                        Err(StreamError::Closed) => ended.push(index as usize - 2),
                        Err(error) => return Err(failure(error)),
                    }
                }
            }
        }
        ended.sort_unstable();
        for index in ended.into_iter().rev() {
            open.swap_remove(index);
        }
    }
}

/// Opens `count` connections, `at_once` of them at a time, and has each send back a few bytes.
fn many(params: &Params) -> Outcome {
    let (count, at_once) = (params.number("count")?, params.number_or("at_once", 1));
    let mut done = 0;
    while done < count {
        let round = (0..at_once.min(count - done))
            .map(|_| open_connection(socket_address(params)?).map_err(Failure::from))
            .collect::<Result<Vec<_>, _>>()?;
        for (i, tcp) in round.iter().enumerate() {
            write_all(halves(tcp).1, format!("connection {i}").as_bytes())?;
        }
        for (i, tcp) in round.iter().enumerate() {
            let wanted = format!("connection {i}");
            let got = read_count(halves(tcp).0, wanted.len())?;
            if got != wanted.as_bytes() {
                return Err(failed(-32000, "another text came back", json!(String::from_utf8_lossy(&got))));
            }
        }
        done += round.len() as u64;
    }
    Ok(json!(done))
}

/// Sends `megabytes` of 1,000,000 bytes, `block` bytes at a time, then ends; waits for the other side's end.
fn flood(params: &Params) -> Outcome {
    let tcp = open_connection(socket_address(params)?)?;
    let (input, output) = halves(&tcp);
    let block = vec![7; params.number_or("block", 65536) as usize];
    let mut left = params.number("megabytes")? as usize * 1_000_000;
    let from = now();
    while left > 0 {
        let count = left.min(block.len());
        write_all(output, &block[..count])?;
        left -= count;
    }
    tcp.socket.shutdown(wasip2::sockets::tcp::ShutdownType::Send)?;
    read_count(input, 1)?;
    Ok(json!({ "ns": now() - from }))
}

/// Accepts one connection and reads it to its end.
fn drain(params: &Params) -> Outcome {
    let listener = open_listener(socket_address(params)?, None)?;
    let tcp = accept_one(&listener)?;
    let input = halves(&tcp).0;
    let mut bytes = 0;
    loop {
        match input.blocking_read(65536) {
            Ok(got) => bytes += got.len(),
            Err(StreamError::Closed) => return Ok(json!({ "bytes": bytes })),
            Err(error) => return Err(failure(error)),
        }
    }
}

/// Sends a byte and waits for one, `times` times; answers the median and the mean, in nanoseconds.
fn ping(params: &Params) -> Outcome {
    let tcp = open_connection(socket_address(params)?)?;
    let (input, output) = halves(&tcp);
    let times = params.number("times")?;
    let mut took = Vec::new();
    for _ in 0..times {
        let from = now();
        write_all(output, b"x")?;
        read_count(input, 1)?;
        took.push(now() - from);
    }
    let mean = took.iter().sum::<u64>() / times;
    took.sort_unstable();
    Ok(json!({ "median": took[took.len() / 2], "mean": mean }))
}

/// The other side of `ping`: sends each byte back.
fn pong(params: &Params) -> Outcome {
    let listener = open_listener(socket_address(params)?, None)?;
    let tcp = accept_one(&listener)?;
    let (input, output) = halves(&tcp);
    loop {
        match input.blocking_read(1) {
            Ok(bytes) => write_all(output, &bytes)?,
            Err(StreamError::Closed) => return Ok(Value::Null),
            Err(error) => return Err(failure(error)),
        }
    }
}
