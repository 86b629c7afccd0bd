/** Connections to the outside: a process against a stand-in for the relay that keeps to the credits and checks them. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseIp, type SocketAddress } from '../../../src/net/address.ts';
import { NetError } from '../../../src/net/errors.ts';
import type { Outside, OutsideStream, OutsideStreamEvents } from '../../../src/net/outside.ts';
import { Machines, type Running } from './support/machines.ts';

const FAR: SocketAddress = { ...parseIp('203.0.113.7')!, port: 80 };
const NEAR: SocketAddress = { ...parseIp('198.51.100.1')!, port: 50_000 };
const FAR_STEP = { op: 'connect', address: '203.0.113.7', port: 80, as: 'c' };

let world: Machines;
let streams: FakeStream[] = [];
beforeAll(async () => {
  world = await Machines.create();
  world.network.outside = {
    connect(_target, credit, events) {
      const stream = new FakeStream(credit, events);
      streams.push(stream);
      queueMicrotask(() => events.opened({ local: NEAR, remote: FAR }));
      return stream;
    },
  } as Partial<Outside> as Outside;
});
afterAll(() => world.close());

/** The far end: grants 64 KiB and then what it has taken, and counts. */
class FakeStream implements OutsideStream {
  readonly events: OutsideStreamEvents;
  credit: number;
  got: Uint8Array[] = [];
  gotBytes = 0;
  room = 0;
  ended = false;
  wasReset = false;
  /** It takes what comes; when not, nothing is granted. */
  takes = true;
  readonly #waiting: (() => void)[] = [];

  constructor(credit: number, events: OutsideStreamEvents) {
    this.credit = credit;
    this.events = events;
    queueMicrotask(() => queueMicrotask(() => this.give(65_536)));
  }

  give(bytes: number): void {
    this.room += bytes;
    this.events.room(bytes);
  }

  send(bytes: Uint8Array): void {
    if (bytes.length > this.room || this.ended) throw new Error('more than there was room for');
    this.room -= bytes.length;
    this.gotBytes += bytes.length;
    this.got.push(bytes);
    if (this.takes) queueMicrotask(() => this.give(bytes.length));
  }

  end(): void {
    this.ended = true;
    this.#tell();
  }

  grant(bytes: number): void {
    this.credit += bytes;
    this.#tell();
  }

  reset(): void {
    this.wasReset = true;
    this.#tell();
  }

