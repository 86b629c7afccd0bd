/** Serves the built page to a browser under test: by the project's own server, or by one that knows nothing about it. */

import { readFile, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { extname, join } from 'node:path';
import { DIST } from '../../scripts/lib/paths.mjs';
import type { BuildOptions } from '../../src/relay/build/server.ts';
import { startServer } from '../../src/relay/server.ts';

export interface SiteOptions {
  /** `server`: the project's own, with all headers. `bare`: a plain file server without a special header or a type for data. */
  kind?: 'server' | 'bare';
  /** Only `bare`: the folder of the page on its host, e.g. `/some/where/`. */
  path?: string;
  /** Another folder than the built page. */
  dist?: string;
  /** Only `server`: with a build server. */
  build?: BuildOptions;
  /** Only `server`: with hosts for previews, on another port. */
  previews?: boolean;
}

export interface SiteRequest {
  /** Path with query. */
  url: string;
  status: number;
  /** Bytes of the body as they went over the wire. */
  bytes: number;
  /** When the answer had been sent, in milliseconds since 1970. */
  ended: number;
}

export interface Site {
  /** The address of the page. */
  readonly url: string;
  /** Every request since the start, in the order of their ends. */
  readonly requests: SiteRequest[];
  /** Only `bare`: from now on, files come from this folder. */
  dist: string;
  /** While it is offline, the host does not answer: connections are closed at once. */
  offline: boolean;
  close(): Promise<void>;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

async function answerBare(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  dist: string,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://host');
  const name = pathname.startsWith(path) ? pathname.slice(path.length).replace(/(^|\/)$/, '$1index.html') : undefined;
  const file = name && join(dist, name);
  if (!file || name.includes('..') || !(await stat(file).catch(() => undefined))?.isFile()) {
    response.writeHead(404, { 'Content-Type': 'text/html' }).end('<h1>Not found</h1>');
    return;
  }
  const body = await readFile(file);
  response.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'text/plain', 'Content-Length': body.length });
  response.end(body);
}

function record(site: Pick<Site, 'requests'>, request: IncomingMessage, response: ServerResponse): void {
  response.on('finish', () => {
    const bytes = Number(response.getHeader('Content-Length') ?? 0);
    site.requests.push({ url: request.url ?? '', status: response.statusCode, bytes, ended: Date.now() });
  });
}

export async function serve({
  kind = 'server',
  path = '/',
  dist = DIST,
  build,
  previews,
}: SiteOptions = {}): Promise<Site> {
  const site = { url: '', requests: [] as SiteRequest[], dist, offline: false, close: async () => {} };
  const sockets = new Set<Socket>();
  const onConnection = (socket: Socket): void => {
    if (site.offline) return void socket.destroy();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  };
  if (kind === 'server') {
    const server = await startServer({
      dist,
      port: 0,
      host: '127.0.0.1',
      build,
      preview: previews ? 'localhost' : undefined,
      onConnection,
      onRequest: (request, response) => record(site, request, response),
    });
    Object.assign(site, { url: server.url, close: server.close });
  } else {
    const server: Server = createServer((request, response) => {
      record(site, request, response);
      answerBare(request, response, path, site.dist).catch(() => response.destroy());
    });
    server.on('connection', onConnection);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    site.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
    site.close = async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    };
  }
  let offline = false;
  return Object.defineProperty(site, 'offline', {
    get: () => offline,
    set: (value: boolean) => {
      offline = value;
      if (offline) for (const socket of sockets) socket.destroy();
    },
  });
}
