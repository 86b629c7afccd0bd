/**
 * A TCP stream between a client and the outside. Each direction carries no more than the other end has room for: towards
 * the client by its credit and by what the wire holds, from the client by the credit given here, which comes back only
 * when the socket has taken the bytes.
 */

import type { Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { type Ip, toBytes } from './addresses.ts';
import { Allowance, Grants } from './credit.ts';
import { destinations } from './destinations.ts';
import { dial } from './dial.ts';
import { RelayFailure, socketFailure } from './failures.ts';
import { Outgoing } from './outgoing.ts';
import { dataFrame, type ErrorCode, encode, type Frame, ProtocolError } from './protocol.ts';
import { MOST_DATA, MOST_WINDOW, type Session, type Stream, WINDOW } from './session.ts';

/** A stream whose client is gone ends when it has not moved for so long, in milliseconds. */
const LINGER_MS = 15_000;

type Open = Extract<Frame, { op: 'open' }>;

/** The relay's own address in its network is nobody's business: the unspecified one, with the true port. */
const localAddress = (socket: Socket) => ({
  ip: new Uint8Array(socket.localFamily === 'IPv6' ? 16 : 4),
  port: socket.localPort ?? 0,
});

class TcpStream implements Stream {
  readonly #session: Session;
  readonly #stream: number;
  readonly #request: Open;
  readonly #leave: () => void;
  readonly #abort = new AbortController();
  readonly #allowance: Allowance;
  readonly #grants: Grants;
  readonly #started = performance.now();
  #socket: Socket | undefined;
  #outgoing: Outgoing | undefined;
  #address: Ip | undefined;
  /** Received from outside and not sent, because there is no credit or no room. */
  #waiting: Uint8Array | undefined;
  /** The outside has ended its half; told once nothing waits. */
  #sourceEnded = false;
  #endSent = false;
  #endReceived = false;
  #closed = false;
  /** Credit that is owed, while the session is held. */
  #owed = 0;
  /** Nothing is told to the client any more. */
  #silent = false;
  #over = false;
  #up = 0;
  #down = 0;
  active = performance.now();

  constructor(session: Session, request: Open, leave: () => void) {
    this.#session = session;
    this.#stream = request.stream;
    this.#request = request;
    this.#leave = leave;
    this.#allowance = new Allowance(request.credit);
    this.#grants = new Grants(WINDOW, MOST_WINDOW, session.budget);
    void this.#open();
  }

  async #open(): Promise<void> {
    const { resolver, policy, limiter, timeouts, secureContext } = this.#session.surroundings;
    const { host, port, tls } = this.#request;
    try {
      await limiter.open(this.#session.visitor);
      const timeout = AbortSignal.timeout(timeouts.connect);
      const addresses = await Promise.race([destinations(resolver, policy, host, port), expired(timeout)]);
      this.#abort.signal.throwIfAborted();
      const { socket, address } = await dial(addresses, {
        port,
        serverName: tls && (tls.serverName || host),
        secureContext,
        timeout: timeouts.connect - (performance.now() - this.#started),
        signal: this.#abort.signal,
      });
      if (this.#silent) {
        socket.destroy();
        return this.#finish('connection-aborted');
      }
      this.#connected(socket, address);
    } catch (error) {
      const known = error instanceof RelayFailure || this.#abort.signal.aborted;
      if (!known) this.#session.fault(error);
      const failure = error instanceof RelayFailure ? error : new RelayFailure('unknown', 'The relay failed.');
      if (!this.#silent) this.#session.fail(this.#stream, failure);
      this.#finish(this.#silent ? 'connection-aborted' : failure.code);
    }
  }

  #connected(socket: Socket, address: Ip): void {
    this.#socket = socket;
    this.#outgoing = new Outgoing(socket, (bytes) => this.#taken(bytes));
    this.#address = address;
    this.active = performance.now();
    const remote = { ip: toBytes(address), port: this.#request.port };
    this.#session.send(encode({ op: 'opened', stream: this.#stream, local: localAddress(socket), remote }));
    socket.on('data', (chunk: Buffer) => {
      this.#waiting = chunk;
      this.#pump();
    });
    socket.on('end', () => {
      this.#sourceEnded = true;
      this.#pump();
    });
    let broken: RelayFailure | undefined;
    socket.on('error', (error) => {
      broken ??= socketFailure(error);
    });
    socket.on('close', () => {
      this.#closed = true;
      // What came before the end may still wait for credit.
      if (!broken && this.#sourceEnded && this.#endReceived) return this.#pump();
      const failure = broken ?? new RelayFailure('connection-reset', 'The connection was reset.');
      this.#reset(failure.code, failure.message);
    });
    this.resume();
  }

  /** Sends what waits, as far as credit and room go, and then reads on. */
  #pump(): void {
    const socket = this.#socket;
    if (!socket || this.#over) return;
    if (this.#silent) this.#waiting = undefined;
    while (this.#waiting) {
      const most = Math.min(this.#waiting.length, this.#allowance.available, MOST_DATA);
      if (most === 0 || !this.#session.writable) {
        socket.pause();
        return;
      }
      this.#session.send(dataFrame(this.#stream, this.#waiting.subarray(0, most)));
      this.#allowance.spend(most);
      this.#down += most;
      this.active = performance.now();
      this.#waiting = most < this.#waiting.length ? this.#waiting.subarray(most) : undefined;
      this.#session.carried(most);
    }
    if (this.#sourceEnded && !this.#endSent) {
      this.#endSent = true;
      if (!this.#silent) this.#session.send(encode({ op: 'end', stream: this.#stream }));
      this.#endIfDone();
    }
    if (this.#closed) {
      this.#finish(this.#silent ? 'given up' : 'closed');
      return;
    }
    if (socket.isPaused()) socket.resume();
  }

  receive(frame: Frame): void {
    switch (frame.op) {
      case 'data':
        this.#write(frame.data);
        return;
      case 'end':
        if (this.#endReceived) throw new ProtocolError('a second end');
        this.#needOutgoing().end(() => this.#endIfDone());
        this.#endReceived = true;
        return;
      case 'credit':
        this.#allowance.add(frame.bytes);
        this.#pump();
        return;
      case 'reset':
        this.#silent = true;
        this.#session.ended(this.#stream);
        this.abandon();
        return;
      default:
        throw new ProtocolError(`${frame.op} of a TCP stream`);
    }
  }

  #write(data: Uint8Array): void {
    if (this.#endReceived) throw new ProtocolError('data after the end');
    this.#grants.received(data.length);
    this.active = performance.now();
    this.#needOutgoing().write(data);
    this.#session.carried(data.length);
  }

  /** The system has taken so many bytes for the outside. */
  #taken(bytes: number): void {
    this.#up += bytes;
    this.active = performance.now();
    this.#owed += this.#grants.used(bytes);
    this.#payCredit();
  }

  #needOutgoing(): Outgoing {
    if (!this.#outgoing) throw new ProtocolError('data before the stream was opened');
    return this.#outgoing;
  }

  #payCredit(): void {
    if (this.#owed === 0 || this.#silent || this.#endReceived || !this.#session.generous) return;
    this.#session.send(encode({ op: 'credit', stream: this.#stream, bytes: this.#owed }));
    this.#owed = 0;
  }

  resume(): void {
    this.#payCredit();
    this.#pump();
  }

  expire(): void {
    this.#reset('timeout', 'Nothing was sent for too long.');
    this.#socket?.destroy();
  }

  /** Both halves have ended and everything is out: the socket has no more to do. */
  #endIfDone(): void {
    const socket = this.#socket as Socket;
    if (this.#endSent && this.#endReceived && socket.writableFinished) socket.destroy();
  }

  abandon(): void {
    this.#silent = true;
    this.#abort.abort();
    const socket = this.#socket;
    if (!socket || this.#over) return;
    if (this.#endReceived) void this.#linger(socket);
    else if (socket instanceof TLSSocket) socket.destroy();
    else socket.resetAndDestroy();
  }

  /** Gets out what the client had ended properly, reading and dropping meanwhile: a close with unread bytes would be a reset. */
  async #linger(socket: Socket): Promise<void> {
    this.#pump();
    const stop = new AbortController();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    do {
      const late = after(LINGER_MS, undefined, { signal: stop.signal, ref: false }).catch(() => {});
      await Promise.race([closed, late]);
    } while (!socket.closed && !socket.writableFinished && performance.now() - this.active < LINGER_MS);
    stop.abort();
    socket.destroy();
  }

  #reset(code: ErrorCode, message: string): void {
    if (this.#over) return;
    if (!this.#silent) this.#session.send(encode({ op: 'reset', stream: this.#stream, code, message }));
    this.#finish(this.#silent ? 'given up' : code);
  }

  #finish(outcome: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#silent = true;
    this.#waiting = undefined;
    this.#grants.release();
    this.#leave();
    this.#session.ended(this.#stream);
    const { from, visitor, surroundings } = this.#session;
    const { host, port } = this.#request;
    surroundings.log({
      event: 'tcp',
      who: visitor.token,
      from,
      to: `${host}:${port}`,
      ...(this.#address && { address: this.#address.toString() }),
      ms: Math.round(performance.now() - this.#started),
      up: this.#up,
      down: this.#down,
      outcome,
    });
  }
}

/** Rejects when `signal` does. */
function expired(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(new RelayFailure('timeout', 'The other side did not answer in time.'));
    signal.addEventListener('abort', fail, { once: true });
  });
}

export const openTcp = (session: Session, request: Open, leave: () => void): Stream =>
  new TcpStream(session, request, leave);
