/**
 * The service worker: gives the page its isolation headers on hosts that send none, and keeps the files of the page for
 * times without a network.
 *
 * A build is kept as one cache of its own. The page itself comes from the network while that answers in time, so a
 * visitor gets a new build at the next load; everything else has a hash in its name, is looked for in the caches of all
 * builds first, and is therefore always of the build that asks. A build is dropped once no open page uses it.
 */

import { buildsOf } from '../src/gate/builds.ts';
import { PAGE_HEADERS } from '../src/headers.ts';

/** The few types of a service worker's scope that are used here; TypeScript's own cannot stand beside those of a page. */
interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface ServiceEvents {
  install: ExtendableEvent;
  activate: ExtendableEvent;
  message: ExtendableEvent & MessageEvent;
  fetch: ExtendableEvent & { request: Request; respondWith(response: Promise<Response>): void };
}
declare const self: {
  registration: ServiceWorkerRegistration;
  clients: { matchAll(options: object): Promise<{ id: string; url: string }[]> };
  skipWaiting(): Promise<void>;
  addEventListener<E extends keyof ServiceEvents>(type: E, listener: (event: ServiceEvents[E]) => void): void;
};

/** Put in by the build: its ID and the names of its files, `index.html` and this worker left out. */
declare const __SHIPPED__: { id: string; files: string[] };

const { id: ID, files } = __SHIPPED__;
const SCOPE = self.registration.scope;
const PREFIX = buildsOf(SCOPE);
const BUILD = PREFIX + ID;
const FILES = new Set(files.map((file) => new URL(file, SCOPE).href));
const ASSETS = new URL('assets/', SCOPE).href;
const CHECK = new URL('check/', SCOPE).href;

/** How long the network may take for the page itself when an older copy is at hand, in milliseconds. */
const PATIENCE = 2000;

/** The response with the headers of the page; as it is when the host sends the isolation headers itself. */
function isolated(response: Response): Response {
  if (response.type === 'error' || response.type === 'opaqueredirect' || response.redirected) return response;
  if (/^(require-corp|credentialless)/.test(response.headers.get('Cross-Origin-Embedder-Policy') ?? ''))
    return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(PAGE_HEADERS)) headers.set(name, value);
  // The body is decoded already.
  headers.delete('Content-Encoding');
  headers.delete('Content-Length');
  const hasBody = ![204, 205, 304].includes(response.status);
  return new Response(hasBody ? response.body : null, {
    status: response.status,
    statusText: response.statusText,
    headers,
  });
}

/** Keeping is a favour: a full disk must not keep anyone from working. */
async function keep(url: string, response: Response): Promise<void> {
  try {
    const cache = await caches.open(BUILD);
    await cache.put(url, response);
  } catch {
    // Without it, the file is fetched again.
  }
}

/** The ID of the build whose page this is; undefined when it is no page of ours (a portal that wants a login). */
const buildOf = (html: string): string | undefined => /<meta name="sausage-build" content="([^"]+)"/.exec(html)?.[1];

async function fetchShell(request: Request | string): Promise<Response | undefined> {
  try {
    const response = await fetch(request, { cache: 'no-cache' });
    if (response.type === 'opaqueredirect') return response;
    if (!response.ok) return undefined;
    const id = buildOf(await response.clone().text());
    if (!id) return undefined;
    const shell = isolated(response);
    if (id === ID) await keep(SCOPE, shell.clone());
    return shell;
  } catch {
    return undefined;
  }
}

async function answerShell(request: Request): Promise<Response> {
  const fresh = fetchShell(request);
  const kept = await caches.open(BUILD).then((cache) => cache.match(SCOPE));
  if (!kept) return (await fresh) ?? fetch(request);
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE));
  return (await Promise.race([fresh, late])) ?? kept;
}

async function answerFile(event: ServiceEvents['fetch']): Promise<Response> {
  const { request } = event;
  const kept = await caches.match(request.url);
  if (kept) return kept;
  const response = isolated(await fetch(request));
  // Not awaited: the page reads while the copy is written.
  if (response.status === 200 && FILES.has(request.url)) event.waitUntil(keep(request.url, response.clone()));
  return response;
}

/** The page of checks, from the network as long as there is one. */
async function answerCheck(request: Request): Promise<Response> {
  try {
    return isolated(await fetch(request));
  } catch (error) {
    const kept = await caches.match(`${CHECK}index.html`);
    if (kept) return kept;
    throw error;
  }
}

/** Fetches what is not kept yet, a few files at a time. */
async function keepAll(): Promise<boolean> {
  const cache = await caches.open(BUILD);
  const missing = [...FILES];
  let whole = true;
  const work = async (): Promise<void> => {
    for (let url = missing.pop(); url; url = missing.pop()) {
      if (await cache.match(url)) continue;
      try {
        const response = await fetch(url);
        if (!response.ok) throw new Error(response.statusText);
        await cache.put(url, isolated(response));
      } catch {
        whole = false;
      }
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  if (!(await cache.match(SCOPE))) await fetchShell(SCOPE);
  return whole && Boolean(await cache.match(SCOPE));
}

/**
 * Drops every build but this one that no open page holds (a shared lock with the build's name). As long as there are
 * more pages than locks a page is still on its way, and may be of any build: nothing is dropped. (Chromium gives locks
 * other client IDs than pages have, so they cannot be matched.)
 */
async function dropUnused(): Promise<void> {
  if (!navigator.locks) return;
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const { held = [] } = await navigator.locks.query();
  const used = held.map(({ name }) => name ?? '').filter((name) => name.startsWith(PREFIX));
  if (pages.filter(({ url }) => url.startsWith(SCOPE)).length > used.length) return;
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== BUILD && !used.includes(name)) await caches.delete(name);
  }
}

self.addEventListener('install', (event) => {
  // Safe, because no build's files go away while a page uses them.
  event.waitUntil(self.skipWaiting());
});

self.addEventListener('activate', (event) => {
  event.waitUntil(dropUnused());
});

self.addEventListener('message', (event) => {
  if (event.data?.type !== 'keep') return;
  const [port] = event.ports;
  // Of no effect for a worker that is active; one that still waits asks again.
  void self.skipWaiting();
  event.waitUntil(
    keepAll().then(async (whole) => {
      await dropUnused();
      port?.postMessage(whole ? 'ready' : 'incomplete');
    }),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET') return;
  const url = request.url.replace(/[?#].*$/, '');
  if (request.mode === 'navigate') {
    if (url === SCOPE || url === `${SCOPE}index.html`) event.respondWith(answerShell(request));
    else if (url === CHECK || url === `${CHECK}index.html`) event.respondWith(answerCheck(request));
  } else if (url.startsWith(ASSETS) || FILES.has(url)) {
    event.respondWith(answerFile(event));
  }
});
