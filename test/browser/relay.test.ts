/** The way outside, from a program in a world through the page's relay to servers on this machine. */

import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../scripts/lib/paths.mjs';
import { type Authority, createAuthority, hasOpenssl } from '../unit/relay/support/certificates.ts';
import type { ChromiumTab } from './chromium.ts';
import { findFirefox, openBrowser, openSite, type Tab, type TestBrowser } from './harness.ts';
import { install, run } from './probe.ts';
import { atEnd, listenHttp, listenTcp, openFilter, openRelaySite, RELAY_MACHINE } from './relay-site.ts';

let browser: TestBrowser;
let wasm: string;
let authority: Authority;

beforeAll(async () => {
  browser = await openBrowser();
  wasm = (await readFile(join(ROOT, 'test/plugins/netprobe/plugin.wasm'))).toString('base64');
  if (hasOpenssl) authority = await createAuthority();
});

async function open(url: string, where = browser): Promise<Tab> {
  const tab = await where.open(url);
  await install(tab, ['client'], wasm);
  return tab;
}

const state = (tab: Tab) => tab.evaluate(() => sausage.world.relay);

/** The pattern of the probe: what it sends as `fill`, and knows again as `pattern`. */
const pattern = (length: number): Buffer => Buffer.from(Uint8Array.from({ length }, (_, i) => i % 251));
const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A server that takes all that comes, then answers as much. */
function listenSwap(length: number, seen: string[]): Promise<number> {
  return listenTcp((socket) => {
    const pieces: Buffer[] = [];
    socket.on('data', (piece) => pieces.push(piece));
    socket.on('end', () => {
      seen.push(sha(Buffer.concat(pieces)));
      socket.end(pattern(length));
    });
  });
}

const swap = (port: number, length: number) => [
  { op: 'connect', as: 'c', address: RELAY_MACHINE, port },
  { op: 'write', of: 'c', fill: length },
  { op: 'shutdown', of: 'c', how: 'send' },
  { op: 'read', of: 'c', pattern: true },
];

const firefox = await findFirefox();

describe.each([
  ['Chromium', false],
  ['Firefox', true],
] as const)('in %s', (_, isFirefox) => {
  test.skipIf(isFirefox && !firefox)(
    'R3.8-2 10 MB go to a TCP server and back byte for byte, each half ended by itself, by WebSocket',
    async () => {
      const seen: string[] = [];
      const length = 10_000_000;
      const port = await listenSwap(length, seen);
      const site = await openRelaySite({ ports: [port] });
      const tab = await open(site.url, isFirefox ? await openBrowser('firefox') : browser);
      expect(await state(tab)).toMatchObject({ kind: 'idle' });
      const { result, error } = await run(tab, swap(port, length), 'client');
      expect(error).toBeUndefined();
      expect(result[0].remote).toBe(`[${RELAY_MACHINE}]:${port}`);
      expect(result[3]).toEqual({ size: length, right: true });
      expect(seen).toEqual([sha(pattern(length))]);
      const relay = `ws://127.0.0.1:${site.port}/relay`;
      expect(await state(tab)).toMatchObject({ kind: 'connected', transport: 'websocket', relay });
    },
  );
});

test('R3.8-2 six million bytes that a program sends before it ends arrive whole', async () => {
  let got: Buffer | undefined;
  const port = await listenTcp((socket) => {
    const pieces: Buffer[] = [];
    socket.on('data', (piece) => pieces.push(piece));
    socket.on('end', () => {
      got = Buffer.concat(pieces);
    });
  });
  const site = await openRelaySite({ ports: [port] });
  const tab = await open(site.url);
  const steps = [
    { op: 'connect', as: 'c', address: RELAY_MACHINE, port },
    { op: 'write', of: 'c', fill: 6_000_000 },
  ];
  expect((await run(tab, steps, 'client')).error).toBeUndefined();
  await expect.poll(() => got?.length, { timeout: 20_000 }).toBe(6_000_000);
  expect(sha(got!)).toBe(sha(pattern(6_000_000)));
});

