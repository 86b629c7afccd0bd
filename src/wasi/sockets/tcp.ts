/** `wasi:sockets/tcp` and `tcp-create-socket`. */

import { type CoreFunction, type Interfaces, type Lowered, resource } from '../bind.ts';
import type { Host } from '../host.ts';
import { type Guest, u64 } from '../memory.ts';
import { FLAT_ADDRESS, familyNumber, familyOf, flatAddress, putSocketAddress } from './addresses.ts';
import { answering, attempt, type NetworkCalls } from './calls.ts';
import type { TcpOptions } from './options.ts';
import { TcpSocket } from './tcp-socket.ts';

const SHUTDOWN = { receive: 0, send: 1 } as const;

export function tcp(host: Host, calls: NetworkCalls): Interfaces {
  const socket = (handle: number): TcpSocket => host.resources.get(handle, TcpSocket);

  /** A method with an address: `(self, network, …address, result)`. */
  const withAddress =
    (work: (self: TcpSocket, address: ReturnType<typeof flatAddress>) => void): Lowered =>
    (guest) =>
    (self: number, _network: number, ...rest: number[]) =>
      attempt(guest, rest[FLAT_ADDRESS] as number, 1, () => {
        work(socket(self), flatAddress(rest));
        guest.ok(rest[FLAT_ADDRESS] as number);
      });

  const step = (work: (self: TcpSocket) => void): Lowered =>
    answering(1, (guest, self, result) => {
      work(socket(self));
      guest.ok(result);
    });

  /** A setter: `(self, value, result)`. */
  const set =
    <T>(work: (self: TcpSocket, value: T) => void) =>
    (guest: Guest): CoreFunction =>
    (self: number, value: T, result: number) =>
      attempt(guest, result, 1, () => {
        work(socket(self), value);
        guest.ok(result);
      });

  /** Getters of options; the payload is aligned to its size. */
  const get64 = (read: (options: TcpOptions) => number | bigint): Lowered =>
    answering(8, (guest, self, result) => guest.ok64(result, read(socket(self).options)));
  const get32 = (read: (options: TcpOptions) => number): Lowered =>
    answering(4, (guest, self, result) => guest.ok32(result, read(socket(self).options)));
  const get8 = (read: (options: TcpOptions) => number): Lowered =>
    answering(1, (guest, self, result) => {
      guest.ok(result);
      guest.view.setUint8(result + 1, read(socket(self).options));
    });

  return {
    'wasi:sockets/tcp-create-socket': {
      createTcpSocket: (guest) => (family: number, result: number) =>
        attempt(guest, result, 4, () =>
          guest.ok32(result, host.resources.add(TcpSocket.create(calls, familyOf(family)))),
        ),
    },
    'wasi:sockets/tcp': {
      TcpSocket: resource({
        startBind: withAddress((self, address) => self.startBind(address)),
        finishBind: step((self) => self.finishBind()),
        startConnect: withAddress((self, address) => self.startConnect(address)),
        finishConnect: answering(4, (guest, self, result) => {
          const { input, output } = socket(self).finishConnect();
          guest.ok32(result, host.resources.add(input));
          guest.view.setUint32(result + 8, host.resources.add(output), true);
        }),
        startListen: step((self) => self.startListen()),
        finishListen: step((self) => self.finishListen()),
        accept: answering(4, (guest, self, result) => {
          const accepted = socket(self).accept();
          guest.ok32(result, host.resources.add(accepted.socket));
          guest.view.setUint32(result + 8, host.resources.add(accepted.input), true);
          guest.view.setUint32(result + 12, host.resources.add(accepted.output), true);
        }),
        localAddress: answering(4, (guest, self, result) => {
          putSocketAddress(guest, result + 4, socket(self).local);
          guest.ok(result);
        }),
        remoteAddress: answering(4, (guest, self, result) => {
          putSocketAddress(guest, result + 4, socket(self).remote);
          guest.ok(result);
        }),
        isListening: () => (self: number) => (socket(self).listening ? 1 : 0),
        addressFamily: () => (self: number) => familyNumber(socket(self).family),
        setListenBacklogSize: set<bigint>((self, size) => self.setBacklog(u64(size))),
        keepAliveEnabled: get8((options) => (options.keepAlive ? 1 : 0)),
        setKeepAliveEnabled: set<number>((self, value) => {
          self.options.keepAlive = value !== 0;
        }),
        keepAliveIdleTime: get64((options) => options.keepAliveIdle),
        setKeepAliveIdleTime: set<bigint>((self, time) => self.options.setTime('keepAliveIdle', time)),
        keepAliveInterval: get64((options) => options.keepAliveInterval),
        setKeepAliveInterval: set<bigint>((self, time) => self.options.setTime('keepAliveInterval', time)),
        keepAliveCount: get32((options) => options.keepAliveCount),
        setKeepAliveCount: set<number>((self, count) => self.options.setCount(count)),
        hopLimit: get8((options) => options.hopLimit),
        setHopLimit: set<number>((self, hops) => self.options.setHopLimit(hops)),
        receiveBufferSize: get64((options) => options.receiveBuffer),
        setReceiveBufferSize: set<bigint>((self, size) => self.options.setBuffer('receiveBuffer', u64(size))),
        sendBufferSize: get64((options) => options.sendBuffer),
        setSendBufferSize: set<bigint>((self, size) => self.options.setBuffer('sendBuffer', u64(size))),
        subscribe: () => (self: number) => host.resources.add(socket(self).subscribe()),
        shutdown: set<number>((self, how) => self.shutdown(how !== SHUTDOWN.send, how !== SHUTDOWN.receive)),
      }),
    },
  };
}
