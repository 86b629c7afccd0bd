/** A connection to a relay that has said WELCOME, with the streams on it. It ends once, and all of them with it. */

import {
  type Address,
  decode,
  type ErrorCode,
  encode,
  type Frame,
  HEAD_BYTES,
  ProtocolError,
} from '../../relay/protocol.ts';
import { type IpAddress, ipText, type SocketAddress } from '../address.ts';
import { NetError, type TlsFailure } from '../errors.ts';
import type { OutsideDatagramsEvents, OutsideStreamEvents, OutsideTarget } from '../outside.ts';
import type { Transport } from './transport.ts';

/** The relay counts as gone when nothing was heard from it for so long, in milliseconds; it speaks every 25 s. */
const SILENCE_MS = 70_000;
const CHECK_MS = 10_000;

type Welcome = Extract<Frame, { op: 'welcome' }>;

/** Who gets the frames of one stream. */
interface Receiver {
  receive(frame: Frame): void;
  lost(error: NetError): void;
}

export const ipOf = (bytes: Uint8Array): IpAddress => ({ family: bytes.length === 4 ? 4 : 6, bytes });
const addressOf = ({ ip, port }: Address): SocketAddress => ({ ...ipOf(ip), port });

/** What the relay said went wrong. */
export function failureOf({ code, message }: { code: ErrorCode; message: string }): NetError {
  if (!code.startsWith('tls-')) return new NetError(code as Exclude<ErrorCode, `tls-${string}`>, message);
  return new NetError('connection-aborted', message, { tls: code.slice(4) as TlsFailure });
}

export class RelayConnection {
  readonly #transport: Transport;
  readonly #welcome: Welcome;
  readonly #receivers = new Map<number, Receiver>();
  readonly #onLost: (error: NetError) => void;
  #next = 1;
  #heard = performance.now();
  #checked = performance.now();
  readonly #timer: ReturnType<typeof setInterval>;
  #over = false;

  constructor(transport: Transport, welcome: Welcome, onLost: (error: NetError) => void) {
    this.#transport = transport;
    this.#welcome = welcome;
    this.#onLost = onLost;
    this.#timer = setInterval(() => this.#check(), CHECK_MS);
  }

  get transport(): Transport['kind'] {
    return this.#transport.kind;
  }

  /** Bytes of data that fit into one frame beside a head of `head` bytes. */
  most(head: number): number {
    return this.#welcome.largest - HEAD_BYTES - head;
  }

  get window(): number {
    return this.#welcome.window;
  }

