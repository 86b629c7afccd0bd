/** What a visitor feels of the page: until it is drawn and usable, while one types, and while long lists go by. */

import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { ChromiumBrowser, ChromiumTab } from '../browser/chromium.ts';
import { openBrowser, openSite, type Site } from '../browser/harness.ts';
import { figure, median } from './figures.ts';

const ROUNDS = 5;
const FRAMES = 120;
const FILES = 5000;
const LINES = 10_000;

/** Counts what moves, and how long each key takes until its effect is drawn; before anything of the page runs. */
const OBSERVE = `
  window.seen = { shift: 0, keys: [] };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.seen.shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (entry.name === 'keydown') window.seen.keys.push(entry.duration);
  }).observe({ type: 'event', durationThreshold: 16 });`;

interface Seen {
  shift: number;
  keys: number[];
}

let site: Site;
let browser: ChromiumBrowser;
const tabs: ChromiumTab[] = [];

beforeAll(async () => {
  site = await openSite();
  browser = await openBrowser('chromium');
});
afterEach(async () => {
  for (const tab of tabs.splice(0)) await tab.close();
});

async function visit(): Promise<Page> {
  const tab = await browser.open(site.url, { ready: false, before: OBSERVE });
  tabs.push(tab);
  return tab.page;
}

const seen = (page: Page): Promise<Seen> => page.evaluate(() => (window as never as { seen: Seen }).seen);
const line = (page: Page) => page.getByRole('combobox', { name: 'Call a method' });
const sorted = (values: number[]): number[] => values.toSorted((a, b) => a - b);

test('is drawn and usable soon, and nothing moves', async () => {
  const [paints, usable, shifts]: number[][] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const page = await visit();
    // by the clock of the page, from the beginning of the navigation
    usable!.push(
      await page.evaluate(async () => {
        const enabled = () =>
          document
            .querySelector('sausage-playground')
            ?.shadowRoot?.querySelector('sausage-console')
            ?.shadowRoot?.querySelector('sausage-prompt')
            ?.shadowRoot?.querySelector<HTMLInputElement>('input:enabled');
        while (!enabled()) await new Promise(requestAnimationFrame);
        return performance.now();
      }),
    );
    await page.evaluate(() => sausage.ready);
    paints!.push(
      await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN),
    );
    shifts!.push((await seen(page)).shift);
    await tabs.pop()!.close();
  }
  figure({ name: 'first paint', unit: 'ms', value: median(sorted(paints!)), goal: 800 });
  figure({ name: 'console usable', unit: 'ms', value: median(sorted(usable!)), goal: 2000 });
  // a page counts as calm below 0.1; this is a pixel of one word
  figure({ name: 'layout shift', unit: 'score', value: Math.max(...shifts!), goal: 0, limit: 0.001 });
});

test('typing stays fluent while two processes loop', async () => {
  const page = await visit();
  await page.evaluate(async () => {
    const world = await (sausage.ready as Promise<typeof sausage.world>);
    await world.call('js.new', { plugin: 'loop' });
    await world.fs.remove('/plugins/loop/source/main.test.ts');
    const source = `import { method, serve, t } from 'sausage';
serve({ grace: 1, methods: { run: method({ params: t.object({}), result: t.null(), run: () => { for (;;); } }) } });`;
    await world.fs.writeFile('/plugins/loop/source/main.ts', source);
    const { wasm } = (await world.call('js.build', { plugin: 'loop' })) as { wasm: string };
    await world.call('core.activate', { plugin: 'loop', wasm });
    for (let each = 0; each < 2; each++) world.call('loop.run').catch(() => {});
  });
  await expect.poll(() => page.evaluate(async () => (await sausage.world.processes()).length)).toBe(2);
  await line(page).click();
  const text = 'notes.add {"text": "typed while two processes loop"}';
  await page.keyboard.type(text, { delay: 50 });
  expect(await line(page).inputValue()).toContain('two processes loop');
  const keys = sorted((await seen(page)).keys);
  // keys that took less than the browser tells of are as short as that
  const all = [...Array.from({ length: Math.max(0, text.length - keys.length) }, () => 16), ...keys];
  figure({
    name: 'a key while two processes loop, until it is drawn, median',
    unit: 'ms',
    value: median(all),
    goal: 50,
  });
  figure({ name: 'the slowest of such keys', unit: 'ms', value: all.at(-1)!, goal: 100 });
  await page.evaluate(async () => {
    for (const { pid } of await sausage.world.processes()) await sausage.world.call('core.kill', { pid });
  });
});

/** Scrolls from one end to the other in so many frames; gives what a frame took, the shortest first. */
async function scroll(page: Page, element: string): Promise<number[]> {
  const list = page.locator(element).first();
  await list.waitFor();
  const times = await list.evaluate(async (first, frames) => {
    const scroller = [first, ...first.querySelectorAll('*')].find(
      (each) => each.scrollHeight > each.clientHeight * 4 && getComputedStyle(each).overflowY !== 'visible',
    );
    if (!scroller) throw new Error('nothing here is long');
    const frame = () => new Promise<number>(requestAnimationFrame);
    scroller.scrollTop = 0;
    await frame();
    const taken: number[] = [];
    let last = await frame();
    for (let at = 1; at <= frames; at++) {
      scroller.scrollTop = ((scroller.scrollHeight - scroller.clientHeight) * at) / frames;
      const now = await frame();
      taken.push(now - last);
      last = now;
    }
    return taken;
  }, FRAMES);
  return sorted(times);
}

test(`${LINES} lines of the journal and a folder of ${FILES} files scroll smoothly`, async () => {
  const page = await visit();
  await page.evaluate(
    async ([files, lines]) => {
      const world = await (sausage.ready as Promise<typeof sausage.world>);
      await world.fs.mkdir('/many', { recursive: true });
      await Promise.all(Array.from({ length: files! }, (_, at) => world.fs.writeFile(`/many/${at}`, '')));
      await world.call('js.new', { plugin: 'loud' });
      await world.fs.remove('/plugins/loud/source/main.test.ts');
      const source = `import { method, serve, t } from 'sausage';
const run = () => { for (let i = 0; i < ${lines}; i++) console.error('line ' + i); };
serve({ methods: { shout: method({ params: t.object({}), run }) } });`;
      await world.fs.writeFile('/plugins/loud/source/main.ts', source);
      const { wasm } = (await world.call('js.build', { plugin: 'loud' })) as { wasm: string };
      await world.call('core.activate', { plugin: 'loud', wasm });
      await world.call('loud.shout');
    },
    [FILES, LINES] as const,
  );
  await page
    .getByRole('log', { name: 'Newest lines of the journal' })
    .getByText(`line ${LINES - 1}`, { exact: true })
    .waitFor();
  await page.getByRole('treeitem', { name: 'many' }).click();
  await page
    .getByRole('treeitem', { name: '4999' })
    .or(page.getByRole('treeitem', { name: '0', exact: true }))
    .first()
    .waitFor();
  const lists = [
    ['10,000 lines of the journal', '[role=log]'],
    ['a folder of 5,000 files', '[role=tree]'],
  ] as const;
  for (const [name, element] of lists) {
    const times = await scroll(page, element);
    figure({ name: `${name}, a frame of scrolling, median`, unit: 'ms', value: median(times), goal: 17 });
    figure({
      name: `${name}, 95 of 100 frames within`,
      unit: 'ms',
      value: times[Math.floor(FRAMES * 0.95)]!,
      goal: 34,
    });
  }
});
