/**
 * The service worker of a preview's host: sends the requests of its pages to a port of the world, over a channel that the
 * boot frame brings. The browser may stop it at any time; then it asks for another channel.
 */

import type { PortResponse } from '../src/core/protocol.ts';
import { PREVIEW_HEADERS } from '../src/headers.ts';
import { bodyOf, portRequest } from '../src/net/port-request.ts';
import { BOOT_PATH, OWN_PATHS } from '../src/net/preview/place.ts';
import type { FromPort, FromService, ToPort, ToService } from '../src/net/preview/protocol.ts';
import { problemPage } from '../src/preview/problem-page.ts';

/** The few types of a service worker's scope that are used here; TypeScript's own cannot stand beside those of a page. */
interface Client {
  id: string;
  url: string;
  postMessage(message: FromService): void;
}
interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface ServiceEvents {
  install: ExtendableEvent;
  activate: ExtendableEvent;
  message: ExtendableEvent & MessageEvent<ToService> & { source: Client | null };
  fetch: ExtendableEvent & { request: Request; respondWith(response: Promise<Response>): void };
}
declare const self: {
  location: Location;
  clients: {
    matchAll(options: object): Promise<Client[]>;
    get(id: string): Promise<Client | undefined>;
    claim(): Promise<void>;
  };
  skipWaiting(): Promise<void>;
  addEventListener<E extends keyof ServiceEvents>(type: E, listener: (event: ServiceEvents[E]) => void): void;
};

/** How long a boot frame may take to bring a channel, in milliseconds. */
const PATIENCE_MS = 10_000;
const CLOSED = 'The world of this page is not open. Open it in the playground, and its preview there.';

/** No answer will come; the message is a sentence. */
class Gone extends Error {}

/** A channel to the port, and who brought it: when that frame is gone, so is what is behind the channel. */
class Channel {
  readonly owner: string;
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, { resolve(response: PortResponse): void; reject(error: Error): void }>();
  #count = 0;

  constructor(port: MessagePort, owner: string) {
    this.#port = port;
    this.owner = owner;
    port.onmessage = ({ data }: MessageEvent<FromPort>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (data.type === 'response') waiting?.resolve(data.response);
      else waiting?.reject(new Error(data.message));
    };
    // not every browser tells it
    port.addEventListener('close', () => drop(this, CLOSED));
  }

  async fetch(request: Request): Promise<PortResponse> {
    const [sent, given] = await portRequest(request);
    const id = ++this.#count;
    const tell = (message: ToPort, transfer: Transferable[] = []) => this.#port.postMessage(message, transfer);
    request.signal.addEventListener('abort', () => tell({ type: 'cancel', id }), { once: true });
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      tell({ type: 'request', id, request: sent }, given);
    });
  }

  close(reason: string): void {
    this.#port.close();
    for (const { reject } of this.#waiting.values()) reject(new Gone(reason));
    this.#waiting.clear();
  }
}

let channel: Channel | undefined;
/** Those who wait for the next channel. */
let arrivals: { resolve(channel: Channel): void; reject(error: Error): void }[] = [];

function drop(old: Channel, reason: string): void {
  old.close(reason);
  if (channel === old) channel = undefined;
}

/** The channel of now, or the next one. */
async function connected(): Promise<Channel> {
  if (channel && !(await self.clients.get(channel.owner))) drop(channel, CLOSED);
  if (channel) return channel;
  const clients = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const boots = clients.filter(({ url }) => new URL(url).pathname === BOOT_PATH);
  if (boots.length === 0) throw new Gone(CLOSED);
  const next = new Promise<Channel>((resolve, reject) => {
    arrivals.push({ resolve, reject });
    setTimeout(() => reject(new Gone(CLOSED)), PATIENCE_MS);
  });
  for (const boot of boots) boot.postMessage({ type: 'want' });
  return next;
}

/** The same stream, with somebody who hears when nobody reads it any more. */
function watched(stream: ReadableStream<Uint8Array>, ended: () => void): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
          ended();
        } catch (error) {
          ended();
          throw error;
        }
      },
      cancel(reason) {
        ended();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** The answer of the server as a page of this host; `ended` is called when its body has been read or given up. */
function responseOf(answer: PortResponse, url: string, ended: () => void): Response {
  const { status, statusText } = answer;
  const headers = new Headers();
  for (const [name, value] of answer.headers) headers.append(name, value);
  const location = headers.get('Location');
  if (location !== null) headers.set('Location', here(location, url));
  // the playground shows it in a frame, whatever the server thinks of frames
  headers.delete('X-Frame-Options');
  let body = bodyOf(answer);
  if (body) body = watched(body, ended);
  else ended();
  const coding = headers.get('Content-Encoding')?.trim().toLowerCase();
  if (body && (coding === 'gzip' || coding === 'x-gzip' || coding === 'deflate')) {
    // a browser unpacks what comes from the network only
    body = body.pipeThrough(new DecompressionStream(coding === 'deflate' ? 'deflate' : 'gzip') as never);
    headers.delete('Content-Encoding');
    headers.delete('Content-Length');
  }
  for (const [name, value] of Object.entries(PREVIEW_HEADERS)) headers.set(name, value);
  return new Response(body, { status, statusText, headers });
}

/** Where a server sends its visitor, on this host: it knows itself as 127.0.0.1 at its port. */
function here(location: string, url: string): string {
  const target = URL.canParse(location, url) ? new URL(location, url) : undefined;
  if (!target) return location;
  const [, port] = /^p(\d+)-/.exec(self.location.hostname) ?? [];
  const own = target.protocol === 'http:' && /^(127\.0\.0\.1|localhost|\[::1\])$/.test(target.hostname);
  if (own && (target.port || '80') === port)
    return self.location.origin + target.pathname + target.search + target.hash;
  return target.href;
}

async function answer(request: Request, ended: () => void): Promise<Response> {
  try {
    const { url } = request;
    return responseOf(await (await connected()).fetch(request), url, ended);
  } catch (error) {
    ended();
    const { message } = error as Error;
    return problemPage(error instanceof Gone ? 503 : 502, message, request.mode === 'navigate');
  }
}

self.addEventListener('install', (event) => event.waitUntil(self.skipWaiting()));
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('message', ({ data, ports, source }) => {
  if (!source || new URL(source.url).pathname !== BOOT_PATH) return;
  const [port] = ports;
  const waiting = arrivals;
  if (data.type === 'channel' && port) {
    arrivals = [];
    if (channel) drop(channel, 'The page was connected anew.');
    channel = new Channel(port, source.id);
    for (const { resolve } of waiting) resolve(channel);
  } else if (data.type === 'gone' && (!channel || channel.owner === source.id)) {
    arrivals = [];
    if (channel) drop(channel, data.message);
    for (const { reject } of waiting) reject(new Gone(data.message));
  }
});

self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  if (url.origin !== self.location.origin || OWN_PATHS.has(url.pathname)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  // a body that still comes keeps the worker, as far as the browser allows
  event.waitUntil(promise);
  event.respondWith(answer(event.request, resolve));
});
