/** Plugins in JavaScript on the network of a world: the runner's `fetch` and sockets against a plugin in Rust. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReadyComponent } from '../../../src/syscall/protocol.ts';
import { Machines, type Outcome, type Running, type Step } from '../net/support/machines.ts';
import { ready } from '../wasi/support/component.ts';
import { component } from './support.ts';

let world: Machines;
let probe: ReadyComponent;

/** Runs the body of a function of `params`, or calls another method. */
const PROBE = `import { endpoint, method, onStop, serve, stopping, t } from 'sausage';
import * as net from 'sausage/net';
import * as fs from 'sausage/fs';
const bodies: Record<string, (params: any, context: any) => unknown> = {
BODIES
};
serve({
  methods: Object.fromEntries(Object.entries(bodies).map(([name, run]) => [name, method({ params: t.any(), result: t.any(), run })])),
  endpoints: { control: {
    add: method({ params: t.object({ a: t.integer(), b: t.integer() }), result: t.integer(), run: ({ a, b }, { tell }) => { tell('adding', { a, b }); return a + b; } }),
    ask: method({ params: t.any(), result: t.any(), run: async (params: any, { call }) => ({ 'client said': await call('double', params) }) }),
    hold: method({ run: (_, { signal }) => new Promise<void>((resolve) => { fs.replaceFile('/run/held', 'yes'); signal.addEventListener('abort', () => { fs.replaceFile('/run/left', String(signal.reason.message)); resolve(); }); }) }),
    fail: method({ run() { throw new Error('it failed'); } }),
  } },
});`;

const BODIES: Record<string, string> = {
  get: `async ({ url, init }) => {
    const response = await fetch(url, init);
    return { status: response.status, url: response.url, type: response.headers.get('content-type'), text: await response.text() };
  }`,
  failure: `async ({ url, init }) => {
    try {
      await (await fetch(url, init)).text();
    } catch (error: any) {
      return { name: error.name, message: error.message, code: error.cause?.code, stack: error.stack };
    }
  }`,
  stream: `async ({ url }) => {
    const sizes: number[] = [];
    for await (const chunk of (await fetch(url)).body!) sizes.push(chunk.length);
    return { size: sizes.reduce((a, b) => a + b, 0), chunks: sizes.length };
  }`,
  first: `async ({ url }, { tell }) => {
    const reader = (await fetch(url)).body!.getReader();
    const { value } = await reader.read();
    tell('first');
    await reader.cancel();
    return new TextDecoder().decode(value);
  }`,
  post: `async ({ url }) => (await fetch(url, { method: 'POST', body: new URLSearchParams({ a: '1', b: 'é' }) })).text()`,
  upload: `async ({ url, count }) => (await fetch(url, { method: 'PUT', body: ReadableStream.from((function* () {
    for (let i = 0; i < count; i++) yield new Uint8Array(10_000).fill(65 + i % 26);
  })()) })).text()`,
  taker: `async () => {
    const server = net.listen(async (connection) => {
      let text = '';
      for await (const bytes of connection) {
        text += new TextDecoder().decode(bytes);
        if (!text.endsWith('\\r\\n0\\r\\n\\r\\n')) continue;
        const count = String(text.match(/[A-Z]{10,}/g)!.join('').length);
        await connection.write('HTTP/1.1 200 OK\\r\\nContent-Length: ' + count.length + '\\r\\n\\r\\n' + count);
        await connection.end();
      }
    });
    fs.replaceFile('/run/taker', String(server.port));
    await new Promise((resolve) => stopping.addEventListener('abort', resolve));
  }`,
  late: `async ({ url }) => {
    const error = await fetch(url, { signal: AbortSignal.timeout(20) }).catch((e) => e);
    return [error.name, error instanceof DOMException];
  }`,
  abort: `async ({ url }, { tell }) => {
    const controller = new AbortController();
    const response = await fetch(url, { signal: controller.signal });
    const reading = response.text().catch((e) => e.name);
    controller.abort();
    return reading;
  }`,
  many: `async ({ url, count }) => {
    const all = await Promise.all(Array.from({ length: count }, () => fetch(url).then((r) => r.text())));
    return all.length;
  }`,
  echo: `async () => {
    const server = net.listen(async (connection) => {
      for await (const bytes of connection) await connection.write(bytes);
    });
    fs.replaceFile('/run/echo', String(server.port));
    await new Promise((resolve) => stopping.addEventListener('abort', resolve));
    return 'stopped';
  }`,
  talk: `async ({ port, size }) => {
    const connection = await net.connect(port);
    const sent = new Uint8Array(size).map((_, i) => i % 251);
    const writing = connection.write(sent).then(() => connection.end());
    let at = 0;
    let right = true;
    for await (const bytes of connection) for (const byte of bytes) right &&= byte === at++ % 251;
    await writing;
    return { at, right };
  }`,
  lines: `async ({ port }) => {
    const connection = await net.connect(port);
    const { address, port: there } = connection.remote;
    const all: string[] = [];
    for await (const line of connection.lines()) all.push(line);
    return { address, same: there === port, all };
  }`,
  refused: `async ({ port, host }) => net.connect(port, host).then(() => 'connected', (e) => [e.name, e.code, e.message])`,
  taken: `({ port }) => { net.listen(() => {}, { port }); try { net.listen(() => {}, { port }); } catch (e: any) { return [e.code, e.message]; } }`,
  storm: `async ({ port }) => {
    // a timer without an end, and all the same the connection and the promises are heard
    let timers = 0;
    const again = () => { timers++; setTimeout(again, 0); };
    again();
    const connection = await net.connect(port);
    const bytes = await connection.read();
    return { bytes: bytes?.length, timers: timers > 0 };
  }`,
  forever: `async (_, { tell }) => {
    const again = () => setTimeout(again, 0);
    again();
    tell('running');
    await new Promise<void>((resolve) => onStop(() => { resolve(); }));
    return 'heard of the end';
  }`,
  closed: `async ({ port }) => {
    const connection = await net.connect(port);
    const reading = connection.read().catch((e) => e.message);
    connection.close();
    connection.close();
    return [await reading, await connection.write('x').catch((e) => e.message)];
  }`,
  serve: `async ({ path }) => {
    endpoint.listen('control', { path });
    await new Promise((resolve) => stopping.addEventListener('abort', resolve));
  }`,
  use: `async ({ path, name, params }) => {
    const told: unknown[] = [];
    const methods = { double: method({ params: t.object({ x: t.integer() }), result: t.integer(), run: ({ x }) => x * 2 }) };
    const control = await endpoint.connect(path, { methods });
    const result = await control.call(name, params, { onTell: (what, about) => told.push([what, about]) });
    control.close();
    return { owner: control.owner, result, told };
  }`,
};

