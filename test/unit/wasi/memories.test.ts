import { expect, test } from 'vitest';
import { Memories } from '../../../src/wasi/memories.ts';

const limits = { initial: 1, maximum: 512 };

test('R3.3-12 a memory serves the next process, and has nothing of the one before', () => {
  const memories = new Memories();
  const first = memories.take(limits);
  first.grow(2);
  new Uint8Array(first.buffer).fill(7);
  memories.release();
  const second = memories.take(limits);
  expect(second).toBe(first);
  expect(new Uint8Array(second.buffer).every((byte) => byte === 0)).toBe(true);
});

test('R3.3-12 two that are taken at once are two; another size and one that grew much are not kept', () => {
  const memories = new Memories();
  const [one, two] = [memories.take(limits), memories.take(limits)];
  expect(one).not.toBe(two);
  two.grow(200);
  memories.release();
  expect(memories.take(limits)).toBe(one);
  expect(memories.take(limits)).not.toBe(two);
  memories.release();
  expect(memories.take({ initial: 2, maximum: 512 }).buffer.byteLength).toBe(2 * 65536);
});
