//! Connections between processes of a world: what goes on between messages and sockets.

use crate::executor;
use crate::interface::Interface;
use crate::message::{request, response, Lines, Message};
use crate::params::Params;
use crate::socket::{self, Socket};
use crate::{runtime, Error, Result};
use serde_json::{json, Value};
use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

/// Bytes of one message, or of messages that nobody fetches, at most.
const LONGEST: usize = 64 * 1024 * 1024;

/// What the runtime needs to know of connections. It hears of it with the first one: a plugin without endpoints has no
/// sockets among its imports.
pub(crate) struct Hook {
    /// Waits until something has come, or the time is over; whether it is stdin.
    pub wait: fn(Option<Duration>, bool) -> bool,
    /// The process lives for others.
    pub listens: fn() -> bool,
    pub stop: fn(),
    /// Tells the caller of an endpoint method something (R5-4); `None` outside of one.
    pub tell: fn(&str, &Value) -> Option<Result<()>>,
}

pub(crate) struct Listener {
    socket: socket::Listener,
    interface: &'static Interface,
    path: String,
}

pub(crate) struct Connection {
    number: u64,
    socket: Socket,
    /// What the other side can call.
    serves: Option<&'static Interface>,
    lines: RefCell<Lines>,
    /// Bytes that the socket has not taken yet.
    out: RefCell<Vec<u8>>,
    ended: Cell<bool>,
}

impl std::fmt::Debug for Listener {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str(&self.path)
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(formatter, "connection {}", self.number)
    }
}

struct Net {
    listeners: RefCell<Vec<Rc<Listener>>>,
    connections: RefCell<Vec<Rc<Connection>>>,
    last: Cell<u64>,
    /// Whose call the task answers that is being polled, and under which ID.
    current: RefCell<Option<(Rc<Connection>, String)>>,
}

thread_local! {
    static NET: Net = const {
        Net {
            listeners: RefCell::new(Vec::new()),
            connections: RefCell::new(Vec::new()),
            last: Cell::new(0),
            current: RefCell::new(None),
        }
    };
}

static HOOK: Hook = Hook {
    wait,
    listens: || NET.with(|net| !net.listeners.borrow().is_empty()),
    stop: || {
        let listeners = NET.with(|net| std::mem::take(&mut *net.listeners.borrow_mut()));
        listeners.iter().for_each(|listener| listener.remove_file());
    },
    tell,
};

