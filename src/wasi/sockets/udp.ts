/** `wasi:sockets/udp` and `udp-create-socket`. */

import { type CoreFunction, type Interfaces, type Lowered, resource } from '../bind.ts';
import type { Host } from '../host.ts';
import { type Guest, u64 } from '../memory.ts';
import { AlwaysReady } from '../streams.ts';
import {
  FLAT_ADDRESS,
  familyNumber,
  familyOf,
  flatAddress,
  putSocketAddress,
  SOCKET_ADDRESS,
  takeSocketAddress,
} from './addresses.ts';
import { answering, attempt, type NetworkCalls } from './calls.ts';
import type { SocketOptions } from './options.ts';
import { IncomingDatagrams, type Outgoing, OutgoingDatagrams, UdpSocket } from './udp-socket.ts';

/** Bytes of an `incoming-datagram`: a list and an address. */
const INCOMING = 8 + SOCKET_ADDRESS;
/** Bytes of an `outgoing-datagram`: a list and an option of an address. */
const OUTGOING = 8 + 4 + SOCKET_ADDRESS;

export function udp(host: Host, calls: NetworkCalls): Interfaces {
  const socket = (handle: number): UdpSocket => host.resources.get(handle, UdpSocket);
  const incoming = (handle: number): IncomingDatagrams => host.resources.get(handle, IncomingDatagrams);
  const outgoing = (handle: number): OutgoingDatagrams => host.resources.get(handle, OutgoingDatagrams);

  const set =
    <T>(work: (options: SocketOptions, value: T) => void) =>
    (guest: Guest): CoreFunction =>
    (self: number, value: T, result: number) =>
      attempt(guest, result, 1, () => {
        work(socket(self).options, value);
        guest.ok(result);
      });
  const get64 = (read: (options: SocketOptions) => number): Lowered =>
    answering(8, (guest, self, result) => guest.ok64(result, read(socket(self).options)));
  const address = (read: (self: UdpSocket) => ReturnType<typeof flatAddress>): Lowered =>
    answering(4, (guest, self, result) => {
      putSocketAddress(guest, result + 4, read(socket(self)));
      guest.ok(result);
    });

  function takeOutgoing(guest: Guest, list: number, count: number): Outgoing[] {
    return Array.from({ length: count }, (_, i) => {
      const at = (list >>> 0) + i * OUTGOING;
      const { view } = guest;
      const bytes = guest.list(view.getUint32(at, true), view.getUint32(at + 4, true));
      return { bytes, address: view.getUint8(at + 8) === 0 ? undefined : takeSocketAddress(guest, at + 12) };
    });
  }

  return {
    'wasi:sockets/udp-create-socket': {
      createUdpSocket: (guest) => (family: number, result: number) =>
        attempt(guest, result, 4, () =>
          guest.ok32(result, host.resources.add(UdpSocket.create(calls, familyOf(family)))),
        ),
    },
    'wasi:sockets/udp': {
      UdpSocket: resource({
        startBind:
          (guest) =>
          (self: number, _network: number, ...rest: number[]) =>
            attempt(guest, rest[FLAT_ADDRESS] as number, 1, () => {
              socket(self).startBind(flatAddress(rest));
              guest.ok(rest[FLAT_ADDRESS] as number);
            }),
        finishBind: answering(1, (guest, self, result) => {
          socket(self).finishBind();
          guest.ok(result);
        }),
        stream:
          (guest) =>
          (self: number, some: number, ...rest: number[]) => {
            const result = rest[FLAT_ADDRESS] as number;
            attempt(guest, result, 4, () => {
              const streams = socket(self).stream(some === 0 ? undefined : flatAddress(rest));
              guest.ok32(result, host.resources.add(streams.incoming));
              guest.view.setUint32(result + 8, host.resources.add(streams.outgoing), true);
            });
          },
        localAddress: address((self) => self.local),
        remoteAddress: address((self) => self.remote),
        addressFamily: () => (self: number) => familyNumber(socket(self).family),
        unicastHopLimit: answering(1, (guest, self, result) => {
          guest.ok(result);
          guest.view.setUint8(result + 1, socket(self).options.hopLimit);
        }),
        setUnicastHopLimit: set<number>((options, hops) => options.setHopLimit(hops)),
        receiveBufferSize: get64((options) => options.receiveBuffer),
        setReceiveBufferSize: set<bigint>((options, size) => options.setBuffer('receiveBuffer', u64(size))),
        sendBufferSize: get64((options) => options.sendBuffer),
        setSendBufferSize: set<bigint>((options, size) => options.setBuffer('sendBuffer', u64(size))),
        subscribe: () => (self: number) => {
          socket(self);
          return host.resources.add(new AlwaysReady());
        },
      }),
      IncomingDatagramStream: resource({
        receive: (guest) => (self: number, most: bigint, result: number) =>
          attempt(guest, result, 4, () => {
            const datagrams = incoming(self).socket.receive(u64(most));
            const list = guest.allocate(4, datagrams.length * INCOMING);
            for (const [i, { bytes, address }] of datagrams.entries()) {
              guest.putBytes(list + i * INCOMING, bytes);
              putSocketAddress(guest, list + i * INCOMING + 8, address);
            }
            guest.ok(result);
            guest.setList(result + 4, list, datagrams.length);
          }),
        subscribe: () => (self: number) => host.resources.add(incoming(self).subscribe()),
      }),
      OutgoingDatagramStream: resource({
        checkSend: answering(8, (guest, self, result) => guest.ok64(result, outgoing(self).checkSend())),
        send: (guest) => (self: number, list: number, count: number, result: number) =>
          attempt(guest, result, 8, () => guest.ok64(result, outgoing(self).send(takeOutgoing(guest, list, count)))),
        subscribe: () => (self: number) => {
          outgoing(self);
          return host.resources.add(new AlwaysReady());
        },
      }),
    },
  };
}
