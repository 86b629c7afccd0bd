/** What the playground needs of a browser and of its network, each looked at for real. */

import { isolate, registerServiceWorker } from '../gate/isolation.ts';
import { MINIMUM } from '../gate/requirements.ts';
import { NetError } from '../net/errors.ts';
import { findPreviewHost } from '../net/preview/host.ts';
import { BOOT_PATH, isPlace } from '../net/preview/place.ts';
import type { ToPlayground } from '../net/preview/protocol.ts';
import { discoverRelay } from '../net/relay/address.ts';
import { establishBy, Refusal } from '../net/relay/establish.ts';
import type { Way } from '../net/relay/transport.ts';
import { strings } from '../ui/strings.ts';

const { check: texts } = strings;

/** `open`: the playground works without it, but not all of it. */
export type Mark = 'good' | 'bad' | 'open';

export interface Finding {
  mark: Mark;
  words: string;
}

export interface Probe {
  name: string;
  /** It stays in this page; the others ask servers, and may take seconds. */
  near: boolean;
  look(): Promise<Finding>;
}

/** A guest of ordinary size, in pages of 64 KiB. */
const GUEST_PAGES = 1024;
/** How long one look may take, in milliseconds. */
const PATIENCE = 20_000;
/** A host name that no port has: only its boot frame is asked for. */
const NOBODY = `p1-${'a'.repeat(26)}`;

const good = (words: string): Finding => ({ mark: 'good', words });
const bad = (words: string): Finding => ({ mark: 'bad', words });
const open = (words: string): Finding => ({ mark: 'open', words });
const has = (there: boolean, words: string = texts.old(MINIMUM)): Finding => (there ? good(texts.there) : bad(words));
const base = (): URL => new URL(document.baseURI);

async function isolation(): Promise<Finding> {
  const found = await isolate();
  if (found === 'isolated') return good(texts.there);
  return found === 'reloading' ? open(texts.reloading) : bad(found.problem);
}

async function storage(): Promise<Finding> {
  if (!navigator.storage?.getDirectory) return open(texts.noStorage);
  const name = `check-${crypto.randomUUID()}`;
  const root = await navigator.storage.getDirectory();
  await root.getFileHandle(name, { create: true });
  await root.removeEntry(name);
  return good(texts.there);
}

async function room(): Promise<Finding> {
  const { usage = 0, quota = 0 } = await navigator.storage.estimate();
  const persisted = await navigator.storage.persisted();
  const words = texts.room(Math.round(usage / 1e6), Math.round(quota / 1e6));
  return persisted ? good(`${words} ${texts.persisted}`) : open(`${words} ${texts.notPersisted}`);
}

async function serviceWorker(): Promise<Finding> {
  if (!('serviceWorker' in navigator)) return open(texts.noServiceWorker);
  await registerServiceWorker();
  await navigator.serviceWorker.ready;
  return good(texts.there);
}

async function guest(): Promise<Finding> {
  const memory = new WebAssembly.Memory({ initial: GUEST_PAGES, maximum: GUEST_PAGES });
  const bytes = new Uint8Array(memory.buffer);
  for (let at = 0; at < bytes.length; at += 4096) bytes[at] = 1;
  return good(texts.there);
}

const relay = (way: Way) => async (): Promise<Finding> => {
  const url = await discoverRelay(base(), fetch);
  if (!url) return open(texts.noRelay);
  try {
    const connection = await establishBy(way, { WebSocket, fetch: fetch.bind(globalThis) }, url);
    const words = texts.relayBy(connection.transport);
    connection.end(new NetError('connection-aborted', words));
    return good(words);
  } catch (error) {
    // It answered, and wants a token: the way is open.
    return error instanceof Refusal ? good(error.message) : bad(texts.failed(messageOf(error)));
  }
};

async function preview(): Promise<Finding> {
  let wildcard: string;
  try {
    wildcard = await findPreviewHost(base());
  } catch (error) {
    return open(messageOf(error));
  }
  const frame = document.createElement('iframe');
  frame.hidden = true;
  const heard = new Promise<Finding>((resolve) => {
    addEventListener('message', ({ source, origin, data }: MessageEvent<ToPlayground>) => {
      if (source !== frame.contentWindow || !isPlace(new URL(origin).host, wildcard)) return;
      if (data.type === 'failed') resolve(bad(data.message));
      else if (data.type === 'hello') resolve(good(new URL(origin).host));
    });
  });
  frame.src = wildcard.replace('*', NOBODY) + BOOT_PATH;
  document.body.append(frame);
  return heard.finally(() => frame.remove());
}

const near = (name: string, look: Probe['look']): Probe => ({ name, near: true, look });
const far = (name: string, look: Probe['look']): Probe => ({ name, near: false, look });

export const PROBES: Probe[] = [
  near('https', async () => has(isSecureContext, texts.insecure)),
  near('cross-origin isolation', isolation),
  near('shared memory', async () => has(typeof SharedArrayBuffer === 'function', texts.noSharedMemory)),
  near('WebAssembly', async () => has(typeof WebAssembly === 'object')),
  near('Atomics.waitAsync', async () => has(typeof Atomics === 'object' && 'waitAsync' in Atomics)),
  near('private files (OPFS)', storage),
  near('room and persistence', room),
  near('service worker', serviceWorker),
  near('64 MiB for one program', guest),
  far('relay by WebSocket', relay('websocket')),
  far('relay by HTTPS', relay('https')),
  far('hosts of previews', preview),
];

/** What came of a look; never rejects. */
export function lookAt(probe: Probe): Promise<Finding> {
  const late = new Promise<Finding>((resolve) => setTimeout(() => resolve(bad(texts.late)), PATIENCE));
  const looked = probe.look().catch((error) => bad(texts.failed(messageOf(error))));
  return Promise.race([looked, late]);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
