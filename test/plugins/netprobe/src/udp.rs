//! UDP: `udp` (bind), `send`, `receive`, `connect-udp`.

use crate::params::{failed, Failure, Outcome, Params};
use crate::tcp::{family_of, port_of, socket_address, text_of};
use crate::Probe;
use serde_json::{json, Value};
use wasip2::clocks::monotonic_clock::subscribe_duration;
use wasip2::io::poll::poll;
use wasip2::sockets::instance_network::instance_network;
use wasip2::sockets::network::IpSocketAddress;
use wasip2::sockets::udp::{IncomingDatagramStream, OutgoingDatagram, OutgoingDatagramStream, UdpSocket};
use wasip2::sockets::udp_create_socket::create_udp_socket;

/// The streams are dropped before their socket.
pub struct Udp {
    incoming: Option<IncomingDatagramStream>,
    outgoing: Option<OutgoingDatagramStream>,
    socket: UdpSocket,
}

pub fn run(probe: &mut Probe, op: &str, params: &Params) -> Option<Outcome> {
    Some(match op {
        "udp" => bind(probe, params),
        "udp-connect" => of(probe, params).and_then(|udp| connect(udp, params)),
        "send" => of(probe, params).and_then(|udp| send(udp, params)),
        "receive" => of(probe, params).and_then(|udp| receive(udp, params)),
        _ => return None,
    })
}

fn of<'a>(probe: &'a mut Probe, params: &Params) -> Result<&'a mut Udp, Failure> {
    let name = params.text_or("of", "udp");
    probe.udp.get_mut(name).ok_or_else(|| failed(-32602, &format!("there is no socket {name}"), Value::Null))
}

fn bind(probe: &mut Probe, params: &Params) -> Outcome {
    let address = socket_address(params)?;
    let socket = create_udp_socket(family_of(&address))?;
    socket.start_bind(&instance_network(), address)?;
    socket.finish_bind()?;
    let (incoming, outgoing) = socket.stream(None)?;
    let local = socket.local_address()?;
    let udp = Udp { incoming: Some(incoming), outgoing: Some(outgoing), socket };
    probe.udp.insert(params.text_or("as", "udp").into(), udp);
    Ok(json!({ "port": port_of(local), "local": text_of(local) }))
}

/// From now on there is one peer: `address` and `port`; without a port there is none again.
fn connect(udp: &mut Udp, params: &Params) -> Outcome {
    udp.incoming = None;
    udp.outgoing = None;
    let peer: Option<IpSocketAddress> = params.number("port").ok().map(|_| socket_address(params)).transpose()?;
    let (incoming, outgoing) = udp.socket.stream(peer)?;
    udp.incoming = Some(incoming);
    udp.outgoing = Some(outgoing);
    Ok(json!({ "remote": udp.socket.remote_address().ok().map(text_of) }))
}

/// Sends the content `times` times, to `port` or to the peer.
fn send(udp: &Udp, params: &Params) -> Outcome {
    let out = udp.outgoing.as_ref().expect("streams");
    let to = params.number("port").ok().map(|_| socket_address(params)).transpose()?;
    let data = params.content()?;
    let mut left = params.number_or("times", 1);
    let mut sent = 0;
    while left > 0 {
        let permit = out.check_send()?;
        if permit == 0 {
            out.subscribe().block();
            continue;
        }
        let batch: Vec<OutgoingDatagram> = (0..permit.min(left))
            .map(|_| OutgoingDatagram { data: data.clone(), remote_address: to })
            .collect();
        let count = out.send(&batch)?;
        sent += count;
        left -= count;
    }
    Ok(json!(sent))
}

/// Waits for `count` datagrams, or `ms` milliseconds; answers what came.
fn receive(udp: &Udp, params: &Params) -> Outcome {
    let input = udp.incoming.as_ref().expect("streams");
    let count = params.number_or("count", 1);
    let ready = input.subscribe();
    let late = subscribe_duration(params.number_or("ms", 5000) * 1_000_000);
    let mut got = Vec::new();
    while (got.len() as u64) < count {
        if poll(&[&ready, &late]).contains(&1) {
            break;
        }
        for datagram in input.receive(count - got.len() as u64)? {
            let from = text_of(datagram.remote_address);
            got.push(match params.flag("size") {
                true => json!({ "size": datagram.data.len(), "from": from }),
                false => json!({ "text": String::from_utf8_lossy(&datagram.data), "from": from }),
            });
        }
    }
    Ok(Value::Array(got))
}
