//! Files: by path (`write`, `read`, `stat`, …) and through descriptors that stay open (`open`, `readAt`, …).

use crate::params::{done, Failure, Outcome, Params};
use crate::Probe;
use serde_json::{json, Value};
use std::fs::{self, File, FileTimes, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The number of an open file is its place here.
pub type OpenFiles = Vec<Option<File>>;

pub fn run(probe: &mut Probe, op: &str, params: &Params) -> Option<Outcome> {
    Some(match op {
        "write" => write(params),
        "read" => read(params),
        "stat" => stat(params),
        "list" => list(params),
        "mkdir" => path(params, |path| match params.flag("recursive") {
            true => fs::create_dir_all(path),
            false => fs::create_dir(path),
        }),
        "remove" => path(params, fs::remove_file),
        "removeDir" => path(params, fs::remove_dir),
        "removeAll" => path(params, fs::remove_dir_all),
        "rename" => two(params, "from", "to", fs::rename),
        "link" => two(params, "from", "to", |from, to| fs::hard_link(from, to)),
        "symlink" => two(params, "target", "path", symlink),
        "readLink" => params.text("path").and_then(|path| done(fs::read_link(path)?)),
        "setTimes" => set_times(params),
        "open" => open(probe, params),
        "readAt" | "writeAt" | "append" | "size" | "setSize" | "sync" | "syncData" => with_open(probe, op, params),
        "close" => params.number("file").and_then(|number| match probe.files.get_mut(number as usize) {
            Some(slot) => done(slot.take().is_some()),
            None => Err(Failure::missing("file")),
        }),
        _ => return None,
    })
}

fn path<'a>(params: &Params<'a>, act: impl Fn(&'a str) -> std::io::Result<()>) -> Outcome {
    act(params.text("path")?)?;
    done(())
}

fn two<'a>(
    params: &Params<'a>,
    one: &str,
    other: &str,
    act: impl Fn(&'a str, &'a str) -> std::io::Result<()>,
) -> Outcome {
    act(params.text(one)?, params.text(other)?)?;
    done(())
}

/// Writes a file; with `atomic`, another file first, which is then renamed.
fn write(params: &Params) -> Outcome {
    let (path, content) = (params.text("path")?, params.content()?);
    if params.flag("atomic") {
        let temporary = format!("{path}.new");
        fs::write(&temporary, &content)?;
        fs::rename(&temporary, path)?;
    } else {
        fs::write(path, &content)?;
    }
    done(content.len())
}

/// The text of a file, or its bytes where it is no text; only its size with `quiet`.
fn read(params: &Params) -> Outcome {
    let content = fs::read(params.text("path")?)?;
    match (params.flag("quiet"), std::str::from_utf8(&content)) {
        (true, _) => done(json!({ "size": content.len() })),
        (false, Ok(text)) => done(json!({ "size": content.len(), "text": text })),
        (false, Err(_)) => done(json!({ "size": content.len(), "bytes": content })),
    }
}

fn nanoseconds(time: std::io::Result<SystemTime>) -> Option<String> {
    Some(time.ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos().to_string())
}

fn kind(of: fs::FileType) -> &'static str {
    match (of.is_file(), of.is_dir(), of.is_symlink()) {
        (true, ..) => "file",
        (_, true, _) => "directory",
        (.., true) => "link",
        _ => "other",
    }
}

fn stat(params: &Params) -> Outcome {
    let path = params.text("path")?;
    let data = if params.flag("link") { fs::symlink_metadata(path)? } else { fs::metadata(path)? };
    done(json!({
        "kind": kind(data.file_type()),
        "size": data.len(),
        "modified": nanoseconds(data.modified()),
        "accessed": nanoseconds(data.accessed()),
    }))
}

/// The entries in the order in which they come.
fn list(params: &Params) -> Outcome {
    let mut entries: Vec<Value> = Vec::new();
    for entry in fs::read_dir(params.text("path")?)? {
        let entry = entry?;
        entries.push(json!({ "name": entry.file_name().to_string_lossy(), "kind": kind(entry.file_type()?) }));
    }
    done(entries)
}

/// Sets the times that are given in milliseconds since 1970.
fn set_times(params: &Params) -> Outcome {
    let time = |name| params.number(name).ok().map(|ms| UNIX_EPOCH + Duration::from_millis(ms));
    let mut times = FileTimes::new();
    if let Some(modified) = time("modified") {
        times = times.set_modified(modified);
    }
    if let Some(accessed) = time("accessed") {
        times = times.set_accessed(accessed);
    }
    OpenOptions::new().write(true).open(params.text("path")?)?.set_times(times)?;
    done(())
}

fn open(probe: &mut Probe, params: &Params) -> Outcome {
    let file = OpenOptions::new()
        .read(params.flag("read"))
        .write(params.flag("write"))
        .append(params.flag("append"))
        .create(params.flag("create"))
        .create_new(params.flag("createNew"))
        .truncate(params.flag("truncate"))
        .open(params.text("path")?)?;
    probe.files.push(Some(file));
    done(probe.files.len() - 1)
}

fn with_open(probe: &mut Probe, op: &str, params: &Params) -> Outcome {
    let slot = probe.files.get_mut(params.number("file")? as usize);
    let file = slot.and_then(Option::as_mut).ok_or_else(|| Failure::missing("file"))?;
    if let Ok(offset) = params.number("offset") {
        file.seek(SeekFrom::Start(offset))?;
    }
    match op {
        "readAt" => {
            let mut content = vec![0; params.number("length")? as usize];
            let length = file.read(&mut content)?;
            done(String::from_utf8_lossy(&content[..length]))
        }
        "writeAt" | "append" => {
            let content = params.content()?;
            file.write_all(&content)?;
            done(content.len())
        }
        "size" => done(file.metadata()?.len()),
        "setSize" => done(file.set_len(params.number("size")?)?),
        "sync" => done(file.sync_all()?),
        _ => done(file.sync_data()?),
    }
}

/// The standard library offers no symbolic links under WASI, but the C library below it does.
fn symlink(target: &str, path: &str) -> std::io::Result<()> {
    use std::ffi::{c_char, c_int, CString};
    extern "C" {
        fn symlink(target: *const c_char, path: *const c_char) -> c_int;
    }
    let (target, path) = (CString::new(target)?, CString::new(path)?);
    match unsafe { symlink(target.as_ptr(), path.as_ptr()) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}
