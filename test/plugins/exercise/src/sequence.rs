//! A writer with a known sequence of writes, and the check of what it left behind when it was cut down. Small and large
//! writes overlap in one file; another file says how far it came, by appends; a third is replaced each time.

use crate::{Numbers, Outcome};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};

/// The length of the overlapping file. Both kinds of write, in a log record (up to 16 KiB) and straight, go into it.
const AREA: usize = 256 * 1024;

/// Where step `number` writes, and how much.
fn place(number: u64) -> (usize, usize) {
    let mut numbers = Numbers(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    numbers.below(2);
    let large = numbers.below(3) == 0;
    let length = match large {
        true => 20_000 + numbers.below(60_000) as usize,
        false => 1 + numbers.below(5_000) as usize,
    };
    (numbers.below((AREA - length) as u64) as usize, length)
}

fn byte(number: u64) -> u8 {
    (number % 251) as u8 + 1
}

/// Goes on for ever from `first`. A line with a number on stdout says that this step has returned.
pub fn write(folder: &str, first: u64) -> Outcome {
    fs::create_dir_all(folder)?;
    let area = || File::options().write(true).create(true).truncate(false).open(format!("{folder}/area"));
    let mut overlapped = area()?;
    let mut out = std::io::stdout().lock();
    if first > 0 {
        complete(folder, first - 1)?;
    }
    for number in first.. {
        let (at, length) = place(number);
        overlapped.seek(SeekFrom::Start(at as u64))?;
        overlapped.write_all(&vec![byte(number); length])?;
        let mut steps = File::options().append(true).create(true).open(format!("{folder}/steps"))?;
        steps.write_all(&number.to_le_bytes())?;
        if number % 4 == 0 {
            replace(folder, number)?;
        }
        if number % 16 == 0 {
            fs::write(format!("{folder}/small-{}", number / 16), number.to_le_bytes())?;
        }
        if number % 50 == 0 {
            overlapped = area()?;
        }
        writeln!(out, "{number}")?;
        out.flush()?;
    }
    unreachable!()
}

/// The replaced file as it is after a step.
fn replace(folder: &str, number: u64) -> std::io::Result<()> {
    let newest = number / 4 * 4;
    fs::write(format!("{folder}/last.new"), vec![byte(newest); 1 + (newest % 9) as usize * 5_000])?;
    fs::rename(format!("{folder}/last.new"), format!("{folder}/last"))
}

/// What the last step may have been cut in is done again, in a way that never leaves less than was there.
fn complete(folder: &str, number: u64) -> std::io::Result<()> {
    replace(folder, number)?;
    let small = number / 16 * 16;
    fs::write(format!("{folder}/small.new"), small.to_le_bytes())?;
    fs::rename(format!("{folder}/small.new"), format!("{folder}/small-{}", small / 16))
}

/// Compares what is there with what the sequence makes, and answers how many steps are whole. The step under way when
/// the writer was cut may be there in part; nothing else may be missing, damaged or too much.
pub fn check(folder: &str) -> Outcome {
    let steps = read(&format!("{folder}/steps"))?;
    if steps.len() % 8 != 0 {
        return Err(format!("{} bytes of steps: one was torn", steps.len()).into());
    }
    let mut expected = vec![0; AREA];
    let mut end = 0;
    let count = steps.len() as u64 / 8;
    for (number, found) in steps.chunks(8).enumerate() {
        let found = u64::from_le_bytes(found.try_into()?);
        if found != number as u64 {
            return Err(format!("step {number} says {found}").into());
        }
        end = put(&mut expected, found, end);
    }
    let area = read(&format!("{folder}/area"))?;
    // Only the write of the step after the last may be there besides, and it may be cut.
    let (at, length) = place(count);
    let within = |i: usize| i >= at && i < at + length;
    let longest = end.max(at + length);
    if area.len() < end || area.len() > longest {
        return Err(format!("the area has {} bytes and should have {end}, at most {longest}", area.len()).into());
    }
    for (i, &found) in area.iter().enumerate() {
        let right = found == expected[i] || (within(i) && (found == byte(count) || (i >= end && found == 0)));
        if !right {
            return Err(format!("byte {i} of the area is {found} and not {} after {count} steps", expected[i]).into());
        }
    }
    let last = read(&format!("{folder}/last"))?;
    let newest = count.saturating_sub(1) / 4 * 4;
    // The last whole step may have been cut between its steps and its file.
    let could_be = [newest, newest.saturating_sub(4)];
    let fits = |number: u64| last.len() == 1 + (number % 9) as usize * 5_000 && last.iter().all(|&b| b == byte(number));
    let cut = count > 0 && newest == count - 1;
    if count > 0 && !fits(could_be[0]) && !(cut && (fits(could_be[1]) || (newest == 0 && last.is_empty()))) {
        return Err(format!("the replaced file is neither of step {newest} nor of the one before: {} bytes", last.len()).into());
    }
    for number in (0..count.saturating_sub(1)).step_by(16) {
        let small = read(&format!("{folder}/small-{}", number / 16))?;
        if small != number.to_le_bytes() {
            return Err(format!("the file of step {number} has {small:?}").into());
        }
    }
    Ok(format!("{{\"steps\":{count}}}"))
}

fn put(expected: &mut [u8], number: u64, end: usize) -> usize {
    let (at, length) = place(number);
    expected[at..at + length].fill(byte(number));
    end.max(at + length)
}

/// The content of a file; a file that is not there has none.
fn read(path: &str) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut content = Vec::new();
    match File::open(path) {
        Ok(mut file) => file.read_to_end(&mut content).map(drop).map_err(|error| format!("{path}: {error}"))?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(format!("{path}: {error}").into()),
    }
    Ok(content)
}
