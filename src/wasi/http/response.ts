/** The resources that come of a request: `future-incoming-response`, `incoming-response`, `future-trailers`. */

import type { HttpError } from '../../net/http/errors.ts';
import type { ResponseHead } from '../../net/http/response-decoder.ts';
import type { Client } from '../../syscall/client.ts';
import type { Pollable } from '../streams.ts';
import { ExchangeReady, IncomingBody } from './bodies.ts';
import type { Exchange } from './exchange.ts';
import { Fields } from './fields.ts';

export class IncomingResponse {
  readonly head: ResponseHead;
  readonly headers: Fields;
  readonly #exchange: Exchange;
  readonly #client: Client;
  #consumed = false;

  constructor(client: Client, exchange: Exchange, head: ResponseHead) {
    this.#client = client;
    this.#exchange = exchange.hold();
    this.head = head;
    this.headers = new Fields(head.fields, true);
  }

  /** The body, once. */
  consume(): IncomingBody | undefined {
    if (this.#consumed) return undefined;
    this.#consumed = true;
    return new IncomingBody(this.#client, this.#exchange);
  }

  drop(): void {
    this.#exchange.release();
  }
}

/** What `get` finds: nothing yet, that it was asked for before, or the outcome. */
export type Found<T> = undefined | 'taken' | { value: T } | { error: HttpError };

export class FutureResponse {
  readonly #client: Client;
  readonly #exchange: Exchange;
  #taken = false;

  /** Takes over the hold with which the exchange was made. */
  constructor(client: Client, exchange: Exchange) {
    this.#client = client;
    this.#exchange = exchange;
  }

  ready(): boolean {
    this.#exchange.pump();
    return this.#exchange.head !== undefined || this.#exchange.error !== undefined;
  }

  get(): Found<IncomingResponse> {
    if (this.#taken) return 'taken';
    if (!this.ready()) return undefined;
    this.#taken = true;
    const { head, error } = this.#exchange;
    return head ? { value: new IncomingResponse(this.#client, this.#exchange, head) } : { error: error! };
  }

  subscribe(): Pollable {
    return new ExchangeReady(this.#exchange, () => this.ready());
  }

  drop(): void {
    this.#exchange.release();
  }
}

export class FutureTrailers {
  readonly #exchange: Exchange;
  #taken = false;

  /** Takes over the hold of the body. */
  constructor(exchange: Exchange) {
    this.#exchange = exchange.hold();
  }

  ready(): boolean {
    this.#exchange.discard();
    return this.#exchange.ended || this.#exchange.error !== undefined;
  }

  get(): Found<Fields | undefined> {
    if (this.#taken) return 'taken';
    if (!this.ready()) return undefined;
    this.#taken = true;
    const { ended, trailers, error } = this.#exchange;
    return ended ? { value: trailers && new Fields(trailers, true) } : { error: error! };
  }

  subscribe(): Pollable {
    return new ExchangeReady(this.#exchange, () => this.ready());
  }

  drop(): void {
    this.#exchange.release();
  }
}