  send(frame: Frame): void {
    if (!this.#over) this.#transport.send(encode(frame));
  }

  /** A number for a stream, whose frames go to `receiver` from now on. */
  add(receiver: Receiver): number {
    const stream = this.#next++;
    this.#receivers.set(stream, receiver);
    return stream;
  }

  remove(stream: number): void {
    this.#receivers.delete(stream);
  }

  /** A frame of the relay, from the transport. */
  frame(bytes: Uint8Array): void {
    if (this.#over) return;
    this.#heard = performance.now();
    try {
      const frame = decode(bytes, 'relay');
      if (frame.op === 'ping') this.send({ op: 'pong', stream: 0, data: frame.data });
      else if (frame.op === 'reset' && frame.stream === 0) this.end(failureOf(frame));
      // What comes for a stream that was given up has crossed its end on the way.
      else if (frame.op !== 'pong') this.#receivers.get(frame.stream)?.receive(frame);
    } catch (cause) {
      if (!(cause instanceof ProtocolError)) throw cause;
      this.end(new NetError('connection-reset', `The relay broke the protocol: ${cause.message}.`, { cause }));
    }
  }

  /** Ends it and all streams with it. */
  end(error: NetError): void {
    if (this.#over) return;
    this.#over = true;
    clearInterval(this.#timer);
    this.#transport.close();
    const receivers = [...this.#receivers.values()];
    this.#receivers.clear();
    for (const receiver of receivers) receiver.lost(error);
    this.#onLost(error);
  }

  #check(): void {
    const now = performance.now();
    // A page that slept has not listened either.
    if (now - this.#checked > 3 * CHECK_MS) this.#heard = now;
    this.#checked = now;
    if (now - this.#heard > SILENCE_MS) this.end(new NetError('connection-reset', 'The relay fell silent.'));
  }
}

const resetBy = (error: NetError): NetError =>
  new NetError('connection-reset', `The connection to the relay was lost: ${error.message}`, { cause: error });

/** One TCP stream, from the moment that there is a connection. */
export class StreamReceiver implements Receiver {
  readonly #connection: RelayConnection;
  readonly #events: OutsideStreamEvents;
  readonly #stream: number;
  #opened = false;
  #ended = { here: false, there: false };

  constructor(connection: RelayConnection, target: OutsideTarget, credit: number, events: OutsideStreamEvents) {
    this.#connection = connection;
    this.#events = events;
    this.#stream = connection.add(this);
    const host = 'name' in target.host ? target.host.name : ipText(target.host);
    const { port, tls } = target;
    connection.send({ op: 'open', stream: this.#stream, credit, port, host, ...(tls && { tls }) });
  }

  send(bytes: Uint8Array): void {
    const most = this.#connection.most(0);
    for (let at = 0; at < bytes.length; at += most) {
      this.#connection.send({ op: 'data', stream: this.#stream, data: bytes.subarray(at, at + most) });
    }
  }

  end(): void {
    if (this.#ended.here) return;
    this.#ended.here = true;
    this.#connection.send({ op: 'end', stream: this.#stream });
    if (this.#ended.there) queueMicrotask(() => this.#close());
  }

  grant(bytes: number): void {
    if (bytes > 0 && !this.#ended.there) this.#connection.send({ op: 'credit', stream: this.#stream, bytes });
  }

  /** After an `end` this gives up only what would still come: what was sent before it is still delivered. */
  reset(): void {
    this.#connection.remove(this.#stream);
    this.#connection.send({ op: 'reset', stream: this.#stream, code: 'connection-aborted', message: '' });
  }

  receive(frame: Frame): void {
    switch (frame.op) {
      case 'opened':
        if (this.#opened) break;
        this.#opened = true;
        this.#events.opened({ local: addressOf(frame.local), remote: addressOf(frame.remote) });
        this.#events.room(this.#connection.window);
        return;
      case 'failed':
        if (this.#opened) break;
        this.#close(failureOf(frame));
        return;
      case 'reset':
        this.#close(failureOf(frame));
        return;
      case 'data':
        if (!this.#opened || this.#ended.there) break;
        this.#events.data(frame.data);
        return;
      case 'end':
        if (!this.#opened || this.#ended.there) break;
        this.#ended.there = true;
        this.#events.end();
        if (this.#ended.here) this.#close();
        return;
      case 'credit':
        if (!this.#opened) break;
        this.#events.room(frame.bytes);
        return;
    }
    throw new ProtocolError(`${frame.op} does not fit the state of a stream`);
  }

  lost(error: NetError): void {
    this.#events.closed(resetBy(error));
  }

  #close(error?: NetError): void {
    this.#connection.remove(this.#stream);
    this.#events.closed(error);
  }
}

/** One UDP socket. What is sent before it is open waits, a little. */
export class DatagramReceiver implements Receiver {
  readonly #connection: RelayConnection;
  readonly #events: OutsideDatagramsEvents;
  readonly #stream: number;
  #waiting: [Uint8Array, SocketAddress][] | undefined = [];

  constructor(connection: RelayConnection, family: 4 | 6, events: OutsideDatagramsEvents) {
    this.#connection = connection;
    this.#events = events;
    this.#stream = connection.add(this);
    connection.send({ op: 'openUdp', stream: this.#stream, family });
  }

  send(bytes: Uint8Array, to: SocketAddress): void {
    if (this.#waiting) this.#waiting.push([bytes.slice(), to]);
    else if (bytes.length <= this.#connection.most(19)) {
      const peer = { ip: to.bytes, port: to.port };
      this.#connection.send({ op: 'dgram', stream: this.#stream, peer, data: bytes });
    }
  }

  close(): void {
    this.#connection.remove(this.#stream);
    this.#connection.send({ op: 'reset', stream: this.#stream, code: 'connection-aborted', message: '' });
  }

  receive(frame: Frame): void {
    switch (frame.op) {
      case 'opened': {
        const waiting = this.#waiting ?? [];
        this.#waiting = undefined;
        for (const [bytes, to] of waiting) this.send(bytes, to);
        return;
      }
      case 'failed':
      case 'reset':
        this.#connection.remove(this.#stream);
        this.#events.closed(failureOf(frame));
        return;
      case 'dgram':
        // A copy: the frame is larger than the datagram.
        this.#events.datagram(frame.data.slice(), addressOf(frame.peer));
        return;
    }
    throw new ProtocolError(`${frame.op} of a UDP socket`);
  }

  lost(error: NetError): void {
    this.#events.closed(resetBy(error));
  }
}

/** The addresses of a name. Rejects with `NetError`. */
export function resolveOver(connection: RelayConnection, name: string, signal: AbortSignal): Promise<IpAddress[]> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      connection.remove(stream);
      signal.removeEventListener('abort', abort);
      settle();
    };
    const abort = () => {
      connection.send({ op: 'reset', stream, code: 'connection-aborted', message: '' });
      finish(() => reject(new NetError('connection-aborted', 'The look-up was called off.')));
    };
    const stream = connection.add({
      receive(frame) {
        if (frame.op === 'resolved') finish(() => resolve(frame.addresses.map(ipOf)));
        else if (frame.op === 'failed') finish(() => reject(failureOf(frame)));
        else throw new ProtocolError(`${frame.op} of a look-up`);
      },
      lost: (error) =>
        finish(() => reject(new NetError('temporary-resolver-failure', resetBy(error).message, { cause: error }))),
    });
    signal.addEventListener('abort', abort, { once: true });
    connection.send({ op: 'resolve', stream, name });
    if (signal.aborted) abort();
  });
}
