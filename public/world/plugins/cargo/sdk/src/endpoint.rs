//! Endpoints: interfaces that a running process serves on a port of the world's loopback (chapter 5).

use crate::call::Call;
use crate::interface::{Interface, Plugin};
use crate::net::{self, Connection, Listener};
use crate::{runtime, Error, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::marker::PhantomData;
use std::net::SocketAddr;
use std::rc::Rc;

/// Serves an endpoint interface of this plugin, one that is declared with `#[endpoint]`, and writes the endpoint file: in
/// one step, with the address, the process and the interface in it (R5-2). The file stands in `/self`, or for a service
/// that others have to find in `/run`.
///
/// The process lives from now on, until it is asked to stop or until [`Listening::close`].
///
/// ```no_run
/// /// Counts.
/// #[sausage_plugin::plugin(grace = 2)]
/// mod counter {
///     use std::cell::Cell;
///
///     thread_local!(static COUNT: Cell<u64> = const { Cell::new(0) });
///
///     /// Starts the service.
///     pub fn start() -> sausage_plugin::Result<()> {
///         sausage_plugin::listen("control", "/run/counter")?;
///         Ok(())
///     }
///
///     /// What a running process offers.
///     #[endpoint]
///     pub mod control {
///         /// Counts on, and answers how far it is.
///         pub fn next() -> u64 {
///             super::COUNT.set(super::COUNT.get() + 1);
///             super::COUNT.get()
///         }
///     }
/// }
/// ```
pub fn listen(interface: &str, path: &str) -> Result<Listening> {
    let served = served(interface)?;
    let (listener, port) = net::listen(served, path)?;
    let line = format!("tcp:127.0.0.1:{port} {} {interface}\n", net::env("SAUSAGE_PID"));
    let written = std::fs::write(format!("{path}.new"), line)
        .and_then(|()| std::fs::rename(format!("{path}.new"), path))
        .map_err(|error| Error::msg(format!("{path}: {error}")));
    if let Err(error) = written {
        net::close(&listener);
        return Err(error);
    }
    Ok(Listening { listener, port })
}

/// An endpoint that is served. Dropping the value changes nothing.
///
/// ```no_run
/// let listening = sausage_plugin::listen("control", "/self/control")?;
/// eprintln!("on port {}", listening.port());
/// # sausage_plugin::Result::<()>::Ok(())
/// ```
#[derive(Debug)]
pub struct Listening {
    listener: Rc<Listener>,
    port: u16,
}

impl Listening {
    /// The port on 127.0.0.1, the loopback of the world.
    ///
    /// ```no_run
    /// # fn of(listening: &sausage_plugin::Listening) {
    /// eprintln!("on port {}", listening.port());
    /// # }
    /// ```
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Takes no more connections, and removes the endpoint file. Those that are open go on.
    ///
    /// ```no_run
    /// # fn of(listening: sausage_plugin::Listening) {
    /// listening.close();
    /// # }
    /// ```
    pub fn close(self) {
        net::close(&self.listener);
    }
}

/// A connection to an endpoint of another process. It is closed with its last clone.
///
/// [`import!`](crate::import) writes a function with types for each method of the endpoints of a plugin.
///
/// ```no_run
/// use sausage_plugin::{Endpoint, Result};
/// use serde_json::json;
///
/// fn status() -> Result<String> {
///     Endpoint::connect("/run/www")?.call("status", &json!({}))
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Endpoint {
    connection: Rc<Connection>,
    /// Closes a connection that was made here; one that another made is theirs.
    _open: Option<Rc<Open>>,
}

#[derive(Debug)]
struct Open(Rc<Connection>);

impl Drop for Open {
    fn drop(&mut self) {
        net::forget(&self.0);
    }
}

#[derive(Deserialize)]
struct Who {
    owner: String,
    interface: String,
}

impl Endpoint {
    /// Reads an endpoint file, connects, and asks who answers: another process than the file names, or another interface,
    /// is an error (R5-3).
    ///
    /// ```no_run
    /// let www = sausage_plugin::Endpoint::connect("/run/www")?;
    /// # sausage_plugin::Result::<()>::Ok(())
    /// ```
    pub fn connect(path: &str) -> Result<Endpoint> {
        Endpoint::open(path, None)
    }

    /// As [`connect`](Endpoint::connect), and the other side can call the methods of an endpoint interface of this plugin
    /// over the same connection (R5-4).
    ///
    /// ```no_run
    /// let www = sausage_plugin::Endpoint::connect_serving("/run/www", "listener")?;
    /// # sausage_plugin::Result::<()>::Ok(())
    /// ```
    pub fn connect_serving(path: &str, interface: &str) -> Result<Endpoint> {
        Endpoint::open(path, Some(served(interface)?))
    }

    fn open(path: &str, serves: Option<&'static Interface>) -> Result<Endpoint> {
        let line = std::fs::read_to_string(path).map_err(|error| Error::msg(format!("{path}: {error}")))?;
        let fault = || Error::msg(format!("{path} is no endpoint file"));
        let [address, owner, interface] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            return Err(fault());
        };
        let address: SocketAddr = address
            .strip_prefix("tcp:")
            .and_then(|address| address.parse().ok())
            .ok_or_else(fault)?;
        let connection = net::connect(address, serves).map_err(|error| Error::msg(format!("{path}: {error}")))?;
        let endpoint = Endpoint {
            _open: Some(Rc::new(Open(connection.clone()))),
            connection,
        };
        let who: Who = endpoint.call("rpc.endpoint", &json!({}))?;
        if who.owner != owner || who.interface != interface {
            let Who { owner, interface } = who;
            return Err(Error::msg(format!("{path} is old: {owner} answers there, with {interface}")));
        }
        Ok(endpoint)
    }

    /// Calls a method of the endpoint and waits for its result, while nothing else of this process runs: where the other
    /// side calls back meanwhile, use [`call_async`](Endpoint::call_async).
    ///
    /// ```no_run
    /// # use serde_json::json;
    /// fn status(endpoint: &sausage_plugin::Endpoint) -> sausage_plugin::Result<String> {
    ///     endpoint.call("status", &json!({}))
    /// }
    /// ```
    pub fn call<P: Serialize + ?Sized, R: DeserializeOwned>(&self, method: &str, params: &P) -> Result<R> {
        self.call_async(method, params).wait()
    }

    /// Begins a call at once; its result comes when it is awaited. What the other side tells meanwhile goes to
    /// [`Call::on_notify`].
    ///
    /// ```no_run
    /// # use serde_json::json;
    /// async fn status(endpoint: &sausage_plugin::Endpoint) -> sausage_plugin::Result<String> {
    ///     endpoint.call_async("status", &json!({})).await
    /// }
    /// ```
    pub fn call_async<P: Serialize + ?Sized, R: DeserializeOwned>(&self, method: &str, params: &P) -> Call<R> {
        let connection = &self.connection;
        let sent = runtime::send_by(Some(connection.number()), method, params, |line| connection.send(line));
        Call {
            sent,
            result: PhantomData,
        }
    }

    /// Sends a notification: a method that the other side does, and never answers.
    ///
    /// ```no_run
    /// # use serde_json::json;
    /// fn reload(endpoint: &sausage_plugin::Endpoint) -> sausage_plugin::Result<()> {
    ///     endpoint.notify("reload", &json!({}))
    /// }
    /// ```
    pub fn notify<P: Serialize + ?Sized>(&self, method: &str, params: &P) -> Result<()> {
        self.connection.send(&crate::message::request(None, method, params)?)
    }
}

/// In a method of an endpoint: the connection on which it was called, to call its client.
///
/// ```no_run
/// # use serde_json::json;
/// fn ask() -> sausage_plugin::Result<String> {
///     match sausage_plugin::caller() {
///         Some(client) => client.call("name", &json!({})),
///         None => Ok("nobody".to_string()),
///     }
/// }
/// ```
pub fn caller() -> Option<Endpoint> {
    let (connection, _) = net::current()?;
    Some(Endpoint {
        connection,
        _open: None,
    })
}

fn served(name: &str) -> Result<&'static Interface> {
    let endpoints = runtime::plugin().map_or(&[][..], |plugin: &'static Plugin| plugin.endpoints);
    let found = endpoints.iter().find(|interface| interface.name == name);
    found.ok_or_else(|| Error::msg(format!("this plugin declares no endpoint {name}: put #[endpoint] before its module")))
}
