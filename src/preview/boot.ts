/**
 * The boot frame, a page of a preview's host: has the service worker registered, stands between it and the page that has the
 * world, and shows the pages of the server in a frame of its own.
 */

import { labelOf, SERVICE_PATH } from '../net/preview/place.ts';
import type { FromService, ToBoot, ToPlayground, ToService } from '../net/preview/protocol.ts';

type Said<M> = M extends unknown ? Omit<M, 'sausage'> : never;

const [label = ''] = location.hostname.split('.');
const port = Number(/^p(\d+)-/.exec(label)?.[1]);
/** The page that has the world, once it has shown that this host is its own. */
let playground: string | undefined;
let view: HTMLIFrameElement | undefined;
let path = '/';
/** A channel was asked for, and has not come. */
let wanted = false;

const say = (message: Said<ToPlayground>): void =>
  parent.postMessage({ sausage: 'preview', ...message }, playground ?? '*');

function fail(message: string): void {
  say({ type: 'failed', message });
}

function want(): void {
  if (!playground || wanted) return;
  wanted = true;
  say({ type: 'want' });
}

async function tellService(message: ToService, ports: MessagePort[] = []): Promise<void> {
  const { active } = await navigator.serviceWorker.ready;
  active?.postMessage(message, ports);
}

/** What the visitor sees is a page of this origin, so it can be asked where it is. */
function tellPlace(): void {
  try {
    const { location: place, document: page } = view!.contentWindow as Window;
    if (place.origin !== location.origin) return;
    path = place.pathname + place.search + place.hash;
    say({ type: 'at', path, title: page.title });
  } catch {
    // it has gone to another site
  }
}

function show(): void {
  if (view) return;
  view = document.createElement('iframe');
  view.title = 'The page';
  view.addEventListener('load', tellPlace);
  view.src = path;
  document.body.append(view);
}

async function begin(from: string, { world, path: first }: Extract<ToBoot, { type: 'begin' }>): Promise<void> {
  if ((await labelOf(from, world, port)) !== label) return;
  playground = from;
  path = first;
  want();
}

addEventListener('message', ({ source, origin, data, ports }: MessageEvent<ToBoot>) => {
  if (source !== parent || data?.sausage !== 'preview') return;
  if (data.type === 'begin') return void begin(origin, data);
  if (origin !== playground) return;
  switch (data.type) {
    case 'channel':
      wanted = false;
      void tellService({ type: 'channel' }, [...ports]).then(show);
      return;
    case 'gone':
      wanted = false;
      void tellService({ type: 'gone', message: data.message }).then(show);
      return;
    case 'go':
      if (view) view.src = new URL(data.path, location.origin).href;
      return;
    case 'reload':
      try {
        view?.contentWindow?.location.reload();
      } catch {
        if (view) view.src = path;
      }
  }
});

async function start(): Promise<void> {
  if (parent === self) return;
  try {
    navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<FromService>) => {
      if (data?.type === 'want') want();
    });
    navigator.serviceWorker.startMessages();
    await navigator.serviceWorker.register(SERVICE_PATH, { updateViaCache: 'none' });
    await navigator.serviceWorker.ready;
  } catch (error) {
    fail(`This browser gives previews no service worker in a frame: ${(error as Error).message}`);
    return;
  }
  say({ type: 'hello' });
}

document.body.style.cssText = 'margin: 0';
const sheet = new CSSStyleSheet();
sheet.replaceSync('html, body { height: 100% } iframe { display: block; width: 100%; height: 100%; border: 0 }');
document.adoptedStyleSheets = [sheet];
void start();
