/**
 * The browser is killed while a program writes and while a first visit begins; `KILLS=100` does it more often. What had
 * returned is there afterwards, and nothing is torn.
 */

import { expect, test } from 'vitest';
import { ensureBuilt } from '../../scripts/build.mjs';
import type { ChromiumBrowser } from '../browser/chromium.ts';
import { openBrowser, openSite } from '../browser/harness.ts';
import { buildLab, exercise, openLab } from '../lab/lab.ts';

const BLOCK = 64 * 1024;
const KILLS = Number(process.env.KILLS ?? 5);
/** Of each kind; the same in each run, unless `SEED` says another one. */
const random = numbers(Number(process.env.SEED ?? 1));

/** Numbers from 0 to 1 that look random. */
function numbers(seed: number): () => number {
  let state = seed * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test(`R4-11 what a program's writes returned for is there after the browser was killed, ${KILLS} times`, async () => {
  const site = await buildLab();
  const browser = await openBrowser('chromium');
  let from = 0;
  let most = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const { tab, repairs } = await openLab(browser, site, 'crash');
    // A record that was cut belongs to a step that had not returned; anything else would be damage.
    for (const repair of repairs) expect(repair).toMatch(/^the log of this world ended in the middle of a record/);
    if (kill > 0) {
      const { steps } = await exercise(tab, 'check', '/crash');
      expect(steps).toBeGreaterThanOrEqual(most + 1);
      from = steps;
    }
    await browser
      .context!.pages()
      .at(-1)!
      .exposeFunction('wrote', (number: number) => {
        most = Math.max(most, number);
      });
    await tab.evaluate((from) => {
      const { wrote } = globalThis as never as { wrote: (number: number) => void };
      const listen = lab.proxy((text: string) => wrote(Number(text.trim().split('\n').at(-1))));
      void lab.core.run('exercise', ['write', '/crash', String(from)], {}, listen);
    }, from);
    // Some moments after it is known to write: within its first writes, or while the storage is worked on behind it.
    const began = most;
    await expect.poll(() => most, { timeout: 60_000, interval: 1 }).toBeGreaterThan(began);
    await pause(random() ** 2 * 1500);
    await browser.kill();
  }
  const { tab } = await openLab(browser, site, 'crash');
  const { steps } = await exercise(tab, 'check', '/crash');
  console.log(`${KILLS} kills, ${steps} steps`);
  expect(steps).toBeGreaterThanOrEqual(most + 1);
}, 3_600_000);

test(`R4-11 large blocks in a row, of which the log says nothing, are there after the browser was killed, ${KILLS} times`, async () => {
  const site = await buildLab();
  const browser = await openBrowser('chromium');
  for (let kill = 0; kill < KILLS; kill++) {
    const { tab } = await openLab(browser, site, 'row');
    const wanted = Math.floor(random() * 2000) * BLOCK;
    // More than is wanted, and less than is too much for a text.
    const returned = await tab.evaluate(async (wanted) => {
      void lab.core.run('exercise', ['blocks', '/row', '4000']);
      for (let size = 0; ; ) if ((size = await lab.core.size('/row')) > wanted) return size;
    }, wanted);
    await browser.kill();
    const { tab: after, repairs } = await openLab(browser, site, 'row');
    expect(repairs).toEqual([]);
    const size = await after.evaluate(() => lab.core.size('/row'));
    expect(size).toBeGreaterThanOrEqual(returned);
    const text = await after.evaluate(() =>
      lab.core.read('/row').then((text) => ({ length: text.length, others: text.replaceAll('\u0007', '').length })),
    );
    expect(text).toEqual({ length: size, others: 0 });
    await after.evaluate(() => lab.core.remove('/row'));
    await after.evaluate(() => lab.core.settled());
    await browser.kill();
  }
}, 3_600_000);

/** Ends a visit at a moment of its first seconds, and expects a whole world at the next. */
async function interrupted(end: (browser: ChromiumBrowser) => Promise<void>): Promise<void> {
  await ensureBuilt();
  const site = await openSite();
  for (let visit = 0; visit < KILLS; visit++) {
    const browser = await openBrowser('chromium');
    const after = random() * 3000;
    try {
      const page = await browser.context!.newPage();
      page.goto(site.url).catch(() => {});
      await pause(after);
      await end(browser);
      const tab = await browser.open(site.url);
      const told = await tab.evaluate(async () => ({
        notes: await sausage.world.call('notes.list').catch((error: Error) => error.message),
        plugins: (await sausage.world.fs.readDir('/plugins')).map(({ name }) => name),
        worlds: (await sausage.listWorlds()).map(({ name }) => name),
      }));
      expect(told, `ended after ${after.toFixed()} ms`).toMatchObject({
        notes: { notes: [] },
        plugins: expect.arrayContaining(['notes']),
        worlds: ['playground'],
      });
    } finally {
      await browser.close();
    }
  }
}

test(
  `R4-11 a browser that is killed in the first seconds of a first visit leaves a whole world or none, ${KILLS} times`,
  () => interrupted((browser) => browser.kill()),
  3_600_000,
);

test(
  `R4-11 a tab that is closed in the first seconds of a first visit leaves a whole world or none, ${KILLS} times`,
  () =>
    interrupted(async (browser) => {
      await browser.context!.pages().at(-1)!.close();
    }),
  3_600_000,
);
