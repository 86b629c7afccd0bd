import { expect, test } from 'vitest';
import { Arena, CONNECTIONS } from '../../../src/net/arena.ts';
import { PipeReader, PipeWriter } from '../../../src/net/pipe.ts';

test('R5-6 the rings of a killed process rest before another connection gets them', () => {
  let now = 0;
  const arena = new Arena(() => now);
  const at = arena.takeConnection()!;
  arena.freeConnection(at, true);
  const other = arena.takeConnection()!;
  expect(other).not.toBe(at);
  arena.freeConnection(other, false);
  expect(arena.takeConnection()).toBe(other);
  now = 60_000;
  expect(arena.takeConnection()).toBe(at);
});

test('there is a limit to connections, and what was used is clean for the next', () => {
  const arena = new Arena();
  const all = Array.from({ length: CONNECTIONS }, () => arena.takeConnection());
  expect(arena.takeConnection()).toBeUndefined();
  const at = all[7]!;
  const writer = new PipeWriter(arena.buffer, at, 0, () => {});
  writer.write(new Uint8Array(10));
  writer.close();
  arena.freeConnection(at, false);
  expect(arena.takeConnection()).toBe(at);
  const reader = new PipeReader(arena.buffer, at, 0, () => {});
  expect([reader.held, reader.end]).toEqual([0, 'open']);
});

function pipe() {
  const arena = new Arena();
  const at = arena.takeConnection()!;
  const woken: number[] = [];
  const writer = new PipeWriter(arena.buffer, at, 0, (party) => woken.push(party));
  const reader = new PipeReader(arena.buffer, at, 0, (party) => woken.push(party));
  writer.assign(3, 5);
  return { writer, reader, woken };
}

test('only a side that found nothing is woken, once', () => {
  const { writer, reader, woken } = pipe();
  writer.write(Uint8Array.of(1));
  expect(woken).toEqual([]);
  reader.readInto(new Uint8Array(9));
  expect(reader.ready()).toBe(false);
  writer.write(Uint8Array.of(1));
  writer.write(Uint8Array.of(2));
  expect(woken).toEqual([3]);
});

test('a writer without room is woken when a quarter is free, and at once when the reader goes', () => {
  const { writer, reader, woken } = pipe();
  const size = writer.free;
  expect(writer.write(new Uint8Array(size + 1))).toBe(size);
  expect(writer.ready()).toBe(false);
  reader.skip(size / 4 - 1);
  expect(woken).toEqual([]);
  reader.skip(1);
  expect(woken).toEqual([5]);
  writer.write(new Uint8Array(size));
  expect(writer.ready()).toBe(false);
  reader.leave();
  expect(woken).toEqual([5, 5]);
  expect(writer.broken).toBe(true);
});

test('an end comes after the bytes, and a break does not undo an end', () => {
  const { writer, reader } = pipe();
  writer.write(Uint8Array.of(1, 2));
  writer.close();
  writer.reset();
  expect([reader.held, reader.end, writer.ended]).toEqual([2, 'ended', true]);
});
