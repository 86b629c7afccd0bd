/** The network of a world, with real components in a browser: sockets, endpoints, HTTP, and the page's own requests. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../scripts/lib/paths.mjs';
import { openBrowser, openSite, type Tab, type TestBrowser } from './harness.ts';
import { call, install, type Outcome, run, type Step } from './probe.ts';

let browser: TestBrowser;
let tab: Tab;
let wasm: string;

beforeAll(async () => {
  const site = await openSite();
  browser = await openBrowser();
  tab = await browser.open(site.url);
  wasm = (await readFile(join(ROOT, 'test/plugins/netprobe/plugin.wasm'))).toString('base64');
  await install(tab, ['server', 'client'], wasm);
});

const server = (steps: Step[]): Promise<Outcome> => run(tab, steps, 'server');
const client = (steps: Step[]): Promise<Outcome> => run(tab, steps, 'client');

/** Waits until a process listens on a port, and gives its ID. */
const listening = (port: number): Promise<string> =>
  tab.evaluate(async (port) => {
    for (;;) {
      const found = (await sausage.world.ports()).find((one) => one.port === port);
      if (found) return found.pid;
    }
  }, port);

/** An HTTP server for one connection, which answers with the text. */
const answer = (port: number, text: string, rest: Step[] = []): Promise<Outcome> =>
  server([
    { op: 'listen', port },
    { op: 'accept', as: 'c' },
    { op: 'read', of: 'c', until: '\r\n\r\n' },
    { op: 'write', of: 'c', text },
    ...rest,
  ]);

describe('sockets', () => {
  test('R5-1 two processes talk over 127.0.0.1, and 10 MB arrive byte for byte', async () => {
    const serving = server([
      { op: 'listen', port: 4001 },
      { op: 'accept', as: 'c' },
      { op: 'read', of: 'c', pattern: true },
      { op: 'write', of: 'c', fill: 10_000_000 },
    ]);
    await listening(4001);
    const { result } = await client([
      { op: 'connect', port: 4001, as: 'c' },
      { op: 'write', of: 'c', fill: 10_000_000 },
      { op: 'shutdown', of: 'c', how: 'send' },
      { op: 'read', of: 'c', pattern: true },
    ]);
    expect(result[3]).toEqual({ size: 10_000_000, right: true });
    expect((await serving).result[2]).toEqual({ size: 10_000_000, right: true });
  });

  test('R5-6 the page hears of ports; a killed process has none, and its connections are reset', async () => {
    await tab.evaluate(() => {
      const heard: unknown[] = [];
      Object.assign(globalThis, { heard });
      sausage.world.on('port', (ports) => heard.push(ports));
    });
    const serving = server([{ op: 'listen', port: 4002 }, { op: 'accept', as: 'c' }, { op: 'hang' }]);
    const pid = await listening(4002);
    const reading = client([
      { op: 'connect', port: 4002, as: 'c' },
      { op: 'read', of: 'c', catch: true },
      { op: 'listen', port: 4002 },
    ]);
    const heardOf = (count: number) =>
      tab.evaluate(async (count) => {
        const { heard } = globalThis as unknown as { heard: unknown[][] };
        while (heard.at(-1)?.length !== count) await new Promise(requestAnimationFrame);
        return heard.at(-1);
      }, count);
    expect(await heardOf(1)).toEqual([{ port: 4002, pid, plugin: 'server' }]);
    expect((await call(tab, 'core.kill', { pid })).result).toEqual({});
    expect((await serving).error?.code).toBe(-32002);
    const { result, error } = await reading;
    if (result) {
      expect(result[1].error.data.code).toBe('connection-reset');
      expect(result[2].port).toBe(4002);
    } else expect(['connection-refused', 'connection-reset']).toContain(error?.data.code);
    expect(await tab.evaluate(() => sausage.world.ports())).toEqual([]);
    await heardOf(0);
  });

  test('500 connections at once, polled together with stdin', async () => {
    const serving = call(tab, 'server.serve', { port: 4003 });
    const pid = await listening(4003);
    expect((await call(tab, 'client.many', { port: 4003, count: 500, at_once: 500 })).result).toBe(500);
    await call(tab, 'core.stop', { pid });
    expect((await serving).result).toEqual({ served: 500, most: 500 });
  });

  test('R3.8-2 on a host without a relay connecting and looking up fail with their codes, the journal says it once', async () => {
    const site = await openSite({ kind: 'bare' });
    const other = await browser.open(site.url);
    await install(other, ['client'], wasm);
    const steps = [
      { op: 'connect', address: '203.0.113.7', port: 80, catch: true },
      { op: 'resolve', name: 'example.com', catch: true },
      { op: 'resolve', name: 'localhost' },
    ];
    const { result } = await run(other, steps, 'client');
    expect(result[0].error.data.code).toBe('remote-unreachable');
    expect(result[1].error.data.code).toBe('temporary-resolver-failure');
    expect(result[2]).toEqual(['127.0.0.1', '::1']);
    const log = await call(other, 'core.log', { plugin: 'client', grep: 'not reached' });
    expect(log.result.length).toBe(1);
  });
});

