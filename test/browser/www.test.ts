/** Plugins in TypeScript that reach each other: `www` and `chat` of the playground, and one that is built here. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ROOT } from '../../scripts/lib/paths.mjs';
import type { ChromiumTab } from './chromium.ts';
import { openBrowser, openSite } from './harness.ts';
import { call, install, type Outcome, write } from './probe.ts';

let tab: ChromiumTab;
beforeAll(async () => {
  const site = await openSite({ previews: true });
  // storage that is partitioned by the page around a frame, as visitors have it (`preview.test.ts`)
  const browser = await openBrowser('chromium', ['--disable-features=HttpsUpgrades']);
  tab = await browser.open(site.url);
});

/** The shipped plugins in JavaScript come when the world answers already. */
async function whenThere(method: string, params: object = {}): Promise<Outcome> {
  for (;;) {
    const outcome = await call(tab, method, params);
    if (outcome.error?.code !== -32001) return outcome;
  }
}

test('R5-2 R5-3 www serves a page that shows the notes and takes new ones, and tells of itself by its endpoint', async () => {
  const { page } = tab;
  await call(tab, 'notes.add', { text: 'milk' });
  expect(await whenThere('www.start')).toMatchObject({ result: { port: 8080, folder: '/www', requests: 0 } });
  await page.getByRole('tab', { name: 'Processes' }).click();
  await page.getByRole('button', { name: 'Preview port 8080' }).click();
  const notes = page.frameLocator('iframe[title="Pages of port 8080"]').frameLocator('iframe');
  await notes.getByText('milk').waitFor();
  await notes.getByRole('textbox').fill('eggs');
  await notes.getByRole('button', { name: 'Add' }).click();
  await notes.locator('li').filter({ hasText: 'eggs' }).waitFor();
  const { result } = await call(tab, 'notes.list');
  expect(result.notes.map(({ text }: { text: string }) => text)).toEqual(['milk', 'eggs']);

  await write(tab, '/other/index.html', 'another folder');
  await write(tab, '/config/www.json', '{"folder": "/other"}');
  expect((await call(tab, 'www.status')).result).toMatchObject({ folder: '/www' });
  expect((await call(tab, 'www.reload')).result).toMatchObject({ folder: '/other' });
  expect((await call(tab, 'www.status')).result.requests).toBeGreaterThan(3);
  const graph = await tab.evaluate(() => sausage.world.fs.readTextFile('/proc/core/graph.json'));
  expect(graph).toMatch(/"www"/);
  expect(tab.problems).toEqual([]);
});

test('R5-3 R5-4 R5-5 endpoints join plugins in TypeScript and in Rust, both ways', async () => {
  const { result } = await call(tab, 'www.rpc.discover');
  expect(result['x-sausage-endpoints'].control.methods.map(({ name }: { name: string }) => name)).toEqual([
    'status',
    'reload',
  ]);
  const wasm = (await readFile(join(ROOT, 'test/plugins/netprobe/plugin.wasm'))).toString('base64');
  await install(tab, ['netprobe'], wasm);
  const status = await call(tab, 'netprobe.use-endpoint', { path: '/run/www', method: 'status' });
  expect(status.result).toMatchObject({ who: { plugin: 'www', interface: 'control' }, result: { folder: '/other' } });

  await write(
    tab,
    '/plugins/asker/source/main.ts',
    `import { endpoint, method, serve, t } from 'sausage';
serve({ methods: { ask: method({ params: t.object({ path: t.string(), x: t.integer() }), result: t.any(), async run({ path, x }) {
  const double = method({ params: t.object({ x: t.integer() }), result: t.integer(), run: ({ x }) => 2 * x });
  const control = await endpoint.connect(path, { methods: { double } });
  const said = await control.call('ask', { x });
  control.close();
  return said;
} }) } });`,
  );
  const built = await call(tab, 'js.build', { plugin: 'asker' });
  await call(tab, 'core.activate', { plugin: 'asker', wasm: built.result.wasm });
  const serving = call(tab, 'netprobe.endpoint', { path: '/run/control' });
  await tab.evaluate(async () => {
    while (!(await sausage.world.fs.stat('/run/control').catch(() => undefined)));
  });
  expect(await call(tab, 'asker.ask', { path: '/run/control', x: 21 })).toMatchObject({
    result: { 'client said': 42 },
  });
  expect((await serving).error).toBeUndefined();
});

test('R3.5-1 chat tells each word to those who listen, and how far its transcript is', async () => {
  expect((await whenThere('chat.start')).result).toBe('the room is open');
  const seen = await tab.evaluate(async () => {
    const { world } = sausage;
    const heard: unknown[] = [];
    const listening = world.call(
      'chat.listen',
      { words: 1 },
      { onNotify: (name, params) => heard.push([name, params]) },
    );
    let over = false;
    void listening.then(() => {
      over = true;
    });
    while (!over) await world.call('chat.say', { who: 'Ada', text: 'hello' });
    const done: unknown[] = [];
    // the room writes once a second
    while (((await world.call('chat.history')) as unknown[]).length === 0);
    await world.call('chat.transcript', { path: '/chat.md' }, { onNotify: (name) => done.push(name) });
    return { heard, done, text: await world.fs.readTextFile('/chat.md') };
  });
  expect(seen.heard).toMatchObject([['said', { who: 'Ada', text: 'hello' }]]);
  expect(seen.done).toContain('progress');
  expect(seen.text).toMatch(/\*\*Ada\*\* \(\d\d:\d\d\): hello/);
});
