//! The process: what comes on stdin, the calls in flight, the stop, and when to return.

#![allow(missing_docs)] // what the macros refer to

use crate::executor;
use crate::interface::{document, Handling, Method, Plugin};
use crate::message::{request, response, Answer, Lines, Message};
use crate::net::Hook;
use crate::params::Params;
use crate::{wait, Error, Result};
use serde::Serialize;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::task::Waker;

pub(crate) type Listener = Box<dyn FnMut(&str, Value)>;

/// A call in flight.
#[derive(Default)]
pub(crate) struct Pending {
    /// The number of the connection that it was sent on; `None` is the core.
    by: Option<u64>,
    pub answer: Option<Answer>,
    pub waker: Option<Waker>,
    pub listener: Option<Listener>,
}

struct Runtime {
    plugin: Cell<Option<&'static Plugin>>,
    lines: RefCell<Lines>,
    calls: RefCell<Vec<(u64, Pending)>>,
    last: Cell<u64>,
    /// A request or notification has come.
    begun: Cell<bool>,
    /// stdin has ended.
    stopping: Cell<bool>,
    hooks: RefCell<Vec<Box<dyn FnOnce()>>>,
    stop_wakers: RefCell<Vec<Waker>>,
    /// There are or were connections to other processes.
    net: Cell<Option<&'static Hook>>,
}

thread_local! {
    static RUNTIME: Runtime = const {
        Runtime {
            plugin: Cell::new(None),
            lines: RefCell::new(Lines::new()),
            calls: RefCell::new(Vec::new()),
            last: Cell::new(0),
            begun: Cell::new(false),
            stopping: Cell::new(false),
            hooks: RefCell::new(Vec::new()),
            stop_wakers: RefCell::new(Vec::new()),
            net: Cell::new(None),
        }
    };
}

/// The main function of a plugin: returns when no handler, background task or endpoint is left (R3.6-10).
pub fn run(plugin: &'static Plugin) {
    RUNTIME.with(|runtime| {
        runtime.plugin.set(Some(plugin));
        loop {
            executor::run_ready();
            let listens = runtime.net.get().is_some_and(|net| (net.listens)());
            if executor::is_idle() && !listens && (runtime.begun.get() || runtime.stopping.get()) {
                return;
            }
            if !runtime.step() {
                return;
            }
        }
    });
}

/// Writes a message to the core.
pub(crate) fn say(line: &str) {
    // Without a stdout there is nobody to tell that there is none.
    let _ = wait::write(line.as_bytes());
}

/// Sends a request to the core; its answer is to be taken with `take`.
pub(crate) fn send<P: Serialize + ?Sized>(method: &str, params: &P) -> Result<u64> {
    if RUNTIME.with(|runtime| runtime.stopping.get()) {
        return Err(unanswered(method));
    }
    send_by(None, method, params, |line| {
        say(line);
        Ok(())
    })
}

/// Sends a request on a connection, `None` for the core; its answer is to be taken with `take`.
pub(crate) fn send_by<P: Serialize + ?Sized>(
    by: Option<u64>,
    method: &str,
    params: &P,
    write: impl FnOnce(&str) -> Result<()>,
) -> Result<u64> {
    RUNTIME.with(|runtime| {
        let id = runtime.last.get() + 1;
        let line = request(Some(id), method, params)?;
        runtime.last.set(id);
        let pending = Pending {
            by,
            ..Pending::default()
        };
        runtime.calls.borrow_mut().push((id, pending));
        write(&line).inspect_err(|_| forget(id))?;
        Ok(id)
    })
}

/// A connection has ended: nobody answers on it any more.
pub(crate) fn fail_by(connection: u64) {
    let _ = RUNTIME.try_with(|runtime| {
        let calls = runtime.unanswered_by(Some(connection));
        for id in calls {
            settle(id, Err(Error::new(Error::NO_ANSWER, "the connection ended before the answer")));
        }
    });
}

/// There are connections from now on.
pub(crate) fn hook(net: &'static Hook) {
    RUNTIME.with(|runtime| runtime.net.set(Some(net)));
}

/// The connections, if there are or were some.
pub(crate) fn hooked() -> Option<&'static Hook> {
    RUNTIME.with(|runtime| runtime.net.get())
}

pub(crate) fn plugin() -> Option<&'static Plugin> {
    RUNTIME.with(|runtime| runtime.plugin.get())
}