describe('endpoints', () => {
  test('R5-1–R5-4 a service in /run is found, says who it is, answers, tells and asks back', async () => {
    const serving = call(tab, 'server.endpoint', { path: '/run/control', connections: 2 });
    await tab.evaluate(async () => {
      while (!(await sausage.world.fs.readDir('/run')).some(({ name }) => name === 'control'));
    });
    const text = await tab.evaluate(() => sausage.world.fs.readTextFile('/run/control'));
    expect(text).toMatch(/^tcp:127\.0\.0\.1:\d+ server-[0-9a-f-]+ control\n$/);
    const add = { path: '/run/control', method: 'add', params: { a: 40, b: 2 } };
    const added = await call(tab, 'client.use-endpoint', add);
    expect(added.result.result).toBe(42);
    expect(added.result.who.owner).toBe(text.split(' ')[1]);
    expect(added.result.told).toEqual([{ call: 2, name: 'adding', params: { a: 40, b: 2 } }]);
    const asked = await call(tab, 'client.use-endpoint', { path: '/run/control', method: 'ask', params: { x: 4 } });
    expect(asked.result.result).toEqual({ 'client said': 8 });
    expect((await serving).result.port).toBeGreaterThanOrEqual(49_152);
  });

  test('R5-2 an endpoint in /self is read at /proc/<pid>', async () => {
    const serving = call(tab, 'server.endpoint', { path: '/self/control' });
    const pid = await tab.evaluate(async () => {
      for (;;) {
        const [port] = await sausage.world.ports();
        if (!port) continue;
        const files = await sausage.world.fs.readDir(`/proc/${port.pid}`);
        if (files.some(({ name }) => name === 'control')) return port.pid;
      }
    });
    const path = `/proc/${pid}/control`;
    expect(
      (await call(tab, 'client.use-endpoint', { path, method: 'add', params: { a: 1, b: 1 } })).result.result,
    ).toBe(2);
    await serving;
  });

  test('R5-1–R5-6 the SDK for Rust serves and uses them: calls both ways, what is told, errors, and their end', async () => {
    const sdk = (await readFile(join(ROOT, 'test/plugins/sdk/plugin.wasm'))).toString('base64');
    await install(tab, ['ringer', 'user'], sdk);
    const { result: port } = await call(tab, 'ringer.serve', { path: '/run/ring' });
    const owner = await listening(port);
    const text = await tab.evaluate(() => sausage.world.fs.readTextFile('/run/ring'));
    expect(text).toBe(`tcp:127.0.0.1:${port} ${owner} ring\n`);
    const used = await Promise.all([1, 2, 3].map(() => call(tab, 'user.use_ring', { path: '/run/ring' })));
    for (const { result, error } of used) {
      expect(error).toBeUndefined();
      expect(result).toEqual({
        sum: 42,
        told: [['progress', { done: 1, total: 2 }]],
        slept: [30, 10, 20],
        length: 300_000,
        asked: 'Ada',
        errors: [7, -32601, -32602],
      });
    }
    // a client that speaks the protocol by itself, and a server that does
    const add = { path: '/run/ring', method: 'add', params: { a: 40, b: 2 } };
    expect((await call(tab, 'client.use-endpoint', add)).result.result).toBe(42);
    const owned = await call(tab, 'server.endpoint', { path: '/run/wrong', owner: 'nobody', connections: 0 });
    expect((await call(tab, 'user.use_ring', { path: '/run/wrong' })).error?.message).toMatch(/connection-refused/);
    expect(owned.error).toBeUndefined();
    const other = call(tab, 'server.endpoint', { path: '/run/old', owner: 'nobody-1' });
    await tab.evaluate(async () => {
      while (!(await sausage.world.fs.readDir('/run')).some(({ name }) => name === 'old'));
    });
    expect((await call(tab, 'user.use_ring', { path: '/run/old' })).error?.message).toMatch(
      /\/run\/old is old: server-/,
    );
    await other;
    expect((await call(tab, 'user.use_ring', { path: '/run/none' })).error?.message).toContain('/run/none');
    expect((await call(tab, 'ringer.serve_nothing', { path: '/run/x' })).error?.message).toContain(
      'declares no endpoint',
    );

    // a client that waits hears that the server is gone; what a killed one leaves in /run leads nowhere
    const waits = call(tab, 'user.wait_on', { path: '/run/ring' });
    await tab.evaluate(async () => {
      while (!(await sausage.world.processes()).some(({ method }) => method === 'wait_on'));
    });
    await call(tab, 'core.kill', { pid: owner });
    expect((await waits).error).toMatchObject({ code: -32002 });
    expect((await call(tab, 'user.use_ring', { path: '/run/ring' })).error?.message).toContain('connection-refused');
    // one that is stopped takes its file along
    const { result: again } = await call(tab, 'ringer.serve', { path: '/run/ring' });
    await call(tab, 'core.stop', { pid: await listening(again) });
    const left = await tab.evaluate(async () => (await sausage.world.fs.readDir('/run')).map(({ name }) => name));
    expect(left).not.toContain('ring');
    expect(await tab.evaluate(async () => (await sausage.world.ports()).length)).toBe(0);
    // the process of a service that ends by itself ends with it
    const serving = call(tab, 'ringer.serve_for', { path: '/run/short', milliseconds: 1 });
    expect((await serving).error).toBeUndefined();
    await tab.evaluate(async () => {
      while ((await sausage.world.processes()).some(({ plugin }) => plugin === 'ringer'));
    });
  });

  test('R5-2 R7-3 the plugin secrets keeps them from the journal and hands them to who asks its one process', async () => {
    expect((await call(tab, 'secrets.list')).error?.message).toContain('start the service with secrets.serve');
    // its document is known: until then no params are in the journal anyway
    await tab.evaluate(async () => {
      while (!(await sausage.world.fs.readDir('/proc/plugins')).some(({ name }) => name === 'secrets'));
    });
    await call(tab, 'core.call', { method: 'secrets.serve', params: {}, detach: true });
    expect((await call(tab, 'secrets.serve')).error?.message).toBe('secrets are served already');
    expect((await call(tab, 'secrets.set', { name: 'weather', value: 'hush' })).error).toBeUndefined();
    expect((await call(tab, 'secrets.list')).result).toEqual(['weather']);
    const get = { path: '/run/secrets', method: 'get', params: { name: 'weather' } };
    expect((await call(tab, 'client.use-endpoint', get)).result.result).toBe('hush');
    const lines = (await call(tab, 'core.log', { plugin: 'secrets' })).result.map(({ line }: { line: string }) => line);
    expect(lines).toContain('start set {"name":"weather","value":"•••"}');
    expect(lines.join()).not.toContain('hush');
    expect((await call(tab, 'secrets.remove', { name: 'weather' })).error).toBeUndefined();
    expect(await tab.evaluate(() => sausage.world.fs.readTextFile('/config/secrets.json'))).toBe('{}');
    const [owner] = await tab.evaluate(async () => (await sausage.world.processes()).map(({ pid }) => pid));
    await call(tab, 'core.stop', { pid: owner });
  });

  test('R5-5 endpoint interfaces are declared in the document', async () => {
    const { result } = await call(tab, 'server.rpc.discover');
    expect(result['x-sausage-endpoints'].control.methods[0].name).toBe('add');
  });
});

