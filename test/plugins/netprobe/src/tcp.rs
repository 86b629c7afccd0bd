//! TCP: `listen`, `accept`, `connect`, `write`, `read`, `shutdown`, `addresses`, `options`, `states`, `close`, `drop`.

use crate::params::{pattern, Failure, Outcome, Params};
use crate::stream::{failure, read_count, read_until, write_all};
use crate::Probe;
use serde_json::{json, Value};
use std::net::{IpAddr, SocketAddr};
use wasip2::io::streams::{InputStream, OutputStream};
use wasip2::sockets::instance_network::instance_network;
use wasip2::sockets::network::{
    ErrorCode, IpAddressFamily, IpSocketAddress, Ipv4SocketAddress, Ipv6SocketAddress,
};
use wasip2::sockets::tcp::{ShutdownType, TcpSocket};
use wasip2::sockets::tcp_create_socket::create_tcp_socket;

/// The streams are dropped before their socket.
pub struct Tcp {
    pub input: Option<InputStream>,
    pub output: Option<OutputStream>,
    pub socket: TcpSocket,
}

pub fn run(probe: &mut Probe, op: &str, params: &Params) -> Option<Outcome> {
    Some(match op {
        "listen" => listen(probe, params),
        "accept" => accept(probe, params),
        "connect" => connect(probe, params),
        "write" => write(probe, params),
        "read" => read(probe, params),
        "shutdown" => shutdown(probe, params),
        "addresses" => of(probe, params).map(|tcp| addresses(&tcp.socket)),
        "states" => states(if params.number_or("family", 4) == 6 { IpAddressFamily::Ipv6 } else { IpAddressFamily::Ipv4 }),
        "options" => options(probe, params),
        "close" => params.text("of").map(|name| {
            probe.tcp.remove(name);
            Value::Null
        }),
        "drop" => drop_half(probe, params),
        _ => return None,
    })
}

pub fn of<'a>(probe: &'a mut Probe, params: &Params) -> Result<&'a mut Tcp, Failure> {
    let name = params.text("of")?;
    probe.tcp.get_mut(name).ok_or_else(|| crate::failed(-32602, &format!("there is no socket {name}"), Value::Null))
}

pub fn socket_address(params: &Params) -> Result<IpSocketAddress, Failure> {
    let ip: IpAddr = params
        .text_or("address", "127.0.0.1")
        .parse()
        .map_err(|_| crate::failed(-32602, "address is no address", Value::Null))?;
    Ok(to_wasi(SocketAddr::new(ip, params.number_or("port", 0) as u16)))
}

pub fn to_wasi(address: SocketAddr) -> IpSocketAddress {
    match address {
        SocketAddr::V4(v4) => {
            let [a, b, c, d] = v4.ip().octets();
            IpSocketAddress::Ipv4(Ipv4SocketAddress { port: v4.port(), address: (a, b, c, d) })
        }
        SocketAddr::V6(v6) => {
            let [a, b, c, d, e, f, g, h] = v6.ip().segments();
            IpSocketAddress::Ipv6(Ipv6SocketAddress {
                port: v6.port(),
                flow_info: v6.flowinfo(),
                address: (a, b, c, d, e, f, g, h),
                scope_id: v6.scope_id(),
            })
        }
    }
}

pub fn text_of(address: IpSocketAddress) -> String {
    match address {
        IpSocketAddress::Ipv4(Ipv4SocketAddress { port, address: (a, b, c, d) }) => {
            SocketAddr::new(IpAddr::from([a, b, c, d]), port).to_string()
        }
        IpSocketAddress::Ipv6(Ipv6SocketAddress { port, address: (a, b, c, d, e, f, g, h), .. }) => {
            SocketAddr::new(IpAddr::from([a, b, c, d, e, f, g, h]), port).to_string()
        }
    }
}

pub fn family_of(address: &IpSocketAddress) -> IpAddressFamily {
    match address {
        IpSocketAddress::Ipv4(_) => IpAddressFamily::Ipv4,
        IpSocketAddress::Ipv6(_) => IpAddressFamily::Ipv6,
    }
}

/// Waits until a step that is under way can be finished.
pub fn finish<T>(socket: &TcpSocket, step: impl Fn(&TcpSocket) -> Result<T, ErrorCode>) -> Result<T, ErrorCode> {
    let ready = socket.subscribe();
    loop {
        match step(socket) {
            Err(ErrorCode::WouldBlock) => ready.block(),
            outcome => return outcome,
        }
    }
}

