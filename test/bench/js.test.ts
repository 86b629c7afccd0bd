/** What it costs to build a plugin in the page and to call it. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../scripts/lib/paths.mjs';
import { openBrowser, openSite } from '../browser/harness.ts';
import { call } from '../browser/probe.ts';
import { figure, median } from './figures.ts';

test('R11-7 a plugin is built and called at once, and a call costs at most three times one of a plugin in Rust', async () => {
  const site = await openSite();
  const tab = await (await openBrowser()).open(site.url);
  const from = performance.now();
  const step = async (method: string, params: object) => {
    const { result, error, took } = await call(tab, method, params);
    expect(error).toBeUndefined();
    return { result, took };
  };
  await step('js.new', { plugin: 'mine' });
  const built = await step('js.build', { plugin: 'mine' });
  await step('core.activate', { plugin: 'mine', wasm: built.result.wasm });
  await step('mine.greet', { name: 'Ada' });
  const all = performance.now() - from;
  figure({ name: 'js.new, js.build, core.activate and a call', unit: 'ms', value: all, goal: 3000 });
  const again: number[] = [];
  for (let i = 0; i < 5; i++) again.push((await step('js.build', { plugin: 'mine' })).took);
  figure({ name: 'js.build again', unit: 'ms', value: median(again.sort((a, b) => a - b)), goal: 700 });

  const calls = (method: string, params: object) =>
    tab.evaluate(
      async ({ method, params }) => {
        const took: number[] = [];
        for (let i = 0; i < 100; i++) {
          const from = performance.now();
          await sausage.world.call(method, params);
          took.push(performance.now() - from);
        }
        return took;
      },
      { method, params },
    );
  const js: number[] = [];
  const rust: number[] = [];
  for (let round = 0; round < 4; round++) {
    js.push(...(await calls('mine.greet', { name: 'Ada' })));
    rust.push(...(await calls('notes.list', {})));
  }
  const sorted = (values: number[]) => values.sort((a, b) => a - b);
  const of = 'a warm call of notes.list, a plugin in Rust';
  const floor = median(sorted(rust));
  figure({ name: 'warm call of a JS plugin', unit: 'ms', value: median(sorted(js)), floor, of, most: 3, goal: 12 });
  const runner = statSync(join(ROOT, 'src/builders/runner/runner.wasm')).size;
  figure({ name: 'runner of JS plugins', unit: 'bytes', value: runner, limit: 1_500_000 });
});
