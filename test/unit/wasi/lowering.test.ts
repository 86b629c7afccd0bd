import { describe, expect, test } from 'vitest';
import { putDatetime, wallNow } from '../../../src/wasi/clocks.ts';
import { Guest, u64 } from '../../../src/wasi/memory.ts';
import { Resources } from '../../../src/wasi/resources.ts';

/** A guest of one page whose allocator hands out addresses from 1024 on, and may grow the memory each time. */
function guest(grow = false): Guest {
  const made = new Guest();
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 100 });
  let next = 1024;
  made.memory = memory;
  made.realloc = (_old, _size, align, size) => {
    if (grow) memory.grow(1);
    const at = Math.ceil(next / align) * align;
    next = at + size;
    return at;
  };
  return made;
}

describe('memory', () => {
  test('a string is stored as its address and its length in UTF-8', () => {
    const to = guest();
    to.putString(8, 'grün 🙂');
    const [at, length] = [to.view.getUint32(8, true), to.view.getUint32(12, true)];
    expect(length).toBe(10);
    expect(to.string(at, length)).toBe('grün 🙂');
  });

  test('an allocation that moves the memory does not lose what is stored after it', () => {
    const to = guest(true);
    const { view } = to;
    to.putString(8, 'abc');
    expect(() => view.getUint8(0)).toThrow(TypeError);
    expect(to.string(to.view.getUint32(8, true), 3)).toBe('abc');
    expect(to.bytes.length).toBe(2 * 65536);
  });

  test('nothing is allocated too where there is an allocator: it may know where that is to be', () => {
    const to = guest();
    to.putBytes(8, new Uint8Array());
    expect(to.view.getUint32(12, true)).toBe(0);
    to.realloc = (_old, _oldSize, align, size) => 1000 * align + size;
    to.putBytes(8, new Uint8Array());
    expect(to.view.getUint32(8, true)).toBe(1000);
    expect(to.view.getUint32(12, true)).toBe(0);
  });

  test('an address beyond 2^31 is no negative number', () => {
    const to = guest();
    to.realloc = () => -16;
    expect(to.allocate(8, 16)).toBe(0xffff_fff0);
  });

  test('a list outside of the memory traps', () => {
    expect(() => guest().list(65530, 7)).toThrow(WebAssembly.RuntimeError);
    expect(() => guest().list(-1, 7)).toThrow(WebAssembly.RuntimeError);
    expect(guest().list(65530, 6)).toHaveLength(6);
  });

  test('the cases of a result stand where their alignment puts them', () => {
    const to = guest();
    to.fail(0, 20);
    to.fail(8, 20, 4);
    to.ok32(16, 0xffff_ffff);
    to.ok64(24, 2n ** 63n);
    expect([...to.bytes.subarray(0, 2)]).toEqual([1, 20]);
    expect([to.bytes[8], to.bytes[12]]).toEqual([1, 20]);
    expect([to.bytes[16], to.view.getUint32(20, true)]).toEqual([0, 0xffff_ffff]);
    expect([to.bytes[24], to.view.getBigUint64(32, true)]).toEqual([0, 2n ** 63n]);
  });

  test('a released guest holds no memory', () => {
    const to = guest();
    to.release();
    expect(to.memory).toBeUndefined();
    expect(() => to.view).toThrow(WebAssembly.RuntimeError);
  });

  test.each([
    [5n, 5],
    [BigInt.asIntN(64, 2n ** 53n - 1n), 2 ** 53 - 1],
    [-1n, 2 ** 53],
    [2n ** 60n, 2 ** 53],
  ])('the u64 %d is %d', (value, number) => {
    expect(u64(value)).toBe(number);
  });
});

describe('times', () => {
  test.each([
    [0n, 0n, 0],
    [1_500_000_000_123_456_789n, 1_500_000_000n, 123_456_789],
    [999_999_999n, 0n, 999_999_999],
    [-1n, 0n, 0],
  ])('%d nanoseconds are a datetime', (nanoseconds, seconds, rest) => {
    const to = guest();
    putDatetime(to, 8, nanoseconds);
    expect([to.view.getBigUint64(8, true), to.view.getUint32(16, true)]).toEqual([seconds, rest]);
  });

  test('the time of day is that of the files, to the millisecond, and goes forward within it', () => {
    let last = 0n;
    for (let i = 0; i < 2_000; i++) {
      const before = Date.now();
      const { milliseconds, nanoseconds } = wallNow();
      expect(milliseconds).toBeGreaterThanOrEqual(before);
      expect(milliseconds).toBeLessThanOrEqual(Date.now());
      expect(nanoseconds).toBeGreaterThanOrEqual(0);
      expect(nanoseconds).toBeLessThan(1_000_000);
      const now = BigInt(milliseconds) * 1_000_000n + BigInt(nanoseconds);
      if (BigInt(milliseconds) === last / 1_000_000n && nanoseconds > 0) expect(now).toBeGreaterThanOrEqual(last);
      last = now;
    }
  });
});

describe('handles', () => {
  class Thing {
    dropped = false;
    drop(): void {
      this.dropped = true;
    }
  }

  test('a handle stands for what was added until it is dropped, and its number is used again', () => {
    const resources = new Resources();
    const things = [new Thing(), new Thing()];
    const [first, second] = things.map((thing) => resources.add(thing)) as [number, number];
    expect(resources.get(second, Thing)).toBe(things[1]);
    resources.drop(first);
    expect(things.map(({ dropped }) => dropped)).toEqual([true, false]);
    expect(() => resources.get(first, Thing)).toThrow(WebAssembly.RuntimeError);
    expect(() => resources.drop(first)).toThrow(WebAssembly.RuntimeError);
    expect(resources.add(new Thing())).toBe(first);
  });

  test('a handle of another type traps, and 0 is never a handle', () => {
    const resources = new Resources();
    const handle = resources.add(new Date());
    expect(handle).toBeGreaterThan(0);
    expect(() => resources.get(handle, Thing)).toThrow(WebAssembly.RuntimeError);
    expect(() => resources.get(0, Thing)).toThrow(WebAssembly.RuntimeError);
  });
});
