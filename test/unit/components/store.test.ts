import { gzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { ComponentCache } from '../../../src/components/cache.ts';
import { MemoryDirectory } from '../../../src/components/directory.ts';
import { ComponentError } from '../../../src/components/errors.ts';
import { encode } from '../../../src/components/frame.ts';
import { packFrames } from '../../../src/components/pack.ts';
import type { BuildApi } from '../../../src/components/protocol.ts';
import { ComponentStore, type StoreOptions } from '../../../src/components/store.ts';
import { transpiler } from '../../../src/components/transpile.ts';
import { command, wat } from './wat.ts';

const transpile = transpiler(() => import('@bytecodealliance/jco-transpile/component'));
const KEY = 'a'.repeat(64);
const plugin = () => wat(command(''));

/** A store over an empty folder, with a count of the components that the build worker made. */
function setUp(options: Partial<StoreOptions> = {}) {
  const directory = new MemoryDirectory();
  const problems: string[] = [];
  const counted = { builds: 0 };
  const build = async (): Promise<Pick<BuildApi, 'transpile'>> => ({
    transpile: (component) => {
      counted.builds++;
      return transpile(component);
    },
  });
  const onProblem = (message: string) => problems.push(message);
  const store = new ComponentStore({ directory, build, onProblem, ...options });
  return {
    store,
    directory,
    counted,
    problems,
    again: () => new ComponentStore({ directory, build, onProblem, ...options }),
  };
}

/** Waits until the folder has a file: the store writes it after it answered. */
async function written(directory: MemoryDirectory): Promise<void> {
  await expect.poll(async () => (await directory.list()).length).toBe(1);
}

const dataUrl = (bytes: Uint8Array) =>
  new URL(`data:application/octet-stream;base64,${Buffer.from(bytes).toString('base64')}`);

describe('the store of components', () => {
  test('gives a script and compiled modules', async () => {
    const ready = await setUp().store.load(KEY, await plugin());
    expect(ready.key).toBe(KEY);
    expect(ready.script).toContain('export function instantiate(getCoreModule, imports');
    expect(ready.modules['plugin.core.wasm']).toBeInstanceOf(WebAssembly.Module);
  });

  test('loads of one component at the same time are one, and later ones come from memory', async () => {
    const { store, counted } = setUp();
    const wasm = await plugin();
    const [one, other] = await Promise.all([store.load(KEY, wasm), store.load(KEY, wasm)]);
    expect(one).toBe(other);
    expect(await store.load(KEY, wasm)).toBe(one);
    expect(counted.builds).toBe(1);
  });

  test('the next visit takes it from the cache', async () => {
    const { store, directory, counted, again } = setUp();
    const wasm = await plugin();
    const first = await store.load(KEY, wasm);
    await written(directory);
    expect((await again().load(KEY, wasm)).script).toBe(first.script);
    expect(counted.builds).toBe(1);
  });

  test('a damaged cache entry is made again', async () => {
    const { store, directory, counted, again } = setUp();
    const wasm = await plugin();
    await store.load(KEY, wasm);
    await written(directory);
    const { name } = (await directory.list())[0]!;
    await directory.write(name, new Uint8Array([1, 2, 3]));
    expect((await again().load(KEY, wasm)).key).toBe(KEY);
    expect(counted.builds).toBe(2);
  });

  test('what ships with the page needs no build worker', async () => {
    const wasm = await plugin();
    const frame = await encode(KEY, await transpile(wasm), wasm);
    const pack = dataUrl(packFrames([frame], (bytes) => gzipSync(bytes)));
    const { store, counted } = setUp({ pack });
    expect((await store.load(KEY, wasm)).modules['plugin.core.wasm']).toBeInstanceOf(WebAssembly.Module);
    await store.load('b'.repeat(64), wasm);
    expect(counted.builds).toBe(1);
  });

  test('a pack that cannot be fetched or read is told and got over', async () => {
    const broken = dataUrl(new TextEncoder().encode('SAUP\x01\0\0\0not gzip'));
    for (const pack of [new URL('http://127.0.0.1:1/components.pack'), broken]) {
      const { store, counted, problems } = setUp({ pack });
      await store.load(KEY, await plugin());
      expect(counted.builds).toBe(1);
      expect(problems).toEqual([expect.stringMatching(/come with the page cannot be fetched/)]);
    }
  });

  test('a cache that fails is told and got over', async () => {
    const fails = () => Promise.reject(new Error('disk full'));
    const directory = { read: fails, write: fails, remove: fails, list: fails };
    const { store, problems } = setUp({ directory });
    await store.load(KEY, await plugin());
    await expect.poll(() => problems.length).toBe(2);
    expect(problems.join()).toMatch(/cannot be read: disk full.*cannot be written: disk full/);
  });

  test('R3.1-1 bytes that are no plugin fail without the build worker, each time', async () => {
    const { store, counted } = setUp();
    for (let time = 0; time < 2; time++) {
      await expect(store.load(KEY, new Uint8Array())).rejects.toThrow(ComponentError);
    }
    expect(counted.builds).toBe(0);
  });

  test('a load that failed is tried again by the next', async () => {
    let fail = true;
    const build = async (): Promise<Pick<BuildApi, 'transpile'>> => {
      if (fail) throw new Error('no network');
      return { transpile };
    };
    const { store } = setUp({ build });
    const wasm = await plugin();
    await expect(store.load(KEY, wasm)).rejects.toThrow(/could not be made ready to run: no network/);
    fail = false;
    expect((await store.load(KEY, wasm)).key).toBe(KEY);
  });

  test('R3.8-5 the memory of what it compiles is capped', async () => {
    const wasm = await wat(
      command('(i32.add (i32.const -1) (memory.grow (i32.const 16))) drop', '(memory (export "m") 1)'),
    );
    const { modules, memories } = await setUp({ memoryLimit: 8 * 65536 }).store.load(KEY, wasm);
    const limits = memories?.['plugin.core.wasm'];
    const given = limits && { sausage: { memory: new WebAssembly.Memory(limits) } };
    const { m } = new WebAssembly.Instance(modules['plugin.core.wasm']!, given).exports as { m: WebAssembly.Memory };
    expect(m.grow(7)).toBe(1);
    expect(() => m.grow(1)).toThrow(RangeError);
  });

  test('R3.8-5 a plugin that needs more than the cap says so', async () => {
    const wasm = await wat(command('', '(memory 100)'));
    await expect(setUp({ memoryLimit: 65536 }).store.load(KEY, wasm)).rejects.toThrow(/needs 6.25 MiB/);
  });

  test('compiled components stay within their budget, the least recently used goes', async () => {
    const wasm = await plugin();
    const compiledBudget = wasm.length * 2.5;
    const { store, counted } = setUp({ directory: Promise.reject(new Error('none')), compiledBudget });
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await store.load(key, wasm);
    // a, b and c once each, and b again, which made way for c.
    expect(counted.builds).toBe(4);
  });

  test('core code that no browser can compile is an error of the plugin', async () => {
    const wasm = await plugin();
    const build = async (): Promise<Pick<BuildApi, 'transpile'>> => ({
      transpile: async () => ({
        script: '',
        modules: { broken: new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 99]) },
      }),
    });
    await expect(setUp({ build }).store.load(KEY, wasm)).rejects.toThrow(ComponentError);
  });

  test('a cache made by one store serves another world of the same origin', async () => {
    const { directory } = setUp();
    const wasm = await plugin();
    await new ComponentCache(directory).put(KEY, await transpile(wasm), wasm);
    const { counted, store } = setUp({ directory });
    await store.load(KEY, wasm);
    expect(counted.builds).toBe(0);
  });
});
