/** Plugins in TypeScript, built in the page (chapter 11). */

import { describe, expect, test } from 'vitest';
import { openBrowser, openSite } from './harness.ts';
import { call, write } from './probe.ts';

describe('js.build in Chromium', () => {
  test('R11-7 offline: a new plugin is written, built, activated and called in 3 s, and built again in 0.7 s', async () => {
    const site = await openSite();
    const browser = await openBrowser();
    const tab = await browser.open(site.url);
    (tab as any).page.on('console', (m: any) => console.log('PAGE', m.text()));
    const from = performance.now();
    const created = await call(tab, 'js.new', { plugin: 'first' });
    expect(created).toMatchObject({ result: { files: expect.arrayContaining(['/plugins/first/source/main.ts']) } });
    const built = await call(tab, 'js.build', { plugin: 'first' });
    expect(built).toMatchObject({
      result: { wasm: '/state/js/builds/1/first.wasm', tests: { passed: 2, failed: 0 }, warnings: [] },
    });
    const activated = await call(tab, 'core.activate', { plugin: 'first', wasm: built.result.wasm });
    expect(activated.error).toBeUndefined();
    const greeted = await call(tab, 'first.greet', { name: 'Ada' });
    expect(greeted).toMatchObject({ result: 'Hello, Ada!' });
    const all = performance.now() - from;
    const again = await call(tab, 'js.build', { plugin: 'first' });
    expect(again).toMatchObject({ result: { wasm: '/state/js/builds/2/first.wasm' } });
    const times: number[] = [];
    for (let i = 0; i < 31; i++) times.push((await call(tab, 'first.greet', { name: 'Ada' })).took);
    const notes: number[] = [];
    for (let i = 0; i < 31; i++) notes.push((await call(tab, 'notes.list', {})).took);
    console.log('notes', notes.sort((a, b) => a - b)[15]);
    const median = times.sort((a, b) => a - b)[15];
    console.log({
      all,
      new: created.took,
      build: built.took,
      activate: activated.took,
      call: greeted.took,
      again: again.took,
      median,
    });
    await write(tab, '/plugins/first/source/main.ts', 'const x: number = ;\n');
    expect(await call(tab, 'js.build', { plugin: 'first' })).toMatchObject({
      error: { code: -32000, data: { step: 'compile', output: expect.stringContaining('source/main.ts:1:19: error') } },
    });
  });
});
