/** `wasi:sockets`, for a host without a network: everything links, and making a socket answers `not-supported`. */

import { type CoreFunction, type Interfaces, type Lowered, type Resource, resource } from './bind.ts';
import type { Host } from './host.ts';
import type { Guest } from './memory.ts';

/** The position of `not-supported` in the `error-code` of `wasi:sockets/network`. */
const NOT_SUPPORTED = 2;

class Network {}

/** `err(not-supported)` of a `result<own<…>, error-code>`, whose address is the last argument. */
const notSupported =
  (guest: Guest): CoreFunction =>
  (...args: number[]) =>
    guest.fail(args.at(-1) as number, NOT_SUPPORTED, 4);

/** A resource of which there is never one: its methods cannot be reached with a handle that the host gave out. */
function never(...methods: string[]): Resource {
  const trap: Lowered = () => (handle: number) => {
    throw new WebAssembly.RuntimeError(`unknown handle ${handle}: this host has no sockets`);
  };
  return resource(Object.fromEntries(methods.map((name) => [name, trap])));
}

const BIND = ['startBind', 'finishBind', 'localAddress', 'remoteAddress', 'addressFamily', 'subscribe'];
const BUFFERS = ['receiveBufferSize', 'setReceiveBufferSize', 'sendBufferSize', 'setSendBufferSize'];

export function sockets(host: Host): Interfaces {
  return {
    'wasi:sockets/instance-network': { instanceNetwork: () => () => host.resources.add(new Network()) },
    'wasi:sockets/network': {
      Network: resource(),
      networkErrorCode: (guest) => (_error: number, result: number) => guest.view.setUint8(result, 0),
    },
    'wasi:sockets/ip-name-lookup': {
      resolveAddresses: notSupported,
      ResolveAddressStream: never('resolveNextAddress', 'subscribe'),
    },
    'wasi:sockets/tcp-create-socket': { createTcpSocket: notSupported },
    'wasi:sockets/udp-create-socket': { createUdpSocket: notSupported },
    'wasi:sockets/tcp': {
      TcpSocket: never(
        ...BIND,
        ...BUFFERS,
        ...['startConnect', 'finishConnect', 'startListen', 'finishListen', 'accept', 'isListening', 'shutdown'],
        ...['setListenBacklogSize', 'keepAliveEnabled', 'setKeepAliveEnabled', 'keepAliveIdleTime'],
        ...['setKeepAliveIdleTime', 'keepAliveInterval', 'setKeepAliveInterval', 'keepAliveCount'],
        ...['setKeepAliveCount', 'hopLimit', 'setHopLimit'],
      ),
    },
    'wasi:sockets/udp': {
      UdpSocket: never(...BIND, ...BUFFERS, 'stream', 'unicastHopLimit', 'setUnicastHopLimit'),
      IncomingDatagramStream: never('receive', 'subscribe'),
      OutgoingDatagramStream: never('checkSend', 'send', 'subscribe'),
    },
  };
}
