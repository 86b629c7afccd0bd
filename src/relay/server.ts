/**
 * The Node server: the page, and the relay for sockets to the outside, in one process. `startServer` is used by
 * `npm start` and by the tests; it prints nothing.
 */

import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { type BuildOptions, BuildServer } from './build/server.ts';

import { publicName } from './names.ts';
import { isLoopbackHost } from './origins.ts';
import { PreviewSite } from './preview.ts';
import { RELAY_PATH, Relay, type RelayOptions } from './relay.ts';
import { answer, servePage } from './static.ts';

export { logLine } from './log.ts';

export interface ServerOptions {
  /** The folder of the built page. */
  dist: string;
  /** 0 takes any free port. */
  port: number;
  /** The address to listen on; `127.0.0.1` keeps the page to this machine. */
  host: string;
  /** Paths of a certificate (its chain included) and of its key, both PEM. */
  tls?: { cert: string; key: string };
  /** What the relay opens, and for whom; false for none. */
  relay?: RelayOptions | false;
  /**
   * Where previews have their hosts: an origin such as `https://*.preview.example`, whose requests come to this server too;
   * or `localhost`, names of this machine on the next port, which takes a page on this machine over plain http. Not given is
   * no previews.
   */
  preview?: string | undefined;
  /** Compiles plugins in Rust for the page; not given is no. */
  build?: BuildOptions;
  /** Called for each connection and for each request, before anything else: for logs and tests. */
  onConnection?: (socket: Socket) => void;
  onRequest?: RequestListener;
}

export interface RunningServer {
  /** The address for a browser, with a `/` at its end. */
  readonly url: string;
  readonly port: number;
  /** Undefined when there is none. */
  readonly relay: Relay | undefined;
  readonly build: BuildServer | undefined;
  /** Where previews have their hosts, or a sentence that says why there are none. */
  readonly preview: { origin: string } | { problem: string };
  /** Takes no new connections, lets requests end for two seconds at most, and resolves when the port is free. */
  close(): Promise<void>;
}

/** A failure that whoever started the server can mend; the message is a sentence that says how. */
export class ServerFailure extends Error {
  override readonly name = 'Failure';
}

const GRACE = 2000;
/** Of that, for the relay to say that it stops to who is still there. */
const LAST_WORDS = 300;
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** What `relay.json` says: where the page's relay is, relative to the page. */
const description = (relay: Relay | undefined) => ({ relay: relay?.usable ? RELAY_PATH.slice(1) : null });

/** What `preview.json` says. */
const told = (preview: { site: PreviewSite } | { problem: string }): RunningServer['preview'] =>
  'site' in preview ? { origin: preview.site.origin } : preview;

async function readPem(option: 'certificate' | 'key', path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const reason =
      cause.code === 'ENOENT' ? 'there is no such file' : cause.code === 'EISDIR' ? 'it is a folder' : cause.message;
    throw new ServerFailure(
      `Cannot read the ${option} ${path}: ${reason}. Use --tls with the paths of a certificate and its key.`,
      { cause },
    );
  });
  if (!text.includes('-----BEGIN')) throw new ServerFailure(`The ${option} ${path} is no PEM file.`);
  return text;
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  const listening = new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  await listening.catch((cause: NodeJS.ErrnoException) => {
    const sentence = {
      EADDRINUSE: `Port ${port} is taken by another program (perhaps by a second start of this one). Choose another with --port, e.g. --port ${port + 10}.`,
      EACCES: `Port ${port} is reserved for the administrator of this machine. Choose one above 1024 with --port.`,
      EADDRNOTAVAIL: `This machine has no address ${host}. Use --host 127.0.0.1 for this machine alone, --host 0.0.0.0 for its whole network.`,
      ENOTFOUND: `The host name ${host} is not known. Use --host 127.0.0.1 for this machine alone, --host 0.0.0.0 for its whole network.`,
    }[cause.code ?? ''];
    throw sentence ? new ServerFailure(sentence, { cause }) : cause;
  });
}

function closer(server: Server, relay?: Relay, build?: BuildServer): () => Promise<void> {
  return async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    const timer = setTimeout(() => server.closeAllConnections(), GRACE);
    await Promise.all([relay?.close(GRACE - LAST_WORDS), build?.close()]);
    await closed;
    clearTimeout(timer);
  };
}

