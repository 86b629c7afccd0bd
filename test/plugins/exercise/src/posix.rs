//! What POSIX says of files, step for step through the standard library: each line is an operation and its outcome.

use crate::Outcome;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::time::{Duration, UNIX_EPOCH};

struct Report(Vec<String>);

impl Report {
    fn add<T: std::fmt::Debug>(&mut self, what: &str, outcome: io::Result<T>) {
        let told = match outcome {
            Ok(value) => format!("{value:?}"),
            Err(error) => format!("error {}", error.raw_os_error().map_or(format!("{:?}", error.kind()), |n| n.to_string())),
        };
        self.0.push(format!("{what}: {told}"));
    }
}

extern "C" {
    fn symlink(target: *const std::ffi::c_char, path: *const std::ffi::c_char) -> i32;
}

fn link_to(target: &str, path: &str) -> io::Result<()> {
    let (target, path) = (std::ffi::CString::new(target)?, std::ffi::CString::new(path)?);
    match unsafe { symlink(target.as_ptr(), path.as_ptr()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn names(folder: &str) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let mark = if kind.is_dir() { "/" } else if kind.is_symlink() { "@" } else { "" };
        names.push(format!("{}{mark}", entry.file_name().to_string_lossy()));
    }
    names.sort();
    Ok(names)
}

/// The outcome of every step, as a list of lines.
pub fn contract(folder: &str) -> Outcome {
    fs::create_dir_all(folder)?;
    let at = |name: &str| format!("{folder}/{name}");
    let mut report = Report(Vec::new());
    let text = |path: &str| fs::read_to_string(path);

    report.add("write", fs::write(at("a"), "hello"));
    report.add("read", text(&at("a")));
    report.add("exclusive", File::options().write(true).create_new(true).open(at("a")).map(drop));
    report.add("truncate", File::options().write(true).truncate(true).open(at("a")).and_then(|file| file.metadata()).map(|data| data.len()));
    report.add("missing", text(&at("none")));
    report.add("through a file", text(&at("a/b")));
    report.add("trailing slash of a file", text(&at("a/")));
    report.add("dots", fs::write(format!("{folder}/./..{folder}/./a"), "dots"));
    report.add("folder as a file", fs::write(folder, "x"));
    report.add("name of 255 bytes", fs::write(at(&"n".repeat(255)), "long"));
    report.add("name of 256 bytes", fs::write(at(&"n".repeat(256)), "long"));
    report.add("unicode is not changed", fs::write(at("é e\u{301} 🙂 \\ a b"), "unicode"));
    report.add("list", names(folder).map(|names| names.into_iter().filter(|name| name.len() < 200).collect::<Vec<_>>()));
    let deep = format!("{folder}/{}", "d/".repeat(40));
    report.add("deep folders", fs::create_dir_all(&deep));
    report.add("deep file", fs::write(format!("{deep}file"), "deep").and_then(|()| text(&format!("{deep}file"))));
    report.add("remove a full folder", fs::remove_dir(at("d")));
    report.add("remove all", fs::remove_dir_all(at("d")));

    report.add("folder", fs::create_dir(at("dir")));
    report.add("folder again", fs::create_dir(at("dir")));
    report.add("unlink of a folder", fs::remove_file(at("dir")).map_err(|_| io::Error::from(ErrorKind::IsADirectory)));
    report.add("rmdir of a file", fs::remove_dir(at("a")));
    report.add("rename over a file", fs::write(at("b"), "old").and_then(|()| fs::write(at("c"), "new")).and_then(|()| fs::rename(at("c"), at("b"))).and_then(|()| text(&at("b"))));
    report.add("rename over an empty folder", fs::create_dir(at("empty")).and_then(|()| fs::rename(at("dir"), at("empty"))));
    report.add("rename over a full folder", fs::write(at("empty/x"), "").and_then(|()| fs::create_dir(at("dir"))).and_then(|()| fs::rename(at("dir"), at("empty"))));
    report.add("rename of a folder over a file", fs::rename(at("dir"), at("b")));
    report.add("rename of a file over a folder", fs::rename(at("b"), at("dir")));
    report.add("rename to itself", fs::rename(at("b"), at("b")).and_then(|()| text(&at("b"))));
    report.add("rename into itself", fs::rename(at("empty"), at("empty/in")));

    report.add("hard link", fs::hard_link(at("b"), at("hard")).and_then(|()| fs::write(at("hard"), "both")).and_then(|()| text(&at("b"))));
    report.add("hard link over a name", fs::hard_link(at("b"), at("hard")));
    report.add("hard link of a folder", fs::hard_link(at("dir"), at("hard dir")));
    report.add("symbolic link", link_to("b", &at("soft")).and_then(|()| text(&at("soft"))));
    report.add("read link", fs::read_link(at("soft")).map(|path| path.display().to_string()));
    report.add("kind of a link", fs::symlink_metadata(at("soft")).map(|data| data.file_type().is_symlink()));
    report.add("dangling link", link_to("nowhere", &at("dangling")).and_then(|()| text(&at("dangling"))));
    report.add("loop", link_to("loop", &at("loop")).and_then(|()| text(&at("loop"))));
    report.add("link to a folder", link_to("empty", &at("to dir")).and_then(|()| names(&at("to dir"))));
    report.add("link out of the root", text(&at(&"../".repeat(20))).map(drop).map_err(|_| io::Error::from(ErrorKind::PermissionDenied)));

    report.add("sparse", sparse(&at("sparse")));
    report.add("beyond 4 GiB", beyond(&at("huge")));
    report.add("open after unlink", unlinked(&at("gone")));
    report.add("open after rename", renamed(&at("before"), &at("after")));
    report.add("appends of two", appends(&at("log")));
    report.add("times", times(&at("b")));
    report.add("times of a folder", times(&at("dir")));
    report.add("write through a reader", File::open(at("b")).and_then(|mut file| file.write_all(b"x")));
    report.add("read through a writer", File::options().write(true).open(at("b")).and_then(|mut file| file.read(&mut [0; 4])));
    report.add("seek before the start", File::open(at("b")).and_then(|mut file| file.seek(SeekFrom::Current(-1))));
    report.add("sync", File::options().write(true).open(at("b")).and_then(|file| file.sync_all().and_then(|()| file.sync_data())));
    report.add("stable listing", listing(&at("listed")));
    Ok(report.0.join("\n"))
}

fn sparse(path: &str) -> io::Result<(u64, bool)> {
    let mut file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
    file.write_all(b"start")?;
    file.seek(SeekFrom::Start(100_000))?;
    file.write_all(b"end")?;
    file.set_len(150_000)?;
    let content = fs::read(path)?;
    let holes = content[5..100_000].iter().chain(&content[100_003..]).all(|&byte| byte == 0);
    file.set_len(3)?;
    file.set_len(10)?;
    Ok((content.len() as u64, holes && fs::read(path)? == b"sta\0\0\0\0\0\0\0"))
}

fn beyond(path: &str) -> io::Result<(u64, String)> {
    let mut file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
    file.seek(SeekFrom::Start(5 << 30))?;
    file.write_all(b"far")?;
    let size = file.metadata()?.len();
    let mut found = String::new();
    file.seek(SeekFrom::Start((5 << 30) + 1))?;
    file.read_to_string(&mut found)?;
    drop(file);
    fs::remove_file(path)?;
    Ok((size, found))
}

fn unlinked(path: &str) -> io::Result<(String, bool)> {
    let mut file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
    file.write_all(b"still ")?;
    fs::remove_file(path)?;
    file.write_all(b"here")?;
    let mut found = String::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_string(&mut found)?;
    Ok((found, fs::metadata(path).is_err()))
}

fn renamed(path: &str, to: &str) -> io::Result<String> {
    let mut file = File::create(path)?;
    file.write_all(b"one ")?;
    fs::rename(path, to)?;
    file.write_all(b"two")?;
    fs::read_to_string(to)
}

fn appends(path: &str) -> io::Result<String> {
    let open = || File::options().append(true).create(true).open(path);
    let (mut one, mut two) = (open()?, open()?);
    for i in 0..4 {
        one.write_all(format!("a{i} ").as_bytes())?;
        two.write_all(format!("b{i} ").as_bytes())?;
    }
    fs::read_to_string(path)
}

fn times(path: &str) -> io::Result<(u128, u128)> {
    let file = File::options().read(true).open(path)?;
    let stamp = |seconds, nanoseconds| UNIX_EPOCH + Duration::new(seconds, nanoseconds);
    let times = fs::FileTimes::new().set_modified(stamp(1_234_567_890, 123_456_789)).set_accessed(stamp(987_654_321, 1));
    file.set_times(times)?;
    let data = fs::metadata(path)?;
    let since = |time: std::time::SystemTime| time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    Ok((since(data.modified()?), since(data.accessed()?)))
}

/// Entries come and go while the folder is read: what stays comes once.
fn listing(folder: &str) -> io::Result<(usize, usize)> {
    fs::create_dir_all(folder)?;
    for i in 0..300 {
        fs::write(format!("{folder}/stays-{i}"), "")?;
        fs::write(format!("{folder}/goes-{i}"), "")?;
    }
    let mut stayed = Vec::new();
    for (i, entry) in fs::read_dir(folder)?.enumerate() {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if i < 300 {
            fs::remove_file(format!("{folder}/goes-{i}"))?;
            fs::write(format!("{folder}/comes-{i}"), "")?;
        }
        if name.starts_with("stays") {
            stayed.push(name);
        }
    }
    let count = stayed.len();
    stayed.sort();
    stayed.dedup();
    Ok((count, stayed.len()))
}

/// Everything below a folder: kinds, sizes, targets of links, times.
pub fn tree(folder: &str) -> Outcome {
    let mut told = Vec::new();
    below(folder, "", &mut told)?;
    told.sort();
    Ok(told.join("\n"))
}

fn below(folder: &str, prefix: &str, told: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        let data = fs::symlink_metadata(&path)?;
        let since = |time: io::Result<std::time::SystemTime>| {
            time.ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |since| since.as_nanos())
        };
        if data.file_type().is_symlink() {
            told.push(format!("{name} -> {}", fs::read_link(&path)?.display()));
            continue;
        }
        // Looking changes when a folder or file was last looked at, unless that was set to a time of its own.
        let set = since(data.modified()) == 1_234_567_890_123_456_789;
        let accessed = if set { since(data.accessed()) } else { 0 };
        told.push(format!("{name} {} times {} {accessed}", data.len(), since(data.modified())));
        if data.is_dir() {
            below(&path, &format!("{name}/"), told)?;
        }
    }
    Ok(())
}
