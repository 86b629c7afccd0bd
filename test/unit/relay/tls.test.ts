import { createHash, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OutsideTarget } from '../../../src/net/outside.ts';
import { type Authority, createAuthority, hasOpenssl } from './support/certificates.ts';
import { startNameServer } from './support/dns.ts';
import { openClient, TestStream } from './support/outside.ts';
import { later, listenEcho, startRelay, until } from './support/relay.ts';

const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const NAMES = ['shop.test', 'other.test', 'plain.test'];

let authority: Authority;
beforeAll(async () => {
  if (hasOpenssl) authority = await createAuthority();
});

/** A TLS server that sends back, in reverse, what it got when its client has ended. Returns its port. */
async function listenTls(names: string, days = 1, onSocket?: (socket: TLSSocket) => void): Promise<number> {
  const server = createServer({ ...(await authority.issue(names, days)), allowHalfOpen: true }, (socket) => {
    const pieces: Buffer[] = [];
    onSocket?.(socket);
    socket.on('error', () => {});
    socket.on('data', (piece) => pieces.push(piece));
    socket.on('end', () => socket.end(Buffer.concat(pieces).reverse()));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  later(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A client whose relay believes the authority, or only the usual ones. */
async function outside(ports: number[], believes = true) {
  const dns = await startNameServer(Object.fromEntries(NAMES.map((name) => [name, ['127.0.0.1']])));
  later(dns.close);
  const allow = ports.map((port) => `127.0.0.1:${port}`);
  const relay = await startRelay({ dns: [dns.address], allow, ...(believes && { ca: [authority.ca] }) });
  const client = openClient(relay.url);
  const outcome = async (target: OutsideTarget) => {
    const error = await new TestStream(client, target).opened().then(
      () => undefined,
      (reason) => reason,
    );
    return error ? `${error.code} ${error.tls}` : 'opened';
  };
  return { client, outcome };
}

const named = (name: string, port: number, serverName = name): OutsideTarget => ({
  host: { name },
  port,
  tls: { serverName },
});

describe.skipIf(!hasOpenssl)('TLS to the outside (openssl makes the certificates)', () => {
  it('is checked by the relay, and carries both halves whole', async () => {
    const names: (string | false | null)[] = [];
    const port = await listenTls('DNS:shop.test', 1, (socket) =>
      names.push((socket as TLSSocket & { servername: string }).servername),
    );
    const { client } = await outside([port]);
    const stream = await new TestStream(client, named('shop.test', port)).opened();
    const bytes = randomBytes(2_000_000);
    await stream.write(bytes);
    stream.stream.end();
    const answer = await stream.whole();
    expect(sha(answer)).toBe(sha(Buffer.from(bytes).reverse()));
    await until(() => stream.closed, 'the close');
    expect(stream.error).toBeUndefined();
    expect(names).toEqual(['shop.test']);
  });

  it('is refused for another name, an authority that nobody knows, and a time that is over', async () => {
    const port = await listenTls('DNS:shop.test');
    const late = await listenTls('DNS:shop.test', -1);
    const { outcome } = await outside([port, late]);
    expect(await outcome(named('shop.test', port))).toBe('opened');
    expect(await outcome(named('other.test', port))).toBe('connection-aborted certificate');
    expect(await outcome(named('shop.test', late))).toBe('connection-aborted certificate');
    const doubting = await outside([port], false);
    expect(await doubting.outcome(named('shop.test', port))).toBe('connection-aborted certificate');
  });

  it('is checked for the server name where that is another than the host', async () => {
    const port = await listenTls('DNS:shop.test');
    const { outcome } = await outside([port]);
    expect(await outcome(named('other.test', port, 'shop.test'))).toBe('opened');
    expect(await outcome(named('shop.test', port, 'other.test'))).toBe('connection-aborted certificate');
  });

  it('is checked for an address where that is all there is', async () => {
    const port = await listenTls('IP:127.0.0.1');
    const wrong = await listenTls('IP:127.0.0.2,DNS:127.0.0.1.test');
    const { outcome } = await outside([port, wrong]);
    const target = (at: number): OutsideTarget => ({
      host: { family: 4, bytes: Uint8Array.of(127, 0, 0, 1) },
      port: at,
      tls: { serverName: '127.0.0.1' },
    });
    expect(await outcome(target(port))).toBe('opened');
    expect(await outcome(target(wrong))).toBe('connection-aborted certificate');
  });

  it('fails as a protocol with a server that speaks none', async () => {
    const port = await listenEcho();
    const { outcome } = await outside([port]);
    expect(await outcome(named('plain.test', port))).toBe('connection-aborted protocol');
  });
});
