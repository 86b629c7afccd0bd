/** `wasi:random`: the browser's generator for all of it. There is no quicker, weaker one worth the difference. */

import type { Interfaces } from './bind.ts';
import { type Guest, u64 } from './memory.ts';

/** `crypto` fills at most so many bytes at once. */
const CHUNK = 65536;

/** Numbers made in advance, since each call of `crypto` costs more than a number. */
const numbers = new BigUint64Array(64);
let used = numbers.length;

function number(): bigint {
  if (used === numbers.length) {
    crypto.getRandomValues(numbers);
    used = 0;
  }
  const value = numbers[used] as bigint;
  numbers[used++] = 0n;
  return value;
}

/** Fills all of it with random bytes. */
export function fillRandom(into: Uint8Array<ArrayBuffer>): void {
  for (let done = 0; done < into.length; done += CHUNK) crypto.getRandomValues(into.subarray(done, done + CHUNK));
}

function bytes(guest: Guest) {
  return (length: bigint, result: number): void => {
    const count = u64(length);
    if (count > 0xffff_ffff) throw new WebAssembly.RuntimeError('more random bytes than a memory can hold');
    const at = guest.allocate(1, count);
    fillRandom(guest.bytes.subarray(at, at + count));
    guest.setList(result, at, count);
  };
}

export function random(): Interfaces {
  return {
    'wasi:random/random': { getRandomBytes: bytes, getRandomU64: () => number },
    'wasi:random/insecure': { getInsecureRandomBytes: bytes, getInsecureRandomU64: () => number },
    'wasi:random/insecure-seed': {
      insecureSeed: (guest) => (result: number) => {
        const { view } = guest;
        view.setBigUint64(result, number(), true);
        view.setBigUint64(result + 8, number(), true);
      },
    },
  };
}