test('R3.8-2 names, datagrams and refusals arrive as wasi:sockets has them', async () => {
  const echo = createSocket('udp4');
  echo.on('message', (data, peer) => echo.send(data, peer.port, peer.address));
  await new Promise<void>((resolve) => echo.bind(0, '127.0.0.1', resolve));
  atEnd(() => echo.close());
  const { port } = echo.address();
  const site = await openRelaySite({ ports: [port, 1], names: ['shop.test'] });
  const tab = await open(site.url);
  const steps = [
    { op: 'resolve', name: 'relay.internal' },
    { op: 'resolve', name: 'none.test', catch: true },
    { op: 'connect', as: 'a', address: RELAY_MACHINE, port: 1, catch: true },
    { op: 'connect', as: 'b', address: '10.0.0.1', port: 80, catch: true },
    { op: 'udp', address: '::' },
    { op: 'send', address: RELAY_MACHINE, port, text: 'hello' },
    { op: 'receive' },
  ];
  const { result, error } = await run(tab, steps, 'client');
  expect(error).toBeUndefined();
  expect(result[0]).toEqual([RELAY_MACHINE]);
  expect(result.slice(1, 4).map((one: { error: { data: unknown } }) => one.error.data)).toEqual([
    { code: 'name-unresolvable' },
    { code: 'connection-refused' },
    { code: 'access-denied' },
  ]);
  expect(JSON.stringify(result[6])).toContain('hello');
});

test.skipIf(!hasOpenssl)(
  'R3.8-2 HTTP and HTTPS reach servers by their names, and a wrong certificate is refused (openssl makes them)',
  async () => {
    const answer = (words: string) =>
      listenHttp((request, response) => response.end(`${words} ${request.headers.host}`));
    const plain = await answer('plain');
    const secure = await listenHttp((_, response) => response.end('secure'), await authority.issue('DNS:shop.test'));
    const site = await openRelaySite({
      ports: [plain, secure],
      names: ['shop.test', 'other.test'],
      ca: [authority.ca],
    });
    const tab = await open(site.url);
    const steps = [
      { op: 'fetch', authority: `shop.test:${plain}` },
      { op: 'fetch', scheme: 'https', authority: `shop.test:${secure}` },
      { op: 'fetch', scheme: 'https', authority: `other.test:${secure}`, catch: true },
      { op: 'fetch', authority: 'none.test', catch: true },
      { op: 'fetch', authority: '10.0.0.1', catch: true },
    ];
    const { result, error } = await run(tab, steps, 'client');
    expect(error).toBeUndefined();
    expect(JSON.stringify(result[0])).toContain(`plain shop.test:${plain}`);
    expect(JSON.stringify(result[1])).toContain('secure');
    expect(result[2].error.data).toEqual({ http: 'tls-certificate-error' });
    expect(result[3].error.data).toEqual({ http: 'dns-error' });
    expect(result[4].error.data).toEqual({ http: 'http-request-denied' });
  },
);

describe('where WebSocket is blocked', () => {
  test.each([
    ['a stream of HTTPS', false],
    ['one answer after the other, where streams are kept back too', true],
  ])('the same frames go by %s, and the page says so', async (_, gathers) => {
    const seen: string[] = [];
    const length = 2_000_000;
    const port = await listenSwap(length, seen);
    const hidden = { port: 0 };
    const filter = await openFilter(hidden, gathers);
    const site = await openRelaySite({ ports: [port], origins: [new URL(filter.url).origin] });
    hidden.port = site.port;
    const tab = await open(filter.url);
    const { result, error } = await run(tab, swap(port, length), 'client');
    expect(error).toBeUndefined();
    expect(result[3]).toEqual({ size: length, right: true });
    expect(seen).toEqual([sha(pattern(length))]);
    const now = await state(tab);
    expect(now).toMatchObject({ kind: 'connected', transport: gathers ? 'poll' : 'stream' });
    expect(now.message).toMatch(
      gathers ? /HTTPS, one answer after the other/ : /by a stream of HTTPS, because WebSocket is blocked here\.$/,
    );
    const { page } = tab as ChromiumTab;
    const words = page.locator('sausage-status').getByText(gathers ? 'outside by long poll' : 'outside by HTTPS');
    await words.waitFor({ state: 'attached' });
    const count = (what: string) => filter.requests.filter((one) => one === what).length;
    expect(count('POST /relay/session')).toBe(1);
    // A stream is one request; answers are many.
    if (gathers) expect(count('GET /relay/down')).toBeGreaterThan(3);
    else expect(count('GET /relay/down')).toBeLessThanOrEqual(2);
  });
});

