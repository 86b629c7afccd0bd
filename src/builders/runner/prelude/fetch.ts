/** `fetch`, `Headers`, `Request`, `Response` and `ReadableStream`: the part of the prelude for HTTP. */

import { Request, type RequestInit, Response } from './bodies.ts';
import { exchange } from './exchange.ts';
import { Headers } from './headers.ts';
import { ReadableStream } from './streams.ts';

/** What the codes of `wasi:http` mean for whoever wrote the program. */
const WORDS: Record<string, string> = {
  'DNS-error': 'there is no host of this name',
  'DNS-timeout': 'nobody knows this name in time',
  'connection-refused': 'nobody listens there',
  'connection-terminated': 'the connection ended before there was an answer',
  'connection-timeout': 'there was no connection in time',
  'connection-read-timeout': 'the answer did not come in time',
  'connection-limit-reached': 'there are too many connections',
  'destination-unavailable': 'there is no way to it from this world',
  'HTTP-request-denied': 'the relay or the page does not allow it',
  'HTTP-protocol-error': 'the answer is not HTTP',
  'HTTP-response-incomplete': 'the answer ended in the middle',
  'TLS-certificate-error': 'its certificate is not good',
};
const MOST_REDIRECTS = 20;
const NO_BODY = new Set([204, 205, 304]);

async function fetch(input: Request | URL | string, init?: RequestInit): Promise<Response> {
  // the frames of the caller, which are gone after the first wait
  const { stack = '' } = new Error();
  let request: Request | undefined;
  try {
    request = new Request(input, init);
    return await follow(request);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // the reason of an abort
    const { code, message } = error as TypeError & { code?: string };
    const text = code ? `${request?.method} ${request?.url} failed: ${WORDS[code] ?? code} (${message})` : message;
    const told = new TypeError(text, { cause: error });
    Object.defineProperty(told, 'stack', {
      value: stack.replace(/^Error/, () => `TypeError: ${text}`),
      writable: true,
      configurable: true,
    });
    throw told;
  }
}

async function follow(request: Request): Promise<Response> {
  let url = new URL(request.url);
  let { method } = request;
  let body = request.bytesOfBody ?? request.body ?? undefined;
  const headers = new Headers(request.headers);
  for (let redirects = 0; ; redirects++) {
    const list = [...headers];
    if (body instanceof Uint8Array) list.push(['content-length', String(body.length)]);
    const got = await exchange({ method, url, headers: list, body, signal: request.signal });
    const target = got.status >= 301 && got.status <= 308 && new Headers(got.headers).get('location');
    if (!target || got.status === 304 || request.redirect === 'manual') {
      const hasBody = method !== 'HEAD' && !NO_BODY.has(got.status);
      if (!hasBody) await got.body.cancel();
      const response = new Response(hasBody ? got.body : null, got);
      response.url = url.href;
      response.redirected = redirects > 0;
      return response;
    }
    await got.body.cancel();
    if (request.redirect === 'error') throw new TypeError(`${url} sends to ${target}, and redirect is "error"`);
    if (redirects === MOST_REDIRECTS) throw new TypeError(`${request.url} sends on without an end`);
    if (body instanceof ReadableStream) throw new TypeError(`${url} sends on, and a stream can be sent only once`);
    const next = new URL(target, url);
    if (got.status === 303 || (got.status < 303 && method === 'POST')) {
      method = method === 'HEAD' ? 'HEAD' : 'GET';
      body = undefined;
      headers.delete('content-type');
    }
    // what proves who one is belongs to the host that it was meant for
    if (next.origin !== url.origin) headers.delete('authorization');
    url = next;
  }
}

for (const [name, value] of Object.entries({ fetch, Headers, Request, Response, ReadableStream })) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
}