pub(crate) fn env(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

pub(crate) fn listen(interface: &'static Interface, path: &str) -> Result<(Rc<Listener>, u16)> {
    let (socket, port) = socket::listen()?;
    let listener = Rc::new(Listener {
        socket,
        interface,
        path: path.to_string(),
    });
    runtime::hook(&HOOK);
    NET.with(|net| net.listeners.borrow_mut().push(listener.clone()));
    Ok((listener, port))
}

pub(crate) fn close(listener: &Rc<Listener>) {
    listener.remove_file();
    NET.with(|net| net.listeners.borrow_mut().retain(|other| !Rc::ptr_eq(other, listener)));
}

pub(crate) fn connect(address: SocketAddr, serves: Option<&'static Interface>) -> Result<Rc<Connection>> {
    let socket = socket::connect(address)?;
    runtime::hook(&HOOK);
    Ok(NET.with(|net| net.add(socket, serves)))
}

/// Closes a connection, whose calls fail.
pub(crate) fn forget(connection: &Rc<Connection>) {
    connection.ended.set(true);
    // The thread may be ending, with the table gone before those who use it.
    let _ = NET.try_with(|net| net.connections.borrow_mut().retain(|other| !Rc::ptr_eq(other, connection)));
    runtime::fail_by(connection.number);
}

/// Whose call is being answered now.
pub(crate) fn current() -> Option<(Rc<Connection>, String)> {
    NET.with(|net| net.current.borrow().clone())
}

/// Waits for whatever comes next and deals with what came over connections; whether something is on stdin.
fn wait(timeout: Option<Duration>, stdin: bool) -> bool {
    NET.with(|net| {
        // Both may change while messages are dealt with.
        let listeners = net.listeners.borrow().clone();
        let connections = net.connections.borrow().clone();
        let sources = listeners.iter().map(|listener| listener.socket.subscribe());
        let readers = connections.iter().map(|connection| connection.socket.readable());
        let writers = connections.iter().filter(|connection| !connection.out.borrow().is_empty());
        let all = sources.chain(readers).chain(writers.map(|connection| connection.socket.writable()));
        let on_stdin = socket::poll(all.collect(), timeout, stdin);
        for listener in listeners {
            while let Some(socket) = listener.socket.accept() {
                net.add(socket, Some(listener.interface));
            }
        }
        for connection in connections {
            connection.flush();
            connection.read();
        }
        on_stdin
    })
}

impl Net {
    fn add(&self, socket: Socket, serves: Option<&'static Interface>) -> Rc<Connection> {
        self.last.set(self.last.get() + 1);
        let connection = Rc::new(Connection {
            number: self.last.get(),
            socket,
            serves,
            lines: RefCell::new(Lines::new()),
            out: RefCell::new(Vec::new()),
            ended: Cell::new(false),
        });
        self.connections.borrow_mut().push(connection.clone());
        connection
    }
}

impl Listener {
    /// The file goes, unless it is another's by now.
    fn remove_file(&self) {
        let line = std::fs::read_to_string(&self.path).unwrap_or_default();
        if line.split_whitespace().nth(1) == Some(&env("SAUSAGE_PID")) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Connection {
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Sends a line, now or when the socket takes it.
    pub fn send(self: &Rc<Self>, line: &str) -> Result<()> {
        if self.ended.get() {
            return Err(Error::new(Error::NO_ANSWER, "the connection has ended"));
        }
        let mut out = self.out.borrow_mut();
        if out.len() + line.len() > LONGEST {
            return Err(Error::msg("the other side reads nothing"));
        }
        // A message on a socket needs no newline before it.
        out.extend_from_slice(line.trim_start_matches('\n').as_bytes());
        drop(out);
        self.flush();
        Ok(())
    }

    fn flush(self: &Rc<Self>) {
        let mut out = self.out.borrow_mut();
        match self.socket.write(&out) {
            Some(count) => drop(out.drain(..count)),
            None => {
                drop(out);
                forget(self);
            }
        }
    }

    /// Reads what there is.
    fn read(self: &Rc<Self>) {
        let mut open = true;
        loop {
            match self.socket.read() {
                Some(bytes) if bytes.is_empty() => break,
                Some(bytes) => self.lines.borrow_mut().push(&bytes),
                None => {
                    open = false;
                    break;
                }
            }
            if self.lines.borrow().length() > LONGEST {
                open = false;
                break;
            }
        }
        loop {
            let mut lines = self.lines.borrow_mut();
            let line = if lines.has_line() { lines.next() } else { None };
            drop(lines);
            let Some(line) = line else { break };
            self.handle(&line);
        }
        if !open {
            forget(self);
        }
    }

    fn handle(self: &Rc<Self>, line: &[u8]) {
        let Some(message) = Message::parse(line) else { return };
        let id = message.id.as_ref().and_then(|id| serde_json::to_string(id).ok());
        let params = Params(message.params);
        match (message.method.as_deref(), id) {
            (None, _) => {
                let error = message.fault.map(|fault| json!(Error::msg(format!("the answer cannot be read: {fault}"))));
                runtime::answered_by(Some(self.number), message.id, message.result, message.error.or(error));
            }
            (Some("core.notify"), None) => runtime::told_by(Some(self.number), params),
            (Some(method), id) => {
                let handling = match (message.fault, method, self.serves) {
                    (Some(fault), _, _) => Err(Error::invalid_params(format!("the params cannot be read: {fault}"))),
                    (None, "rpc.endpoint", Some(interface)) => Ok(json!({
                        "owner": env("SAUSAGE_PID"),
                        "plugin": env("SAUSAGE_PLUGIN"),
                        "interface": interface.name,
                    })),
                    (None, _, serves) => {
                        return self.begin(method, params, serves, id);
                    }
                };
                if let Some(id) = id {
                    let _ = self.send(&response(&id, handling.map(|result: Value| result.to_string())));
                }
            }
        }
    }

    fn begin(self: &Rc<Self>, method: &str, params: Params, serves: Option<&'static Interface>, id: Option<String>) {
        let handling = runtime::call(serves.map_or(&[], |interface| interface.methods), method, params);
        let connection = self.clone();
        let called = id.clone().unwrap_or_default();
        let answer = async move {
            let reply = handling.await;
            if let Some(id) = id {
                let _ = connection.send(&response(&id, reply));
            } else if let Err(error) = reply {
                eprintln!("a notification failed: {error}");
            }
        };
        executor::add(answered(self.clone(), called, answer), false);
    }
}

/// While this future is polled, `current` says whose call it answers.
async fn answered(connection: Rc<Connection>, id: String, work: impl std::future::Future<Output = ()>) {
    let mut work = std::pin::pin!(work);
    std::future::poll_fn(move |context| {
        let before = NET.with(|net| net.current.replace(Some((connection.clone(), id.clone()))));
        let polled = work.as_mut().poll(context);
        NET.with(|net| net.current.replace(before));
        polled
    })
    .await;
}

fn tell(name: &str, params: &Value) -> Option<Result<()>> {
    let (connection, id) = current()?;
    let call: Value = serde_json::from_str(&id).unwrap_or_default();
    let told = json!({ "call": call, "name": name, "params": params });
    Some(request(None, "core.notify", &told).and_then(|line| connection.send(&line)))
}