/** The relay that options ask for; its complaints about them are for whoever started the server. */
function createRelay(url: string, { host, relay }: ServerOptions): Relay | undefined {
  if (relay === false) return undefined;
  try {
    return new Relay(url, host, relay);
  } catch (cause) {
    if (cause instanceof RangeError) throw new ServerFailure(`${cause.message}.`.replace(/\.\.$/, '.'), { cause });
    throw cause;
  }
}

const NEED_NAME =
  'pages of programs need host names of their own. Set the variable PREVIEW_ORIGIN to a wildcard name that leads to this server, for example https://*.preview.example (docs/HOSTING.md).';

/** The site of previews, with a server of its own on the next port where it needs one; or why there is none. */
async function createPreview(
  port: number,
  { dist, host, tls, preview, onConnection }: ServerOptions,
): Promise<{ site: PreviewSite; server?: Server } | { problem: string }> {
  if (preview === undefined) return { problem: 'this server was started without them.' };
  if (preview !== 'localhost') {
    try {
      return { site: new PreviewSite(preview, dist) };
    } catch (cause) {
      throw new ServerFailure(`PREVIEW_ORIGIN: ${(cause as Error).message}.`, { cause });
    }
  }
  if (tls || !isLoopbackHost(host)) return { problem: NEED_NAME };
  let site: PreviewSite | undefined;
  const server = createHttpServer((request, response) => {
    if (!site?.request(request, response)) answer(response, 404, 'There is nothing at this address.');
  });
  if (onConnection) server.on('connection', onConnection);
  try {
    await listen(server, port, host);
  } catch (error) {
    if (error instanceof ServerFailure) return { problem: error.message };
    throw error;
  }
  site = new PreviewSite(`http://*.localhost:${(server.address() as AddressInfo).port}`, dist);
  return { site, server };
}

async function createBuild(url: string, { host, build }: ServerOptions): Promise<BuildServer | undefined> {
  try {
    return build && (await BuildServer.create(url, host, build));
  } catch (cause) {
    throw new ServerFailure(`--build: ${cause instanceof Error ? cause.message : cause}.`, { cause });
  }
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const page = servePage(options.dist);
  let relay: Relay | undefined;
  let build: BuildServer | undefined;
  let preview: Awaited<ReturnType<typeof createPreview>> = { problem: 'the server has not started yet.' };
  const listener: RequestListener = (request, response) => {
    options.onRequest?.(request, response);
    if ('site' in preview && preview.site.request(request, response)) return;
    if (relay?.request(request, response) || build?.request(request, response)) return;
    if (request.url === '/healthz') answer(response, 200, 'ok');
    else if (request.url === '/relay.json') answer(response, 200, JSON.stringify(description(relay)), JSON_TYPE);
    else if (request.url === '/preview.json') answer(response, 200, JSON.stringify(told(preview)), JSON_TYPE);
    else if (request.url?.startsWith('/preview/')) answer(response, 404, 'There is nothing at this address.');
    else page(request, response);
  };

  let server: Server;
  let cert: string | undefined;
  if (options.tls) {
    cert = await readPem('certificate', options.tls.cert);
    const key = await readPem('key', options.tls.key);
    try {
      server = createHttpsServer({ cert, key }, listener);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ServerFailure(
        `The certificate ${options.tls.cert} and the key ${options.tls.key} do not work together: ${reason}.`,
        { cause },
      );
    }
  } else {
    server = createHttpServer(listener);
  }
  if (options.onConnection) server.on('connection', options.onConnection);
  await listen(server, options.port, options.host);
  const { port } = server.address() as AddressInfo;
  const url = `${cert ? 'https' : 'http'}://${publicName(options.host, cert)}:${port}/`;
  try {
    relay = createRelay(url, options);
    build = await createBuild(url, options);
    preview = await createPreview(options.port === 0 ? 0 : options.port + 1, options);
  } catch (error) {
    await closer(server, relay)();
    throw error;
  }
  server.on('upgrade', (request, socket, head) => {
    if (!relay?.upgrade(request, socket, head)) socket.destroy();
  });
  const previews = 'site' in preview ? preview.server : undefined;
  const closing = [closer(server, relay, build), ...(previews ? [closer(previews)] : [])];
  const close = async () => void (await Promise.all(closing.map((end) => end())));
  return { url, port, relay, build, preview: told(preview), close };
}
