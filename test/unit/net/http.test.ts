/** `wasi:http` of one process against a server that another writes by hand, over the world's loopback. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { NetError } from '../../../src/net/errors.ts';
import type { Outside } from '../../../src/net/outside.ts';
import { Machines, type Outcome, type Running, type Step } from './support/machines.ts';

let world: Machines;
beforeAll(async () => {
  world = await Machines.create();
});
afterAll(() => world.close());

let lastPort = 8000;

/** A server for one connection: what it gets, it answers with the text; `rest` comes after. */
function serve(
  answer: string,
  { until = '\r\n\r\n', rest = [] as Step[] } = {},
): { authority: string; server: Running } {
  const port = ++lastPort;
  const server = world.run([
    { op: 'listen', port },
    { op: 'accept', as: 'c' },
    { op: 'read', of: 'c', until },
    { op: 'write', of: 'c', text: answer, catch: true },
    ...rest,
  ]);
  return { authority: `127.0.0.1:${port}`, server };
}

async function fetch(authority: string, params: object = {}): Promise<Outcome> {
  const port = Number(authority.split(':')[1]);
  await world.listening(port);
  return world.start('fetch', { authority, ...params }).outcome;
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-One: a\r\nx-one: b\r\n\r\nhello';
const failure = (outcome: Outcome) => outcome.error?.data?.http;

test('R3.8-2 a GET goes to a server of the world; status, headers and body come back', async () => {
  const { authority, server } = serve(OK);
  const { result } = await fetch(authority, { path: '/a?b=grün', headers: [['Accept', 'text/plain']] });
  expect(result).toEqual({
    status: 200,
    headers: [
      ['Content-Length', '5'],
      ['X-One', 'a'],
      ['x-one', 'b'],
    ],
    body: 'hello',
    trailers: null,
  });
  expect((await server.outcome).result[2].text).toBe(
    `GET /a?b=gr%C3%BCn HTTP/1.1\r\nhost: ${authority}\r\nAccept: text/plain\r\nconnection: close\r\n\r\n`,
  );
});

test.each(['HEAD', 'DELETE', 'OPTIONS', 'PATCH', 'PUT', 'BREW'])('the method %s goes as it is', async (method) => {
  const { authority, server } = serve(`HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n`);
  const { result } = await fetch(authority, { method });
  expect([result.status, result.body]).toEqual([204, '']);
  const { text } = (await server.outcome).result[2];
  expect(text.startsWith(`${method} / HTTP/1.1\r\n`)).toBe(true);
  expect(text.includes('content-length: 0')).toBe(['PATCH', 'PUT'].includes(method));
});

test('a request body of unknown length goes in chunks with its trailers, one of known length as it is', async () => {
  const chunked = serve(OK, { until: '0\r\nx-sum: 7\r\n\r\n' });
  await fetch(chunked.authority, { method: 'POST', body: { text: 'abc', times: 2, trailers: [['x-sum', '7']] } });
  const [, body] = (await chunked.server.outcome).result[2].text.split(/\r\n\r\n([\s\S]*)/);
  expect(body.replace(/3\r\nabc\r\n3\r\nabc\r\n|6\r\nabcabc\r\n/, 'abcabc ')).toBe('abcabc 0\r\nx-sum: 7\r\n\r\n');

  const sized = serve(OK, { until: 'abcabc' });
  const headers = [['content-length', '6']];
  await fetch(sized.authority, { method: 'POST', headers, body: { text: 'abc', times: 2 } });
  const { text } = (await sized.server.outcome).result[2];
  expect(text).toContain('content-length: 6\r\n');
  expect(text).not.toContain('transfer-encoding');
});

test.each([
  [{ text: 'abcdefg' }, 7],
  [{ text: 'abc' }, 3],
])('a body that is not as long as it said fails: %o', async (body, size) => {
  const { authority, server } = serve(OK, { until: 'never' });
  const outcome = await fetch(authority, { method: 'POST', headers: [['content-length', '6']], body });
  server.kill();
  expect(outcome.error?.message).toContain(`${size}`);
});

test('large bodies flow both ways with back-pressure', async () => {
  const { authority, server } = serve('HTTP/1.1 200 OK\r\n\r\n', {
    rest: [
      { op: 'read', of: 'c', count: 3_000_000, pattern: true },
      { op: 'write', of: 'c', fill: 3_000_000 },
    ],
  });
  const headers = [['content-length', '3000000']];
  const { result } = await fetch(authority, {
    method: 'POST',
    headers,
    body: { fill: 1_000_000, times: 3 },
    quiet: true,
  });
  expect(result).toMatchObject({ status: 200, body: 3_000_000 });
  expect((await server.outcome).result[4].size).toBe(3_000_000);
});

test('chunks with extensions, trailers and an interim response are understood', async () => {
  const { authority } = serve(
    'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n' +
      '5;a=b\r\nhello\r\n6\r\n world\r\n0\r\nx-sum: 11\r\n\r\n',
  );
  const { result } = await fetch(authority);
  expect(result).toMatchObject({ status: 200, body: 'hello world', trailers: [['x-sum', '11']] });
});

test('a redirect is not followed', async () => {
  const { authority } = serve('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n');
  expect((await fetch(authority)).result.status).toBe(302);
});

test.each([
  ['a body that is cut', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello', 'http-response-incomplete'],
  ['chunks that are cut', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe', 'http-response-incomplete'],
  ['no answer', '', 'connection-terminated'],
  ['something else', 'SSH-2.0-x\r\n', 'http-protocol-error'],
  ['an unknown coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n', 'http-response-transfer-coding'],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx', 'http-protocol-error'],
  ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', 'http-upgrade-failed'],
  ['endless headers', `HTTP/1.1 200 OK\r\n${'x: yyyyyyyy\r\n'.repeat(30_000)}`, 'http-response-header-section-size'],
])('%s is an error that says so', async (_, answer, code) => {
  const { authority } = serve(answer);
  expect(kebab(failure(await fetch(authority)))).toBe(code);
});

/** The Rust names break capitals up; compare without that. */
const kebab = (name: string | undefined) => name?.replace('h-t-t-p', 'http').replace('d-n-s', 'dns');

test('time-outs: for the first byte and between bytes', async () => {
  const silent = serve('', { until: 'never' });
  expect(kebab(failure(await fetch(silent.authority, { first_byte_ms: 30 })))).toBe('connection-read-timeout');
  silent.server.kill();
  const slow = serve('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello', { rest: [{ op: 'hang' }] });
  expect(kebab(failure(await fetch(slow.authority, { between_bytes_ms: 30 })))).toBe('connection-read-timeout');
  slow.server.kill();
});

test('R3.8-2 what cannot be reached has its code: refused, no relay, refused by the relay, no such name, too late', async () => {
  const to = (authority: string, more: object = {}) => world.start('fetch', { authority, ...more }).outcome;
  expect(kebab(failure(await to('127.0.0.1:9')))).toBe('connection-refused');
  expect(kebab(failure(await to('example.com')))).toBe('destination-unavailable');
  expect(kebab(failure(await to('203.0.113.7')))).toBe('destination-unavailable');
  const asked: object[] = [];
  const stream = { send() {}, end() {}, grant() {}, reset() {} };
  world.network.outside = {
    connect(target, _credit, events) {
      asked.push(target);
      const { host } = target;
      const name = 'name' in host ? host.name : '';
      if (name === 'slow.example') return stream;
      const [code, tls] = name === 'bad.example' ? (['unknown', 'certificate'] as const) : (['access-denied'] as const);
      queueMicrotask(() =>
        events.closed(new NetError(name === 'no.example' ? 'name-unresolvable' : code, '', { ...(tls && { tls }) })),
      );
      return stream;
    },
  } as Partial<Outside> as Outside;
  expect(kebab(failure(await to('private.example')))).toBe('http-request-denied');
  expect(kebab(failure(await to('no.example')))).toBe('dns-error');
  expect(failure(await to('bad.example', { scheme: 'https' }))).toBe('tls-certificate-error');
  expect(kebab(failure(await to('slow.example:81', { connect_ms: 20 })))).toBe('connection-timeout');
  world.network.outside = undefined;
  expect(asked).toEqual([
    { host: { name: 'private.example' }, port: 80 },
    { host: { name: 'no.example' }, port: 80 },
    { host: { name: 'bad.example' }, port: 443, tls: { serverName: 'bad.example' } },
    { host: { name: 'slow.example' }, port: 81 },
  ]);
});

test('headers: names compare without case, what is no header is refused, what the host says is forbidden', async () => {
  const list = [
    ['Accept', 'a'],
    ['X', 'é'],
    ['accept', 'b'],
  ];
  const { result } = await world.start('fields', { list }).outcome;
  expect(result).toEqual({
    entries: list,
    get: ['a', 'b'],
    has: true,
    set: [
      null,
      [
        ['X', 'é'],
        ['accept', 'set'],
      ],
    ],
    delete: [null, [['X', 'é']]],
    frozen: 'header-error::-immutable',
  });
  for (const [bad, code] of [
    [['no name', 'x'], 'invalid-syntax'],
    [['', 'x'], 'invalid-syntax'],
    [['x', 'a\r\nb: c'], 'invalid-syntax'],
    [['Host', 'other'], 'forbidden'],
    [['transfer-encoding', 'chunked'], 'forbidden'],
    [['Connection', 'keep-alive'], 'forbidden'],
  ]) {
    expect((await world.start('fields', { list: [bad] }).outcome).error?.data.header, String(bad)).toContain(code);
  }
});

test.each([
  [{ method: 'A B' }, 'method'],
  [{ path: '/a b' }, 'path'],
  [{ path: '/\r\nx: y' }, 'path'],
  [{ authority: 'a b' }, 'authority'],
  [{ authority: 'user@host' }, 'authority'],
  [{ authority: 'host:99999' }, 'authority'],
])('a part of a request that is none is refused: %o', async (params, what) => {
  const { error } = await world.start('fetch', { authority: '127.0.0.1:9', ...params }).outcome;
  expect(error?.data).toEqual({ refused: what });
});

test('a request body that is given up ends the connection', async () => {
  const { authority, server } = serve(OK, { until: 'never' });
  const outcome = await fetch(authority, { method: 'POST', body: { text: 'abc', abandon: true } });
  expect(kebab(failure(outcome))).toBe('http-protocol-error');
  expect((await server.outcome).result[2].text).not.toContain('0\r\n\r\n');
});

test('connections of requests do not stay behind', async () => {
  expect(world.network.arena.connections).toBe(0);
  expect(world.network.tcp.size).toBe(0);
});
