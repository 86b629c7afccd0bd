/** The state of one UDP socket of the program, and its two streams of datagrams. */

import { ADDRESS_BYTES, isUnspecified, putAddress, type SocketAddress, takeAddress } from '../../net/address.ts';
import { DATAGRAM_BYTES, type Datagram } from '../../net/udp-socket.ts';
import { DATAGRAM_HEAD, OP, PAYLOAD_BYTES, SOCKET } from '../../syscall/protocol.ts';
import { Pollable } from '../streams.ts';
import { isUnicast } from './addresses.ts';
import { type NetworkCalls, SocketFailure } from './calls.ts';
import { SocketOptions } from './options.ts';

/** Datagrams that may be sent after one `check-send`. */
const PERMIT = 64;
/** Datagrams of one `receive`. */
const MOST = 1024;

export interface Outgoing {
  bytes: Uint8Array;
  address: SocketAddress | undefined;
}

export class UdpSocket {
  readonly family: 4 | 6;
  readonly options = new SocketOptions();
  readonly #calls: NetworkCalls;
  readonly #id: number;
  readonly #cell: number;
  #state: 'unbound' | 'bind-started' | 'bound' = 'unbound';
  #failure: SocketFailure | undefined;
  #peer: SocketAddress | undefined;
  #handles = 1;

  /** Use `create`. */
  constructor(calls: NetworkCalls, family: 4 | 6, id: number, cell: number) {
    this.#calls = calls;
    this.family = family;
    this.#id = id;
    this.#cell = cell;
  }

  static create(calls: NetworkCalls, family: 4 | 6): UdpSocket {
    calls.needNetwork();
    const { args } = calls.client;
    args[0] = SOCKET.udp;
    args[1] = family;
    calls.call(OP.socket);
    return new UdpSocket(calls, family, args[0] as number, args[1] as number);
  }

