import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, unzipSync } from 'fflate';
import { afterAll, describe, expect, test } from 'vitest';
import { PLUGINS, recordOf, sha256, sourceHash } from '../../../scripts/plugins.mjs';
import { buildWorld } from '../../../scripts/world.mjs';
import { decode } from '../../../src/components/frame.ts';
import { checkPlugin } from '../../../src/components/interfaces.ts';
import { readPack } from '../../../src/components/pack.ts';

describe('the binaries in the repository', () => {
  test.each(PLUGINS)('$name was made from the source beside it', (plugin) => {
    const recorded = JSON.parse(readFileSync(recordOf(plugin), 'utf8'));
    const again = `run "node scripts/plugins.mjs ${plugin.name}"`;
    expect(sourceHash(plugin.source), again).toBe(recorded.source);
    expect(sha256(readFileSync(plugin.wasm)), again).toBe(recorded.sha256);
    expect(recorded.compiler).toMatch(/^rustc \d/);
  });

  test.each(PLUGINS)('R3.1-1 $name is a plugin', ({ wasm }) => {
    expect(checkPlugin(readFileSync(wasm)).exports).toHaveLength(1);
  });
});

describe('what the page ships', { timeout: 60_000 }, () => {
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  /** Builds into a new folder. */
  async function built() {
    const outDir = mkdtempSync(join(tmpdir(), 'world-'));
    folders.push(outDir);
    const sizes = await buildWorld({ outDir });
    const read = (name: string) => new Uint8Array(readFileSync(join(outDir, name)));
    return { sizes, world: read('playground.world'), pack: read('components.pack'), programs: read('programs.pack') };
  }

  let building: ReturnType<typeof built> | undefined;
  const once = () => (building ??= built());

  test('the same sources give the same bytes, whatever the time and its zone', async () => {
    const zone = process.env.TZ;
    process.env.TZ = 'Pacific/Auckland';
    const one = await built().finally(() => (zone === undefined ? delete process.env.TZ : (process.env.TZ = zone)));
    const other = await once();
    expect(sha256(one.programs)).toBe(sha256(other.programs));
    expect(sha256(one.world)).toBe(sha256(other.world));
    expect(sha256(one.pack)).toBe(sha256(other.pack));
  });

  test('R1-1 the world has its plugin with its source, its services and a page about it, and nothing of the repository', async () => {
    const files = unzipSync((await once()).world);
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(['README.md', 'config/boot.json', 'plugins/notes/plugin.wasm']),
    );
    expect(Object.keys(files)).toContain('plugins/notes/source/src/main.rs');
    expect(Object.keys(files).filter((name) => /\/target\/|\.wasm\.json$|\/\.|^\.|\\/.test(name))).toEqual([]);
    expect(JSON.parse(new TextDecoder().decode(files['config/boot.json']))).toEqual([]);
  });

  test('the pack has every plugin of the world, and both stay small', async () => {
    const { world, pack, sizes, programs } = await once();
    const late: Record<string, { wasm?: string }> = JSON.parse(new TextDecoder().decode(gunzipSync(programs)));
    const plugins: [string, Uint8Array<ArrayBuffer>][] = [
      ...Object.entries(unzipSync(world)).filter(([name]) => name.endsWith('plugin.wasm')),
      ...Object.entries(late).flatMap(([name, { wasm }]) => (wasm ? [[name, Buffer.from(wasm, 'base64')]] : [])),
    ] as [string, Uint8Array<ArrayBuffer>][];
    expect(plugins.map(([name]) => name)).toEqual(expect.arrayContaining(['plugins/notes/plugin.wasm', 'secrets']));
    const frames = await readPack(pack);
    // and the runner, of which the plugins in JavaScript are made
    expect(frames.size).toBe(plugins.length + 1);
    for (const [, wasm] of plugins) {
      const found = await decode(sha256(wasm), frames.get(sha256(wasm))!, wasm);
      expect(found?.script).toContain('instantiate');
      for (const module of Object.values(found!.modules)) expect(WebAssembly.validate(module)).toBe(true);
    }
    expect(sizes).toMatchObject({ world: world.length, pack: pack.length });
    expect(world.length + pack.length).toBeLessThan(250_000);
  });
});
