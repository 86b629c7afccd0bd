//! Streams and polls, through the interfaces of WASI 0.2 themselves.

use crate::Outcome;
use wasip2::cli::{stderr, stdin, stdout};
use wasip2::clocks::monotonic_clock::{now, subscribe_duration, subscribe_instant};
use wasip2::filesystem::preopens::get_directories;
use wasip2::filesystem::types::{Descriptor, DescriptorFlags, OpenFlags, PathFlags};
use wasip2::io::poll::{poll as poll_all, Pollable};
use wasip2::io::streams::StreamError;

const MS: u64 = 1_000_000;

fn ms(nanoseconds: u64) -> u64 {
    nanoseconds / MS
}

/// Time-outs of all lengths, in polls with many others.
pub fn poll() -> Outcome {
    let began = now();
    let zero = subscribe_duration(0);
    zero.block();
    let zero_ready = zero.ready();
    let at_zero = ms(now() - began);

    let past = subscribe_instant(0);
    let longest = subscribe_duration(u64::MAX);
    let never = subscribe_instant(u64::MAX);
    let first = poll_all(&[&longest, &past, &never]);

    let from = now();
    let timers: Vec<Pollable> = (0..500).map(|i| subscribe_duration((2000 - i) * MS)).collect();
    let soon = subscribe_duration(30 * MS);
    let mut all: Vec<&Pollable> = timers.iter().collect();
    all.insert(250, &soon);
    all.push(&longest);
    let woken = poll_all(&all);
    let waited = ms(now() - from);

    let twice = poll_all(&[&soon, &longest, &soon]);
    let (output, error) = (stdout::get_stdout().subscribe(), stderr::get_stderr().subscribe());
    let outputs = poll_all(&[&longest, &output, &error]);
    Ok(format!(
        "{{\"zero\":[{zero_ready},{}],\"past\":{first:?},\"woken\":{woken:?},\"waited\":{waited},\"early\":{},\"twice\":{twice:?},\"outputs\":{outputs:?},\"ready\":[{},{}]}}",
        at_zero < 20,
        waited < 30,
        longest.ready(),
        never.ready(),
    ))
}

/// Sleeps, and answers how long it was.
pub fn wait(milliseconds: u64) -> Outcome {
    println!("waiting");
    let from = now();
    subscribe_duration(milliseconds * MS).block();
    Ok(format!("{{\"waited\":{}}}", ms(now() - from)))
}

/// stdin without blocking, with a poll, by skipping, by splicing to a file, and to its end.
pub fn stdin() -> Outcome {
    let input = stdin::get_stdin();
    let readable = input.subscribe();
    let before = (readable.ready(), input.read(100).map(|bytes| bytes.len()).unwrap_or(999));
    println!("ready");
    let longest = subscribe_duration(u64::MAX);
    let woken = poll_all(&[&longest, &readable]);
    let first = input.read(5).map_err(text)?;
    let skipped = input.blocking_skip(3).map_err(text)?;
    let mut rest = Vec::new();
    let end = loop {
        match input.blocking_read(4096) {
            Ok(bytes) => rest.extend(bytes),
            Err(StreamError::Closed) => break "closed",
            Err(_) => break "failed",
        }
    };
    let after = (readable.ready(), matches!(input.read(1), Err(StreamError::Closed)));
    Ok(format!(
        "{{\"before\":[{},{}],\"woken\":{woken:?},\"first\":{:?},\"skipped\":{skipped},\"rest\":{:?},\"end\":\"{end}\",\"after\":[{},{}]}}",
        before.0,
        before.1,
        String::from_utf8_lossy(&first),
        String::from_utf8_lossy(&rest),
        after.0,
        after.1,
    ))
}

fn open(root: &Descriptor, path: &str, how: OpenFlags) -> Result<Descriptor, String> {
    let flags = DescriptorFlags::READ | DescriptorFlags::WRITE;
    root.open_at(PathFlags::SYMLINK_FOLLOW, path.trim_start_matches('/'), how, flags).map_err(text)
}

fn text(error: impl std::fmt::Debug) -> String {
    format!("{error:?}")
}

/// Streams of files: permits, splices, skips, zeros, offsets, the end, and appends of two writers.
pub fn files(folder: &str) -> Outcome {
    std::fs::create_dir_all(folder)?;
    let (root, name) = get_directories().into_iter().next().ok_or("there is no folder")?;
    let all = OpenFlags::CREATE | OpenFlags::TRUNCATE;
    let one = open(&root, &format!("{folder}/one"), all)?;
    let output = one.write_via_stream(0).map_err(text)?;
    let permit = output.check_write().map_err(text)?;
    let content: Vec<u8> = (0..200_000_u32).map(|i| (i % 251) as u8).collect();
    for part in content.chunks(permit.min(4096) as usize) {
        output.check_write().map_err(text)?;
        output.write(part).map_err(text)?;
    }
    output.flush().map_err(text)?;
    output.subscribe().block();
    output.blocking_write_zeroes_and_flush(1000).map_err(text)?;

    let two = open(&root, &format!("{folder}/two"), all)?;
    let (input, target) = (one.read_via_stream(10).map_err(text)?, two.write_via_stream(5).map_err(text)?);
    let ready = poll_all(&[&input.subscribe(), &target.subscribe()]).len();
    let skipped = input.skip(90).map_err(text)?;
    let mut spliced = 0;
    let end = loop {
        match target.blocking_splice(&input, 50_000) {
            Ok(count) => spliced += count,
            Err(StreamError::Closed) => break "closed",
            Err(_) => break "failed",
        }
    };
    let (copy, _) = two.read(300_000, 0).map_err(text)?;
    let (mut copied, mut offset) = (copy.clone(), copy.len() as u64);
    loop {
        let (more, last) = two.read(300_000, offset).map_err(text)?;
        offset += more.len() as u64;
        copied.extend(more);
        if last {
            break;
        }
    }
    let mut expected = vec![0; 5];
    expected.extend(&content[100..]);
    expected.extend([0; 1000]);

    let three = open(&root, &format!("{folder}/three"), all)?;
    let (a, b) = (three.append_via_stream().map_err(text)?, three.append_via_stream().map_err(text)?);
    for i in 0..50 {
        let line = format!("{i}\n");
        [&a, &b][i % 2].blocking_write_and_flush(line.as_bytes()).map_err(text)?;
    }
    let (lines, _) = three.read(10_000, 0).map_err(text)?;
    let in_order = String::from_utf8_lossy(&lines).lines().enumerate().all(|(i, line)| line == i.to_string());
    let past_end = three.read_via_stream(1 << 40).map_err(text)?;
    let beyond = matches!(past_end.blocking_read(10), Err(StreamError::Closed));
    Ok(format!(
        "{{\"root\":{name:?},\"permit\":{},\"ready\":{ready},\"skipped\":{skipped},\"spliced\":{spliced},\"end\":\"{end}\",\"same\":{},\"appends\":{in_order},\"beyond\":{beyond}}}",
        permit >= 4096,
        copied == expected,
    ))
}
