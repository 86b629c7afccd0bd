/**
 * Frames over requests, for networks that let no WebSocket through: one GET after the other brings bytes down, in a
 * stream or, where something on the way keeps streams back, an answer at a time; POSTs take them up. Each frame has its
 * length before it (u32). The bytes down are numbered from the start of the session and kept until the client says that
 * it has them, and the POSTs are counted, so that a request that was cut may be made again.
 */

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LARGEST_FRAME } from './session.ts';
import type { Wire, WireEvents } from './wire.ts';

/** Bytes in a POST at most. */
export const MOST_BODY = 1024 * 1024;
/** A session that no GET asks about is over after so long, in milliseconds. */
const ABSENT_MS = 30_000;
/** A GET that waits for something to tell is answered after so long; a stream is ended then too, and begun anew. */
const POLL_MS = 20_000;
const STREAM_MS = 120_000;
/** How long bytes for a poll are gathered, in milliseconds. */
const GATHER_MS = 2;

/** What a request is refused with. */
export class BadRequest extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

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
  /** The bytes from `#acknowledged` on, in pieces; `#total` is how many there were in all. */
  #pieces: Uint8Array[] = [];
  #acknowledged = 0;
  #total = 0;
  #response: ServerResponse | undefined;
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
    return this.#total - this.#acknowledged;
  }

  send(frame: Uint8Array): void {
    if (this.#over || this.#closing) return;
    const head = new Uint8Array(4);
    new DataView(head.buffer).setUint32(0, frame.length);
    this.#pieces.push(head, frame);
    this.#total += 4 + frame.length;
    if (!this.#response) return;
    if (this.#poll) this.#gather ??= setTimeout(() => this.#answer(), GATHER_MS);
    else {
      this.#response.write(head);
      this.#response.write(frame);
    }
  }

  /** A GET: gives what the client does not have yet, and what comes while the response is open. */
  down(request: IncomingMessage, response: ServerResponse, headers: Record<string, string>): void {
    this.#acknowledge(number(request, 'sausage-received'));
    this.#finishResponse();
    clearTimeout(this.#absent);
    this.#response = response;
    this.#poll = request.headers['sausage-poll'] === '1';
    response.on('close', () => {
      if (this.#response !== response) return;
      this.#forgetResponse();
      this.#wait();
    });
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
      for (const piece of this.#pieces) response.write(piece);
    } else if (this.#total > this.#acknowledged) {
      this.#gather = setTimeout(() => this.#answer(), GATHER_MS);
    }
    if (this.#closing) this.#answer();
  }

  /** A POST: takes the frames of its body, unless it was taken before. */
  up(request: IncomingMessage, body: Buffer): void {
    const sequence = number(request, 'sausage-sequence');
    const received = number(request, 'sausage-received');
    // A GET that was sent after this POST may have come before it, and have told more.
    if (received > this.#acknowledged) this.#acknowledge(received);
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
      this.#events.frame(body.subarray(at + 4, at + 4 + length));
      at += 4 + length;
    }
  }

  close(): void {
    this.#closing = true;
    // The last frame is fetched by the GET that is open or by the next one.
    if (this.#response) this.#answer();
  }

  cut(): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#absent);
    this.#finishResponse();
    this.#pieces = [];
    this.#onEnd();
    this.#events.closed();
  }

  #acknowledge(received: number): void {
    if (received < this.#acknowledged || received > this.#total) {
      throw new BadRequest(409, 'There are no such bytes in this session.');
    }
    let bytes = received - this.#acknowledged;
    let whole = 0;
    while (bytes > 0 && bytes >= (this.#pieces[whole] as Uint8Array).length)
      bytes -= (this.#pieces[whole++] as Uint8Array).length;
    this.#pieces.splice(0, whole);
    if (bytes > 0) this.#pieces[0] = (this.#pieces[0] as Uint8Array).subarray(bytes);
    const moved = received > this.#acknowledged;
    this.#acknowledged = received;
    if (moved) queueMicrotask(() => this.#over || this.#events.drained());
  }

  /** Ends the response: with all that there is, if it is a poll. */
  #answer(): void {
    const response = this.#response;
    if (!response) return;
    if (this.#poll) for (const piece of this.#pieces) response.write(piece);
    this.#finishResponse();
    if (this.#closing) this.cut();
    else this.#wait();
  }

  #finishResponse(): void {
    const response = this.#response;
    this.#forgetResponse();
    response?.end();
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

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MOST_BODY) throw new BadRequest(413, `A body has ${MOST_BODY} bytes at most.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The sessions that are spoken with by requests. */
export class HttpsTransport {
  readonly #wires = new Map<string, HttpsWire>();

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
      const hello = await readBody(request);
      if (hello.length > LARGEST_FRAME) throw new BadRequest(413, 'This is no HELLO.');
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
    wire.up(request, await readBody(request));
    response.writeHead(204, { ...headers, 'Cache-Control': 'no-store' }).end();
  }

  close(): void {
    for (const wire of this.#wires.values()) wire.cut();
  }
}
