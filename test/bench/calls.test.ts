/** What a call costs, beside the cost of the component alone. */

import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildFloor } from '../../scripts/lib/bundles.mjs';
import { BUILD, ROOT } from '../../scripts/lib/paths.mjs';
import { openBrowser, openSite, type Tab, type TestBrowser } from '../browser/harness.ts';
import { call, install, probeWasm } from '../browser/probe.ts';
import { figure, median } from './figures.ts';

let browser: TestBrowser;
let tab: Tab;
let floorPage: Tab;

beforeAll(async () => {
  const folder = join(BUILD, 'floor');
  await buildFloor(folder);
  await copyFile(join(ROOT, 'public/world/plugins/notes/plugin.wasm'), join(folder, 'notes.bin'));
  await copyFile(join(BUILD, 'world/components.pack'), join(folder, 'components.pack'));
  await mkdir(folder, { recursive: true });
  expect(await readdir(folder)).toContain('index.html');
  const site = await openSite();
  browser = await openBrowser();
  tab = await browser.open(site.url);
  const floorSite = await openSite({ dist: folder });
  // a browser of its own: tabs of one host can share a process, and with it the number of WebAssembly memories
  floorPage = await (await openBrowser()).open(floorSite.url, { ready: false });
  await floorPage.evaluate(async () => {
    while (!('floors' in globalThis)) await new Promise(requestAnimationFrame);
  });
});

/** Calls one after the other, sorted by what they took. */
const calls = (method: string, times: number) =>
  tab.evaluate(
    async ({ method, times }) => {
      const took: number[] = [];
      for (let i = 0; i < times; i++) {
        const from = performance.now();
        await sausage.world.call(method);
        took.push(performance.now() - from);
      }
      return took.sort((a, b) => a - b);
    },
    { method, times },
  );

test('R3.3-2 a warm call costs at most twice the component alone', async () => {
  await call(tab, 'notes.add', { text: 'milk' });
  const notes = JSON.stringify({ next: 2, notes: [{ id: 1, text: 'milk' }] });
  const request = '{"jsonrpc":"2.0","id":"notes-1","method":"list","params":{}}';
  const floor = (times: number) =>
    floorPage.evaluate(
      ({ request, notes, times }) =>
        floors.component(times, 'notes.bin', request, { '/state/notes/notes.json': notes }),
      { request, notes, times },
    );
  await calls('notes.list', 300);
  const took: number[] = [];
  const medians = { calls: [] as number[], floor: [] as number[] };
  // in turn, so that a machine that changes its speed changes it for both
  for (let round = 0; round < 8; round++) {
    const some = await calls('notes.list', 300);
    took.push(...some);
    medians.calls.push(median(some));
    medians.floor.push(median(await floor(60)));
  }
  const of = 'instance + run of the component in one warm worker, every import answered on the spot';
  figure({
    name: 'warm call of notes.list',
    unit: 'ms',
    // the quietest round of each: what else the machine does only adds
    value: Math.min(...medians.calls),
    floor: Math.min(...medians.floor),
    of,
    most: 2,
    goal: 3,
  });
  figure({ name: 'warm call of notes.list, all rounds', unit: 'ms', value: median(took.sort((a, b) => a - b)) });
  figure({
    name: 'warm calls one after another',
    unit: 'calls/s',
    value: 1000 / (took.reduce((sum, one) => sum + one) / took.length),
  });
});

test('R3.3-2 a cold call, in a worker that has to be made', async () => {
  await install(tab, ['probe'], await probeWasm());
  await call(tab, 'probe.echo');
  const took = await tab.evaluate(async () => {
    const took: number[] = [];
    /** Waits until so many processes sit in workers of their own. */
    const hang = async (count: number) => {
      while ((await sausage.world.processes()).some(({ method }) => method !== 'hang'));
      for (let i = (await sausage.world.processes()).length; i < count; i++) {
        void sausage.world.call('probe.hang').catch(() => {});
      }
      while ((await sausage.world.processes()).length < count);
    };
    // take every warm worker, so that each call needs a new one, and take that one too
    await hang(9);
    for (let i = 10; i < 40; i++) {
      const from = performance.now();
      await sausage.world.call('notes.list');
      took.push(performance.now() - from);
      while ((await sausage.world.processes()).some(({ plugin }) => plugin === 'notes'));
      await hang(i);
    }
    await Promise.all((await sausage.world.processes()).map(({ pid }) => sausage.world.call('core.kill', { pid })));
    return took.sort((a, b) => a - b);
  });
  figure({ name: 'cold call of notes.list', unit: 'ms', value: median(took), goal: 60 });
});

test('R8-4 the first visit answers soon and loads little', async () => {
  const first: number[] = [];
  const second: number[] = [];
  const floors: number[] = [];
  /** By the clocks of the page: by the time that a test hears of the world, what comes later is under way. */
  const ready = (tab: Tab) =>
    tab.evaluate(async () => {
      while (!('sausage' in globalThis)) await new Promise(requestAnimationFrame);
      await sausage.ready;
      const opened = performance.timeOrigin + performance.now();
      await sausage.world.call('notes.list');
      return { opened, answered: performance.now() };
    });
  /** What the browser needs to load and parse the document. */
  const document = (tab: Tab) =>
    tab.evaluate(() => (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming).responseEnd);
  let bytes = 0;
  for (let round = 0; round < 3; round++) {
    const fresh = await openSite();
    const other = await openBrowser();
    const visit = await other.open(fresh.url, { ready: false });
    const { opened, answered } = await ready(visit);
    first.push(answered);
    const loaded = fresh.requests
      .filter(({ ended }) => ended <= opened)
      .reduce((sum, request) => sum + request.bytes, 0);
    floors.push(await document(visit));
    if (round === 0) bytes = loaded;
    await visit.reload();
    second.push((await ready(visit)).answered);
    await other.close();
    await fresh.close();
  }
  const sorted = (values: number[]) => values.sort((a, b) => a - b);
  figure({
    name: 'first visit until notes.list answers',
    unit: 'ms',
    value: median(sorted(first)),
    floor: median(sorted(floors)),
    of: 'the document alone',
    goal: 2000,
  });
  figure({
    name: 'second visit until notes.list answers',
    unit: 'ms',
    value: median(sorted(second)),
    floor: median(sorted(floors)),
    of: 'the document alone',
    goal: 900,
  });
  figure({ name: 'first load, compressed', unit: 'bytes', value: bytes, limit: 900_000 });
});
