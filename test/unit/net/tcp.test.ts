/** TCP between real processes: components in worker threads, over the world's loopback. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { Machines } from './support/machines.ts';

let world: Machines;
beforeAll(async () => {
  world = await Machines.create();
});
afterAll(() => world.close());

test('R5-1 a process listens on a free port of the loopback and another talks to it, each half ended on its own', async () => {
  const server = world.run([
    { op: 'listen', port: 4001 },
    { op: 'accept', as: 'c' },
    { op: 'read', of: 'c' },
    { op: 'write', of: 'c', text: 'pong' },
    { op: 'close', of: 'c' },
  ]);
  await world.listening(4001);
  const client = world.run([
    { op: 'connect', port: 4001, as: 'c' },
    { op: 'write', of: 'c', text: 'ping' },
    { op: 'shutdown', of: 'c', how: 'send' },
    { op: 'read', of: 'c' },
  ]);
  const [{ result: connected }, { result: served }] = [await client.outcome, await server.outcome];
  expect(connected[3]).toEqual({ text: 'pong', ended: true });
  expect(connected[0].remote).toBe('127.0.0.1:4001');
  expect(served[2]).toEqual({ text: 'ping', ended: true });
  expect(served[1]).toMatchObject({ local: '127.0.0.1:4001', remote: connected[0].local });
});

/** The code of a failed step. */
const codes = (results: { error?: { data?: { code?: string } } }[]) => results.map((one) => one?.error?.data?.code);

test('R5-1 port 0 gives a free port, and all addresses of the world are one loopback', async () => {
  const server = world.run([
    { op: 'listen', as: 'any', address: '0.0.0.0' },
    { op: 'listen', as: 'v6', address: '::1' },
    { op: 'listen', as: 'again', address: '127.0.0.1', port: 4002 },
    { op: 'listen', as: 'taken', address: '::', port: 4002, catch: true },
    { op: 'listen', as: 'foreign', address: '192.168.0.1', catch: true },
    { op: 'accept', of: 'again' },
    { op: 'accept', of: 'again' },
  ]);
  await world.listening(4002);
  expect(world.network.listening()).toContainEqual({ port: 4002, pid: server.pid, plugin: 'netprobe' });
  const client = world.run([
    { op: 'connect', address: '::1', port: 4002 },
    { op: 'connect', address: '127.0.0.1', port: 4002, as: 'other' },
  ]);
  const { result: connected } = await client.outcome;
  const { result } = await server.outcome;
  expect(result[0].port).toBeGreaterThanOrEqual(49152);
  expect(result[0].local).toBe(`0.0.0.0:${result[0].port}`);
  expect(result[1].local).toBe(`[::1]:${result[1].port}`);
  expect(result[1].port).not.toBe(result[0].port);
  expect(codes(result).slice(3, 5)).toEqual(['address-in-use', 'address-not-bindable']);
  expect(connected[0].local).toMatch(/^\[::1\]:/);
  // the listening side sees addresses of its own family
  expect(result[5]).toMatchObject({ local: '127.0.0.1:4002', remote: `127.0.0.1:${connected[0].port}` });
});

test('R5-6 ports are free after the end of their process, and nobody listens there any more', async () => {
  const first = world.run([{ op: 'listen', port: 4003 }, { op: 'hang' }]);
  await world.listening(4003);
  first.closeStdin();
  await first.ended;
  expect(world.network.listening()).toEqual([]);
  const { result } = await world.run([
    { op: 'connect', port: 4003, catch: true },
    { op: 'listen', port: 4003 },
  ]).outcome;
  expect(codes(result)).toEqual(['connection-refused', undefined]);
  expect(result[1].port).toBe(4003);
});

test.each(['killed', 'trapped'])(
  'R5-6 R6-4 the connections of a %s process are reset, its port is free',
  async (how) => {
    const server = world.run([
      { op: 'listen', port: 4004 },
      { op: 'accept', as: 'c' },
      { op: 'write', of: 'c', text: 'last words' },
      { op: 'read', of: 'c', count: 2 },
      ...(how === 'killed' ? [{ op: 'hang' }] : [{ op: 'read', of: 'c', count: 1 }, { op: 'trap' }]),
    ]);
    await world.listening(4004);
    const client = world.run([
      { op: 'connect', port: 4004, as: 'c' },
      { op: 'write', of: 'c', text: 'go' },
      { op: 'read', of: 'c', count: 10 },
      { op: 'notify', name: 'read' },
      // lets the other side trap; not when it is killed
      { op: how === 'killed' ? 'addresses' : 'write', of: 'c', text: '!' },
      { op: 'read', of: 'c', catch: true },
      { op: 'write', of: 'c', text: 'more', catch: true },
      { op: 'listen', port: 4004 },
    ]);
    if (how === 'killed') {
      await client.told('read');
      server.kill();
    }
    await server.ended;
    const { result } = await client.outcome;
    expect(result[2].text).toBe('last words');
    expect(codes(result).slice(5, 7)).toEqual(['connection-reset', 'connection-reset']);
    expect(result[7].port).toBe(4004);
  },
);

