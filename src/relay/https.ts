/**
 * Frames over requests, for networks that let no WebSocket through: one GET after the other brings bytes down, in a
 * stream or, where something on the way keeps streams back, an answer at a time; POSTs take them up. Each frame has its
 * length before it (u32). The bytes down are numbered from the start of the session and kept until the client says that
 * it has them, and the POSTs are counted, so that a request that was cut may be made again.
 */

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Kept } from './kept.ts';
import { BadRequest, readBody } from './request-body.ts';
import { LARGEST_FRAME } from './session.ts';
import type { Wire, WireEvents } from './wire.ts';

/** Bytes in a POST at most. */
export const MOST_BODY = 1024 * 1024;
/** Bytes of a HELLO at most; its sender is not known yet. */
const MOST_HELLO = 8 * 1024;
/** A session that no GET asks about is over after so long, in milliseconds, and so is a response that nobody reads to its end. */
const ABSENT_MS = 30_000;
/** A GET that waits for something to tell is answered after so long; a stream is ended then too, and begun anew. */
const POLL_MS = 20_000;
const STREAM_MS = 120_000;
/** How long bytes for a poll are gathered, in milliseconds. */
const GATHER_MS = 2;

const number = (request: IncomingMessage, header: string): number => {
  const text = request.headers[header];
  const value = Number(text);
  if (typeof text !== 'string' || !/^\d{1,15}$/.test(text))
    throw new BadRequest(400, `The header ${header} is missing.`);
  return value;
};