describe('HTTP', () => {
  test('R3.8-2 a process fetches from another', async () => {
    const serving = answer(8001, 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello');
    await listening(8001);
    const { result } = await call(tab, 'client.fetch', { authority: '127.0.0.1:8001', path: '/x' });
    expect(result).toMatchObject({ status: 200, body: 'hello' });
    expect((await serving).result[2].text).toContain('GET /x HTTP/1.1');
  });

  test('the page fetches from a server of the world, bodies of both directions in pieces', async () => {
    const serving = answer(8002, 'HTTP/1.1 201 Created\r\nContent-Length: 10000000\r\nX-One: 1\r\n\r\n', [
      { op: 'write', of: 'c', fill: 10_000_000 },
    ]);
    await listening(8002);
    const got = await tab.evaluate(async () => {
      const request = new Request('http://any.host/path?q=1', {
        method: 'POST',
        body: 'a body',
        headers: { 'x-a': 'b' },
      });
      const response = await sausage.world.fetch(8002, request);
      const bytes = new Uint8Array(await response.arrayBuffer());
      const wrong = bytes.findIndex((byte, i) => byte !== i % 251);
      return {
        status: response.status,
        text: response.statusText,
        one: response.headers.get('x-one'),
        wrong,
        size: bytes.length,
      };
    });
    expect(got).toEqual({ status: 201, text: 'Created', one: '1', wrong: -1, size: 10_000_000 });
    const { text } = (await serving).result[2];
    expect(text).toMatch(/^POST \/path\?q=1 HTTP\/1\.1\r\n/);
    expect(text).toContain('host: 127.0.0.1:8002\r\n');
    expect(text).toContain('x-a: b\r\n');
  });

  test('the page gives up a request, and hears that nobody listens', async () => {
    const serving = server([
      { op: 'listen', port: 8003 },
      { op: 'accept', as: 'c' },
      { op: 'read', of: 'c' },
    ]);
    await listening(8003);
    const errors = await tab.evaluate(async () => {
      const { signal, abort } = ((made) => ({ signal: made.signal, abort: () => made.abort() }))(new AbortController());
      const message = (error: Error) => `${error.name}: ${error.message}`;
      const given = sausage.world.fetch(8003, new Request('http://x/', { signal })).then(() => 'answered', message);
      setTimeout(abort);
      return [await given, await sausage.world.fetch(1, new Request('http://x/')).then(() => 'answered', message)];
    });
    expect(errors[0]).toMatch(/^AbortError/);
    expect(errors[1]).toBe('Error: No answer from port 1 of this world: nothing listens on port 1 of this world.');
    // the connection is let go: the server comes to its end
    expect((await serving).error).toBeUndefined();
  });
});

test('R5-1 Firefox: two processes talk, and the page fetches from one', async () => {
  const site = await openSite();
  const firefox = await (await openBrowser('firefox')).open(site.url);
  await install(firefox, ['server', 'client'], wasm);
  const outcome = await firefox.evaluate(async () => {
    const { world } = sausage;
    const listening = async (port: number) => {
      while (!(await world.ports()).some((one) => one.port === port));
    };
    const draining = world.call('server.drain', { port: 4001 });
    await listening(4001);
    await world.call('client.flood', { port: 4001, megabytes: 20 });
    const drained = await draining;
    const serving = world.call('server.do', {
      steps: [
        { op: 'listen', port: 8001 },
        { op: 'accept', as: 'c' },
        { op: 'read', of: 'c', until: 'a body' },
        { op: 'write', of: 'c', text: 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello' },
      ],
    });
    await listening(8001);
    const response = await world.fetch(8001, new Request('http://x/y', { method: 'POST', body: 'a body' }));
    const text = await response.text();
    await serving;
    return { drained, text };
  });
  expect(outcome).toEqual({ drained: { bytes: 20_000_000 }, text: 'hello' });
});