/// An answer that came on a connection, `None` for the core.
pub(crate) fn answered_by(by: Option<u64>, id: Option<Value>, result: Option<Value>, error: Option<Value>) {
    let id = id.as_ref().and_then(Value::as_u64);
    let Some(id) = id.filter(|id| with_pending(*id, |pending| pending.by) == Some(by)) else {
        return;
    };
    let failed = |error: Value| serde_json::from_value(error).unwrap_or_else(Error::from);
    let answer = match (result, error) {
        (Some(result), None) => Ok(result),
        (_, error) => Err(failed(error.unwrap_or_default())),
    };
    settle(id, answer);
}

/// Progress of a call (R3.5-1).
pub(crate) fn told_by(by: Option<u64>, mut params: Params) {
    let (Ok(id), Ok(name)) = (params.take::<u64>("call"), params.take::<String>("name")) else {
        return;
    };
    if with_pending(id, |pending| pending.by) != Some(by) {
        return;
    }
    let told = params.take("params").unwrap_or(Value::Null);
    let listener = with_pending(id, |pending| pending.listener.take()).flatten();
    let Some(mut listener) = listener else { return };
    // It may make calls itself, so it is out of the table meanwhile.
    listener(&name, told);
    with_pending(id, |pending| pending.listener = Some(listener));
}

/// The answer to a call, once.
pub(crate) fn take(id: u64) -> Option<Answer> {
    let answer = with_pending(id, |pending| pending.answer.take())??;
    forget(id);
    Some(answer)
}

/// Looks at a call in flight.
pub(crate) fn with_pending<T>(id: u64, change: impl FnOnce(&mut Pending) -> T) -> Option<T> {
    RUNTIME.with(|runtime| {
        let mut calls = runtime.calls.borrow_mut();
        calls
            .iter_mut()
            .find(|(known, _)| *known == id)
            .map(|(_, pending)| change(pending))
    })
}

/// Nobody wants the answer any more.
pub(crate) fn forget(id: u64) {
    // The thread may be ending, with the table gone before those who wait.
    let _ = RUNTIME.try_with(|runtime| runtime.calls.borrow_mut().retain(|(known, _)| *known != id));
}

/// Waits for an answer while nothing else runs.
pub(crate) fn wait_for(id: u64) -> Answer {
    loop {
        if let Some(answer) = take(id) {
            return answer;
        }
        RUNTIME.with(Runtime::receive_any);
    }
}

/// Runs a function when the process is asked to stop: it has 5 s, can write files and can tell its caller something, but
/// cannot call (R3.6-2). Hooks run in the order in which they were set, and background tasks end after them.
///
/// ```
/// sausage_plugin::on_stop(|| {
///     let _ = std::fs::write("/state/clock/stopped", "");
/// });
/// ```
pub fn on_stop(hook: impl FnOnce() + 'static) {
    RUNTIME.with(|runtime| runtime.hooks.borrow_mut().push(Box::new(hook)));
}

/// Resolves when the process has been asked to stop: for handlers that would otherwise wait longer than the 5 s that they
/// have. Background tasks need it not, they are dropped.
///
/// ```
/// async fn wait() {
///     sausage_plugin::stopped().await;
/// }
/// ```
pub async fn stopped() {
    std::future::poll_fn(|context| {
        RUNTIME.with(|runtime| {
            if runtime.stopping.get() {
                return std::task::Poll::Ready(());
            }
            runtime.stop_wakers.borrow_mut().push(context.waker().clone());
            std::task::Poll::Pending
        })
    })
    .await
}

fn unanswered(method: &str) -> Error {
    Error::new(
        Error::NO_ANSWER,
        format!("this process is being stopped, so {method} gets no answer"),
    )
}

impl Runtime {
    /// Waits for whatever comes next; false when nothing can come any more.
    fn step(&self) -> bool {
        if !self.stopping.get() && self.lines.borrow_mut().has_line() {
            self.receive();
            return true;
        }
        let timer = executor::next_timer();
        if let Some(net) = self.net.get() {
            if self.stopping.get() && timer.is_none() && !self.waits_for_connections() {
                return false;
            }
            if (net.wait)(timer, !self.stopping.get()) {
                self.receive();
            }
            executor::fire_timers();
            return true;
        }
        match (self.stopping.get(), timer) {
            (true, None) => return false,
            (false, None) => self.receive(),
            (stopping, Some(timeout)) => {
                if wait::wait(timeout, !stopping) {
                    self.receive();
                }
            }
        }
        executor::fire_timers();
        true
    }

    /// Whether something may still come when stdin has ended.
    fn waits_for_connections(&self) -> bool {
        let calls = self.calls.borrow();
        calls.iter().any(|(_, pending)| pending.by.is_some() && pending.answer.is_none())
    }

