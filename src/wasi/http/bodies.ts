/** The streams of bodies, what waits for them, and the resources around them. */

import { HttpError } from '../../net/http/errors.ts';
import type { Field } from '../../net/http/syntax.ts';
import type { Client } from '../../syscall/client.ts';
import { CLOSED, InputStream, OutputStream, Pollable } from '../streams.ts';
import { HttpIoError } from './error-code.ts';
import type { Exchange } from './exchange.ts';

/** What a body may hold before its request is sent: nobody reads it before that, so a wait for room would not end. */
const BUFFER = 64 * 1024 * 1024;

/** Something of an exchange, with the time at which it fails by itself. */
export class ExchangeReady extends Pollable {
  readonly #exchange: Exchange;
  readonly #ready: () => boolean;
  constructor(exchange: Exchange, ready: () => boolean) {
    super();
    this.#exchange = exchange;
    this.#ready = ready;
  }
  ready(): boolean {
    return this.#ready();
  }
  override get deadline(): number {
    return this.#exchange.late;
  }
}

class BodyInput extends InputStream {
  readonly #client: Client;
  readonly #exchange: Exchange;
  readonly #dropped: () => void;
  #failed = false;

  constructor(client: Client, exchange: Exchange, dropped: () => void) {
    super();
    this.#client = client;
    this.#exchange = exchange.hold();
    this.#dropped = dropped;
  }

  ready(): boolean {
    const exchange = this.#exchange;
    if (exchange.body.length === 0) exchange.pump();
    return exchange.body.length > 0 || exchange.ended || exchange.error !== undefined;
  }

  prepare(most: number, wait: boolean): number {
    const exchange = this.#exchange;
    for (;;) {
      const seen = this.#client.event();
      const ready = this.ready();
      const [first] = exchange.body;
      if (first) return Math.min(first.length, most);
      if (exchange.ended || this.#failed) return CLOSED;
      if (exchange.error) {
        this.#failed = true;
        throw new HttpIoError(exchange.error);
      }
      if (!wait || most === 0) return 0;
      if (!ready) this.#client.sleep(seen, Math.max(0, exchange.late - performance.now()));
    }
  }

  take(into: Uint8Array): void {
    into.set(this.#exchange.body[0]!.subarray(0, into.length));
    this.skip(into.length);
  }

  skip(count: number): void {
    const { body } = this.#exchange;
    const first = body[0]!;
    if (count < first.length) body[0] = first.subarray(count);
    else body.shift();
  }

  override subscribe(): Pollable {
    return new ExchangeReady(this.#exchange, () => this.ready());
  }

  override drop(): void {
    this.#exchange.release();
    this.#dropped();
  }
}

/** The resource `incoming-body`. */
export class IncomingBody {
  readonly exchange: Exchange;
  readonly #client: Client;
  #taken = false;
  #stream = false;

  constructor(client: Client, exchange: Exchange) {
    this.#client = client;
    this.exchange = exchange.hold();
  }

  /** The stream, once. */
  stream(): InputStream | undefined {
    if (this.#taken) return undefined;
    this.#taken = true;
    this.#stream = true;
    return new BodyInput(this.#client, this.exchange, () => {
      this.#stream = false;
    });
  }

  get streamAlive(): boolean {
    return this.#stream;
  }

  drop(): void {
    this.exchange.release();
  }
}

/** The resource `outgoing-body`: what is written before the request is sent waits here. */
export class OutgoingBody {
  readonly #client: Client;
  /** The length that the headers promise. */
  readonly #promised: number | undefined;
  #exchange: Exchange | undefined;
  #buffered: Uint8Array[] = [];
  #bufferedBytes = 0;
  #written = 0;
  #taken = false;
  #stream = false;
  finished: { trailers: Field[] } | undefined;
  #gone = false;

  constructor(client: Client, promised: number | undefined) {
    this.#client = client;
    this.#promised = promised;
  }

  /** The length, when the whole body was written before its request was sent. */
  get length(): number | undefined {
    return this.finished && this.finished.trailers.length === 0 ? this.#written : undefined;
  }

  /** The request is sent: from here on bytes go over its connection. */
  attach(exchange: Exchange): void {
    this.#exchange = this.finished || this.#gone ? exchange : exchange.hold();
    if (this.#gone) exchange.abandonBody();
    else if (this.finished) exchange.endBody(this.finished.trailers);
  }

  /** What was written so far; it goes with the head. */
  takeBuffered(): Uint8Array[] {
    const buffered = this.#buffered;
    this.#buffered = [];
    this.#bufferedBytes = 0;
    return buffered;
  }

  write(): OutputStream | undefined {
    if (this.#taken) return undefined;
    this.#taken = true;
    this.#stream = true;
    return new BodyOutput(this.#client, this, () => {
      this.#stream = false;
    });
  }

  get streamAlive(): boolean {
    return this.#stream;
  }

  room(): number {
    if (this.finished) return CLOSED;
    if (this.#exchange) return this.#exchange.room();
    if (this.#bufferedBytes >= BUFFER) throw new HttpError('HTTP-request-body-size', { size: this.#bufferedBytes });
    return BUFFER - this.#bufferedBytes;
  }

  get late(): number {
    return this.#exchange?.late ?? Number.POSITIVE_INFINITY;
  }

  /** At most as many bytes as there is room for. */
  send(bytes: Uint8Array): void {
    this.#written += bytes.length;
    if (this.#promised !== undefined && this.#written > this.#promised) {
      throw new HttpError('HTTP-request-body-size', { size: this.#written });
    }
    if (this.#exchange) this.#exchange.sendBody(bytes);
    else {
      this.#buffered.push(bytes.slice());
      this.#bufferedBytes += bytes.length;
    }
  }

  /** Throws when the body is shorter than was promised. */
  finish(trailers: Field[]): void {
    const short = this.#promised !== undefined && this.#written !== this.#promised;
    if (short) {
      const size = this.#written;
      this.drop();
      throw new HttpError('HTTP-request-body-size', { size });
    }
    this.finished = { trailers };
    this.#exchange?.endBody(trailers);
    this.#exchange?.release();
  }

  /** Without `finish` the body is not whole. */
  drop(): void {
    if (this.finished || this.#gone) return;
    this.#gone = true;
    this.#exchange?.abandonBody();
    this.#exchange?.release();
  }
}

class BodyOutput extends OutputStream {
  readonly #client: Client;
  readonly #body: OutgoingBody;
  readonly #dropped: () => void;
  #failed = false;

  constructor(client: Client, body: OutgoingBody, dropped: () => void) {
    super();
    this.#client = client;
    this.#body = body;
    this.#dropped = dropped;
  }

  /** Runs something that can fail; after its failure the stream is closed. */
  #attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      this.#failed = true;
      throw new HttpIoError(error);
    }
  }

  ready(): boolean {
    if (this.#failed) return true;
    try {
      return this.#body.room() !== 0;
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      return true;
    }
  }

  permit(): number {
    return this.#failed ? CLOSED : this.#attempt(() => this.#body.room());
  }

  write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      const room = this.permit();
      if (room === CLOSED) throw new HttpIoError(new HttpError('connection-terminated'));
      if (room === 0) this.wait();
      else {
        const count = Math.min(room, bytes.length - done);
        this.#attempt(() => this.#body.send(bytes.subarray(done, done + count)));
        done += count;
      }
    }
  }

  wait(): void {
    for (;;) {
      const seen = this.#client.event();
      if (this.ready()) return;
      this.#client.sleep(seen, Math.max(0, this.#body.late - performance.now()));
    }
  }

  override drop(): void {
    this.#dropped();
  }
}
