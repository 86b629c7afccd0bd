/** The static page: the files of `dist/`, compressed ahead, with all headers that the page needs. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import sirv from 'sirv';
import { PAGE_HEADERS } from '../headers.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Answers in one line of plain text. */
export function answer(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    ...PAGE_HEADERS,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    'Content-Type': 'text/plain; charset=utf-8',
    ...headers,
  });
  response.end(`${text}\n`);
}

/** Types that the library's table does not know, and one that it gives no charset. */
const TYPES: [ending: RegExp, type: string][] = [
  [/\.js$/, 'text/javascript; charset=utf-8'],
  [/\.txt$/, 'text/plain; charset=utf-8'],
  [/\.(bin|world|pack|dat)$/, 'application/octet-stream'],
];

/** Serves a folder as it was when this was called: `GET` and `HEAD`, whole files. */
export function servePage(folder: string): Handler {
  const serve = sirv(folder, {
    etag: true,
    brotli: true,
    gzip: true,
    extensions: ['html'],
    onNoMatch: (_, response) => answer(response, 404, 'There is nothing at this address.'),
    setHeaders: (response, path) => {
      for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
      response.setHeader('X-Content-Type-Options', 'nosniff');
      response.setHeader('Referrer-Policy', 'no-referrer');
      // A name in `assets/` carries a hash of the content; anything else is asked for again each time.
      response.setHeader(
        'Cache-Control',
        path.startsWith('/assets/') ? 'public,max-age=31536000,immutable' : 'no-cache',
      );
      const type = TYPES.find(([ending]) => ending.test(path))?.[1];
      if (type) response.setHeader('Content-Type', type);
    },
  });
  return (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return answer(response, 405, 'Only GET and HEAD are possible here.', { Allow: 'GET, HEAD' });
    }
    // Nothing here is read in parts, and the library does not check the numbers of a range.
    delete request.headers.range;
    serve(request, response);
  };
}
