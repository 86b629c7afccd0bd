/** Fetches the zip of a world from an address. */

import type { BootProgress } from '../core/protocol.ts';

/** The largest zip that is fetched, in bytes: a page holds all of it before the world is filled. */
const LARGEST = 512 * 1024 * 1024;

export interface DownloadOptions {
  /** The SHA-256 of the zip in hexadecimal digits, or the first 32 and more of them. */
  hash?: string | undefined;
  onProgress?: ((progress: BootProgress) => void) | undefined;
}

/** The zip at an address. Rejects with a sentence that says what to do, also for one that is not what `hash` says. */
export async function downloadWorld(url: URL, { hash, onProgress }: DownloadOptions = {}): Promise<Blob> {
  const response = await answerOf(url);
  const total = Number(response.headers.get('content-length') ?? 0);
  let done = 0;
  const counted = response.body!.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        done += chunk.length;
        if (Math.max(done, total) > LARGEST) throw new Error(tooLarge(url));
        onProgress?.({ step: 'download', done, total: Math.max(total, done) });
        controller.enqueue(chunk);
      },
    }),
  );
  let zip: Blob;
  try {
    zip = await new Response(counted).blob();
  } catch (cause) {
    if (cause instanceof Error && cause.message === tooLarge(url)) throw cause;
    throw new Error(`The world at ${url} did not arrive as a whole: the connection broke off. Try again.`, { cause });
  }
  if (hash !== undefined && !(await hashOf(zip)).startsWith(hash.toLowerCase()))
    throw new Error(
      `What came from ${url} is not the world that the link means: its SHA-256 does not begin with ${hash}. Ask whoever gave you the link for a new one.`,
    );
  return zip;
}

/** The SHA-256 of a zip in hexadecimal digits. */
export async function hashOf(zip: Blob): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await zip.arrayBuffer()));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function answerOf(url: URL): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { credentials: url.origin === location.origin ? 'same-origin' : 'omit' });
  } catch (cause) {
    throw new Error(unreachable(url), { cause });
  }
  if (response.status === 404)
    throw new Error(`There is no world at ${url}. The link may have expired, or be cut: ask for a new one.`);
  if (!response.ok || !response.body)
    throw new Error(`${url} gave no world: it answered with status ${response.status}.`);
  return response;
}

/** A browser does not say which it was. */
function unreachable(url: URL): string {
  if (url.origin === location.origin)
    return `The world could not be loaded from ${url}: there is no network, or the server is gone.`;
  return (
    `The world could not be loaded from ${url}: the site cannot be reached, or does not let other pages read its files (CORS). ` +
    'Download the zip in a tab of its own and import it here, or ask for it at a place that sends “Access-Control-Allow-Origin: *”.'
  );
}

const tooLarge = (url: URL): string =>
  `The world at ${url} is larger than ${LARGEST / 1024 ** 2} MiB, which is more than a page can load.`;
