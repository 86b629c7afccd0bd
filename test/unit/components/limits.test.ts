import { describe, expect, test } from 'vitest';
import { capMemory, defaultMemoryLimit, hostedMemory } from '../../../src/components/limits.ts';
import { wat } from './wat.ts';

const MIB = 1024 * 1024;

/** How many pages the memory `m` of a module can have, found by growing it. */
async function pages(module: Uint8Array<ArrayBuffer>): Promise<number> {
  const { instance } = await WebAssembly.instantiate(module);
  const memory = instance.exports.m as WebAssembly.Memory;
  try {
    while (memory.grow(16) >= 0);
  } catch {
    // The end in steps of 16 pages.
  }
  return memory.buffer.byteLength / 65536;
}

describe('R3.8-5 the memory of a process is capped', () => {
  test('R3.8-5 a memory without a maximum gets one', async () => {
    const module = await wat('(module (memory (export "m") 16))');
    expect(await pages(capMemory(module, 16 * MIB))).toBe(256);
  });

  test('R3.8-5 a larger maximum is lowered, a smaller one stays', async () => {
    const large = await wat('(module (memory (export "m") 16 60000))');
    const small = await wat('(module (memory (export "m") 16 32))');
    expect(await pages(capMemory(large, 16 * MIB))).toBe(256);
    expect(capMemory(small, 16 * MIB)).toBe(small);
  });

  test('R3.8-5 growth beyond fails in the guest, which goes on', async () => {
    const text = '(module (memory 1) (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0))))';
    const { instance } = await WebAssembly.instantiate(capMemory(await wat(text), MIB));
    const grow = instance.exports.grow as (pages: number) => number;
    expect([grow(15), grow(1), grow(0)]).toEqual([1, -1, 16]);
  });

  test('everything else in the module stays as it was', async () => {
    const text = `(module (import "a" "b" (func)) (memory (export "m") 1) (global i32 (i32.const 7))
      (func (export "f") (result i32) (i32.load (i32.const 4))) (data (i32.const 4) "\\2a"))`;
    const module = capMemory(await wat(text), 300 * MIB);
    const { instance } = await WebAssembly.instantiate(module, { a: { b: () => undefined } });
    expect((instance.exports.f as () => number)()).toBe(42);
  });

  test('a module without a memory of its own is untouched', async () => {
    const module = await wat('(module (import "env" "memory" (memory 0)))');
    expect(capMemory(module, MIB)).toBe(module);
  });

  test('a module that needs more at its start is refused with both numbers', async () => {
    const module = await wat('(module (memory 32))');
    expect(() => capMemory(module, MIB)).toThrow(/2 MiB.*a process gets 1 MiB/);
  });

  test('R3.8-5 512 MiB, and 128 MiB where the device has little', () => {
    expect([defaultMemoryLimit(), defaultMemoryLimit(8), defaultMemoryLimit(4)].map((limit) => limit / MIB)).toEqual([
      512, 512, 128,
    ]);
  });
});

describe('R3.3-12 a worker gives its memory to one process after the other', () => {
  const text = `(module (import "a" "f" (func (param i32))) (import "a" "t" (table 1 8 funcref)) (import "a" "g" (global i32))
    (memory (export "m") 2) (func (export "run") (call 0 (i32.load (i32.const 4)))) (data (i32.const 4) "\\2a"))`;
  const given = (memory: WebAssembly.Memory, f: (value: number) => void) => ({
    a: { f, t: new WebAssembly.Table({ element: 'anyfunc', initial: 1, maximum: 8 }), g: 7 },
    sausage: { memory },
  });

  test('R3.3-12 the memory becomes an import with the cap as its maximum, all else stays', async () => {
    const { module, memory: limits } = hostedMemory(await wat(text), 4 * 65536);
    expect(limits).toEqual({ initial: 2, maximum: 4 });
    const memory = new WebAssembly.Memory(limits!);
    const seen: number[] = [];
    for (let i = 0; i < 2; i++) {
      new Uint8Array(memory.buffer).fill(0);
      const { instance } = await WebAssembly.instantiate(
        module,
        given(memory, (value) => seen.push(value)),
      );
      (instance.exports.run as () => void)();
      expect(instance.exports.m).toBe(memory);
    }
    expect(seen).toEqual([42, 42]);
  });

  test('R3.3-12 a module that gets a memory already, has two, or has no imports is only capped', async () => {
    for (const other of [
      '(module (import "env" "memory" (memory 1)))',
      '(module (import "a" "f" (func)) (memory 1) (memory 1))',
      '(module (memory 1))',
      '(module)',
    ]) {
      expect(hostedMemory(await wat(other), MIB).memory, other).toBeUndefined();
    }
  });
});
