//! Calls of other plugins and of the core, and what is told to the caller.

use crate::message::{request, Answer};
use crate::{runtime, Result};
use serde::de::DeserializeOwned;
use serde::Serialize;
use serde_json::{json, Value};
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Calls a method of another plugin (`notes.add`) or of the core (`core.stop`) and waits for its result.
///
/// While it waits nothing else of this process runs; in an `async` method use [`call_async`]. With [`import!`] there is a
/// function with types of its own for each method of a plugin.
///
/// ```no_run
/// use sausage_plugin::{call, Result};
/// use serde_json::{json, Value};
///
/// fn remember(text: &str) -> Result<u64> {
///     let note: Value = call("notes.add", &json!({ "text": text }))?;
///     Ok(note["id"].as_u64().unwrap_or_default())
/// }
/// ```
///
/// [`import!`]: crate::import
pub fn call<P: Serialize + ?Sized, R: DeserializeOwned>(method: &str, params: &P) -> Result<R> {
    call_async(method, params).wait()
}

/// Begins a call at once; its result comes when it is awaited. Many can be in flight.
///
/// ```no_run
/// use sausage_plugin::{call_async, Result};
/// use serde_json::{json, Value};
///
/// async fn both() -> Result<(Value, Value)> {
///     let first = call_async("notes.list", &json!({}));
///     let second = call_async("clock.now", &json!({}));
///     Ok((first.await?, second.await?))
/// }
/// ```
pub fn call_async<P: Serialize + ?Sized, R: DeserializeOwned>(method: &str, params: &P) -> Call<R> {
    Call {
        sent: runtime::send(method, params),
        result: PhantomData,
    }
}

/// A call that runs: a future of its result. Dropping it gives up the answer, not the call.
///
/// ```no_run
/// # use sausage_plugin::{call_async, Call};
/// # use serde_json::{json, Value};
/// let call: Call<Value> = call_async("cargo.build", &json!({ "plugin": "notes" }));
/// let built = call.on_notify(|name, params| eprintln!("{name}: {params}")).wait();
/// ```
#[must_use = "the result comes when the call is awaited"]
pub struct Call<R> {
    pub(crate) sent: Result<u64>,
    pub(crate) result: PhantomData<fn() -> R>,
}

impl<R> std::fmt::Debug for Call<R> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.debug_tuple("Call").field(&self.sent).finish()
    }
}

impl<R: DeserializeOwned> Call<R> {
    /// Hears what the other side tells before it answers: a name and an object, see [`tell`].
    ///
    /// ```no_run
    /// # use sausage_plugin::call_async;
    /// # use serde_json::{json, Value};
    /// let call = call_async::<_, Value>("clock.tick", &json!({}));
    /// let ticked = call.on_notify(|name, params| eprintln!("{name} {params}")).wait();
    /// ```
    pub fn on_notify(self, listener: impl FnMut(&str, Value) + 'static) -> Self {
        if let Ok(id) = self.sent {
            runtime::with_pending(id, |pending| pending.listener = Some(Box::new(listener)));
        }
        self
    }

    /// Waits for the result while nothing else of this process runs.
    ///
    /// ```no_run
    /// # use sausage_plugin::call_async;
    /// # use serde_json::{json, Value};
    /// let notes: sausage_plugin::Result<Value> = call_async("notes.list", &json!({})).wait();
    /// ```
    pub fn wait(self) -> Result<R> {
        read(runtime::wait_for(self.sent.clone()?))
    }
}

fn read<R: DeserializeOwned>(answer: Answer) -> Result<R> {
    Ok(serde_json::from_value(answer?)?)
}

impl<R: DeserializeOwned> Future for Call<R> {
    type Output = Result<R>;

    fn poll(self: Pin<&mut Self>, context: &mut Context) -> Poll<Self::Output> {
        let id = match &self.sent {
            Ok(id) => *id,
            Err(error) => return Poll::Ready(Err(error.clone())),
        };
        match runtime::take(id) {
            Some(answer) => Poll::Ready(read(answer)),
            None => {
                runtime::with_pending(id, |pending| pending.waker = Some(context.waker().clone()));
                Poll::Pending
            }
        }
    }
}

impl<R> Drop for Call<R> {
    fn drop(&mut self) {
        if let Ok(id) = self.sent {
            runtime::forget(id);
        }
    }
}

/// Calls a method whose process outlives this one (R3.4-1), and waits for its result.
///
/// ```no_run
/// # use serde_json::{json, Value};
/// let started: sausage_plugin::Result<Value> = sausage_plugin::call_detached("www.start", &json!({ "port": 8080 }));
/// ```
pub fn call_detached<P: Serialize + ?Sized, R: DeserializeOwned>(method: &str, params: &P) -> Result<R> {
    call(
        "core.call",
        &json!({ "method": method, "params": params, "detach": true }),
    )
}

/// Sends a notification: starts a method of another plugin, attached to this process, and never hears of it (R3.3-10).
///
/// ```no_run
/// # use serde_json::json;
/// sausage_plugin::notify("notes.add", &json!({ "text": "milk" })).unwrap();
/// ```
pub fn notify<P: Serialize + ?Sized>(method: &str, params: &P) -> Result<()> {
    runtime::say(&request(None, method, params)?);
    Ok(())
}

/// Tells whoever called this method something before the answer (R3.5); in a method of an endpoint, over its connection.
///
/// ```no_run
/// # use serde_json::json;
/// sausage_plugin::tell("found", &json!({ "file": "/state/notes/notes.json" })).unwrap();
/// ```
pub fn tell<P: Serialize + ?Sized>(name: &str, params: &P) -> Result<()> {
    if let Some(told) = runtime::hooked().and_then(|net| (net.tell)(name, &json!(params))) {
        return told;
    }
    notify("core.notify", &json!({ "name": name, "params": params }))
}

/// Tells the caller how far the work is: the notification `progress` with `done` and `total`.
///
/// ```no_run
/// for done in 0..=10 {
///     sausage_plugin::progress(done, 10);
/// }
/// ```
pub fn progress(done: u64, total: u64) {
    // Numbers are always JSON.
    let _ = tell("progress", &json!({ "done": done, "total": total }));
}