    /// Takes a message, from wherever the next one comes.
    fn receive_any(&self) {
        match self.net.get() {
            Some(net) if self.stopping.get() || !self.lines.borrow_mut().has_line() => {
                if (net.wait)(None, !self.stopping.get()) {
                    self.receive();
                }
            }
            _ => self.receive(),
        }
    }

    /// Takes one message from stdin, and waits for it if there is none yet. The next one has to wait until the tasks have
    /// done what they can with this one.
    fn receive(&self) {
        if self.stopping.get() {
            return;
        }
        let mut lines = self.lines.borrow_mut();
        let ended = !lines.has_line() && !lines.fill(wait::read);
        let line = if ended || lines.has_line() { lines.next() } else { None };
        drop(lines);
        match line {
            Some(line) => self.handle(&line),
            None if ended => self.stop(),
            None => {}
        }
    }

    /// What is no message is nothing: the core writes only messages.
    fn handle(&self, line: &[u8]) {
        let Some(message) = Message::parse(line) else { return };
        if let Some(fault) = message.fault {
            return self.unread(message.id, message.method, &fault);
        }
        let params = Params(message.params);
        match message.method.as_deref() {
            None => answered_by(None, message.id, message.result, message.error),
            Some("core.notify") if message.id.is_none() => told_by(None, params),
            Some(method) => {
                self.begun.set(true);
                let id = message.id.and_then(|id| serde_json::to_string(&id).ok());
                let handling = handle(self.plugin.get(), method, params);
                let answer = async move {
                    let reply = handling.await;
                    if let Some(id) = id {
                        say(&response(&id, reply));
                    } else if let Err(error) = reply {
                        eprintln!("a notification failed: {error}");
                    }
                };
                executor::add(answer, false);
            }
        }
    }

    /// A request is answered that its params cannot be read, and a call fails whose answer cannot.
    fn unread(&self, id: Option<Value>, method: Option<String>, fault: &str) {
        match (id, method) {
            (Some(id), Some(_)) => {
                self.begun.set(true);
                let error = Error::invalid_params(format!("the params cannot be read: {fault}"));
                say(&response(&id.to_string(), Err(error)));
            }
            (Some(id), None) => {
                let error = Error::msg(format!("the answer cannot be read: {fault}"));
                answered_by(None, Some(id), None, serde_json::to_value(error).ok());
            }
            (None, Some(method)) if method != "core.notify" => {
                self.begun.set(true);
                eprintln!("a notification of {method} cannot be read: {fault}");
            }
            (None, _) => {}
        }
    }

    /// The calls on a connection, `None` for the core, that wait for their answer.
    fn unanswered_by(&self, by: Option<u64>) -> Vec<u64> {
        let calls = self.calls.borrow();
        let waiting = calls.iter().filter(|(_, pending)| pending.by == by && pending.answer.is_none());
        waiting.map(|(id, _)| *id).collect()
    }

    /// The end of stdin: calls of the core fail, hooks run, background tasks end (R3.6-2).
    fn stop(&self) {
        self.stopping.set(true);
        for id in self.unanswered_by(None) {
            settle(id, Err(unanswered("a call")));
        }
        if let Some(net) = self.net.get() {
            (net.stop)();
        }
        let hooks = std::mem::take(&mut *self.hooks.borrow_mut());
        for hook in hooks {
            hook();
        }
        executor::end_background();
        let wakers = std::mem::take(&mut *self.stop_wakers.borrow_mut());
        for waker in wakers {
            waker.wake();
        }
    }
}

/// Puts down the answer of a call that is still wanted.
fn settle(id: u64, answer: Answer) {
    let waker = with_pending(id, |pending| {
        pending.answer = Some(answer);
        pending.waker.take()
    });
    if let Some(waker) = waker.flatten() {
        waker.wake();
    }
}

/// A method of the main interface. A plugin without one runs only in tests, which nobody calls.
fn handle(plugin: Option<&'static Plugin>, name: &str, params: Params) -> Handling {
    match plugin {
        Some(plugin) if name == "rpc.discover" => Box::pin(std::future::ready(document(plugin))),
        Some(plugin) => call(plugin.methods, name, params),
        None => call(&[], name, params),
    }
}

/// Begins a method of an interface.
pub(crate) fn call(methods: &'static [Method], name: &str, params: Params) -> Handling {
    match methods.iter().find(|method| method.name == name) {
        Some(method) => (method.call)(params),
        None => {
            let error = Error::new(Error::METHOD_NOT_FOUND, format!("there is no method {name}"));
            Box::pin(std::future::ready(Err(error)))
        }
    }
}
