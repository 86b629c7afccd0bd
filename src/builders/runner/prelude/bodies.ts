/** `Request` and `Response`: what both do with a body. */

import { Headers } from './headers.ts';
import { ReadableStream } from './streams.ts';

export type Bytes = Uint8Array<ArrayBuffer>;
type BodyInit = string | ArrayBuffer | ArrayBufferView | URLSearchParams | ReadableStream<Uint8Array> | null;

interface Extracted {
  /** When all of it is known. */
  bytes: Bytes | undefined;
  stream: ReadableStream<Uint8Array> | null;
  type: string | undefined;
}

/** As bytes, with the type that its kind has. */
function extract(body: BodyInit | undefined): Extracted {
  if (body === undefined || body === null) return { bytes: undefined, stream: null, type: undefined };
  if (body instanceof ReadableStream) return { bytes: undefined, stream: body, type: undefined };
  if (body instanceof ArrayBuffer) return whole(new Uint8Array(body.slice(0)), undefined);
  if (ArrayBuffer.isView(body)) {
    return whole(new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength).slice(), undefined);
  }
  // looking at the global would load the part of the prelude that has it
  const form = Object.prototype.toString.call(body) === '[object URLSearchParams]';
  const type = form ? 'application/x-www-form-urlencoded;charset=UTF-8' : 'text/plain;charset=UTF-8';
  return whole(new TextEncoder().encode(String(body)), type);
}

function whole(bytes: Bytes, type: string | undefined): Extracted {
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (bytes.length > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
  return { bytes, stream, type };
}

class Body {
  #stream: ReadableStream<Uint8Array> | null;
  #used = false;
  readonly headers: Headers;
  /** The whole body, while nobody has read of it; for `fetch`. */
  readonly bytesOfBody: Bytes | undefined;

  constructor(body: BodyInit | undefined, headers: Headers) {
    const { bytes, stream, type } = extract(body);
    this.#stream = stream;
    this.bytesOfBody = bytes;
    this.headers = headers;
    if (type && !headers.has('content-type')) headers.set('content-type', type);
  }

  get body(): ReadableStream<Uint8Array> | null {
    return this.#stream;
  }

  get bodyUsed(): boolean {
    return this.#used || (this.#stream?.locked ?? false);
  }

  async bytes(): Promise<Bytes> {
    if (this.bodyUsed) throw new TypeError('the body was read already');
    this.#used = true;
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.#stream ?? []) {
      if (!(chunk instanceof Uint8Array)) throw new TypeError('a body is made of Uint8Array');
      chunks.push(chunk);
    }
    const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const chunk of chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return all;
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer;
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes());
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  /** A second stream of the same body. */
  protected branch(): ReadableStream<Uint8Array> | null {
    if (this.bodyUsed) throw new TypeError('the body was read already');
    if (!this.#stream) return null;
    const [mine, other] = this.#stream.tee();
    this.#stream = mine;
    return other;
  }
}

export interface RequestInit {
  method?: string;
  headers?: ConstructorParameters<typeof Headers>[0];
  body?: BodyInit;
  signal?: AbortSignal | null;
  redirect?: 'follow' | 'error' | 'manual';
}

const USUAL = /^(delete|get|head|options|post|put|patch)$/i;

export class Request extends Body {
  readonly url: string;
  readonly method: string;
  readonly signal: AbortSignal | undefined;
  readonly redirect: 'follow' | 'error' | 'manual';

  constructor(input: Request | URL | string, init: RequestInit = {}) {
    const from = input instanceof Request ? input : undefined;
    super(
      init.body === undefined ? (from?.bytesOfBody ?? from?.body) : init.body,
      new Headers(init.headers ?? from?.headers),
    );
    this.url = from?.url ?? address(String(input));
    const method = String(init.method ?? from?.method ?? 'GET');
    if (!/^[!#$%&'*+\-.^_`|~\w]+$/.test(method)) throw new TypeError(`${JSON.stringify(method)} is no method of HTTP`);
    this.method = USUAL.test(method) ? method.toUpperCase() : method;
    this.signal = init.signal === undefined ? from?.signal : (init.signal ?? undefined);
    this.redirect = init.redirect ?? from?.redirect ?? 'follow';
    if (this.body && /^(GET|HEAD)$/.test(this.method)) throw new TypeError(`${this.method} has no body`);
  }

  clone(): Request {
    const { method, headers, signal, redirect } = this;
    return new Request(this.url, { method, headers, signal, redirect, body: this.bytesOfBody ?? this.branch() });
  }
}

function address(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new TypeError(`${JSON.stringify(text)} is no whole address: it begins with http:// or https://`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError(`fetch knows http: and https:, not ${url.protocol}`);
  }
  return url.href;
}

interface ResponseInit {
  status?: number;
  statusText?: string;
  headers?: ConstructorParameters<typeof Headers>[0];
}

export class Response extends Body {
  readonly status: number;
  readonly statusText: string;
  readonly type = 'default';
  url = '';
  redirected = false;

  constructor(body?: BodyInit, { status = 200, statusText = '', headers }: ResponseInit = {}) {
    super(body, new Headers(headers));
    if (!(status >= 200 && status <= 599))
      throw new RangeError(`a response has a status from 200 to 599, not ${status}`);
    this.status = status;
    this.statusText = statusText;
  }

  get ok(): boolean {
    return this.status < 300;
  }

  clone(): Response {
    const { status, statusText, headers } = this;
    const copy = new Response(this.branch(), { status, statusText, headers });
    copy.url = this.url;
    copy.redirected = this.redirected;
    return copy;
  }

  static json(value: unknown, init: ResponseInit = {}): Response {
    const headers = new Headers(init.headers);
    if (!headers.has('content-type')) headers.set('content-type', 'application/json');
    return new Response(JSON.stringify(value), { ...init, headers });
  }

  static redirect(url: string, status = 302): Response {
    return new Response(null, { status, headers: { location: url } });
  }
}