test('a writer whose reader never reads stops after a bounded buffer, and goes on when it reads', async () => {
  const server = world.run([
    { op: 'listen', port: 4005 },
    { op: 'accept', as: 'c' },
    { op: 'read', of: 'c', count: 1_000_000, pattern: true },
    { op: 'read', of: 'c' },
  ]);
  const blocked = world.run([
    { op: 'listen', port: 4006 },
    { op: 'connect', port: 4006, as: 'c' },
    { op: 'write', of: 'c', fill: 1_000_000, now: true },
    { op: 'write', of: 'c', fill: 1_000_000, now: true },
  ]);
  const { result: filled } = await blocked.outcome;
  expect(filled[2]).toBe(65_536);
  expect(filled[3]).toBe(0);
  await world.listening(4005);
  const client = world.run([
    { op: 'connect', port: 4005, as: 'c' },
    { op: 'write', of: 'c', fill: 1_000_000 },
    { op: 'close', of: 'c' },
  ]);
  await client.outcome;
  const { result } = await server.outcome;
  expect(result[2]).toEqual({ size: 1_000_000, right: true });
  expect(result[3]).toEqual({ text: '', ended: true });
});

test('six million bytes that were sent before a close, and before the end of the process, arrive whole', async () => {
  const server = world.run([
    { op: 'listen', port: 4007 },
    { op: 'accept', as: 'c' },
    { op: 'read', of: 'c', pattern: true },
  ]);
  await world.listening(4007);
  const client = world.run([
    { op: 'connect', port: 4007, as: 'c' },
    { op: 'write', of: 'c', fill: 6_000_000 },
  ]);
  await client.ended;
  expect((await server.outcome).result[2]).toEqual({ size: 6_000_000, right: true });
});

test('500 connections at once, and 10,000 over time without a leak', async () => {
  const { arena, tcp } = world.network;
  const server = world.start('serve', { port: 4008 });
  await world.listening(4008);
  const at = { connections: arena.connections, cells: arena.cellsInUse, ports: tcp.size };
  expect(await world.start('many', { port: 4008, count: 500, at_once: 500 }).outcome).toMatchObject({ result: 500 });
  const client = world.start('many', { port: 4008, count: 10_000, at_once: 4 });
  expect(await client.outcome).toMatchObject({ result: 10_000 });
  await client.ended;
  server.closeStdin();
  const { result } = await server.outcome;
  expect(result.served).toBe(10_500);
  expect(result.most).toBe(500);
  await server.ended;
  expect(arena.connections).toBe(0);
  expect(arena.cellsInUse).toBeLessThan(at.cells);
  expect(tcp.size).toBe(at.ports - 1);
  // 504 at once were ever open, so nothing beyond their memory was asked for
  expect(arena.buffer.byteLength).toBeLessThan(530 * 132_000);
}, 60_000);

test('connections beyond the backlog wait until there is room, and are refused when nobody listens any more', async () => {
  const server = world.run([
    { op: 'listen', port: 4009, backlog: 1 },
    { op: 'connect', port: 4009, as: 'own' },
    { op: 'notify', name: 'full' },
    { op: 'hang' },
  ]);
  await server.told('full');
  const client = world.run([{ op: 'connect', port: 4009, catch: true }]);
  // the client has taken a port of its own: it waits
  while (world.network.tcp.size < 3) await new Promise(setImmediate);
  server.closeStdin();
  const { result } = await client.outcome;
  expect(codes(result)).toEqual(['connection-reset']);
});

test('a shut half: what is written to a side that reads no more is dropped, the other half works', async () => {
  const server = world.run([
    { op: 'listen', port: 4010 },
    { op: 'accept', as: 'c' },
    { op: 'shutdown', of: 'c', how: 'receive' },
    { op: 'read', of: 'c' },
    { op: 'write', of: 'c', text: 'still here' },
    { op: 'hang' },
  ]);
  await world.listening(4010);
  const client = world.run([
    { op: 'connect', port: 4010, as: 'c' },
    { op: 'read', of: 'c', count: 10 },
    { op: 'write', of: 'c', fill: 300_000 },
  ]);
  const { result } = await client.outcome;
  expect(result[1].text).toBe('still here');
  expect(result[2]).toBe(300_000);
  server.closeStdin();
  expect((await server.outcome).result[3]).toEqual({ text: '', ended: true });
});

test('every option is kept and checked, and an accepted connection inherits those of its listener', async () => {
  const { result } = await world.run([
    { op: 'listen', port: 4011, as: 'listener' },
    { op: 'options', of: 'listener' },
    { op: 'connect', port: 4011, as: 'c' },
    { op: 'accept', as: 'a' },
    { op: 'options', of: 'c' },
    { op: 'options', of: 'a' },
  ]).outcome;
  const after = {
    keepAlive: [1, 5_000_000_000, 2_000_000_000, 3],
    hops: 42,
    buffers: [4096, 8192],
    family: 4,
    refused: Array(7).fill('invalid-argument'),
  };
  expect(result[1]).toEqual({ ...after, before: [0, 64], listening: true });
  expect(result[4]).toEqual({ ...after, before: [0, 64], listening: false });
  expect(result[5]).toEqual({ ...after, before: [1, 42], listening: false });
});

test.each([4, 6])('what a socket of IPv%i may not do in its state answers the right code', async (family) => {
  const { result } = await world.start('states', { family }).outcome;
  expect(result).toEqual({
    'finish-bind': 'not-in-progress',
    'finish-connect': 'not-in-progress',
    'start-listen': 'invalid-state',
    'finish-listen': 'not-in-progress',
    accept: 'invalid-state',
    shutdown: 'invalid-state',
    'local-address': 'invalid-state',
    'remote-address': 'invalid-state',
    'bind other family': 'invalid-argument',
    'connect to port 0': 'invalid-argument',
    'connect to any': 'invalid-argument',
    'connect to multicast': 'invalid-argument',
    ...(family === 6 && { 'connect to mapped': 'invalid-argument' }),
    'bind while binding': 'invalid-state',
    'bind again': 'invalid-state',
    'accept nobody': 'would-block',
    'connect while listening': 'invalid-state',
    'listen again': 'invalid-state',
  });
});