beforeAll(async () => {
  world = await Machines.create();
  await world.namespace.createDirectories('/run');
  const bodies = Object.entries(BODIES).map(([name, body]) => `  ${name}: ${body},`);
  probe = await ready('p', await component({ 'source/main.ts': PROBE.replace('BODIES', () => bodies.join('\n')) }));
});
afterAll(() => world.close());

const start = (method: string, params: object = {}): Running => world.start(method, params, probe);
const run = (method: string, params: object = {}): Promise<Outcome> => start(method, params).outcome;

let lastPort = 6000;

/** The address of a server for one connection, which answers with the text once it has read the head of a request. */
async function serve(text: string, rest: Step[] = []): Promise<string> {
  const port = ++lastPort;
  world.run([
    { op: 'listen', port },
    { op: 'accept', as: 'c' },
    { op: 'read', of: 'c', until: '\r\n\r\n' },
    { op: 'write', of: 'c', text, catch: true },
    ...rest,
  ]);
  await world.listening(port);
  return `http://127.0.0.1:${port}`;
}

const ok = (text: string, headers = ''): string =>
  `HTTP/1.1 200 OK\r\n${headers}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;

async function file(path: string): Promise<string> {
  for (;;) {
    try {
      return new TextDecoder().decode(await world.namespace.readFile(path));
    } catch {
      await new Promise(setImmediate);
    }
  }
}

/** A web server in Rust that tells what it was asked. */
async function site(pages: object): Promise<{ url: string; running: Running }> {
  const port = ++lastPort;
  const running = world.start('site', { port, pages });
  await world.listening(port);
  return { url: `http://127.0.0.1:${port}`, running };
}