pub fn open_listener(address: IpSocketAddress, backlog: Option<u64>) -> Result<TcpSocket, ErrorCode> {
    let socket = create_tcp_socket(family_of(&address))?;
    socket.start_bind(&instance_network(), address)?;
    finish(&socket, TcpSocket::finish_bind)?;
    if let Some(backlog) = backlog {
        socket.set_listen_backlog_size(backlog)?;
    }
    socket.start_listen()?;
    finish(&socket, TcpSocket::finish_listen)?;
    Ok(socket)
}

pub fn open_connection(address: IpSocketAddress) -> Result<Tcp, ErrorCode> {
    let socket = create_tcp_socket(family_of(&address))?;
    socket.start_connect(&instance_network(), address)?;
    let (input, output) = finish(&socket, TcpSocket::finish_connect)?;
    Ok(Tcp { input: Some(input), output: Some(output), socket })
}

pub fn accept_one(listener: &TcpSocket) -> Result<Tcp, ErrorCode> {
    let (socket, input, output) = finish(listener, TcpSocket::accept)?;
    Ok(Tcp { input: Some(input), output: Some(output), socket })
}

fn listen(probe: &mut Probe, params: &Params) -> Outcome {
    let socket = open_listener(socket_address(params)?, params.number("backlog").ok())?;
    let result = addresses(&socket);
    probe.tcp.insert(params.text_or("as", "listener").into(), Tcp { input: None, output: None, socket });
    Ok(result)
}

fn keep(probe: &mut Probe, params: &Params, otherwise: &str, tcp: Tcp) -> Outcome {
    let result = addresses(&tcp.socket);
    probe.tcp.insert(params.text_or("as", otherwise).into(), tcp);
    Ok(result)
}

fn accept(probe: &mut Probe, params: &Params) -> Outcome {
    let from = params.text_or("of", "listener");
    let listener = probe.tcp.get(from).ok_or_else(|| crate::failed(-32602, "there is no listener", Value::Null))?;
    let accepted = accept_one(&listener.socket)?;
    keep(probe, params, "accepted", accepted)
}

fn connect(probe: &mut Probe, params: &Params) -> Outcome {
    let connection = open_connection(socket_address(params)?)?;
    keep(probe, params, "connection", connection)
}

fn addresses(socket: &TcpSocket) -> Value {
    let local = socket.local_address();
    json!({
        "port": local.ok().map(port_of),
        "local": local.ok().map(text_of),
        "remote": socket.remote_address().ok().map(text_of),
    })
}

pub fn port_of(address: IpSocketAddress) -> u16 {
    match address {
        IpSocketAddress::Ipv4(v4) => v4.port,
        IpSocketAddress::Ipv6(v6) => v6.port,
    }
}

fn closed() -> Failure {
    failure(wasip2::io::streams::StreamError::Closed)
}

/// With `most` it writes only what is taken without a wait, and answers how much that was.
fn write(probe: &mut Probe, params: &Params) -> Outcome {
    let bytes = params.content()?;
    let tcp = of(probe, params)?;
    let out = tcp.output.as_ref().ok_or_else(closed)?;
    if !params.flag("now") {
        write_all(out, &bytes)?;
        return Ok(json!(bytes.len()));
    }
    let mut done = 0;
    while done < bytes.len() {
        let permit = out.check_write().map_err(failure)? as usize;
        if permit == 0 {
            break;
        }
        let count = permit.min(bytes.len() - done);
        out.write(&bytes[done..done + count]).map_err(failure)?;
        done += count;
    }
    Ok(json!(done))
}

/// Reads `count` bytes, or until the text `until` has come, or to the end; answers the text, or with `pattern` whether the bytes are those of `fill`.
fn read(probe: &mut Probe, params: &Params) -> Outcome {
    let tcp = of(probe, params)?;
    let input = tcp.input.as_ref().ok_or_else(closed)?;
    let count = params.number("count").map_or(usize::MAX, |count| count as usize);
    let bytes = match params.text("until") {
        Ok(text) => read_until(input, text.as_bytes())?,
        Err(_) => read_count(input, count)?,
    };
    if params.flag("pattern") {
        return Ok(json!({ "size": bytes.len(), "right": bytes == pattern(0, bytes.len()) }));
    }
    Ok(json!({ "text": String::from_utf8_lossy(&bytes), "ended": bytes.len() < count }))
}

fn shutdown(probe: &mut Probe, params: &Params) -> Outcome {
    let how = match params.text("how")? {
        "receive" => ShutdownType::Receive,
        "send" => ShutdownType::Send,
        _ => ShutdownType::Both,
    };
    of(probe, params)?.socket.shutdown(how)?;
    Ok(Value::Null)
}

