/** The tour that the playground world brings along: its pages are read, and their snippets run, by taps alone. */

import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ChromiumTab } from './chromium.ts';
import { openBrowser, openSite } from './harness.ts';
import { textOf } from './text.ts';

let page: Page;
let tab: ChromiumTab;

beforeAll(async () => {
  const site = await openSite();
  const browser = await openBrowser('chromium');
  tab = (await browser.open(site.url)) as ChromiumTab;
  page = tab.page;
});

const article = (): Locator => page.locator('sausage-page article');

/** The snippet with these words, whose results are those of its last run. */
const snippet = (words: string | RegExp, at = 0): Locator =>
  page.locator('sausage-snippet').filter({ hasText: words }).nth(at);

/** Runs the snippet with these words, and gives what came of its last line. */
async function run(words: string, at = 0): Promise<string> {
  const block = snippet(words, at);
  await block.getByRole('button', { name: /^Run/ }).click();
  const output = block.locator('sausage-entry .output').last();
  await output.waitFor();
  await block.getByRole('button', { name: /^Run/, disabled: false }).waitFor();
  return textOf(output);
}

/** Puts the text of a snippet into its file, and waits for what the run says. */
async function build(words: string | RegExp, says: string): Promise<void> {
  const block = snippet(words);
  await block.getByRole('button', { name: /and run$/ }).click();
  await block.getByRole('button', { name: /and run$/, disabled: false }).waitFor();
  await page.locator('sausage-run').getByText(says).waitFor({ timeout: 1000 });
}

async function next(title: string): Promise<void> {
  await article().getByRole('link', { name: title }).click();
  await article().getByRole('heading', { name: title }).waitFor();
}

describe('the tour', () => {
  it('a first visitor finds it, and its pages wrap as text too', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Take the tour' }).click();
    await article().getByRole('heading', { name: 'The playground world' }).waitFor();
    expect(await run('notes.list')).toContain('milk');
    // the console has what was run in the page
    await page.locator('sausage-console sausage-entry').filter({ hasText: 'notes.list' }).waitFor();

    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const scroller = page.locator('.cm-scroller');
    await scroller.getByText('This folder is a whole little computer').waitFor();
    expect(await scroller.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await article().waitFor();
  });

  it('runs to its end by taps alone, at 380 pixels', async () => {
    await page.setViewportSize({ width: 380, height: 800 });
    const tabs = page.locator('sausage-shell .tabs').first();
    expect(await tabs.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);

    await next('Call a program');
    expect(await run('buy milk')).toContain('buy milk');
    expect(await run('notes.list')).toContain('buy milk');
    await run('help notes');

    await next('Look into what runs');
    expect(await run('notes.json')).toContain('buy milk');
    expect(await run('ls /proc/core')).toContain('graph.json');
    await run('graph.json');
    await run('core.log');

    await next('Change a program and build it');
    expect(await run('hello.greet {"name": "Ada"}')).toContain('Hello, Ada!');
    await build('loud: t.optional', 'hello is active');
    expect(await run('"loud": true')).toContain('HELLO, ADA!');

    await next('Break an interface, safely');
    expect(await run('postcard.write')).toContain('Hello, Bob!');
    await build('t.enum', 'This version of hello does not fit the other plugins');
    expect(await run('postcard.write', 1)).toContain('Hello, Bob!');
    await build(/t\.object\(\{ name: t\.string\(\) \}\)/, 'hello is active');

    await next('A service, and its page');
    await build('tick()', 'clock is active');
    const restarted = async (words: string) => {
      await snippet(words).getByRole('button', { name: 'Put it into boot.json' }).click();
      await page.getByText('It is in /config/boot.json now.').first().waitFor();
      await page.evaluate(() => Object.assign(window, { before: sausage.world }));
      await snippet('core.exit', words === '[]' ? 1 : 0)
        .getByRole('button', { name: /^Run/ })
        .click();
      await page.waitForFunction(() => sausage.world && sausage.world !== (window as { before?: unknown }).before);
    };
    await restarted('clock.start');
    await page.waitForFunction(() => sausage.world.fs.stat('/state/clock/page.md').catch(() => undefined));
    await article().getByRole('link', { name: 'its page' }).click();
    await article()
      .getByText(/page number [2-9]/)
      .waitFor();
    await page.getByRole('tab', { name: '5-service.md' }).click();
    await restarted('[]');
    await expect.poll(() => page.evaluate(async () => (await sausage.world.processes()).length)).toBe(0);

    await next('Two programs, one file, a lock');
    await build(/FILE\)\);\n {2}await moment/, 'counter is active');
    expect(await run('counter.race')).toContain('1');
    await build(/lock\(FILE/, 'counter is active');
    expect(await run('counter.race', 1)).toContain('5');

    await next('Give your world to somebody');
    await snippet('js.new').getByRole('button', { name: /^Run/ }).click();
    await page.getByRole('button', { name: 'Run mine' }).waitFor();
    expect(tab.problems).toEqual([]);
  });
});
