/** Plugins in TypeScript, built in the page (chapter 11). */

import { beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openSite, type Tab } from './harness.ts';
import { call, write } from './probe.ts';

/** Waits until the service worker has every file of the page. */
const kept = (tab: Tab) =>
  tab.evaluate(async () => {
    const { dataset } = document.documentElement;
    while (!dataset.offline) await new Promise((resolve) => setTimeout(resolve, 10));
  });

const source = (tab: Tab, plugin: string, files: Record<string, string>) =>
  Promise.all(Object.entries(files).map(([name, text]) => write(tab, `/plugins/${plugin}/source/${name}`, text)));

const method = (body: string, imports = '') =>
  `import { method, serve, t } from 'sausage';\n${imports}\nserve({ grace: 0, methods: { run: method({ params: t.object({}), result: t.any(), run: async () => { ${body} } }) } });`;

const activate = (tab: Tab, plugin: string, wasm: string) => call(tab, 'core.activate', { plugin, wasm });

describe('R11-7 offline, in Chromium', () => {
  test('a plugin is written, built, activated and called, and built again', async () => {
    const site = await openSite({ kind: 'bare', path: '/some/where/' });
    const tab = await (await openBrowser()).open(site.url);
    await kept(tab);
    site.offline = true;
    const created = await call(tab, 'js.new', { plugin: 'first' });
    expect(created).toMatchObject({ result: { files: expect.arrayContaining(['/plugins/first/source/main.ts']) } });
    const built = await call(tab, 'js.build', { plugin: 'first' });
    expect(built).toMatchObject({
      result: { wasm: '/state/js/builds/1/first.wasm', tests: { passed: 2, failed: 0 }, warnings: [] },
    });
    expect((await activate(tab, 'first', built.result.wasm)).error).toBeUndefined();
    expect(await call(tab, 'first.greet', { name: 'Ada' })).toMatchObject({ result: 'Hello, Ada!' });
    const again = await call(tab, 'js.build', { plugin: 'first' });
    expect(again).toMatchObject({ result: { wasm: '/state/js/builds/2/first.wasm' } });
    expect(tab.problems).toEqual([]);
  });
});

