/** One client: its HELLO, its streams, its limits. A client that breaks the protocol is told so and cut off. */

import type { SecureContext } from 'node:tls';
import { Budget } from './credit.ts';
import { RelayFailure } from './failures.ts';
import type { Limiter, Visitor } from './limits.ts';
import type { Log } from './log.ts';
import { lookUp } from './lookup.ts';
import type { Policy } from './policy.ts';
import { decode, type ErrorCode, encode, type Frame, ProtocolError, VERSION } from './protocol.ts';
import type { Resolver } from './resolver.ts';
import { openTcp } from './tcp.ts';
import { openUdp } from './udp.ts';
import { DROWNED, HIGH_WATER, LOW_WATER, type Wire, type WireEvents } from './wire.ts';

/** What every stream may send to the relay at first, and once it is read fast; and what all of a session may have beyond the first. */
export const WINDOW = 64 * 1024;
export const MOST_WINDOW = 1024 * 1024;
const SESSION_BUDGET = 32 * 1024 * 1024;
/** Bytes of the largest frame, head included: a datagram of 64 KiB with its address. */
export const LARGEST_FRAME = 64 * 1024 + 64;
/** Data in one DATA frame to the client. */
export const MOST_DATA = 64 * 1024;

export interface Timeouts {
  /** For HELLO, after the connection. */
  handshake: number;
  /** For a connection to the outside, the look-up included. */
  connect: number;
  /** After which a stream on which nothing moves ends. */
  idle: number;
  /** Between two PINGs; a client that says nothing for twice as long is gone. */
  ping: number;
}

export interface Surroundings {
  policy: Policy;
  resolver: Resolver;
  limiter: Limiter;
  timeouts: Timeouts;
  streams: number;
  /** Whom to believe for TLS to the outside; the usual authorities when it is not given. */
  secureContext?: SecureContext;
  log: Log;
  /** Who a token is; throws `RelayFailure` for one that is not valid, or for none where one is needed. */
  identify(token: string): string;
}

/** One TCP stream, UDP socket or look-up of a session. */
export interface Stream {
  /** Only frames that belong to a stream. Throws `ProtocolError`. */
  receive(frame: Frame): void;
  /** There may be room on the wire again. */
  resume(): void;
  /** The client is gone or gave it up. What it ended properly still gets out. */
  abandon(): void;
  /** Milliseconds (of `performance.now`) of the last byte. */
  readonly active: number;
  /** Ends it for want of activity. */
  expire(): void;
}

export class Session implements WireEvents {
  readonly #wire: Wire;
  readonly surroundings: Surroundings;
  readonly from: string;
  readonly #streams = new Map<number, Stream>();
  readonly #started = performance.now();
  readonly #onEnd: () => void;
  readonly budget = new Budget(SESSION_BUDGET);
  #visitor: Visitor | undefined;
  #state: 'new' | 'identifying' | 'open' | 'draining' | 'ended' = 'new';
  #leave = () => {};
  #last = 0;
  #heard = performance.now();
  #timer: NodeJS.Timeout;
  #handshake: NodeJS.Timeout;
  /** Bytes carried and not yet counted. */
  #uncounted = 0;
  #counting = false;
  #held = false;
  /** A stream had to wait since the last `#resumeAll`. */
  #blocked = false;
  #why = 'the client left';

  constructor(wire: Wire, from: string, surroundings: Surroundings, onEnd: () => void) {
    this.#wire = wire;
    this.from = from;
    this.surroundings = surroundings;
    this.#onEnd = onEnd;
    const { handshake, ping, idle } = surroundings.timeouts;
    this.#handshake = setTimeout(() => this.#fail('timeout', 'No HELLO came.'), handshake);
    this.#timer = setInterval(() => this.#tick(), Math.min(ping, Math.max(10, idle / 4)));
  }

  get visitor(): Visitor {
    return this.#visitor as Visitor;
  }

