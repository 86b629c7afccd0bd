/** The hosts of previews: three small files, and for all else a page that says to open the world. Worlds never come here. */

import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { PREVIEW_HEADERS, PREVIEW_POLICY } from '../headers.ts';
import { isPlace, isWildcard, OWN_PATHS } from '../net/preview/place.ts';
import { problemHtml } from '../preview/problem-page.ts';

const CLOSED = 'The world of this page is not open. Open it in the playground, and its preview there.';
const TYPES: Record<string, string> = { html: 'text/html; charset=utf-8', js: 'text/javascript; charset=utf-8' };
const COMMON = {
  ...PREVIEW_HEADERS,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

export class PreviewSite {
  /** An origin with `*` as its first label. */
  readonly origin: string;
  readonly #folder: string;

  /** `dist` is the folder of the built page. Throws `RangeError` for what is no wildcard. */
  constructor(origin: string, dist: string) {
    if (!isWildcard(origin)) throw new RangeError(`"${origin}" is no wildcard name such as https://*.preview.example`);
    this.origin = origin;
    this.#folder = join(dist, 'preview');
  }

  /** Answers a request to one of the hosts; false for any other. */
  request(request: IncomingMessage, response: ServerResponse): boolean {
    if (!isPlace(request.headers.host ?? '', this.origin)) return false;
    void this.#answer(request, response);
    return true;
  }

  async #answer({ method = '', url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = url.replace(/[?#].*$/, '');
    const own = OWN_PATHS.has(path) && (method === 'GET' || method === 'HEAD');
    const content = own && (await readFile(join(this.#folder, path)).catch(() => undefined));
    if (!content) {
      response.writeHead(503, { ...COMMON, 'Cache-Control': 'no-store', 'Content-Type': TYPES.html });
      response.end(method === 'HEAD' ? undefined : problemHtml(CLOSED));
      return;
    }
    const type = path.slice(path.lastIndexOf('.') + 1);
    response.writeHead(200, {
      ...COMMON,
      'Content-Security-Policy': PREVIEW_POLICY,
      'Cache-Control': 'no-cache',
      'Content-Type': TYPES[type],
      'Content-Length': content.length,
    });
    response.end(method === 'HEAD' ? undefined : content);
  }
}
