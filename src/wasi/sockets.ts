/** `wasi:sockets`: the parts put together. */

import { type Interfaces, resource } from './bind.ts';
import type { Host } from './host.ts';
import { codeNumber, NetworkCalls } from './sockets/calls.ts';
import { lookup } from './sockets/lookup.ts';
import { SocketIoError } from './sockets/streams.ts';
import { tcp } from './sockets/tcp.ts';
import { udp } from './sockets/udp.ts';
import { IoError } from './streams.ts';

/** The right to use the network, which every program has. */
class Network {}

export function sockets(host: Host): Interfaces {
  const calls = new NetworkCalls(host.client);
  return {
    'wasi:sockets/instance-network': { instanceNetwork: () => () => host.resources.add(new Network()) },
    'wasi:sockets/network': {
      Network: resource(),
      networkErrorCode: (guest) => (error: number, result: number) => {
        const failed = host.resources.get(error, IoError);
        const known = failed instanceof SocketIoError;
        guest.view.setUint8(result, known ? 1 : 0);
        if (known) guest.view.setUint8(result + 1, codeNumber(failed.networkCode));
      },
    },
    ...lookup(host, calls),
    ...tcp(host, calls),
    ...udp(host, calls),
  };
}
