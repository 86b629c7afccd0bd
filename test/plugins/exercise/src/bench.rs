//! What operations cost, as a program sees it. Times are in nanoseconds.

use crate::{Numbers, Outcome};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::time::Instant;

const BLOCK: usize = 64 * 1024;
/// Operations between two looks at the clock, whose steps are longer than an operation.
const BATCH: u64 = 100;

/// What `act` takes in batches: the fastest, the median, and the mean of all.
fn batches(count: u64, mut act: impl FnMut(u64) -> std::io::Result<()>) -> std::io::Result<[u64; 3]> {
    let mut times = Vec::new();
    let began = Instant::now();
    for batch in 0..count / BATCH {
        let from = Instant::now();
        for i in 0..BATCH {
            act(batch * BATCH + i)?;
        }
        times.push(from.elapsed().as_nanos() as u64 / BATCH);
    }
    let mean = began.elapsed().as_nanos() as u64 / count;
    times.sort_unstable();
    Ok([times[0], times[times.len() / 2], mean])
}

fn figures([fastest, median, mean]: [u64; 3]) -> Outcome {
    Ok(format!("{{\"fastest\":{fastest},\"median\":{median},\"mean\":{mean}}}"))
}

pub fn clock() -> Outcome {
    let mut last = Instant::now();
    figures(batches(200_000, |_| {
        let now = Instant::now();
        assert!(now >= last, "the clock went back");
        last = now;
        Ok(())
    })?)
}

/// Writes a file in blocks of 64 KiB, and reads it.
pub fn blocks(path: &str, count: u64) -> Outcome {
    let mut block = vec![7; BLOCK];
    let mut file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
    let from = Instant::now();
    for _ in 0..count {
        file.write_all(&block)?;
    }
    let written = from.elapsed().as_nanos();
    file.seek(SeekFrom::Start(0))?;
    let from = Instant::now();
    for _ in 0..count {
        file.read_exact(&mut block)?;
    }
    let read = from.elapsed().as_nanos();
    Ok(format!("{{\"write\":{written},\"read\":{read},\"bytes\":{}}}", count * BLOCK as u64))
}

/// As `blocks`, by the streams of WASI 0.2: the standard library writes at most 4 KiB at once.
pub fn streams(path: &str, count: u64) -> Outcome {
    use wasip2::filesystem::preopens::get_directories;
    use wasip2::filesystem::types::{DescriptorFlags, OpenFlags, PathFlags};
    let text = |error| format!("{error:?}");
    let (root, _) = get_directories().into_iter().next().ok_or("there is no folder")?;
    let flags = DescriptorFlags::READ | DescriptorFlags::WRITE;
    let how = OpenFlags::CREATE | OpenFlags::TRUNCATE;
    let file = root.open_at(PathFlags::empty(), path.trim_start_matches('/'), how, flags).map_err(text)?;
    let block = vec![7; BLOCK];
    let output = file.write_via_stream(0).map_err(text)?;
    let from = Instant::now();
    for _ in 0..count {
        output.check_write()?;
        output.write(&block)?;
    }
    output.blocking_flush()?;
    let written = from.elapsed().as_nanos();
    let input = file.read_via_stream(0).map_err(text)?;
    let from = Instant::now();
    for _ in 0..count {
        assert_eq!(input.blocking_read(BLOCK as u64)?.len(), BLOCK);
    }
    let read = from.elapsed().as_nanos();
    Ok(format!("{{\"write\":{written},\"read\":{read},\"bytes\":{}}}", count * BLOCK as u64))
}

extern "C" {
    fn pread(fd: i32, into: *mut u8, count: usize, offset: i64) -> isize;
}

/// Reads 4 KiB here and there.
pub fn pages(path: &str, count: u64) -> Outcome {
    use std::os::fd::AsRawFd;
    let file = File::open(path)?;
    let pages = file.metadata()?.len() / 4096;
    let mut page = [0; 4096];
    let mut numbers = Numbers(1);
    figures(batches(count, |_| {
        let offset = numbers.below(pages) * 4096;
        match unsafe { pread(file.as_raw_fd(), page.as_mut_ptr(), page.len(), offset as i64) } {
            4096 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        }
    })?)
}

pub fn stat(path: &str, count: u64) -> Outcome {
    figures(batches(count, |_| fs::metadata(path).map(drop))?)
}

/// Creates files, writes 1 KiB into each and closes them.
pub fn create(folder: &str, count: u64) -> Outcome {
    fs::create_dir_all(folder)?;
    let content = [1; 1024];
    let mut times = Vec::new();
    let began = Instant::now();
    for i in 0..count {
        let path = format!("{folder}/file-{i}");
        let from = Instant::now();
        let mut file = File::create(path)?;
        file.write_all(&content)?;
        drop(file);
        times.push(from.elapsed().as_nanos() as u64);
    }
    let total = began.elapsed().as_nanos();
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    Ok(format!("{{\"median\":{},\"p99\":{},\"slowest\":{},\"total\":{total}}}", at(50), at(99), at(100)))
}

/// Lists a folder with so many entries: the fastest of five times, as the others measure the machine.
pub fn list(folder: &str, count: u64) -> Outcome {
    let mut fastest = u128::MAX;
    for _ in 0..5 {
        let from = Instant::now();
        let mut found = 0;
        for entry in fs::read_dir(folder)? {
            found += entry?.file_name().len().min(1) as u64;
        }
        fastest = fastest.min(from.elapsed().as_nanos());
        assert_eq!(found, count, "entries of {folder}");
    }
    Ok(format!("{{\"fastest\":{fastest}}}"))
}