  #tell(): void {
    for (const go of this.#waiting.splice(0)) go();
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Sends as much of a pattern as is granted. */
  async sendAll(size: number): Promise<void> {
    for (let sent = 0; sent < size; ) {
      await this.until(() => this.credit > 0);
      const count = Math.min(this.credit, size - sent, 100_000);
      this.credit -= count;
      this.events.data(Uint8Array.from({ length: count }, (_, i) => (sent + i) % 251));
      sent += count;
    }
  }
}

async function stream(index: number): Promise<FakeStream> {
  while (!streams[index]) await new Promise(setImmediate);
  return streams[index]!;
}

test('10 MB go each way byte for byte, each half is ended on its own', async () => {
  streams = [];
  const process = world.run([
    FAR_STEP,
    { op: 'addresses', of: 'c' },
    { op: 'write', of: 'c', fill: 10_000_000 },
    { op: 'shutdown', of: 'c', how: 'send' },
    { op: 'read', of: 'c', pattern: true },
  ]);
  const far = await stream(0);
  await far.until(() => far.ended);
  expect(far.gotBytes).toBe(10_000_000);
  expect(Buffer.concat(far.got).every((byte, i) => byte === i % 251)).toBe(true);
  await far.sendAll(10_000_000);
  far.events.end();
  far.events.closed();
  const { result } = await process.outcome;
  expect(result[1]).toMatchObject({ local: '198.51.100.1:50000', remote: '203.0.113.7:80' });
  expect(result[4]).toEqual({ size: 10_000_000, right: true });
  await process.ended;
  expect(world.network.arena.connections).toBe(0);
});

test('a far end that takes nothing stops the process, and a process that reads nothing stops the far end', async () => {
  streams = [];
  const process = world.run([
    FAR_STEP,
    { op: 'notify', name: 'connected' },
    // what the far end has room for, and the ring
    { op: 'write', of: 'c', fill: 2 * 65_536 },
    { op: 'write', of: 'c', fill: 100, now: true },
    { op: 'notify', name: 'filled' },
    { op: 'hang' },
  ]);
  const far = await stream(0);
  far.takes = false;
  await process.told('connected');
  const granted = far.credit;
  far.credit = 0;
  far.events.data(new Uint8Array(granted));
  await process.told('filled');
  // nothing was read, so nothing beyond what the ring took is granted
  expect(far.credit).toBeLessThanOrEqual(65_536);
  process.closeStdin();
  const { result } = await process.outcome;
  expect(result[3]).toBe(0);
  far.events.closed(new NetError('connection-reset'));
});

test('a lost relay is connection-reset, after what had come', async () => {
  streams = [];
  const process = world.run([FAR_STEP, { op: 'read', of: 'c', count: 3 }, { op: 'read', of: 'c', catch: true }]);
  const far = await stream(0);
  far.events.data(Uint8Array.of(97, 98, 99));
  far.events.closed(new NetError('connection-reset', 'the relay went away'));
  const { result } = await process.outcome;
  expect(result[1].text).toBe('abc');
  expect(result[2].error.data.code).toBe('connection-reset');
});

test('R5-6 a killed process resets its stream; one that ends sends what it wrote, then the end', async () => {
  streams = [];
  const killed = world.run([FAR_STEP, { op: 'notify', name: 'connected' }, { op: 'hang' }]);
  await killed.told('connected');
  killed.kill();
  await killed.ended;
  expect(streams[0]!.wasReset).toBe(true);

  const ends = world.run([FAR_STEP, { op: 'write', of: 'c', fill: 300_000 }]);
  const far = await stream(1);
  await ends.ended;
  await far.until(() => far.ended);
  expect(far.gotBytes).toBe(300_000);
  expect(far.wasReset).toBe(false);
  far.events.end();
  far.events.closed();
  expect(world.network.arena.connections).toBe(0);
});

test('a process that ends while it connects calls the attempt off', async () => {
  const calls: string[] = [];
  const before = world.network.outside;
  const process = await new Promise<Running>((resolve) => {
    world.network.outside = {
      connect() {
        resolve(begun);
        return { send() {}, end() {}, grant() {}, reset: () => calls.push('reset') };
      },
    } as Partial<Outside> as Outside;
    const begun = world.run([FAR_STEP]);
  });
  process.kill();
  await process.ended;
  world.network.outside = before;
  expect(calls).toEqual(['reset']);
});

test('datagrams go out and come back with their addresses', async () => {
  const sent: unknown[] = [];
  const closed: string[] = [];
  const before = world.network.outside;
  world.network.outside = {
    openDatagrams: (family, events) => ({
      send(bytes, to) {
        sent.push([family, new TextDecoder().decode(bytes), to.port]);
        queueMicrotask(() => events.datagram(new TextEncoder().encode('answer'), to));
      },
      close: () => closed.push('closed'),
    }),
  } as Partial<Outside> as Outside;
  const process = world.run([
    { op: 'udp', address: '0.0.0.0' },
    { op: 'send', address: '203.0.113.7', port: 9, text: 'question' },
    { op: 'receive' },
  ]);
  const { result } = await process.outcome;
  await process.ended;
  world.network.outside = before;
  expect(sent).toEqual([[4, 'question', 9]]);
  expect(result[2]).toEqual([{ text: 'answer', from: '203.0.113.7:9' }]);
  expect(closed).toEqual(['closed']);
});
