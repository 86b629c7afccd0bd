import { gzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { coreModules } from '../../../src/components/binary.ts';
import { decode, encode, keyOf } from '../../../src/components/frame.ts';
import { packFrames, readPack } from '../../../src/components/pack.ts';
import type { Transpiled } from '../../../src/components/protocol.ts';
import { command, wat } from './wat.ts';

const KEY = 'a'.repeat(64);

/** A component and a result that takes one module from it and brings one of its own. */
async function sample(): Promise<{ component: Uint8Array<ArrayBuffer>; transpiled: Transpiled }> {
  const component = await wat(command('', `(data "${'x'.repeat(5000)}") (memory 1)`));
  const [range] = coreModules(component);
  const modules = { one: component.slice(range!.start, range!.end), two: new Uint8Array([1, 2, 3]) };
  return { component, transpiled: { script: 'export const größe = 1;', modules } };
}

describe('frames', () => {
  test('a frame gives back what was put in', async () => {
    const { component, transpiled } = await sample();
    const frame = await encode(KEY, transpiled, component);
    expect(keyOf(frame)).toBe(KEY);
    expect(await decode(KEY, frame, component)).toEqual(transpiled);
  });

  test('a module that stands in the component is not repeated', async () => {
    const { component, transpiled } = await sample();
    expect((await encode(KEY, transpiled, component)).length).toBeLessThan(500);
  });

  test('a frame with any byte changed, or cut anywhere, is no frame', async () => {
    const { component, transpiled } = await sample();
    const frame = await encode(KEY, transpiled, component);
    for (let at = 0; at < frame.length; at++) {
      const changed = frame.map((byte, index) => (index === at ? byte ^ 1 : byte));
      expect(await decode(KEY, changed, component), `byte ${at}`).toBeUndefined();
      expect(await decode(KEY, frame.slice(0, at), component), `${at} bytes`).toBeUndefined();
    }
  });

  test('a frame of another component is not taken', async () => {
    const { component, transpiled } = await sample();
    expect(await decode('b'.repeat(64), await encode(KEY, transpiled, component), component)).toBeUndefined();
  });

  test('a frame of another generator is not taken, though it is whole', async () => {
    const { component, transpiled } = await sample();
    const frame = Buffer.from(await encode(KEY, transpiled, component));
    const other = Buffer.from(frame.toString('latin1').replace('-host', '-hopt'), 'latin1');
    other.set(new Uint8Array(await crypto.subtle.digest('SHA-256', other.subarray(0, -32))), other.length - 32);
    expect(await decode(KEY, new Uint8Array(other), component)).toBeUndefined();
    expect(keyOf(other)).toBe(KEY);
  });
});

describe('the shipped pack', () => {
  test('gives each frame by its key', async () => {
    const { component, transpiled } = await sample();
    const frames = await Promise.all([KEY, 'c'.repeat(64)].map((key) => encode(key, transpiled, component)));
    const pack = packFrames(frames, (bytes) => gzipSync(bytes));
    const found = await readPack(pack);
    expect([...found.keys()]).toEqual([KEY, 'c'.repeat(64)]);
    expect(await decode(KEY, found.get(KEY)!, component)).toEqual(transpiled);
  });

  test('one of another version, or none at all, is empty', async () => {
    const pack = packFrames([], (bytes) => gzipSync(bytes));
    pack[4] = 2;
    expect((await readPack(pack)).size).toBe(0);
    expect((await readPack(new Uint8Array())).size).toBe(0);
  });
});
