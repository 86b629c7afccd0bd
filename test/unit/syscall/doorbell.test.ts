import { expect, test } from 'vitest';
import { Client } from '../../../src/syscall/client.ts';
import { Doorbell } from '../../../src/syscall/doorbell.ts';
import { CHANNEL_BYTES } from '../../../src/syscall/protocol.ts';

const client = (doorbell: Doorbell, slot: number) =>
  new Client(new SharedArrayBuffer(CHANNEL_BYTES), doorbell.buffer, slot);

test('the slots that rang are told once', () => {
  const doorbell = new Doorbell();
  client(doorbell, 127).ring();
  client(doorbell, 3).ring();
  client(doorbell, 3).ring();
  expect(doorbell.marked()).toEqual([3, 127]);
  expect(doorbell.marked()).toEqual([]);
});

test('a ring between looking and waiting ends the wait', async () => {
  const doorbell = new Doorbell();
  expect(doorbell.marked()).toEqual([]);
  client(doorbell, 1).ring();
  await doorbell.wait();
  expect(doorbell.marked()).toEqual([1]);
});

test('a ring after the wait has begun ends it', async () => {
  const doorbell = new Doorbell();
  doorbell.marked();
  let woken = false;
  const waiting = doorbell.wait().then(() => {
    woken = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(woken).toBe(false);
  client(doorbell, 9).ring();
  await waiting;
  expect(doorbell.marked()).toEqual([9]);
});

test('the core can end its own wait', async () => {
  const doorbell = new Doorbell();
  doorbell.marked();
  const waiting = doorbell.wait();
  doorbell.wake();
  await waiting;
  expect(doorbell.marked()).toEqual([]);
});

test('R3.8-3 a process that rings without end leaves turns of the event loop to others', async () => {
  const doorbell = new Doorbell();
  const flood = client(doorbell, 0);
  let turn = false;
  setImmediate(() => {
    turn = true;
  });
  // Each wait finds that somebody rang already, so without a turn of its own this would go on for ever.
  for (const end = performance.now() + 5_000; !turn && performance.now() < end; ) {
    doorbell.marked();
    flood.ring();
    await doorbell.wait();
  }
  expect(turn).toBe(true);
});