/// Drops one of the two streams.
fn drop_half(probe: &mut Probe, params: &Params) -> Outcome {
    let tcp = of(probe, params)?;
    match params.text("half")? {
        "input" => tcp.input = None,
        _ => tcp.output = None,
    }
    Ok(Value::Null)
}

/// Sets every option, answers what it then is, and the codes of values that are refused.
fn options(probe: &mut Probe, params: &Params) -> Outcome {
    let socket = &of(probe, params)?.socket;
    let before = (socket.keep_alive_enabled()?, socket.hop_limit()?);
    socket.set_keep_alive_enabled(true)?;
    socket.set_keep_alive_idle_time(5_000_000_000)?;
    socket.set_keep_alive_interval(2_000_000_000)?;
    socket.set_keep_alive_count(3)?;
    socket.set_hop_limit(42)?;
    socket.set_receive_buffer_size(4096)?;
    socket.set_send_buffer_size(8192)?;
    let refused = [
        socket.set_hop_limit(0),
        socket.set_receive_buffer_size(0),
        socket.set_send_buffer_size(0),
        socket.set_keep_alive_count(0),
        socket.set_keep_alive_idle_time(0),
        socket.set_keep_alive_interval(0),
        socket.set_listen_backlog_size(0),
    ];
    Ok(json!({
        "before": [before.0 as u8, before.1],
        "keepAlive": [socket.keep_alive_enabled()? as u64, socket.keep_alive_idle_time()?,
            socket.keep_alive_interval()?, socket.keep_alive_count()? as u64],
        "hops": socket.hop_limit()?,
        "buffers": [socket.receive_buffer_size()?, socket.send_buffer_size()?],
        "family": if socket.address_family() == IpAddressFamily::Ipv4 { 4 } else { 6 },
        "listening": socket.is_listening(),
        "refused": refused.map(|outcome| outcome.err().map(|code| code.name())),
    }))
}

/// What cannot be done in a state: the codes of each attempt, for a socket that was just made.
pub fn states(family: IpAddressFamily) -> Outcome {
    let network = instance_network();
    let other = match family {
        IpAddressFamily::Ipv4 => "[::1]:9".parse(),
        IpAddressFamily::Ipv6 => "127.0.0.1:9".parse(),
    };
    let at = |text: &str| to_wasi(text.parse::<SocketAddr>().expect("an address"));
    let v4 = family == IpAddressFamily::Ipv4;
    let code = |outcome: Result<(), ErrorCode>| outcome.err().map(|code| code.name());
    let socket = create_tcp_socket(family)?;
    let mut found = json!({
        "finish-bind": code(socket.finish_bind()),
        "finish-connect": code(socket.finish_connect().map(|_| ())),
        "start-listen": code(socket.start_listen()),
        "finish-listen": code(socket.finish_listen()),
        "accept": code(socket.accept().map(|_| ())),
        "shutdown": code(socket.shutdown(ShutdownType::Both)),
        "local-address": code(socket.local_address().map(|_| ())),
        "remote-address": code(socket.remote_address().map(|_| ())),
        "bind other family": code(socket.start_bind(&network, to_wasi(other.expect("an address")))),
        "connect to port 0": code(socket.start_connect(&network, at(if v4 { "127.0.0.1:0" } else { "[::1]:0" }))),
        "connect to any": code(socket.start_connect(&network, at(if v4 { "0.0.0.0:9" } else { "[::]:9" }))),
        "connect to multicast": code(socket.start_connect(&network, at(if v4 { "224.0.0.1:9" } else { "[ff02::1]:9" }))),
    });
    if !v4 {
        found["connect to mapped"] = json!(code(socket.start_connect(&network, at("[::ffff:127.0.0.1]:9"))));
    }
    socket.start_bind(&network, at(if v4 { "127.0.0.1:0" } else { "[::1]:0" }))?;
    found["bind while binding"] = json!(code(socket.start_bind(&network, at(if v4 { "127.0.0.1:0" } else { "[::1]:0" }))));
    socket.finish_bind()?;
    found["bind again"] = json!(code(socket.start_bind(&network, at(if v4 { "127.0.0.1:0" } else { "[::1]:0" }))));
    socket.start_listen()?;
    socket.finish_listen()?;
    found["accept nobody"] = json!(code(socket.accept().map(|_| ())));
    found["connect while listening"] =
        json!(code(socket.start_connect(&network, at(if v4 { "127.0.0.1:9" } else { "[::1]:9" }))));
    found["listen again"] = json!(code(socket.start_listen()));
    Ok(found)
}