class HttpsWire implements Wire {
  readonly transport = 'https';
  readonly id = randomBytes(24).toString('base64url');
  readonly #onEnd: () => void;
  #events!: WireEvents;
  /** What the client has not acknowledged. */
  readonly #kept = new Kept();
  /** How far the response that is open has come. */
  #sent = 0;
  #response: ServerResponse | undefined;
  /** The POST whose body is being read. */
  #posting: IncomingMessage | undefined;
  #poll = false;
  #expected = 0;
  #absent: NodeJS.Timeout | undefined;
  #late: NodeJS.Timeout | undefined;
  #gather: NodeJS.Timeout | undefined;
  #closing = false;
  #over = false;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#wait();
  }

  start(events: WireEvents): void {
    this.#events = events;
  }

  get buffered(): number {
    return this.#kept.end - this.#kept.start;
  }

  send(frame: Uint8Array): void {
    if (this.#over || this.#closing) return;
    const head = new Uint8Array(4);
    new DataView(head.buffer).setUint32(0, frame.length);
    this.#kept.append(head);
    this.#kept.append(frame);
    if (!this.#response) return;
    if (this.#poll) this.#gather ??= setTimeout(() => this.#answer(), GATHER_MS);
    else this.#stream();
  }

  /** Writes what the response that is open takes now. */
  #stream(): void {
    const response = this.#response;
    if (!response || this.#poll) return;
    while (this.#sent < this.#kept.end) {
      if (response.writableNeedDrain) return;
      const piece = this.#kept.after(this.#sent);
      this.#sent += piece.length;
      response.write(piece);
    }
    if (this.#closing) this.#answer();
  }

  /** A GET: gives what the client does not have yet, and what comes while the response is open. */
  down(request: IncomingMessage, response: ServerResponse, headers: Record<string, string>): void {
    this.#acknowledge(number(request, 'sausage-received'));
    this.#finishResponse();
    // One that is closing has its time already.
    if (!this.#closing) clearTimeout(this.#absent);
    this.#response = response;
    this.#sent = this.#kept.start;
    this.#poll = request.headers['sausage-poll'] === '1';
    response.on('close', () => {
      if (this.#response !== response) return;
      this.#forgetResponse();
      this.#wait();
    });
    response.on('drain', () => this.#response === response && this.#stream());
    response.on('error', () => {});
    response.writeHead(200, {
      ...headers,
      'Content-Type': 'application/octet-stream',
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
    });
    this.#late = setTimeout(() => this.#answer(), this.#poll ? POLL_MS : STREAM_MS);
    if (!this.#poll) {
      response.flushHeaders();
      this.#stream();
    } else if (this.#closing) this.#answer();
    else if (this.buffered > 0) this.#gather = setTimeout(() => this.#answer(), GATHER_MS);
  }

  /** A POST: takes the frames of its body, unless it was taken before. One at a time, so a new one ends the one before. */
  async up(request: IncomingMessage): Promise<void> {
    this.#posting?.destroy();
    this.#posting = request;
    const body = await readBody(request, MOST_BODY).finally(() => {
      if (this.#posting === request) this.#posting = undefined;
    });
    if (this.#over) throw new BadRequest(404, 'There is no such session.');
    const sequence = number(request, 'sausage-sequence');
    const received = number(request, 'sausage-received');
    // A GET that was sent after this POST may have come before it, and have told more.
    if (received > this.#kept.start) this.#acknowledge(received);
    if (sequence === this.#expected - 1) return;
    if (sequence !== this.#expected) {
      this.cut();
      throw new BadRequest(409, 'A POST is missing before this one.');
    }
    this.#expected++;
    for (let at = 0; at < body.length && !this.#over; ) {
      const length = at + 4 <= body.length ? body.readUInt32BE(at) : Number.POSITIVE_INFINITY;
      if (length > LARGEST_FRAME || at + 4 + length > body.length) {
        this.cut();
        throw new BadRequest(400, 'A frame is longer than the body.');
      }
      // A copy: a frame that waits must not keep the whole body.
      this.#events.frame(new Uint8Array(body.subarray(at + 4, at + 4 + length)));
      at += 4 + length;
    }
  }

  close(): void {
    if (this.#closing) return;
    this.#closing = true;
    // The last frame is fetched by the GET that is open or by the next one.
    this.#wait();
    if (this.#poll && this.#response) this.#answer();
    else this.#stream();
  }

  cut(): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#absent);
    this.#posting?.destroy();
    const response = this.#response;
    this.#forgetResponse();
    response?.destroy();
    this.#kept.forget(this.#kept.end);
    this.#onEnd();
    this.#events.closed();
  }

  #acknowledge(received: number): void {
    if (received < this.#kept.start || received > this.#kept.end) {
      throw new BadRequest(409, 'There are no such bytes in this session.');
    }
    if (received === this.#kept.start) return;
    this.#kept.forget(received);
    queueMicrotask(() => this.#over || this.#events.drained());
  }

  /** Ends the response: with all that there is, if it is a poll. */
  #answer(): void {
    const response = this.#response;
    if (!response) return;
    if (this.#poll) {
      for (let at = this.#kept.start; at < this.#kept.end; ) {
        const piece = this.#kept.after(at);
        response.write(piece);
        at += piece.length;
      }
    }
    this.#finishResponse();
    if (this.#closing) this.cut();
    else this.#wait();
  }

  #finishResponse(): void {
    const response = this.#response;
    this.#forgetResponse();
    if (!response) return;
    response.end();
    const timer = setTimeout(() => response.destroy(), ABSENT_MS);
    response.on('close', () => clearTimeout(timer));
  }

  #forgetResponse(): void {
    this.#response = undefined;
    clearTimeout(this.#late);
    clearTimeout(this.#gather);
    this.#gather = undefined;
  }

  #wait(): void {
    clearTimeout(this.#absent);
    this.#absent = setTimeout(() => this.cut(), ABSENT_MS);
  }
}

/** The sessions that are spoken with by requests. */
export class HttpsTransport {
  readonly #wires = new Map<string, HttpsWire>();
  readonly #handshake: number;

  /** `handshake` is how long a HELLO may take to come, in milliseconds. */
  constructor(handshake: number) {
    this.#handshake = handshake;
  }

  /** Answers a request for `session`, `down` or `up`. Throws `BadRequest`. */
  async handle(
    what: string,
    request: IncomingMessage,
    response: ServerResponse,
    headers: Record<string, string>,
    attach: (wire: Wire) => WireEvents,
  ): Promise<void> {
    const method = what === 'down' ? 'GET' : 'POST';
    if (request.method !== method) throw new BadRequest(405, `Only ${method} is possible here.`);
    if (what === 'session') {
      const late = setTimeout(() => request.destroy(), this.#handshake);
      const hello = await readBody(request, MOST_HELLO).finally(() => clearTimeout(late));
      const wire = new HttpsWire(() => this.#wires.delete(wire.id));
      this.#wires.set(wire.id, wire);
      const events = attach(wire);
      wire.start(events);
      events.frame(hello);
      response.writeHead(201, { ...headers, 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' }).end(wire.id);
      return;
    }
    const id = request.headers['sausage-session'];
    const wire = typeof id === 'string' ? this.#wires.get(id) : undefined;
    if (!wire) throw new BadRequest(404, 'There is no such session.');
    if (what === 'down') return wire.down(request, response, headers);
    await wire.up(request);
    response.writeHead(204, { ...headers, 'Cache-Control': 'no-store' }).end();
  }

  close(): void {
    for (const wire of this.#wires.values()) wire.cut();
  }
}
