//! Locks of the world (chapter 6): names on which one process at a time has a hold.

use crate::{call, call_async, notify, Error, Result};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Held {
    held: bool,
}

/// Runs `work` while this process alone holds the lock on `path`, and waits for its turn first.
///
/// Locks are advisory: they keep out those who ask for the same path, and nobody else. A lock is released however the
/// process ends.
///
/// ```no_run
/// use sausage_plugin::{lock, Result};
///
/// fn count() -> Result<u64> {
///     const FILE: &str = "/state/count/count.txt";
///     lock(FILE, || {
///         let count = std::fs::read_to_string(FILE).map_or(Ok(0), |text| text.trim().parse::<u64>())? + 1;
///         std::fs::write(FILE, count.to_string())?;
///         Ok(count)
///     })
/// }
/// ```
pub fn lock<T>(path: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let _held = acquired(call("core.lock", &json!({ "path": path })), path)?;
    work()
}

/// Waits for the lock without holding up other tasks; it is released when the value is dropped.
///
/// ```no_run
/// async fn carefully() -> sausage_plugin::Result<()> {
///     let _lock = sausage_plugin::lock_async("/state/count/count.txt").await?;
///     Ok(())
/// }
/// ```
pub async fn lock_async(path: &str) -> Result<Lock> {
    acquired(call_async("core.lock", &json!({ "path": path })).await, path)
}

/// Takes the lock if it is free, and does not wait.
///
/// ```no_run
/// match sausage_plugin::try_lock("/run/indexer") {
///     Ok(Some(_lock)) => eprintln!("it is mine until _lock is dropped"),
///     Ok(None) => eprintln!("somebody else is at it"),
///     Err(error) => eprintln!("{error}"),
/// }
/// ```
pub fn try_lock(path: &str) -> Result<Option<Lock>> {
    let held: Held = call("core.lock", &json!({ "path": path, "wait": false }))?;
    Ok(held.held.then(|| Lock { path: path.to_string() }))
}

fn acquired(answer: Result<Held>, path: &str) -> Result<Lock> {
    match answer? {
        Held { held: true } => Ok(Lock { path: path.to_string() }),
        Held { held: false } => Err(Error::msg(format!("the lock on {path} was not given"))),
    }
}

/// A lock that is held, until it is dropped.
///
/// ```no_run
/// # fn main() -> sausage_plugin::Result<()> {
/// let held: Option<sausage_plugin::Lock> = sausage_plugin::try_lock("/run/indexer")?;
/// drop(held);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "the lock is released when this is dropped"]
pub struct Lock {
    path: String,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A path is always JSON.
        let _ = notify("core.unlock", &json!({ "path": self.path }));
    }
}
