/** The built page with a relay that opens what a test wants, and servers on this machine for a world to reach. */

import { createServer as createHttpServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll } from 'vitest';
import { DIST } from '../../scripts/lib/paths.mjs';
import type { LogEntry } from '../../src/relay/log.ts';
import type { RelayOptions } from '../../src/relay/relay.ts';
import { type RunningServer, startServer } from '../../src/relay/server.ts';
import type { Certificate } from '../unit/relay/support/certificates.ts';
import { startNameServer } from '../unit/relay/support/dns.ts';

const closing: (() => unknown)[] = [];

/** Before the browsers are closed, whose connections would keep servers waiting. */
export const atEnd = (close: () => unknown): void => void closing.push(close);

afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The address, as programs of a world write it, of the machine on which the relay runs. */
export const RELAY_MACHINE = '64:ff9b::7f00:1';

async function start(server: Server, port = 0): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  atEnd(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

export const listenTcp = (onSocket: (socket: Socket) => void): Promise<number> =>
  start(createServer({ allowHalfOpen: true }, onSocket));

export const listenHttp = (
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  tls?: Certificate,
): Promise<number> => start(tls ? createHttpsServer(tls, answer) : createHttpServer(answer));

export interface RelaySite extends RunningServer {
  log: LogEntry[];
}

/** `names` all lead to this machine. */
export async function openRelaySite(
  options: RelayOptions & { ports: number[]; names?: string[]; port?: number; dist?: string },
): Promise<RelaySite> {
  const { ports, names = [], port = 0, dist = DIST, ...more } = options;
  const dns = await startNameServer(Object.fromEntries(names.map((name) => [name, ['127.0.0.1']])));
  atEnd(dns.close);
  const log: LogEntry[] = [];
  const server = await startServer({
    dist,
    port,
    host: '127.0.0.1',
    relay: {
      dns: [dns.address],
      allow: ports.map((one) => `127.0.0.1:${one}`),
      log: (entry) => log.push(entry),
      ...more,
    },
  });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= server.close());
  atEnd(close);
  return { ...server, log, close };
}

/**
 * A host in front of a site that knows no WebSocket: it passes requests on, and with `gathers` it keeps each answer until
 * it is whole, as filters do that look into answers. Returns its address.
 */
export async function openFilter(
  site: { port: number },
  gathers = false,
): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createHttpServer((incoming, outgoing) => {
    requests.push(`${incoming.method} ${incoming.url}`);
    const { port } = site;
    const passed = request(
      { host: '127.0.0.1', port, path: incoming.url, method: incoming.method, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        if (!gathers) {
          outgoing.flushHeaders();
          answer.pipe(outgoing);
          return;
        }
        const pieces: Buffer[] = [];
        answer.on('data', (piece) => pieces.push(piece));
        answer.on('end', () => outgoing.end(Buffer.concat(pieces)));
      },
    );
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n'));
  return { url: `http://127.0.0.1:${await start(server)}/`, requests };
}