  /** Whether streams may send to the client now. */
  get writable(): boolean {
    if (!this.#held && this.#wire.buffered < HIGH_WATER) return true;
    this.#blocked = true;
    return false;
  }

  /** Whether credit may be given now. */
  get generous(): boolean {
    return !this.#held;
  }

  send(frame: Uint8Array): void {
    if (this.#state === 'ended') return;
    this.#wire.send(frame);
    if (this.#wire.buffered > DROWNED) this.#cut('the client does not read');
  }

  fail(stream: number, failure: RelayFailure): void {
    this.send(encode({ op: 'failed', stream, code: failure.code, message: failure.message }));
  }

  /** Counts bytes that were carried for a stream, and holds the session when they were too many. */
  carried(bytes: number): void {
    if (!this.surroundings.limiter.countsBytes) return;
    this.#uncounted += bytes;
    if (!this.#counting) void this.#count();
  }

  async #count(): Promise<void> {
    this.#counting = true;
    try {
      while (this.#uncounted > 0 && this.#state !== 'ended') {
        const bytes = this.#uncounted;
        this.#uncounted = 0;
        const wait = await this.surroundings.limiter.spend(this.visitor, bytes);
        if (wait <= 0) continue;
        this.#held = true;
        await new Promise((resolve) => setTimeout(resolve, wait));
        this.#held = false;
        this.#resumeAll();
      }
    } catch (error) {
      this.fault(error);
    } finally {
      this.#held = false;
      this.#counting = false;
    }
  }

  frame(bytes: Uint8Array): void {
    if (this.#state === 'ended') return;
    this.#heard = performance.now();
    try {
      this.#receive(decode(bytes, 'client'));
    } catch (error) {
      if (!(error instanceof ProtocolError)) this.fault(error);
      this.#fail(
        'invalid-argument',
        error instanceof ProtocolError ? `Protocol error: ${error.message}.` : 'The relay failed.',
      );
    }
  }

  drained(): void {
    if (this.#blocked && !this.#held && this.#wire.buffered < LOW_WATER) this.#resumeAll();
  }

  closed(): void {
    this.#end();
  }

  /** Opens nothing any more, and ends when the streams have. */
  drain(): void {
    if (this.#state !== 'open') {
      this.stop();
      return;
    }
    this.#state = 'draining';
    this.#endIfDrained();
  }

  stop(): void {
    this.#why = 'the relay stops';
    this.#fail('connection-aborted', 'The relay stops.');
  }

  /** A stream is over. */
  ended(stream: number): void {
    this.#streams.delete(stream);
    this.#endIfDrained();
  }

  fault(error: unknown): void {
    this.surroundings.log({
      event: 'fault',
      why: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  }

  #endIfDrained(): void {
    if (this.#state === 'draining' && this.#streams.size === 0) this.stop();
  }

  #receive(frame: Frame): void {
    if (this.#state === 'new') {
      if (frame.op !== 'hello') throw new ProtocolError(`${frame.op} before hello`);
      void this.#identify(frame);
      return;
    }
    if (this.#state === 'identifying') throw new ProtocolError(`${frame.op} before welcome`);
    switch (frame.op) {
      case 'ping':
        this.send(encode({ op: 'pong', stream: 0, data: frame.data }));
        return;
      case 'pong':
        return;
      case 'open':
      case 'openUdp':
      case 'resolve':
        this.#open(frame);
        return;
      case 'hello':
        throw new ProtocolError('a second hello');
      case 'reset':
        if (frame.stream === 0) {
          this.#end();
          this.#wire.close();
          return;
        }
    }
    if (frame.stream > this.#last) throw new ProtocolError(`${frame.op} of a stream that was never opened`);
    // A frame of a stream that is over has crossed its end on the way.
    this.#streams.get(frame.stream)?.receive(frame);
  }

  async #identify({ version, token }: Extract<Frame, { op: 'hello' }>): Promise<void> {
    this.#state = 'identifying';
    clearTimeout(this.#handshake);
    const { limiter, identify, streams } = this.surroundings;
    try {
      if (version !== VERSION) {
        throw new RelayFailure('not-supported', `The relay speaks version ${VERSION}, not ${version}.`);
      }
      const visitor = { token: identify(token), address: this.from };
      this.#leave = limiter.enter('connections', visitor);
      this.#visitor = visitor;
    } catch (error) {
      const failure = error instanceof RelayFailure ? error : new RelayFailure('unknown', 'The relay failed.');
      if (!(error instanceof RelayFailure)) this.fault(error);
      this.surroundings.log({ event: 'refused', from: this.from, why: failure.message });
      return this.#fail(failure.code, failure.message);
    }
    this.#state = 'open';
    this.send(encode({ op: 'welcome', stream: 0, version: VERSION, window: WINDOW, largest: LARGEST_FRAME, streams }));
  }

  #open(frame: Extract<Frame, { op: 'open' | 'openUdp' | 'resolve' }>): void {
    const { stream } = frame;
    if (stream <= this.#last) throw new ProtocolError(`stream ${stream} was there before`);
    this.#last = stream;
    const { limiter, streams } = this.surroundings;
    let leave: () => void;
    try {
      if (this.#state === 'draining') throw new RelayFailure('remote-unreachable', 'The relay stops.');
      if (this.#streams.size >= streams) {
        throw new RelayFailure('new-socket-limit', `The relay allows ${streams} streams at once.`);
      }
      leave = limiter.enter('streams', this.visitor);
    } catch (error) {
      if (!(error instanceof RelayFailure)) throw error;
      this.fail(stream, error);
      return;
    }
    const opened =
      frame.op === 'open'
        ? openTcp(this, frame, leave)
        : frame.op === 'openUdp'
          ? openUdp(this, frame, leave)
          : lookUp(this, frame, leave);
    this.#streams.set(stream, opened);
  }

  #resumeAll(): void {
    this.#blocked = false;
    for (const stream of this.#streams.values()) {
      if (!this.writable) return;
      stream.resume();
    }
  }

  #tick(): void {
    const now = performance.now();
    const { idle, ping } = this.surroundings.timeouts;
    for (const stream of this.#streams.values()) if (now - stream.active > idle) stream.expire();
    if (now - this.#heard > 2 * ping) {
      this.#cut('the client fell silent');
      return;
    }
    if (this.#state === 'open' && now - this.#heard > ping / 2) {
      this.send(encode({ op: 'ping', stream: 0, data: new Uint8Array(0) }));
    }
  }

  #fail(code: ErrorCode, message: string): void {
    if (this.#state === 'ended') return;
    this.#why = message;
    this.send(encode({ op: 'reset', stream: 0, code, message }));
    this.#end();
    this.#wire.close();
  }

  #cut(why: string): void {
    this.#why = why;
    this.#end();
    this.#wire.cut();
  }

  #end(): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    clearTimeout(this.#handshake);
    clearInterval(this.#timer);
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    for (const stream of streams) stream.abandon();
    this.#leave();
    if (this.#visitor) {
      const ms = Math.round(performance.now() - this.#started);
      const { transport } = this.#wire;
      this.surroundings.log({
        event: 'session',
        who: this.#visitor.token,
        from: this.from,
        transport,
        ms,
        why: this.#why,
      });
    }
    this.#onEnd();
  }
}
