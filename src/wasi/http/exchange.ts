/** One request and its response over a connection of their own. Nothing in here blocks: whoever waits asks again. */

import { NET_CODES, TLS_FAILURES } from '../../net/errors.ts';
import { HttpError } from '../../net/http/errors.ts';
import { CHUNK_OVERHEAD, chunkHead, type Framing, LINE_END, lastChunk } from '../../net/http/request-encoder.ts';
import { ResponseDecoder, type ResponseHead } from '../../net/http/response-decoder.ts';
import type { Field } from '../../net/http/syntax.ts';
import type { PipeReader, PipeWriter } from '../../net/pipe.ts';
import { OP, SOCKET } from '../../syscall/protocol.ts';
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

export interface ExchangeOptions {
  calls: NetworkCalls;
  host: string;
  port: number;
  tls: boolean;
  method: string;
  /** The head of the request, and what of its body is there already. */
  head: Uint8Array[];
  framing: Framing;
  timeouts: Timeouts;
}

export class Exchange {
  readonly #calls: NetworkCalls;
  readonly #timeouts: Timeouts;
  readonly #decoder: ResponseDecoder;
  readonly #framing: Framing;
  readonly #id: number;
  readonly #cell: number;
  #pipes: { reader: PipeReader; writer: PipeWriter } | undefined;
  /** What waits to be sent, before anything of the body. */
  #unsent: Uint8Array[];
  /** Milliseconds at which what is waited for now is late. */
  #late: number;
  #holders = 1;
  #closed = false;
  head: ResponseHead | undefined;
  trailers: Field[] | undefined;
  /** The body has come to its end. */
  ended = false;
  error: HttpError | undefined;
  /** Pieces of the body that nobody has read. */
  readonly body: Uint8Array[] = [];

  constructor({ calls, host, port, tls, method, head, framing, timeouts }: ExchangeOptions) {
    this.#calls = calls;
    this.#timeouts = timeouts;
    this.#framing = framing;
    this.#unsent = head;
    this.#decoder = new ResponseDecoder(method, {
      head: (head) => {
        this.head = head;
      },
      data: (bytes) => this.body.push(bytes),
      end: (trailers) => {
        this.trailers = trailers;
        this.ended = true;
      },
    });
    const { args } = calls.client;
    args[0] = SOCKET.tcp;
    args[1] = 4;
    this.#call(OP.socket);
    this.#id = args[0] as number;
    this.#cell = args[1] as number;
    args[0] = this.#id;
    args[1] = port;
    args[2] = tls ? 1 : 0;
    try {
      this.#call(OP.connectName, calls.client.putText(host));
    } catch (error) {
      calls.close(this.#id);
      throw error;
    }
    this.#late = performance.now() + timeouts.connect;
  }

  /** Throws the error of HTTP for what the network failed with. */
  #call(op: number, length = 0): void {
    const { client } = this.#calls;
    const outcome = client.call(op, length);
    if (outcome < 0) throw ofNetwork(NET_CODES[~outcome] ?? 'unknown', TLS_FAILURES[(client.args[0] as number) - 1]);
  }

  /** Does what can be done now: connects, sends, takes what came when the last was read, looks at the clock. */
  pump(): void {
    if (this.error || this.#closed) return;
    this.#calls.client.looks++;
    try {
      if (this.#pipes || this.#connect()) {
        this.#send();
        this.#receive();
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

  #connect(): boolean {
    if (this.#calls.cell(this.#cell) === 0) return false;
    const { args } = this.#calls.client;
    args[0] = this.#id;
    this.#call(OP.connected);
    this.#pipes = this.#calls.pipes(args[0] as number, args[1] as number);
    this.#late = performance.now() + this.#timeouts.firstByte;
    return true;
  }

  #send(): void {
    const { writer } = this.#pipes!;
    for (let first = this.#unsent[0]; first; first = this.#unsent[0]) {
      const count = writer.broken ? first.length : writer.write(first);
      if (count < first.length) this.#unsent[0] = first.subarray(count);
      else this.#unsent.shift();
      if (count < first.length && !writer.ready()) return;
    }
  }

  #receive(): void {
    const { reader } = this.#pipes!;
    while (this.body.length === 0 && !this.ended) {
      // asked first: what was written before the end is there when the end is seen
      const { end } = reader;
      const { held } = reader;
      if (held > 0) {
        const bytes = new Uint8Array(Math.min(held, PIECE));
        reader.readInto(bytes);
        this.#decoder.push(bytes);
        this.#late = performance.now() + this.#timeouts.betweenBytes;
        continue;
      }
      if (end === 'reset') throw new HttpError(this.head ? 'HTTP-response-incomplete' : 'connection-terminated');
      if (end === 'ended') {
        if (!this.head) throw new HttpError('connection-terminated');
        this.#decoder.close();
        return;
      }
      if (!reader.ready()) {
        this.#checkTime('connection-read-timeout');
        return;
      }
    }
  }

  #checkTime(code: 'connection-timeout' | 'connection-read-timeout'): void {
    if (performance.now() >= this.#late) this.#fail(new HttpError(code));
  }

  /** When to ask again at the latest, in milliseconds of `performance.now()`. */
  get late(): number {
    return this.error || this.ended || this.body.length > 0 ? Number.POSITIVE_INFINITY : this.#late;
  }

  /** Bytes of the body that are taken without a wait. Throws the error that stopped the request. */
  room(): number {
    this.pump();
    const writer = this.#pipes?.writer;
    if (this.error && !this.head) throw this.error;
    if (writer?.broken || this.error) throw new HttpError('connection-terminated');
    if (!writer || this.#unsent.length > 0 || !writer.ready(CHUNK_OVERHEAD + 1)) return 0;
    return writer.free - CHUNK_OVERHEAD;
  }

  /** Sends bytes of the body, at most as many as there is room for. */
  sendBody(bytes: Uint8Array): void {
    const { writer } = this.#pipes!;
    if (this.#framing.kind === 'chunked') {
      writer.write(chunkHead(bytes.length));
      writer.write(bytes);
      writer.write(LINE_END);
    } else writer.write(bytes);
  }

  /** The body is whole. */
  endBody(trailers: readonly Field[]): void {
    if (this.#framing.kind === 'chunked') this.#unsent.push(lastChunk(trailers));
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
    this.#calls.close(this.#id);
  }
}
