/** UDP and names between real processes. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { NetError } from '../../../src/net/errors.ts';
import type { Outside } from '../../../src/net/outside.ts';
import { Machines } from './support/machines.ts';

let world: Machines;
beforeAll(async () => {
  world = await Machines.create();
});
afterAll(() => world.close());

test('R5-1 datagrams go between processes with their sizes and senders, also empty and the largest', async () => {
  const receiver = world.run([
    { op: 'udp', port: 5001 },
    { op: 'notify', name: 'bound' },
    { op: 'receive', count: 4, size: true },
  ]);
  while (!world.network.udp.get(5001)) await new Promise(setImmediate);
  const { result: sent } = await world.run([
    { op: 'udp', address: '::1' },
    { op: 'send', address: '::1', port: 5001, fill: 0 },
    { op: 'send', address: '::1', port: 5001, fill: 65_507, times: 2 },
    { op: 'send', address: '::1', port: 5001, fill: 65_508, catch: true },
    { op: 'send', address: '::1', port: 5001, text: 'x' },
    { op: 'send', address: '127.0.0.1', port: 5001, text: 'x', catch: true },
    { op: 'send', text: 'x', catch: true },
  ]).outcome;
  const { result } = await receiver.outcome;
  const from = `127.0.0.1:${sent[0].port}`;
  expect(result[2]).toEqual([0, 65_507, 65_507, 1].map((size) => ({ size, from })));
  expect(sent[3].error.data.code).toBe('datagram-too-large');
  expect([sent[5].error.data.code, sent[6].error.data.code]).toEqual(['invalid-argument', 'invalid-argument']);
});

test('a connected socket hears its peer alone and sends to it alone, until it is connected no more', async () => {
  const { result } = await world.run([
    { op: 'udp', as: 'a' },
    { op: 'udp', as: 'peer', port: 5002 },
    { op: 'udp', as: 'stranger', port: 5003 },
    { op: 'udp', as: 'b', port: 5004 },
    { op: 'send', of: 'stranger', port: 5004, text: 'too early' },
    { op: 'udp-connect', of: 'b', port: 5002 },
    { op: 'send', of: 'stranger', port: 5004, text: 'strange' },
    { op: 'send', of: 'peer', port: 5004, text: 'known' },
    { op: 'send', of: 'b', text: 'back' },
    { op: 'send', of: 'b', port: 5003, text: 'elsewhere', catch: true },
    { op: 'receive', of: 'b', count: 1 },
    { op: 'receive', of: 'b', count: 1, ms: 1 },
    { op: 'receive', of: 'peer' },
    { op: 'udp-connect', of: 'b' },
    { op: 'send', of: 'stranger', port: 5004, text: 'again' },
    { op: 'receive', of: 'b' },
  ]).outcome;
  expect(result[5].remote).toBe('127.0.0.1:5002');
  expect(result[9].error.data.code).toBe('invalid-argument');
  expect(result[10]).toEqual([{ text: 'known', from: '127.0.0.1:5002' }]);
  expect(result[11]).toEqual([]);
  expect(result[12]).toEqual([{ text: 'back', from: '127.0.0.1:5004' }]);
  expect(result[15]).toEqual([{ text: 'again', from: '127.0.0.1:5003' }]);
});

test('what a process does not receive is bounded: more is dropped, as UDP may', async () => {
  const { result } = await world.run([
    { op: 'udp', port: 5005 },
    { op: 'send', port: 5005, fill: 10_000, times: 300 },
    { op: 'receive', count: 104, size: true },
    { op: 'receive', ms: 1 },
    { op: 'send', port: 5005, text: 'later' },
    { op: 'receive' },
  ]).outcome;
  expect(result[1]).toBe(300);
  expect(result[2].length).toBe(104);
  expect(result[3]).toEqual([]);
  expect(result[5][0].text).toBe('later');
});

test('R5-6 the UDP port of an ended process is free', async () => {
  const first = world.run([{ op: 'udp', port: 5006 }, { op: 'hang' }]);
  while (!world.network.udp.get(5006)) await new Promise(setImmediate);
  expect((await world.run([{ op: 'udp', port: 5006 }]).outcome).error?.data).toEqual({ code: 'address-in-use' });
  first.kill();
  await first.ended;
  expect((await world.run([{ op: 'udp', port: 5006 }]).outcome).result[0].port).toBe(5006);
});

test('R5-1 localhost and addresses are known without a network; what is no name is refused', async () => {
  const { result } = await world.run([
    { op: 'resolve', name: 'localhost' },
    { op: 'resolve', name: 'notes.LOCALHOST' },
    { op: 'resolve', name: '203.0.113.7' },
    { op: 'resolve', name: '2001:db8::7' },
    { op: 'resolve', name: 'no name', catch: true },
    { op: 'resolve', name: '', catch: true },
    { op: 'resolve', name: 'a/b', catch: true },
  ]).outcome;
  expect(result.slice(0, 4)).toEqual([['127.0.0.1', '::1'], ['127.0.0.1', '::1'], ['203.0.113.7'], ['2001:db8::7']]);
  for (const refused of result.slice(4)) expect(refused.error.data.code).toBe('invalid-argument');
});

test('R3.8-2 without a relay, connecting and looking up fail with their codes, and the journal says it once', async () => {
  const steps = [
    { op: 'connect', address: '203.0.113.7', port: 80, catch: true },
    { op: 'resolve', name: 'example.com', catch: true },
    { op: 'udp' },
    { op: 'send', address: '203.0.113.7', port: 53, text: 'x', catch: true },
  ];
  const processes = [world.run(steps), world.run(steps)];
  for (const process of processes) {
    const { result } = await process.outcome;
    expect(result.map((one: { error?: { data: { code: string } } }) => one.error?.data.code)).toEqual([
      'remote-unreachable',
      'temporary-resolver-failure',
      undefined,
      'remote-unreachable',
    ]);
    expect(world.lines.filter((line) => line.startsWith(`${process.pid}: `))).toEqual([
      `${process.pid}: not reached: this world has no relay, so nothing outside of it can be reached`,
    ]);
  }
});

test('R3.8-2 what the relay refuses is access-denied, with one journal line, and names go as DNS writes them', async () => {
  const asked: string[] = [];
  const outside: Partial<Outside> = {
    connect: (_target, _credit, events) => {
      queueMicrotask(() => events.closed(new NetError('access-denied', 'the address is private')));
      return { send() {}, end() {}, grant() {}, reset() {} };
    },
    resolve: async (name) => {
      asked.push(name);
      throw new NetError('name-unresolvable');
    },
  };
  world.network.outside = outside as Outside;
  const process = world.run([
    { op: 'connect', address: '10.0.0.1', port: 80, catch: true },
    { op: 'connect', address: '10.0.0.1', port: 80, catch: true },
    { op: 'resolve', name: 'Grün.example', catch: true },
  ]);
  const { result } = await process.outcome;
  world.network.outside = undefined;
  expect(result.map((one: { error: { data: { code: string } } }) => one.error.data.code)).toEqual([
    'access-denied',
    'access-denied',
    'name-unresolvable',
  ]);
  expect(asked).toEqual(['xn--grn-ioa.example']);
  expect(world.lines.filter((line) => line.startsWith(`${process.pid}: `))).toEqual([
    `${process.pid}: not reached: the address is private`,
  ]);
});