test('R3.8-2 when the relay goes away sockets are reset, new ones name it, and it is used again when it is back', async () => {
  let connected = 0;
  const port = await listenTcp((socket) => {
    connected++;
    socket.pipe(socket);
  });
  const site = await openRelaySite({ ports: [port] });
  const tab = await open(site.url);
  await tab.evaluate(() => {
    const told: string[] = [];
    sausage.world.on('relay', ({ kind }) => told.push(kind));
    Object.assign(globalThis, { told });
  });
  const held = run(
    tab,
    [
      { op: 'connect', as: 'c', address: RELAY_MACHINE, port },
      { op: 'read', of: 'c', count: 1 },
    ],
    'client',
  );
  await expect.poll(() => connected, { timeout: 30_000 }).toBe(1);
  await site.close();
  const lost = await held;
  expect(lost.error).toMatchObject({ code: -32000 });
  const connect = [{ op: 'connect', as: 'c', address: RELAY_MACHINE, port }];
  const away = await run(tab, connect, 'client');
  expect(away.error?.data).toEqual({ code: 'remote-unreachable' });
  expect(await state(tab)).toMatchObject({ kind: 'away' });
  const line = await tab.evaluate(async () => JSON.stringify(await sausage.world.call('core.log', { grep: 'relay' })));
  expect(line).toContain(`ws://127.0.0.1:${site.port}/relay`);
  await openRelaySite({ ports: [port], port: site.port });
  await expect.poll(async () => (await state(tab)).kind, { timeout: 60_000 }).toBe('connected');
  expect((await run(tab, connect, 'client')).error).toBeUndefined();
  const told = await tab.evaluate(() => (globalThis as unknown as { told: string[] }).told);
  expect(told.slice(0, 3)).toEqual(['connecting', 'connected', 'away']);
});

test('R3.8-2 on a host that names no relay connect gives remote-unreachable and names a temporary failure', async () => {
  const site = await openSite({ kind: 'bare' });
  const tab = await open(site.url);
  const steps = [
    { op: 'connect', as: 'c', address: '1.1.1.1', port: 80, catch: true },
    { op: 'resolve', name: 'shop.test', catch: true },
  ];
  const { result } = await run(tab, steps, 'client');
  expect(result.map((one: { error: { data: unknown } }) => one.error.data)).toEqual([
    { code: 'remote-unreachable' },
    { code: 'temporary-resolver-failure' },
  ]);
  expect(await state(tab)).toMatchObject({ kind: 'none', message: expect.stringMatching(/names no relay/) });
});

test('R8-5 a world from outside, one without services too, goes nowhere before the visitor has agreed', async () => {
  const port = await listenTcp((socket) => socket.end());
  const site = await openRelaySite({ ports: [port] });
  const tab = await open(site.url);
  const outcome = await tab.evaluate(
    async ({ address, port }) => {
      const zip = await sausage.world.exportZip();
      await sausage.world.close();
      const world = await sausage.openWorld({ name: 'stranger', from: zip });
      const steps = [{ op: 'connect', as: 'c', address, port, catch: true }];
      const [before] = (await world.call('client.do', { steps })) as { error?: { data: unknown } }[];
      const held = [world.relay.kind, world.held];
      await world.consent();
      held.push(world.held);
      const [after] = (await world.call('client.do', { steps })) as { error?: unknown; remote?: string }[];
      return { held, before, after };
    },
    { address: RELAY_MACHINE, port },
  );
  expect(outcome).toMatchObject({
    held: ['held', true, false],
    before: { error: { data: { code: 'access-denied' } } },
    after: { remote: `[${RELAY_MACHINE}]:${port}` },
  });
  expect(site.log.filter(({ event }) => event === 'tcp')).toHaveLength(1);
});