describe('chapter 11 in one page', () => {
  let tab: Tab;
  beforeAll(async () => {
    const site = await openSite();
    tab = await (await openBrowser()).open(site.url);
  });

  test('the playground has hello, built in the page from what it was shipped as', async () => {
    for (;;) {
      const { result, error } = await call(tab, 'hello.greet', { name: 'world' });
      if (error?.code === -32001) continue; // it comes when the world answers already
      expect(result).toBe('Hello, world!');
      break;
    }
  });

  test('R11-1 an error has its step and the whole output, and nothing is activated or kept', async () => {
    await source(tab, 'wrong', { 'main.ts': 'const a = ;\nconst b = ;' });
    expect(await call(tab, 'js.build', { plugin: 'wrong' })).toMatchObject({
      error: {
        code: -32000,
        data: { step: 'compile', output: expect.stringMatching(/^source\/main\.ts:1:11: error/) },
      },
    });
    await source(tab, 'wrong', {
      'main.ts': method('return 1'),
      'main.test.ts':
        "import { expect, test } from 'sausage/test';\ntest('fails', () => { expect(1).toBe(2); });\ntest('works', () => {});",
    });
    const { error } = await call(tab, 'js.build', { plugin: 'wrong' });
    expect(error).toMatchObject({ code: -32000, data: { step: 'test' } });
    expect(error?.data.output).toMatch(
      /main\.test\.ts: fails … FAILED\nmain\.test\.ts: works … ok\n[\s\S]*expected 1 to be 2\n\s+at [\s\S]*source\/main\.test\.ts:2:\d+/,
    );
    expect(await call(tab, 'wrong.run')).toMatchObject({ error: { code: -32001 } });
    expect(await call(tab, 'js.build', { plugin: 'nobody' })).toMatchObject({
      error: { code: -32000, data: { step: 'read' } },
    });
    expect(await call(tab, 'js.build', {})).toMatchObject({ error: { code: -32602 } });
  });

  test('R11-1 the last five builds of each plugin are kept', async () => {
    await source(tab, 'other', { 'main.ts': method('return 1') });
    await call(tab, 'js.build', { plugin: 'other' });
    await source(tab, 'many', { 'main.ts': method('return 1') });
    const paths: string[] = [];
    for (let i = 0; i < 6; i++) paths.push((await call(tab, 'js.build', { plugin: 'many' })).result.wasm);
    const there = await tab.evaluate(async () => {
      const { fs } = sausage.world;
      const files: string[] = [];
      for (const { name } of await fs.readDir('/state/js/builds')) {
        for (const file of await fs.readDir(`/state/js/builds/${name}`))
          files.push(`/state/js/builds/${name}/${file.name}`);
      }
      return files;
    });
    expect(there.filter((path) => path.endsWith('/many.wasm')).sort()).toEqual(paths.slice(1).sort());
    expect(there.filter((path) => path.endsWith('/other.wasm'))).toHaveLength(1);
  });

  test('R11-2 a build is a process: it stands in the journal and can be stopped', async () => {
    await source(tab, 'slow', {
      'main.ts': method('return 1'),
      'a.test.ts': "import { test } from 'sausage/test';\ntest('endless', () => { for (;;); });",
    });
    const seen = await tab.evaluate(async () => {
      const { world } = sausage;
      const building = world
        .call('js.build', { plugin: 'slow' })
        .catch((error: { code: number; data: unknown }) => ({ code: error.code, data: error.data }));
      for (;;) {
        const process = (await world.processes()).find(({ plugin }) => plugin === 'js');
        if (!process) continue;
        const info = JSON.parse(await world.fs.readTextFile(`/proc/${process.pid}/info.json`));
        await world.call('core.stop', { pid: process.pid });
        const log = (await world.call('core.log', { pid: process.pid })) as { line: string }[];
        return { info, outcome: await building, log: log.map(({ line }) => line) };
      }
    });
    expect(seen.info).toMatchObject({ plugin: 'js', method: 'build', params: { plugin: 'slow' }, parent: 'console' });
    expect(seen.outcome).toMatchObject({ code: -32000, data: { step: 'stop' } });
    expect(seen.log[0]).toBe('start build {"plugin":"slow"}');
    expect(seen.log).toContain('stop');
  });

  test('R11-5 each test has a process and an empty world of its own, with locks and without plugins', async () => {
    await source(tab, 'tested', {
      'main.ts': method('return 1'),
      'data.txt': 'beside the source',
      'world.test.ts': `import { call, lock, pid, tell } from 'sausage';
import * as fs from 'sausage/fs';
import { expect, test } from 'sausage/test';
let runs = 0;
test('first', () => { runs++; fs.writeFile('/here', 'x'); fs.writeFile('/self/mine', 'y'); expect(runs).toBe(1); });
test('second', () => { runs++; expect(runs).toBe(1); expect(fs.exists('/here')).toBe(false); expect(fs.exists('/self/mine')).toBe(false); });
test('world', () => {
  expect(fs.readDir('/').map((entry) => entry.name)).toEqual(['plugins', 'proc', 'run', 'self']);
  expect(fs.readText('/plugins/tested/source/data.txt')).toBe('beside the source');
  expect(fs.readJson('/self/info.json').pid).toBe(pid);
});
test('core', async () => {
  expect(await lock('/x', () => 5)).toBe(5);
  tell('progress', { done: 1 });
  expect(await call('core.log')).toEqual([]);
  await expect(call('notes.list')).rejects.toThrow('no plugin notes');
});
test('exit', () => { throw 'a text'; });
test.skip('not today', () => { throw new Error('ran'); });`,
    });
    const { error } = await call(tab, 'js.build', { plugin: 'tested' });
    expect(error?.data.output.split('\n').slice(0, 6)).toEqual(
      ['first … ok', 'second … ok', 'world … ok', 'core … ok', 'exit … FAILED', 'not today … skipped'].map(
        (line) => `world.test.ts: ${line}`,
      ),
    );
    expect(error?.data.output).toContain('Uncaught "a text"');
  });

  test('R11-8 js describes itself, stands in the graph, and gives way to a plugin of its name', async () => {
    expect((await call(tab, 'js.rpc.discover')).result.methods.map(({ name }: { name: string }) => name)).toEqual([
      'build',
      'new',
    ]);
    expect((await call(tab, 'js.new', { plugin: 'fresh' })).error).toBeUndefined();
    expect((await call(tab, 'js.new', { plugin: 'fresh' })).error).toMatchObject({ code: -32602 });
    const graph = await tab.evaluate(() => sausage.world.fs.readTextFile('/proc/core/graph.json'));
    expect(JSON.parse(graph).plugins).toContainEqual({ name: 'js', title: 'js', methods: ['build', 'new'] });
    expect(await tab.evaluate(() => sausage.world.fs.readTextFile('/proc/plugins/js/client.rs'))).toContain(
      'pub fn build',
    );
  });

  test('R11-9 R10-7 a client of another plugin calls it, and what it uses is checked at activations', async () => {
    const { files } = (await call(tab, 'js.new', { plugin: 'shop', imports: ['notes'] })).result;
    expect(files.slice(0, 2)).toEqual(['/plugins/shop/imports/notes.json', '/plugins/shop/imports/notes.d.ts']);
    await tab.evaluate(() => sausage.world.fs.remove('/plugins/shop/source/main.test.ts'));
    await source(tab, 'shop', {
      'main.ts': method(
        "const note = await notes.add({ text: 'eggs' }); return note.text;",
        "import * as notes from 'imports/notes';",
      ),
    });
    const { result, error } = await call(tab, 'js.build', { plugin: 'shop' });
    expect(error).toBeUndefined();
    expect(result.warnings).toEqual([expect.stringMatching(/run.*cannot be imported/)]);
    const { documents } = (await activate(tab, 'shop', result.wasm)).result;
    expect(documents.shop['x-sausage-imports'].notes.methods.map(({ name }: { name: string }) => name)).toEqual([
      'add',
    ]);
    expect(await call(tab, 'shop.run')).toMatchObject({ result: 'eggs' });
    await source(tab, 'notes2', {
      'main.ts':
        "import { method, serve, t } from 'sausage';\nserve({ title: 'notes', methods: { list: method({ run: () => {} }) } });",
    });
    const other = (await call(tab, 'js.build', { plugin: 'notes2' })).result.wasm;
    expect(await activate(tab, 'notes', other)).toMatchObject({
      error: {
        code: -32003,
        data: {
          problems: expect.arrayContaining([
            expect.objectContaining({ consumer: 'shop', provider: 'notes', method: 'add' }),
          ]),
        },
      },
    });
  });
});
