/** The plugins in TypeScript that the playground comes with: each is built and passes its own tests. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as esbuild from 'esbuild-wasm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../../../scripts/lib/paths.mjs';
import { buildJs } from '../../../src/builders/js/build.ts';
import { runTests } from '../../../src/builders/js/tests.ts';
import { Machines } from '../net/support/machines.ts';
import { ready } from '../wasi/support/component.ts';
import { runner, worldOf } from './support.ts';

const PLUGINS = join(ROOT, 'public/world/plugins');

let world: Machines;
beforeAll(async () => {
  world = await Machines.create();
});
afterAll(() => world.close());

/** The text files of a plugin by their paths in the world. */
function filesOf(plugin: string): Record<string, string> {
  const names = readdirSync(join(PLUGINS, plugin), { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile() && !entry.name.startsWith('plugin.wasm'));
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [`/plugins/${path.slice(PLUGINS.length + 1).replaceAll('\\', '/')}`, readFileSync(path, 'utf8')];
    }),
  );
}

test.each([
  ['hello', 2],
  ['postcard', 1],
  ['www', 5],
  ['chat', 3],
])('R11-5 R11-7 %s is built, and its tests pass', async (plugin, count) => {
  const files = await worldOf(filesOf(plugin));
  const result = await buildJs({ plugin, files }, { esbuild: async () => esbuild, runner });
  if ('step' in result) throw new Error(result.output);
  expect(result.warnings).toEqual([]);
  const component = await ready(plugin, Buffer.from(result.tests!));
  const { signal } = new AbortController();
  const own = new Map([...files].filter(([path]) => path.startsWith(`/plugins/${plugin}/`)));
  const tested = await runTests({
    machines: world.machines,
    plugin,
    component,
    files: own,
    signal,
    onProgress() {},
  });
  expect(tested.output).not.toContain('FAILED');
  expect(tested).toMatchObject({ passed: count, failed: 0 });
});

test('R11-9 what www imports of notes is what notes offers', async () => {
  const notes = await ready('notes', readFileSync(join(PLUGINS, 'notes/plugin.wasm')));
  const { result } = await world.start('rpc.discover', {}, notes).outcome;
  expect(JSON.parse(readFileSync(join(PLUGINS, 'www/imports/notes.json'), 'utf8'))).toEqual(result);
});
