//! A large file, random bytes, and what a program is surrounded by.

use crate::Outcome;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};

const MEBIBYTE: usize = 1024 * 1024;

/// Writes so many MiB, reads them back and compares. Needs 2 MiB of memory itself.
pub fn large(path: &str, mebibytes: u64) -> Outcome {
    let mut block = vec![0_u8; MEBIBYTE];
    let mut found = vec![0_u8; MEBIBYTE];
    let mut file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
    let fill = |block: &mut [u8], number: u64| {
        for (i, part) in block.chunks_exact_mut(8).enumerate() {
            part.copy_from_slice(&(number * 131_072 + i as u64).to_le_bytes());
        }
    };
    for number in 0..mebibytes {
        fill(&mut block, number);
        file.write_all(&block)?;
    }
    file.seek(SeekFrom::Start(0))?;
    for number in 0..mebibytes {
        fill(&mut block, number);
        file.read_exact(&mut found)?;
        if block != found {
            return Err(format!("MiB {number} came back other than it was written").into());
        }
    }
    Ok(format!("{{\"size\":{}}}", file.metadata()?.len()))
}

/// 1 MiB of random bytes in one call: how many of the 256 values come up within 5 % of their share.
pub fn random() -> Outcome {
    let bytes = wasip2::random::random::get_random_bytes(MEBIBYTE as u64);
    let mut counts = [0_u64; 256];
    for byte in &bytes {
        counts[*byte as usize] += 1;
    }
    let even = counts.iter().filter(|&&count| count.abs_diff(4096) < 4096 / 12).count();
    let pair = (wasip2::random::random::get_random_u64(), wasip2::random::random::get_random_u64());
    Ok(format!("{{\"bytes\":{},\"even\":{even},\"differ\":{}}}", bytes.len(), pair.0 != pair.1))
}

/// Arguments, environment, terminals and clocks.
pub fn surroundings() -> Outcome {
    use wasip2::cli::{environment, terminal_stderr, terminal_stdin, terminal_stdout};
    use wasip2::clocks::{monotonic_clock, wall_clock};
    let terminals = [
        terminal_stdin::get_terminal_stdin().is_some(),
        terminal_stdout::get_terminal_stdout().is_some(),
        terminal_stderr::get_terminal_stderr().is_some(),
    ];
    let mut back = 0;
    let mut last = monotonic_clock::now();
    let mut sub_second = 0;
    let mut steps = 0;
    for _ in 0..20_000 {
        let now = monotonic_clock::now();
        back += (now < last) as u32;
        steps += (now > last) as u32;
        last = now;
        sub_second = sub_second.max(wall_clock::now().nanoseconds);
    }
    Ok(format!(
        "{{\"arguments\":{:?},\"environment\":{},\"cwd\":{:?},\"terminals\":{terminals:?},\"back\":{back},\"steps\":{steps},\"nanoseconds\":{}}}",
        environment::get_arguments(),
        environment::get_environment().len(),
        environment::initial_cwd().unwrap_or_default(),
        sub_second < 1_000_000_000,
    ))
}