describe('R3.8-2 fetch in a plugin in JavaScript', () => {
  test('status, headers and text come back, and a host of this world has a name', async () => {
    const url = await serve(ok('grün', 'Content-Type: text/plain\r\n'));
    expect(await run('get', { url: url.replace('127.0.0.1', 'localhost') })).toMatchObject({
      result: { status: 200, type: 'text/plain', text: 'grün', url: `${url.replace('127.0.0.1', 'localhost')}/` },
    });
  });

  test('redirects are followed, and a POST that is sent on becomes a GET', async () => {
    const to = await serve(ok('there'));
    const from = await serve(`HTTP/1.1 302 Found\r\nLocation: ${to}/x\r\nContent-Length: 0\r\n\r\n`);
    expect(await run('get', { url: from, init: { method: 'POST', body: 'data' } })).toMatchObject({
      result: { text: 'there', url: `${to}/x` },
    });
  });

  test('bodies go out whole, as forms and as streams', async () => {
    const { url, running } = await site({ '/echo': { echo: true } });
    const posted = (await run('post', { url: `${url}/echo` })).result;
    expect(posted).toContain('a=1&b=%C3%A9');
    expect(posted.toLowerCase()).toContain('application/x-www-form-urlencoded');
    running.closeStdin();
    const server = start('taker');
    const port = Number(await file('/run/taker'));
    expect((await run('upload', { url: `http://127.0.0.1:${port}`, count: 30 })).result).toBe('300000');
    server.closeStdin();
  });

  test('a body is read in pieces as they come, and one that is given up ends the connection', async () => {
    const size = 1_000_000;
    const big = await serve(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`, [
      { op: 'write', of: 'c', fill: size },
    ]);
    const { result } = await run('stream', { url: big });
    expect(result.size).toBe(size);
    expect(result.chunks).toBeGreaterThan(5);
    const endless = await serve('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nbegin', [
      { op: 'read', of: 'c', catch: true },
    ]);
    expect((await run('first', { url: endless })).result).toBe('begin');
  });

  test('requests that are aborted or late end with the reason', async () => {
    const silent = () => serve('', [{ op: 'read', of: 'c', catch: true }]);
    expect((await run('late', { url: await silent() })).result).toEqual(['TimeoutError', true]);
    const half = await serve('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf', [
      { op: 'read', of: 'c', catch: true },
    ]);
    expect((await run('abort', { url: half })).result).toBe('AbortError');
  });

  test('failures are TypeErrors that say what went wrong, where', async () => {
    const { result } = await run('failure', { url: 'http://127.0.0.1:9/x' });
    expect(result).toMatchObject({ name: 'TypeError', code: 'connection-refused' });
    expect(result.message).toBe('GET http://127.0.0.1:9/x failed: nobody listens there (connection-refused)');
    expect(result.stack).toMatch(/at .*\(?source\/main\.ts:\d+:\d+/);
    expect((await run('failure', { url: '/relative' })).result.message).toMatch(/"\/relative" is no whole address/);
    expect((await run('failure', { url: 'ftp://x/' })).result.message).toMatch(/not ftp:/);
    const broken = await serve('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf');
    expect((await run('failure', { url: broken })).result).toMatchObject({ name: 'TypeError' });
    expect((await run('failure', { url: broken, init: { headers: { 'a b': 'c' } } })).result.message).toMatch(/"a b"/);
    expect((await run('failure', { url: await serve('what?\r\n\r\n') })).result.message).toMatch(
      /the answer is not HTTP/,
    );
  });
});

describe('R5-1 sockets in a plugin in JavaScript', () => {
  test('bytes come back unchanged while both sides write, and a server of one plugin has many clients', async () => {
    const server = start('echo');
    const port = Number(await file('/run/echo'));
    const clients = [1, 2, 3].map(() => run('talk', { port, size: 300_000 }));
    for (const { result, error } of await Promise.all(clients))
      expect(error ?? result).toEqual({ at: 300_000, right: true });
    server.closeStdin();
    expect((await server.outcome).result).toBe('stopped');
  });

  test('text comes in lines, the last without its end', async () => {
    const port = ++lastPort;
    world.run([
      { op: 'listen', port },
      { op: 'accept', as: 'c' },
      { op: 'write', of: 'c', text: 'one\ntwö\n\nlast' },
    ]);
    await world.listening(port);
    expect((await run('lines', { port })).result).toEqual({
      address: '127.0.0.1',
      same: true,
      all: ['one', 'twö', '', 'last'],
    });
  });

  test('what fails has the code of the failure and says where', async () => {
    expect((await run('refused', { port: 9 })).result).toEqual([
      'TypeError',
      'connection-refused',
      '127.0.0.1:9: connection-refused',
    ]);
    expect((await run('refused', { port: 9, host: '::1' })).result[1]).toBe('connection-refused');
    expect((await run('taken', { port: 5999 })).result).toEqual(['address-in-use', '127.0.0.1:5999: address-in-use']);
    const port = ++lastPort;
    world.run([
      { op: 'listen', port },
      { op: 'accept', as: 'c' },
      { op: 'read', of: 'c', catch: true },
    ]);
    await world.listening(port);
    expect((await run('closed', { port })).result).toEqual([
      'this connection was closed',
      'this connection was closed',
    ]);
  });

  test('a timer that never rests keeps neither a connection nor the end of stdin from being heard', async () => {
    const port = ++lastPort;
    world.run([
      { op: 'listen', port },
      { op: 'accept', as: 'c' },
      { op: 'write', of: 'c', text: 'hello' },
      { op: 'read', of: 'c', catch: true },
    ]);
    await world.listening(port);
    expect((await run('storm', { port })).result).toEqual({ bytes: 5, timers: true });
    const forever = start('forever');
    await forever.told('running');
    forever.closeStdin();
    expect((await forever.outcome).result).toBe('heard of the end');
  });
});

describe('endpoints of the JavaScript SDK', () => {
  test('R5-2 R5-3 R5-4 a plugin in JavaScript serves one in JavaScript and one in Rust', async () => {
    const server = start('serve', { path: '/run/js' });
    expect(await file('/run/js')).toMatch(new RegExp(`^tcp:127\\.0\\.0\\.1:\\d+ ${server.pid} control\n$`));
    expect((await run('use', { path: '/run/js', name: 'add', params: { a: 2, b: 3 } })).result).toEqual({
      owner: server.pid,
      result: 5,
      told: [['adding', { a: 2, b: 3 }]],
    });
    expect((await run('use', { path: '/run/js', name: 'ask', params: { x: 21 } })).result).toMatchObject({
      result: { 'client said': 42 },
    });
    const rust = (method: string, params: object) => world.start('use-endpoint', { path: '/run/js', method, params });
    expect((await rust('add', { a: 2, b: 3 }).outcome).result).toMatchObject({
      who: { owner: server.pid, interface: 'control' },
      result: 5,
      told: [{ name: 'adding', params: { a: 2, b: 3 } }],
    });
    expect((await rust('ask', { x: 4 }).outcome).result.result).toEqual({ 'client said': 8 });
    expect((await rust('add', { a: 'x', b: 3 }).outcome).error).toMatchObject({ code: -32602 });
    expect((await rust('nothing', {}).outcome).error).toMatchObject({ code: -32601 });
    expect((await rust('fail', {}).outcome).error).toMatchObject({ code: -32603, message: 'Error: it failed' });
    // a handler hears that its caller has gone
    const waiting = rust('hold', {});
    await file('/run/held');
    waiting.kill();
    expect(await file('/run/left')).toMatch(/^the connection (ended|broke)$/);
    server.closeStdin();
    await server.ended;
  });

  test('R5-3 R5-4 a plugin in JavaScript is a client of one in Rust, and answers what that asks', async () => {
    world.start('endpoint', { path: '/run/rust', connections: 2 });
    await file('/run/rust');
    expect((await run('use', { path: '/run/rust', name: 'add', params: { a: 4, b: 5 } })).result).toMatchObject({
      result: 9,
      told: [['adding', { a: 4, b: 5 }]],
    });
    expect((await run('use', { path: '/run/rust', name: 'ask', params: { x: 6 } })).result.result).toEqual({
      'client said': 12,
    });
  });

  test('R5-3 a stale file and the wrong process are told', async () => {
    const gone = start('serve', { path: '/run/gone' });
    const port = Number(/:(\d+) /.exec(await file('/run/gone'))?.[1]);
    gone.kill();
    await gone.ended;
    const use = { path: '/run/gone', name: 'add', params: {} };
    expect((await run('use', use)).error?.message).toMatch(/\/run\/gone: nobody serves it any more/);
    const other = world.start('endpoint', { path: '/run/other', port });
    await file('/run/other');
    expect((await run('use', use)).error?.message).toContain(
      `/run/gone: ${gone.pid} wrote it, and ${other.pid} answers with control`,
    );
    await world.namespace.writeFile('/run/text', new TextEncoder().encode('hello\n'));
    expect((await run('use', { path: '/run/text', name: 'add', params: {} })).error?.message).toContain(
      '/run/text is no endpoint file',
    );
  });
});
