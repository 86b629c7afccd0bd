import { describe, expect, test } from 'vitest';
import { ComponentCache } from '../../../src/components/cache.ts';
import { MemoryDirectory } from '../../../src/components/directory.ts';
import type { Transpiled } from '../../../src/components/protocol.ts';

const HOUR = 60 * 60 * 1000;
const key = (letter: string): string => letter.repeat(64);
const nothing = new Uint8Array([0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0]);
const sized = (length: number): Transpiled => ({ script: ' '.repeat(length), modules: {} });

/** A cache with a clock that the test sets. */
function setUp(budget?: number) {
  const clock = { now: 1_700_000_000_000 };
  const directory = new MemoryDirectory(() => clock.now);
  const cache = new ComponentCache(directory, budget, () => clock.now);
  const kept = async (letters: string) => {
    const found = await Promise.all([...letters].map((letter) => cache.get(key(letter), nothing)));
    return [...letters].filter((_, at) => found[at]).join('');
  };
  return { clock, directory, cache, kept };
}

describe('the cache of components', () => {
  test('gives back what was put in, and nothing for what was not', async () => {
    const { cache } = setUp();
    await cache.put(key('a'), sized(10), nothing);
    expect(await cache.get(key('a'), nothing)).toEqual(sized(10));
    expect(await cache.get(key('b'), nothing)).toBeUndefined();
  });

  test('the least recently used goes out when the budget is full', async () => {
    const { clock, cache, kept } = setUp(35_000);
    for (const letter of 'abc') {
      await cache.put(key(letter), sized(10_000), nothing);
      clock.now += 48 * HOUR;
    }
    await cache.get(key('a'), nothing);
    clock.now += HOUR;
    await cache.put(key('d'), sized(10_000), nothing);
    expect(await kept('abcd')).toBe('acd');
  });

  test('a use within a day costs no write', async () => {
    const { clock, directory, cache } = setUp();
    await cache.put(key('a'), sized(10), nothing);
    const written = async () => (await directory.list())[0]!.written;
    const before = await written();
    clock.now += 23 * HOUR;
    await cache.get(key('a'), nothing);
    expect(await written()).toBe(before);
    clock.now += 2 * HOUR;
    await cache.get(key('a'), nothing);
    expect(await written()).toBe(clock.now);
  });

  test('a damaged entry is dropped', async () => {
    const { directory, cache } = setUp();
    await cache.put(key('a'), sized(10), nothing);
    const { name } = (await directory.list())[0]!;
    const { bytes } = (await directory.read(name))!;
    await directory.write(name, bytes.slice(0, -1));
    expect(await cache.get(key('a'), nothing)).toBeUndefined();
    expect(await directory.list()).toEqual([]);
  });

  test('entries of another generator are cleared away', async () => {
    const { directory, cache } = setUp();
    await directory.write(`${key('a')}.jco0.1.0-host0`, new Uint8Array(10));
    await cache.put(key('b'), sized(10), nothing);
    expect((await directory.list()).map(({ name }) => name[0])).toEqual(['b']);
  });

  test('what is larger than the budget is not kept and drives nothing out', async () => {
    const { cache, kept } = setUp(5000);
    await cache.put(key('a'), sized(10), nothing);
    await cache.put(key('b'), sized(6000), nothing);
    expect(await kept('ab')).toBe('a');
  });
});
