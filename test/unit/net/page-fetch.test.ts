/** `wasi:http` of a program by the page's `fetch`: real processes, Node's `fetch`, and servers on this machine behind made-up sites. */

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { NetError } from '../../../src/net/errors.ts';
import { PageFetch } from '../../../src/net/http/page-fetch.ts';
import { Machines, type Outcome } from './support/machines.ts';

let world: Machines;
const closing: (() => void)[] = [];
beforeAll(async () => {
  world = await Machines.create();
});
afterEach(() => {
  for (const close of closing.splice(0)) close();
});
afterAll(() => world.close());

const BASE = new URL('https://page.test/');

async function listen(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Each name of `.test` leads to that server; `refuse` fails as a browser fails what it does not let a page read. */
function usePage(port: number, refuse: (init: RequestInit) => boolean = () => false, online = true) {
  const asked: { url: string; init: RequestInit }[] = [];
  world.machines.network.http = new PageFetch({
    base: BASE,
    online: () => online,
    fetch: async (url, init = {}) => {
      asked.push({ url: String(url), init });
      if (refuse(init)) throw new TypeError('Failed to fetch');
      const target = new URL(String(url));
      return fetch(`http://127.0.0.1:${port}${target.pathname}${target.search}`, init);
    },
  });
  return asked;
}

const ask = (params: object): Promise<Outcome> =>
  world.start('fetch', { scheme: 'https', authority: 'site.test', ...params }).outcome;

const gather = async (request: AsyncIterable<Buffer>): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
};

describe("a request by the page's fetch", () => {
  test('R3.8-2 brings status, headers and body, as a stranger to the site', async () => {
    const port = await listen((request, response) => {
      response.writeHead(201, { 'X-One': request.headers['x-asked'], 'Content-Length': 5 });
      response.end('hello');
    });
    const asked = usePage(port);
    const { result, error } = await ask({ path: '/a?b=grün', headers: [['X-Asked', 'yes']] });
    expect(error).toBeUndefined();
    expect([result.status, result.body, result.trailers]).toEqual([201, 'hello', null]);
    expect(result.headers).toContainEqual(['x-one', 'yes']);
    expect(result.headers.map(([name]: [string]) => name)).not.toContain('content-length');
    expect(asked).toMatchObject([
      { url: 'https://site.test/a?b=gr%C3%BCn', init: { method: 'GET', credentials: 'omit', redirect: 'follow' } },
    ]);
  });

  test('streams 10 MB each way', async () => {
    // Answered when all has come: a program that reads only after it has written would wait for ever for an echo as it comes.
    const port = await listen(async (request, response) => response.end(await gather(request)));
    const asked = usePage(port);
    const { result, error } = await ask({
      method: 'POST',
      body: { fill: 100_000, times: 100 },
      quiet: true,
    });
    expect(error).toBeUndefined();
    expect(result.size ?? result.body).toBe(10_000_000);
    expect(asked[0]?.init.body).toBeInstanceOf(ReadableStream);
  });

  test('sends a body whole where it does not go as a stream, and remembers that of the site', async () => {
    const got: string[] = [];
    const port = await listen(async (request, response) => {
      got.push(`${request.headers['content-length']} ${await gather(request)}`);
      response.end('taken');
    });
    const asked = usePage(port, ({ body }) => body instanceof ReadableStream);
    for (const text of ['abc', 'def']) {
      const { result } = await ask({ method: 'POST', body: { text, times: 2 } });
      expect(result.body).toBe('taken');
    }
    expect(got).toEqual(['6 abcabc', '6 defdef']);
    expect(asked.map(({ init }) => init.body?.constructor.name)).toEqual(['ReadableStream', 'Blob', 'Blob']);
  });

  test('does not send a long body twice', async () => {
    const port = await listen(() => {});
    let asked = 0;
    world.machines.network.http = new PageFetch({
      base: BASE,
      online: () => true,
      fetch: async (_, init) => {
        asked++;
        const reader = (init!.body as ReadableStream<Uint8Array>).getReader();
        for (let bytes = 0; bytes <= 2_000_000; ) bytes += (await reader.read()).value!.length;
        throw new TypeError('Failed to fetch');
      },
    });
    const { error } = await ask({ method: 'POST', body: { fill: 100_000, times: 40 } });
    expect(error).toBeDefined();
    expect([asked, port > 0]).toEqual([1, true]);
  });

  test.each([
    ['a site that the browser does not let the page read', {}, 'http-request-denied', /site\.test .*CORS.*relay/],
    ['plain http', { scheme: 'http' }, 'http-request-denied', /https only/],
    ['a change on the page’s own host', { authority: 'page.test', method: 'POST' }, 'http-request-denied', /own host/],
    ['a method that no page may use', { method: 'TRACE' }, 'http-request-method-invalid', undefined],
  ])('R3.8-2 %s is an error with its code, and a sentence in the journal', async (_, params, code, sentence) => {
    const asked = usePage(1, () => true);
    const lines = world.lines.length;
    const { error } = await ask(params);
    expect(error?.data).toEqual({ http: code });
    const said = world.lines.slice(lines);
    if (sentence) expect(said.join()).toMatch(sentence);
    else expect(said).toEqual([]);
    expect(asked.length).toBe(sentence?.source.includes('CORS') ? 1 : 0);
  });

  test('R3.8-2 without a network it says so', async () => {
    usePage(1, () => true, false);
    const { error } = await ask({});
    expect(error?.data).toEqual({ http: 'destination-unavailable' });
    expect(world.lines.at(-1)).toMatch(/no network/);
  });

  test('an answer that breaks off is incomplete, one that is late is a time-out, and the server hears of both', async () => {
    let gone = 0;
    const port = await listen((request, response) => {
      response.on('close', () => gone++);
      if (request.url === '/late') return;
      response.writeHead(200, { 'Content-Length': 10 });
      response.write('half', () => response.destroy());
    });
    usePage(port);
    expect((await ask({ path: '/cut' })).error?.message).toMatch(/incomplete/i);
    const { error } = await ask({ path: '/late', connect_ms: 100, first_byte_ms: 100 });
    expect(error?.data).toEqual({ http: 'connection-read-timeout' });
    await expect.poll(() => gone).toBe(2);
  });

  test('a process that is killed gives its request up', async () => {
    let gone!: () => void;
    const left = new Promise<void>((resolve) => (gone = resolve));
    let came!: () => void;
    const arrived = new Promise<void>((resolve) => (came = resolve));
    const port = await listen((_, response) => {
      response.on('close', gone);
      came();
    });
    usePage(port);
    const process = world.start('fetch', { scheme: 'https', authority: 'site.test' });
    await arrived;
    process.kill();
    await left;
  });

  test('servers inside of the world are asked over its loopback, whatever is chosen', async () => {
    const asked = usePage(1);
    world.run([
      { op: 'listen', port: 8600 },
      { op: 'accept', as: 'c' },
      { op: 'read', of: 'c', until: '\r\n\r\n' },
      { op: 'write', of: 'c', text: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi' },
    ]);
    await world.listening(8600);
    const { result } = await ask({ scheme: 'http', authority: 'localhost:8600' });
    expect([result.body, asked]).toEqual(['hi', []]);
  });

  test('R3.8-2 what the visitor refuses is denied, and said once a process', async () => {
    world.machines.network.http = new NetError('access-denied', 'HTTP to the outside is not wanted.');
    const lines = world.lines.length;
    expect((await ask({})).error?.data).toEqual({ http: 'http-request-denied' });
    expect(world.lines.slice(lines)).toEqual([expect.stringMatching(/not reached: HTTP to the outside is not wanted/)]);
  });
});