  startBind(address: SocketAddress): void {
    if (this.#state !== 'unbound') throw new SocketFailure('invalid-state');
    if (!isUnicast(address, this.family)) throw new SocketFailure('invalid-argument');
    this.#state = 'bind-started';
    try {
      this.#calls.withAddress(OP.bind, this.#id, SOCKET.udp, address);
    } catch (error) {
      if (!(error instanceof SocketFailure)) throw error;
      this.#failure = error;
    }
  }

  finishBind(): void {
    if (this.#state !== 'bind-started') throw new SocketFailure('not-in-progress');
    const failure = this.#failure;
    this.#failure = undefined;
    this.#state = failure ? 'unbound' : 'bound';
    if (failure) throw failure;
  }

  stream(peer: SocketAddress | undefined): { incoming: IncomingDatagrams; outgoing: OutgoingDatagrams } {
    if (this.#state !== 'bound') throw new SocketFailure('invalid-state');
    if (peer) this.#check(peer);
    this.#calls.withAddress(
      OP.setPeer,
      this.#id,
      peer ? 1 : 0,
      peer ?? { family: 4, bytes: new Uint8Array(4), port: 0 },
    );
    this.#peer = peer;
    this.#handles += 2;
    return { incoming: new IncomingDatagrams(this), outgoing: new OutgoingDatagrams(this) };
  }

  #check(address: SocketAddress): void {
    if (!isUnicast(address, this.family) || isUnspecified(address) || address.port === 0) {
      throw new SocketFailure('invalid-argument');
    }
  }

  get local(): SocketAddress {
    if (this.#state !== 'bound') throw new SocketFailure('invalid-state');
    return this.#calls.addressOf(OP.localAddress, this.#id, SOCKET.udp);
  }

  get remote(): SocketAddress {
    if (!this.#peer) throw new SocketFailure('invalid-state');
    return this.#peer;
  }

  /** Sends in the order of the list; returns how many were sent. An error is told only when it was the first. */
  send(datagrams: Outgoing[]): number {
    let sent = 0;
    for (let next = 0; next < datagrams.length; ) {
      const { count, length, failure } = this.#fill(datagrams, next);
      if (count === 0) {
        if (sent === 0) throw failure;
        return sent;
      }
      const { args } = this.#calls.client;
      args[0] = this.#id;
      try {
        this.#calls.call(OP.send, length);
      } catch (error) {
        if (sent === 0) throw error;
        return sent;
      }
      sent += args[0] as number;
      if ((args[0] as number) < count) return sent;
      next += count;
    }
    return sent;
  }

  /** Puts as many into the payload as fit and are right. */
  #fill(datagrams: Outgoing[], from: number): { count: number; length: number; failure?: SocketFailure } {
    const { payload } = this.#calls.client;
    const view = new DataView(payload.buffer, payload.byteOffset, PAYLOAD_BYTES);
    let at = 0;
    let count = 0;
    for (const { bytes, address } of datagrams.slice(from)) {
      try {
        if (bytes.length > DATAGRAM_BYTES) throw new SocketFailure('datagram-too-large');
        const to = this.#target(address);
        if (at + DATAGRAM_HEAD + bytes.length > PAYLOAD_BYTES) break;
        view.setUint32(at, bytes.length, true);
        putAddress(payload, at + DATAGRAM_HEAD - ADDRESS_BYTES, to);
      } catch (failure) {
        if (failure instanceof SocketFailure) return { count, length: at, failure };
        throw failure;
      }
      payload.set(bytes, at + DATAGRAM_HEAD);
      at += DATAGRAM_HEAD + bytes.length;
      count++;
    }
    return { count, length: at };
  }

  #target(address: SocketAddress | undefined): SocketAddress {
    const peer = this.#peer;
    if (!address) {
      if (!peer) throw new SocketFailure('invalid-argument');
      return peer;
    }
    this.#check(address);
    const other = peer && (address.port !== peer.port || address.bytes.some((byte, i) => byte !== peer.bytes[i]));
    if (other) throw new SocketFailure('invalid-argument');
    return address;
  }

  receive(most: number): Datagram[] {
    if (most === 0 || this.#calls.cell(this.#cell) === 0) return [];
    const { args, payload } = this.#calls.client;
    args[0] = this.#id;
    args[1] = Math.min(most, MOST);
    const length = this.#calls.call(OP.receive);
    const view = new DataView(payload.buffer, payload.byteOffset, PAYLOAD_BYTES);
    const datagrams: Datagram[] = [];
    for (let at = 0; at < length; ) {
      const data = at + DATAGRAM_HEAD;
      const size = view.getUint32(at, true);
      const address = takeAddress(payload, at + DATAGRAM_HEAD - ADDRESS_BYTES);
      datagrams.push({ bytes: payload.slice(data, data + size), address });
      at = data + size;
    }
    return datagrams;
  }

  get waiting(): boolean {
    return this.#calls.cell(this.#cell) > 0;
  }

  /** The socket or one of its streams was dropped. */
  drop(): void {
    if (--this.#handles === 0) this.#calls.close(this.#id);
  }
}

class DatagramsReady extends Pollable {
  readonly #socket: UdpSocket;
  constructor(socket: UdpSocket) {
    super();
    this.#socket = socket;
  }
  ready(): boolean {
    return this.#socket.waiting;
  }
}

export class IncomingDatagrams {
  readonly socket: UdpSocket;
  constructor(socket: UdpSocket) {
    this.socket = socket;
  }
  subscribe(): Pollable {
    return new DatagramsReady(this.socket);
  }
  drop(): void {
    this.socket.drop();
  }
}

export class OutgoingDatagrams {
  readonly socket: UdpSocket;
  #permitted = 0;
  constructor(socket: UdpSocket) {
    this.socket = socket;
  }

  /** Datagrams never wait to be sent. */
  checkSend(): number {
    this.#permitted = PERMIT;
    return PERMIT;
  }

  send(datagrams: Outgoing[]): number {
    if (datagrams.length > this.#permitted) {
      throw new WebAssembly.RuntimeError('more datagrams were sent than check-send permitted');
    }
    const sent = this.socket.send(datagrams);
    this.#permitted -= sent;
    return sent;
  }

  drop(): void {
    this.socket.drop();
  }
}
