/** What a visitor does with worlds: names, copies, beginnings, and zips with and without secrets. One page for all of it. */

import { strFromU8, unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ChromiumTab } from './chromium.ts';
import { openBrowser, openSite } from './harness.ts';

let tab: ChromiumTab;
let page: Page;
let address: string;

beforeAll(async () => {
  const site = await openSite();
  address = site.url;
  const browser = await openBrowser('chromium');
  tab = (await browser.open(site.url)) as ChromiumTab;
  page = tab.page;
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('tab', { name: 'Worlds' }).click();
});

const worlds = () => page.locator('sausage-worlds');
const press = (name: string) => worlds().getByRole('button', { name, exact: true }).click();
const names = () => page.evaluate(async () => (await sausage.listWorlds()).map(({ name }) => name));
const isOpen = (name: string) => page.waitForFunction((name) => sausage.world?.name === name, name);

async function answer(name: string): Promise<void> {
  await worlds().getByRole('textbox', { name: 'Name' }).fill(name);
  await page.keyboard.press('Enter');
}

describe('the list of worlds', () => {
  it('makes a world of nothing, of the playground, and of a zip at an address', async () => {
    await press('New world');
    await worlds().getByRole('radio', { name: 'Nothing' }).check();
    await answer('empty one');
    await isOpen('empty one');
    expect(
      await page.evaluate(async () => (await sausage.world.fs.readDir('/')).map(({ name }) => name)),
    ).not.toContain('README.md');

    const zip = await page.evaluate(async () => {
      await sausage.world.fs.writeFile('/lesson.md', '# Hello');
      await sausage.world.fs.mkdir('/plugins', { recursive: true });
      return [...new Uint8Array(await (await sausage.world.exportZip()).arrayBuffer())];
    });
    await page.route(/\/(lesson|linked)\.zip$/, (route) => route.fulfill({ body: Buffer.from(zip) }));
    await press('New world');
    await worlds().getByRole('radio', { name: 'A zip at an address' }).check();
    await answer('lesson');
    await worlds().getByText('The address of a zip begins with https://.').waitFor();
    await worlds().getByRole('textbox', { name: 'Address of the zip' }).fill(`${address}lesson.zip`);
    await answer('lesson');
    await isOpen('lesson');
    expect(await page.evaluate(() => [sausage.world.held, sausage.world.fs.stat('/lesson.md') !== undefined])).toEqual([
      true,
      true,
    ]);
  });

  it('resets a world to what it was made of', async () => {
    await page.evaluate(() => sausage.world.fs.writeFile('/lesson.md', 'scribbled'));
    await press('Reset lesson');
    await worlds().locator('sausage-dialog').getByRole('button', { name: 'Reset lesson' }).click();
    await worlds().getByText('lesson is as it was at first.').waitFor();
    await isOpen('lesson');
    expect(await page.evaluate(() => sausage.world.fs.readTextFile('/lesson.md'))).toBe('# Hello');
  });

  it('R1-6 renames the open world and copies it, and says why a name cannot be', async () => {
    await press('Rename lesson');
    await answer('empty one');
    await worlds().getByText('There is a world named empty one already.').waitFor();
    await answer('lesson two');
    await worlds().getByText('lesson is called lesson two now.').waitFor();
    await isOpen('lesson two');
    expect(page.url()).toContain('world=lesson+two');

    await press('Duplicate lesson two');
    await answer('a copy');
    await worlds().getByText('a copy is made.').waitFor();
    expect(await names()).toEqual(['a copy', 'empty one', 'lesson two', 'playground']);
    expect(await page.evaluate(() => sausage.world.name)).toBe('lesson two');
    await press('More for a copy');
    await press('Rename a copy');
    await answer('another');
    await worlds().getByText('a copy is called another now.').waitFor();
    expect(await names()).toEqual(['another', 'empty one', 'lesson two', 'playground']);
  });

  it('R8-5 exports without secrets, and with them when one asks', async () => {
    const plain = await tab.download(() => press('Export lesson two as a zip'));
    expect(plain.name).toBe('lesson two.zip');
    await worlds()
      .getByText(/lesson two\.zip is downloaded \([^)]*\)\./)
      .waitFor();
    await page.evaluate(async () => {
      const { fs } = sausage.world;
      await fs.mkdir('/config', { recursive: true });
      await fs.writeFile('/config/secrets.json', '{"key": "hush"}');
      await fs.writeFile('/config/agent.json', '{"model": "m", "token": "hush too"}');
    });
    const without = await tab.download(() => press('Export lesson two as a zip'));
    await worlds().getByText('without the secrets of this world').waitFor();
    const whole = await tab.download(() => press('Export with its secrets'));
    const textsOf = (zip: Buffer) =>
      Object.entries(unzipSync(zip)).map(([path, bytes]) => `${path}: ${strFromU8(bytes, true)}`);
    expect(textsOf(whole.data)).toContain('config/secrets.json: {"key": "hush"}');
    expect(textsOf(whole.data).join()).toContain('hush too');
    expect(textsOf(without.data).join()).not.toContain('hush');
    expect(textsOf(without.data).join()).toContain('config/agent.json');
  });

  it('R8-5 a link to a zip makes a world, and asks when it is followed again', async () => {
    await page.goto(`${address}#world=${encodeURIComponent(`${address}linked.zip`)}`);
    await isOpen('linked');
    expect(page.url()).toBe(`${address}?world=linked`);
    expect(await page.evaluate(() => sausage.world.held)).toBe(true);
    await page.evaluate(() => sausage.world.fs.writeFile('/lesson.md', 'mine'));
    const follow = () => page.evaluate(() => void (location.hash = '#world=linked.zip'));
    await follow();
    await page.getByRole('button', { name: 'Go on with “linked”' }).click();
    await isOpen('linked');
    const text = () => page.evaluate(() => sausage.world.fs.readTextFile('/lesson.md'));
    expect(await text()).toBe('mine');
    await follow();
    await page.getByRole('button', { name: 'Make another world' }).click();
    await isOpen('linked 2');
    expect(await text()).toBe('# Hello');
    await page.evaluate(() => void (location.hash = '#world=nowhere.zip'));
    await page.getByText(/There is no world at .*nowhere\.zip/).waitFor();
    await page.evaluate(() => void (location.hash = '#world=javascript:alert(1)'));
    await page.getByText('This link means no world').waitFor();
    // what was made before can be told from the link also under another name
    await page.evaluate(() => void (location.hash = '#world=lesson.zip'));
    await page.getByRole('button', { name: 'Go on with “lesson two”' }).waitFor();
    await page.evaluate(async () => {
      for (const name of ['linked', 'linked 2']) await sausage.deleteWorld(name);
    });
    await page.goto(`${address}?world=lesson+two`);
    await isOpen('lesson two');
    await page.getByRole('tab', { name: 'Worlds' }).click();
    // that there is nothing at an address is an error of the console
    tab.problems.length = 0;
  });

  it('does all of it at 380 pixels too, and nothing sticks out', async () => {
    await page.setViewportSize({ width: 380, height: 800 });
    await page.getByRole('tab', { name: 'Worlds' }).click();
    await worlds().getByRole('button', { name: 'Reset lesson two' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(380);
    const hidden = await worlds().evaluate((element) => element.scrollWidth - element.clientWidth);
    expect(hidden).toBe(0);
    expect(tab.problems).toEqual([]);
  });
});
