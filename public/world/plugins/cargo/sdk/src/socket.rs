//! Sockets as the SDK needs them: they never wait by themselves, all waiting is in `poll`.

use crate::{Error, Result};
use std::net::SocketAddr;
use std::time::Duration;

#[cfg(target_os = "wasi")]
mod system {
    use super::*;
    use std::cell::OnceCell;
    use wasip2::cli::stdin::get_stdin;
    use wasip2::clocks::monotonic_clock::subscribe_duration;
    use wasip2::io::poll;
    use wasip2::io::streams::{InputStream, OutputStream};
    use wasip2::sockets::instance_network::instance_network;
    use wasip2::sockets::network::{ErrorCode, IpAddressFamily, IpSocketAddress, Ipv4SocketAddress};
    use wasip2::sockets::tcp::TcpSocket;
    use wasip2::sockets::tcp_create_socket::create_tcp_socket;

    pub use wasip2::io::poll::Pollable;

    /// Bytes read at once.
    const CHUNK: u64 = 64 * 1024;

    thread_local!(static STDIN: OnceCell<InputStream> = const { OnceCell::new() });

    pub struct Listener(TcpSocket);

    /// The streams are dropped before their socket.
    pub struct Socket {
        input: InputStream,
        output: OutputStream,
        _socket: TcpSocket,
    }

    fn failed(what: &str) -> impl Fn(ErrorCode) -> Error + '_ {
        move |code| Error::msg(format!("{what}: {}", code.name()))
    }

    /// Waits until a step that is under way can be finished.
    fn finish<T>(
        socket: &TcpSocket,
        step: impl Fn(&TcpSocket) -> std::result::Result<T, ErrorCode>,
    ) -> std::result::Result<T, ErrorCode> {
        let ready = socket.subscribe();
        loop {
            match step(socket) {
                Err(ErrorCode::WouldBlock) => ready.block(),
                outcome => return outcome,
            }
        }
    }

    fn loopback(port: u16) -> IpSocketAddress {
        IpSocketAddress::Ipv4(Ipv4SocketAddress {
            port,
            address: (127, 0, 0, 1),
        })
    }

    /// Listens on a free port.
    pub fn listen() -> Result<(Listener, u16)> {
        let open = || {
            let socket = create_tcp_socket(IpAddressFamily::Ipv4)?;
            socket.start_bind(&instance_network(), loopback(0))?;
            finish(&socket, TcpSocket::finish_bind)?;
            socket.start_listen()?;
            finish(&socket, TcpSocket::finish_listen)?;
            let port = match socket.local_address()? {
                IpSocketAddress::Ipv4(address) => address.port,
                IpSocketAddress::Ipv6(address) => address.port,
            };
            Ok((Listener(socket), port))
        };
        open().map_err(failed("listening on 127.0.0.1"))
    }

    /// Endpoints are on the loopback of the world, so only the port counts.
    pub fn connect(address: SocketAddr) -> Result<Socket> {
        let open = || {
            let socket = create_tcp_socket(IpAddressFamily::Ipv4)?;
            socket.start_connect(&instance_network(), loopback(address.port()))?;
            let (input, output) = finish(&socket, TcpSocket::finish_connect)?;
            Ok(Socket {
                input,
                output,
                _socket: socket,
            })
        };
        open().map_err(failed(&address.to_string()))
    }

    impl Listener {
        pub fn accept(&self) -> Option<Socket> {
            let (socket, input, output) = self.0.accept().ok()?;
            Some(Socket {
                input,
                output,
                _socket: socket,
            })
        }

        pub fn subscribe(&self) -> Pollable {
            self.0.subscribe()
        }
    }

    impl Socket {
        /// What has come, which may be nothing; `None` at the end.
        pub fn read(&self) -> Option<Vec<u8>> {
            self.input.read(CHUNK).ok()
        }

        /// How many of the bytes were taken; `None` when none ever will be.
        pub fn write(&self, bytes: &[u8]) -> Option<usize> {
            let mut done = 0;
            while done < bytes.len() {
                let permit = self.output.check_write().ok()? as usize;
                if permit == 0 {
                    break;
                }
                let count = permit.min(bytes.len() - done);
                self.output.write(&bytes[done..done + count]).ok()?;
                done += count;
            }
            Some(done)
        }

        pub fn readable(&self) -> Pollable {
            self.input.subscribe()
        }

        pub fn writable(&self) -> Pollable {
            self.output.subscribe()
        }
    }

    /// Waits for one of the sources, for stdin if that is wanted, or for the end of the time; whether stdin is ready.
    pub fn poll(mut sources: Vec<Pollable>, timeout: Option<Duration>, stdin: bool) -> bool {
        let at = sources.len() as u32;
        if stdin {
            STDIN.with(|cell| sources.push(cell.get_or_init(get_stdin).subscribe()));
        }
        if let Some(timeout) = timeout {
            let nanoseconds = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
            sources.push(subscribe_duration(nanoseconds));
        }
        if sources.is_empty() {
            return false;
        }
        let ready = poll::poll(&sources.iter().collect::<Vec<_>>());
        stdin && ready.contains(&at)
    }
}

/// Outside of WASI, where plugins are only compiled for their documentation and simple tests, there are no worlds.
#[cfg(not(target_os = "wasi"))]
mod system {
    use super::*;

    pub struct Pollable;
    pub struct Listener;
    pub struct Socket;

    fn nowhere<T>() -> Result<T> {
        Err(Error::msg("endpoints are in worlds only"))
    }

    pub fn listen() -> Result<(Listener, u16)> {
        nowhere()
    }

    pub fn connect(_: SocketAddr) -> Result<Socket> {
        nowhere()
    }

    impl Listener {
        pub fn accept(&self) -> Option<Socket> {
            None
        }
        pub fn subscribe(&self) -> Pollable {
            Pollable
        }
    }

    impl Socket {
        pub fn read(&self) -> Option<Vec<u8>> {
            None
        }
        pub fn write(&self, _: &[u8]) -> Option<usize> {
            None
        }
        pub fn readable(&self) -> Pollable {
            Pollable
        }
        pub fn writable(&self) -> Pollable {
            Pollable
        }
    }

    pub fn poll(_: Vec<Pollable>, _: Option<Duration>, _: bool) -> bool {
        false
    }
}

pub(crate) use system::*;
