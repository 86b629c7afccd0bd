/** One request and its response, whatever carries them. Nothing in here blocks: whoever waits asks again. */

import { NET_CODES, TLS_FAILURES } from '../../net/errors.ts';
import { HttpError } from '../../net/http/errors.ts';
import type { ResponseHead } from '../../net/http/response-decoder.ts';
import type { Field } from '../../net/http/syntax.ts';
import type { PipeReader, PipeWriter } from '../../net/pipe.ts';
import type { NetworkCalls } from '../sockets/calls.ts';
import { ofNetwork } from './error-code.ts';

/** Bytes of the response that are taken at once; the rest waits in the ring, and beyond it the sender waits. */
const PIECE = 64 * 1024;

/** Milliseconds; without an end when not given. */
export interface Timeouts {
  connect: number;
  firstByte: number;
  betweenBytes: number;
}

export interface Pipes {
  reader: PipeReader;
  writer: PipeWriter;
}

/** Makes a call of the core. Throws the error of HTTP for what the network failed with. */
export function networkCall({ client }: NetworkCalls, op: number, length = 0): number {
  const outcome = client.call(op, length);
  if (outcome < 0) throw ofNetwork(NET_CODES[~outcome] ?? 'unknown', TLS_FAILURES[(client.args[0] as number) - 1]);
  return outcome;
}

export abstract class Exchange {
  head: ResponseHead | undefined;
  trailers: Field[] | undefined;
  /** The body has come to its end. */
  ended = false;
  error: HttpError | undefined;
  /** Pieces of the body that nobody has read. */
  readonly body: Uint8Array[] = [];
  protected readonly calls: NetworkCalls;
  /** What waits to be sent, before anything of the body. */
  protected readonly unsent: Uint8Array[];
  /** Milliseconds at which what is waited for now is late. */
  protected lateAt: number;
  readonly #betweenBytes: number;
  /** In the table of sockets of the process. */
  readonly #id: number;
  #pipes: Pipes | undefined;
  #holders = 1;
  #closed = false;

  protected constructor(calls: NetworkCalls, id: number, unsent: Uint8Array[], lateAt: number, betweenBytes: number) {
    this.calls = calls;
    this.#id = id;
    this.unsent = unsent;
    this.lateAt = lateAt;
    this.#betweenBytes = betweenBytes;
  }

  /** The connection, once there is one. May throw `HttpError`, as all that follow may. */
  protected abstract connect(id: number): Pipes | undefined;
  /** False while nothing of the response is there that could be read. */
  protected abstract answered(id: number): boolean;
  /** Bytes of the response. */
  protected abstract receive(bytes: Uint8Array): void;
  /** The connection has ended in good order. */
  protected abstract close(): void;
  /** Bytes that have to be sent around a piece of the body. */
  protected abstract readonly overhead: number;
  protected abstract sendPiece(bytes: Uint8Array, writer: PipeWriter): void;
  protected abstract finish(trailers: readonly Field[]): void;
  /** Called when all that waited has been sent. */
  protected sent(_writer: PipeWriter): void {}

  /** Does what can be done now: connects, sends, takes what came when the last was read, looks at the clock. */
  pump(): void {
    if (this.error || this.#closed) return;
    this.calls.client.looks++;
    try {
      this.#pipes ??= this.connect(this.#id);
      if (this.#pipes) {
        this.#send(this.#pipes.writer);
        if (this.answered(this.#id)) this.#receive(this.#pipes.reader);
        else this.#checkTime('connection-read-timeout');
      } else this.#checkTime('connection-timeout');
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      this.#fail(error);
    }
  }

  #fail(error: HttpError): void {
    this.error = error;
    this.#close();
  }

  #send(writer: PipeWriter): void {
    const { unsent } = this;
    for (let first = unsent[0]; first; first = unsent[0]) {
      const count = writer.broken ? first.length : writer.write(first);
      if (count < first.length) unsent[0] = first.subarray(count);
      else unsent.shift();
      if (count < first.length && !writer.ready()) return;
    }
    this.sent(writer);
  }

  #receive(reader: PipeReader): void {
    while (this.body.length === 0 && !this.ended) {
      // asked first: what was written before the end is there when the end is seen
      const { end } = reader;
      const { held } = reader;
      if (held > 0) {
        const bytes = new Uint8Array(Math.min(held, PIECE));
        reader.readInto(bytes);
        this.receive(bytes);
        this.heard();
        continue;
      }
      if (end === 'reset') throw new HttpError(this.head ? 'HTTP-response-incomplete' : 'connection-terminated');
      if (end === 'ended') {
        if (!this.head) throw new HttpError('connection-terminated');
        this.close();
        return;
      }
      if (!reader.ready()) {
        this.#checkTime('connection-read-timeout');
        return;
      }
    }
  }

  /** Something of the response has come. */
  protected heard(): void {
    this.lateAt = performance.now() + this.#betweenBytes;
  }

  #checkTime(code: 'connection-timeout' | 'connection-read-timeout'): void {
    if (performance.now() >= this.lateAt) this.#fail(new HttpError(code));
  }

  /** When to ask again at the latest, in milliseconds of `performance.now()`. */
  get late(): number {
    return this.error || this.ended || this.body.length > 0 ? Number.POSITIVE_INFINITY : this.lateAt;
  }

  /** Bytes of the body that are taken without a wait. Throws the error that stopped the request. */
  room(): number {
    this.pump();
    const writer = this.#pipes?.writer;
    if (this.error && !this.head) throw this.error;
    if (writer?.broken || this.error) throw new HttpError('connection-terminated');
    if (!writer || this.unsent.length > 0 || !writer.ready(this.overhead + 1)) return 0;
    return writer.free - this.overhead;
  }

  /** Sends bytes of the body, at most as many as there is room for. */
  sendBody(bytes: Uint8Array): void {
    this.sendPiece(bytes, this.#pipes!.writer);
  }

  /** The body is whole. */
  endBody(trailers: readonly Field[]): void {
    this.finish(trailers);
    this.pump();
  }

  /** The body will never be whole: the server hears of it by the end of the connection. */
  abandonBody(): void {
    if (!this.error) this.#fail(new HttpError('HTTP-protocol-error', { text: 'the request was given up' }));
  }

  /** Takes away what came of the body, for somebody who only wants the trailers. */
  discard(): void {
    do {
      this.body.length = 0;
      this.pump();
    } while (this.body.length > 0);
  }

  /** One more part of the program holds on to the exchange; `release` is the inverse. */
  hold(): this {
    this.#holders++;
    return this;
  }

  release(): void {
    if (--this.#holders === 0) this.#close();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.calls.close(this.#id);
  }
}
