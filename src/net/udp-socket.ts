/** A UDP socket of a process, as the core holds it. Datagrams go through the core, inside the world and outside alike. */

import { isOwn, loopback, type SocketAddress } from './address.ts';
import { NetError } from './errors.ts';
import type { OutsideDatagrams } from './outside.ts';
import type { SocketHost } from './tcp-socket.ts';

/** The largest datagram of UDP over IPv4. */
export const DATAGRAM_BYTES = 65_507;
/** What one socket holds for a process that does not read; more is dropped, as UDP may. */
const QUEUE_BYTES = 1024 * 1024;
const QUEUE = 4096;

export interface Datagram {
  bytes: Uint8Array;
  address: SocketAddress;
}

const same = (a: SocketAddress, b: SocketAddress): boolean =>
  a.port === b.port && a.family === b.family && a.bytes.every((byte, i) => byte === b.bytes[i]);

export class UdpSocket {
  readonly family: 4 | 6;
  readonly cell: number;
  readonly #host: SocketHost;
  readonly #queue: Datagram[] = [];
  #queued = 0;
  #bound: SocketAddress | undefined;
  #peer: SocketAddress | undefined;
  #outside: OutsideDatagrams | undefined;

  constructor(host: SocketHost, family: 4 | 6) {
    const cell = host.network.arena.takeCell();
    if (cell === undefined) throw new NetError('new-socket-limit', 'the world has too many sockets');
    this.#host = host;
    this.family = family;
    this.cell = cell;
  }

  bind(address: SocketAddress): void {
    if (!isOwn(address)) throw new NetError('address-not-bindable', 'a world has only the addresses of its loopback');
    this.#bound = { ...address, port: this.#host.network.udp.take(address.port, this) };
  }

  /** Hears only from this address from now on, and what came from others is dropped; undefined takes it back. */
  connect(peer: SocketAddress | undefined): void {
    this.#peer = peer;
    if (!peer) return;
    const kept = this.#queue.filter(({ address }) => same(address, peer));
    this.#queue.length = 0;
    this.#queue.push(...kept);
    this.#queued = kept.reduce((sum, { bytes }) => sum + bytes.length, 0);
    this.#tell();
  }

  /** Sends one datagram; throws `remote-unreachable` when there is no way to the outside. */
  send(bytes: Uint8Array, to: SocketAddress): void {
    const { network, owner } = this.#host;
    if (isOwn(to)) {
      const { port } = this.local;
      network.udp.get(to.port)?.deliver({ bytes, address: { ...loopback(to.family), port } });
      return;
    }
    this.#outside ??= network.way(owner, 'remote-unreachable').openDatagrams(this.family, {
      datagram: (bytes, address) => this.deliver({ bytes, address }),
      closed: (error) => {
        this.#outside = undefined;
        network.complain(owner, error);
      },
    });
    this.#outside.send(bytes, to);
  }

  /** Something came for this socket. */
  deliver({ bytes, address }: Datagram): void {
    // inside the world both families are the same place, and a socket knows only its own
    const from = isOwn(address) ? { ...loopback(this.family), port: address.port } : address;
    if (this.#peer && !same(from, this.#peer)) return;
    if (this.#queue.length >= QUEUE || this.#queued + bytes.length > QUEUE_BYTES) return;
    this.#queue.push({ bytes, address: from });
    this.#queued += bytes.length;
    this.#tell();
  }

  /** The datagrams that came first, as many as `fits` says yes to. */
  receive(most: number, fits: (datagram: Datagram) => boolean): Datagram[] {
    let count = 0;
    while (count < Math.min(most, this.#queue.length) && fits(this.#queue[count]!)) count++;
    const taken = this.#queue.splice(0, count);
    for (const { bytes } of taken) this.#queued -= bytes.length;
    this.#tell();
    return taken;
  }

  #tell(): void {
    const { network, party } = this.#host;
    Atomics.store(network.arena.cells, this.cell, this.#queue.length);
    if (this.#queue.length > 0) network.wake(party);
  }

  get local(): SocketAddress {
    if (!this.#bound) throw new NetError('invalid-state', 'the socket has no address yet');
    return this.#bound;
  }

  get remote(): SocketAddress {
    if (!this.#peer) throw new NetError('invalid-state', 'the socket has no peer');
    return this.#peer;
  }

  close(): void {
    const { network } = this.#host;
    this.#outside?.close();
    if (this.#bound) network.udp.release(this.#bound.port, this);
    network.arena.freeCell(this.cell);
  }
}
