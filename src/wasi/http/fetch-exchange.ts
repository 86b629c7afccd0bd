/** A request that the page's own `fetch` does, in the core: the process sends its head, and the plain bytes of its body. */

import { HTTP_CODES, HttpError } from '../../net/http/errors.ts';
import type { FetchedHead, FetchHead } from '../../net/http/page-fetch.ts';
import { type Field, fieldOf } from '../../net/http/syntax.ts';
import type { PipeWriter } from '../../net/pipe.ts';
import { OP, PAYLOAD_BYTES } from '../../syscall/protocol.ts';
import type { NetworkCalls } from '../sockets/calls.ts';
import { Exchange, networkCall, type Pipes, type Timeouts } from './exchange.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export interface FetchOptions {
  calls: NetworkCalls;
  head: FetchHead;
  /** What of the body is there already. */
  body: Uint8Array[];
  timeouts: Timeouts;
}

export class FetchExchange extends Exchange {
  protected readonly overhead = 0;
  readonly #cell: number;
  readonly #pipes: Pipes;
  /** The body has come to its end, which the core does not know yet. */
  #whole: boolean;

  constructor({ calls, head, body, timeouts }: FetchOptions) {
    const { args, payload } = calls.client;
    const text = encoder.encode(JSON.stringify(head));
    if (text.length > PAYLOAD_BYTES) throw new HttpError('HTTP-request-header-section-size', { size: text.length });
    payload.set(text);
    networkCall(calls, OP.fetch, text.length);
    // A browser does not say when it is connected, so that time is part of the time until the answer.
    super(
      calls,
      args[0] as number,
      body,
      performance.now() + timeouts.connect + timeouts.firstByte,
      timeouts.betweenBytes,
    );
    this.#cell = args[1] as number;
    this.#pipes = calls.pipes(args[2] as number, args[3] as number);
    this.#whole = head.body === 'none';
  }

  protected connect(): Pipes {
    return this.#pipes;
  }

  protected answered(id: number): boolean {
    if (this.head) return true;
    if (this.calls.cell(this.#cell) === 0) return false;
    const { args, payload } = this.calls.client;
    args[0] = id;
    const length = networkCall(this.calls, OP.fetched);
    const text = decoder.decode(payload.slice(0, length));
    const failure = HTTP_CODES[(args[0] as number) - 1];
    if (failure) throw new HttpError(failure, text === '' ? {} : { text });
    const { status, headers } = JSON.parse(text) as FetchedHead;
    this.head = { status, reason: '', fields: headers.map(([name, value]) => fieldOf(name, value)) };
    this.heard();
    return true;
  }

  protected receive(bytes: Uint8Array): void {
    this.body.push(bytes);
  }

  protected close(): void {
    this.ended = true;
  }

  protected sendPiece(bytes: Uint8Array, writer: PipeWriter): void {
    writer.write(bytes);
  }

  /** Trailers are lost: a browser sends none. */
  protected finish(_trailers: readonly Field[]): void {
    this.#whole = true;
  }

  protected override sent(writer: PipeWriter): void {
    if (!this.#whole) return;
    this.#whole = false;
    writer.close();
  }
}
