//! Names: `resolve {name}` answers the addresses in their order.

use crate::params::{Outcome, Params};
use serde_json::Value;
use std::net::IpAddr;
use wasip2::sockets::instance_network::instance_network;
use wasip2::sockets::ip_name_lookup::resolve_addresses;
use wasip2::sockets::network::{ErrorCode, IpAddress};

pub fn run(op: &str, params: &Params) -> Option<Outcome> {
    (op == "resolve").then(|| resolve(params))
}

fn resolve(params: &Params) -> Outcome {
    let stream = resolve_addresses(&instance_network(), params.text("name")?)?;
    let ready = stream.subscribe();
    let mut found = Vec::new();
    loop {
        match stream.resolve_next_address() {
            Err(ErrorCode::WouldBlock) => ready.block(),
            outcome => match outcome? {
                Some(IpAddress::Ipv4((a, b, c, d))) => found.push(IpAddr::from([a, b, c, d])),
                Some(IpAddress::Ipv6((a, b, c, d, e, f, g, h))) => found.push(IpAddr::from([a, b, c, d, e, f, g, h])),
                None => break,
            },
        }
    }
    Ok(Value::Array(found.into_iter().map(|ip| ip.to_string().into()).collect()))
}
