/** What a visitor does with the page: types, looks, takes a world away and brings it back. With a real keyboard. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DIST } from '../../scripts/lib/paths.mjs';
import type { ChromiumTab } from './chromium.ts';
import { openBrowser, openSite, type Site, type TestBrowser } from './harness.ts';
import { install } from './probe.ts';
import { textOf } from './text.ts';

let site: Site;
let browser: TestBrowser;

beforeAll(async () => {
  site = await openSite();
  browser = await openBrowser('chromium');
});

/** A world is open in one tab at a time, so none outlives its test. */
const tabs: ChromiumTab[] = [];
afterEach(async () => {
  for (const tab of tabs.splice(0)) await tab.close();
});

async function visit(query = '', width = 1280): Promise<ChromiumTab> {
  const tab = (await browser.open(site.url + query, { ready: false })) as ChromiumTab;
  tabs.push(tab);
  await tab.page.setViewportSize({ width, height: 800 });
  return tab;
}

const line = (page: Page) => page.getByRole('combobox', { name: 'Call a method' });
const newest = (page: Page) => page.locator('sausage-entry').last();

const worldNames = (page: Page): Promise<string[]> =>
  page.evaluate(async () => (await sausage.listWorlds()).map(({ name }) => name));

/** Types a line, runs it, and gives what came of it as text. */
async function run(page: Page, text: string): Promise<string> {
  const before = await page.locator('sausage-entry').count();
  await line(page).fill(text);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  const output = page.locator('sausage-entry').nth(before).locator('.output');
  await output.waitFor();
  return textOf(output);
}

describe('the page, for a visitor', () => {
  it('calls what is typed, shows the answer, and has the notes and the history again after a reload', async () => {
    const { page, problems, ready, reload } = bound(await visit());
    await ready();
    await line(page).fill('notes.a');
    await page.getByRole('option', { name: /^add/ }).waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('option', { name: /"text"/ }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('milk');
    await page.keyboard.press('Enter');
    await newest(page).locator('.output').waitFor();
    expect(await textOf(newest(page).locator('.output'))).toContain('"milk"');
    expect(await textOf(newest(page).locator('.line'))).toContain('notes.add {"text": "milk"}');
    expect(await run(page, 'notes.add {“text”: “it’s bread”}')).toContain('it’s bread');

    await reload();
    expect(await run(page, 'notes.list')).toMatch(/milk.*it’s bread/);
    await line(page).press('ArrowUp');
    await line(page).press('ArrowUp');
    expect(await line(page).inputValue()).toBe('notes.add {“text”: “it’s bread”}');
    expect(problems).toEqual([]);
  });

  it('calls a method with a form, and at a touch screen with the characters that are far away there', async () => {
    const { page, ready, problems } = bound(await visit('', 380));
    await ready();
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    const form = page.locator('sausage-call-form');
    await form.getByRole('combobox', { name: 'Plugin' }).selectOption('notes');
    await expect
      .poll(() => form.getByRole('combobox', { name: 'Method' }).locator('option').allTextContents())
      .toContain('add');
    await form.getByRole('combobox', { name: 'Method' }).selectOption('add');
    await form.getByLabel('text').fill('of "a form"');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(380);
    await form.getByRole('button', { name: 'Call', exact: true }).click();
    await newest(page).getByText('notes.add {"text": "of \\"a form\\""}').waitFor();
    await form.getByRole('button', { name: 'Close the form' }).click();
    await form.waitFor({ state: 'detached' });

    expect(await page.getByRole('button', { name: 'Write {' }).count()).toBe(0);
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    await line(page).fill('ls ');
    await page.getByRole('button', { name: 'Write /' }).click();
    expect(await line(page).inputValue()).toBe('ls /');
    expect(await line(page).evaluate((element) => element.matches(':focus'))).toBe(true);
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: false });
    expect(problems).toEqual([]);
  });

  it('has large type for those who show it to others, and is usable at a zoom of 200 %', async () => {
    const { page, ready } = bound(await visit());
    await ready();
    const size = () => line(page).evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize));
    const before = await size();
    await page.getByRole('button', { name: 'Large type' }).click();
    expect((await size()) / before).toBeCloseTo(1.5, 2);
    expect(await run(page, 'notes.list')).toContain('notes');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1280);
    await page.getByRole('button', { name: 'Large type' }).click();
    expect(await size()).toBe(before);

    // what a zoom of 200 % leaves of 1280 × 800
    await page.setViewportSize({ width: 640, height: 400 });
    expect(await run(page, 'notes.list')).toContain('notes');
    for (const name of ['Files', 'Worlds', 'Journal', 'Processes', 'Graph', 'Console']) {
      await page.getByRole('tab', { name }).click();
      expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBe(640);
    }
    await page.getByRole('button', { name: 'Settings' }).click();
    const save = page.getByRole('button', { name: 'Use it' });
    await save.scrollIntoViewIfNeeded();
    const { y, height } = (await save.boundingBox())!;
    expect(y + height).toBeLessThanOrEqual(400);
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  it('shows an error as a sentence with its code, and the world goes on', async () => {
    const { page, ready } = bound(await visit());
    await ready();
    expect(await run(page, 'nobody.home')).toMatch(/no plugin nobody.*-32001/);
    expect(await run(page, 'notes.nothing')).toContain('-32601');
    await expect.poll(() => run(page, 'notes')).toContain('Write notes.add or notes.list.');
    expect(await run(page, 'ls /plugins')).toContain('notes/');
    expect(await run(page, 'help notes')).toContain('Keeps a new note');
    expect(await run(page, 'notes.list')).toContain('notes');
  });

  it('shows what came of params and answers that are nested very deep, and passes numbers on as they were typed', async () => {
    const { page, ready, problems } = bound(await visit());
    await ready();
    const deep = `${'{"a":'.repeat(8000)}1${'}'.repeat(8000)}`;
    expect(await run(page, `notes.list ${deep}`)).toMatch(/params cannot be read.*recursion limit/);
    await line(page).press('ArrowUp');
    expect(await line(page).inputValue()).toBe(`notes.list ${deep}`);

    await install(tabs.at(-1)!, ['probe']);
    expect(await run(page, `probe.echo ${deep}`)).toContain('{a: {a: {a:');
    const unfolded = await newest(page).locator('sausage-tree').count();
    const unfold = newest(page).locator('summary').last();
    await unfold.click();
    await expect.poll(() => newest(page).locator('sausage-tree').count()).toBeGreaterThan(unfolded);

    // the journal shows params once it knows the interface of the plugin
    const told = async () => {
      await run(page, 'probe.echo {n: 12345678901234567890}');
      return page.evaluate(async () => {
        const lines = (await sausage.world.call('core.log', { plugin: 'probe', limit: 5 })) as { line: string }[];
        return lines.map(({ line }) => line).join('\n');
      });
    };
    await expect.poll(told).toContain('"n":12345678901234567890');
    expect(problems).toEqual([]);
  });

  it('R8-5 takes a world out as a zip, brings it back under another name, and deletes it after a question', async () => {
    const { page, ready, download } = bound(await visit());
    await ready();
    await run(page, 'notes.add {text: "to keep"}');
    const worlds = page.locator('sausage-worlds');
    await page.getByRole('tab', { name: 'Worlds' }).click();
    const { name, data } = await download(() => worlds.getByRole('button', { name: 'Export playground' }).click());
    expect(name).toBe('playground.zip');
    expect(data.subarray(0, 2).toString()).toBe('PK');

    await page.locator('input[type=file]').setInputFiles({ name: 'playground.zip', mimeType: '', buffer: data });
    await worlds.getByRole('textbox', { name: 'Name' }).fill('copy');
    await page.keyboard.press('Enter');
    await worlds.getByRole('button', { name: 'Open it' }).click();
    await page.getByText('copy', { exact: true }).first().waitFor();
    await page.waitForFunction(() => sausage.world?.name === 'copy');
    expect(page.url()).toContain('?world=copy');
    expect(await run(page, 'notes.list')).toContain('to keep');

    const ask = () => worlds.locator('.worlds').getByRole('button', { name: 'Delete copy' }).click();
    await ask();
    await page.getByRole('dialog', { name: 'Delete “copy”?' }).waitFor();
    // The focus is on the answer that changes nothing.
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await page.evaluate(() => sausage.world.name)).toBe('copy');
    await ask();
    await worlds.locator('sausage-dialog').getByRole('button', { name: 'Delete copy' }).click();
    await page.waitForFunction(() => sausage.world?.name === 'playground');
    expect(await worldNames(page)).toEqual(['playground']);
  });

  it('says what is wrong with a file that is no world, and keeps the others', async () => {
    const { page, ready } = bound(await visit());
    await ready();
    const before = await worldNames(page);
    const file = { name: 'letter.zip', mimeType: 'application/zip', buffer: Buffer.from('Dear world') };
    await page.getByRole('tab', { name: 'Worlds' }).click();
    await page.locator('input[type=file]').setInputFiles(file);
    await page.keyboard.press('Enter');
    await page.locator('sausage-worlds').getByText('This happened while importing letter.zip.').waitFor();
    expect(await worldNames(page)).toEqual(before);
  });

  it('offers to make a world of a name that it does not know', async () => {
    const { page } = bound(await visit('?world=garden'));
    await page.getByRole('button', { name: 'Create “garden”, empty' }).click();
    await page.waitForFunction(() => sausage.world?.name === 'garden');
    expect(await run(page, 'ls /plugins')).toMatch(/nothing at|empty/);
    await page.evaluate(() => sausage.world.close());
    await page.evaluate(() => sausage.deleteWorld('garden'));
  });

  it('R9 starts the world again after core.exit, and keeps what stands in the console', async () => {
    const { page, problems, ready } = bound(await visit());
    await ready();
    await page.evaluate(() => {
      (window as { first?: unknown }).first = sausage.world;
    });
    await run(page, 'core.exit');
    await page.waitForFunction(() => sausage.world && sausage.world !== (window as { first?: unknown }).first);
    expect(await run(page, 'notes.list')).toContain('notes');
    expect(await page.locator('sausage-entry').count()).toBe(2);
    expect(problems).toEqual([]);
  });

  it('R1-6 takes a world over from another tab, and the other takes it back', async () => {
    const { page: first, ready, problems } = bound(await visit());
    await ready();
    await run(first, 'notes.add {text: "before"}');
    const { page: second } = bound(await visit('', 380));
    await second.getByText('“playground” is open in another tab').waitFor();
    expect(await second.evaluate(() => document.documentElement.scrollWidth)).toBe(380);
    expect(await run(first, 'notes.list'), 'the first goes on').toContain('before');

    await second.getByRole('button', { name: 'Take it over' }).click();
    await second.waitForFunction(() => sausage.world);
    await second.getByRole('combobox', { name: 'Call a method' }).waitFor();
    expect(await run(second, 'notes.add {text: "after"}')).toContain('after');
    await first.getByText('This world is open in another tab now').waitFor();
    expect(await first.evaluate(() => sausage.world)).toBeUndefined();

    await first.getByRole('button', { name: 'Take it back' }).click();
    await first.waitForFunction(() => sausage.world);
    expect(await run(first, 'notes.list')).toMatch(/before.*after/);
    await second.getByText('This world is open in another tab now').waitFor();
    expect(problems).toEqual([]);
  });

  it('R1-6 opens a copy of a world that another tab has, which goes on', async () => {
    const { page: first, ready } = bound(await visit());
    await ready();
    await run(first, 'notes.add {text: "shared"}');
    const { page: second } = bound(await visit());
    await second.getByRole('button', { name: 'Open a copy' }).click();
    const name = second.getByRole('textbox', { name: 'Name' });
    expect(await name.inputValue()).toBe('playground copy');
    await name.fill('playground');
    await second.keyboard.press('Enter');
    await second.getByRole('alert').getByText('There is a world named playground already.').waitFor();
    await name.fill('mine');
    await second.keyboard.press('Enter');
    await second.waitForFunction(() => sausage.world?.name === 'mine');
    expect(second.url()).toContain('?world=mine');
    expect(await run(second, 'notes.list')).toContain('shared');
    expect(await run(first, 'notes.list')).toContain('shared');
    await second.evaluate(() => sausage.world.close());
    await second.evaluate(() => sausage.deleteWorld('mine'));
  });

  it('the list of worlds follows what another tab does', async () => {
    const { page: first, ready } = bound(await visit());
    await ready();
    const { page: second } = bound(await visit());
    await second.getByText('“playground” is open in another tab').waitFor();
    await second.getByRole('tab', { name: 'Worlds' }).click();
    const row = (name: string) => second.locator('sausage-worlds .worlds').getByText(name, { exact: true });
    await first.evaluate(async () => sausage.importWorld('imported', await sausage.world.exportZip()));
    await row('imported').waitFor();
    await first.evaluate(async () => (await sausage.openWorld({ name: 'created' })).close());
    await row('created').waitFor();
    for (const name of ['imported', 'created']) {
      await first.evaluate((name) => sausage.deleteWorld(name), name);
      await row(name).waitFor({ state: 'detached' });
    }
  });

  it('R8-5 ?safe=1 opens a world without its services, and a button opens it with them', async () => {
    const { page: before, ready } = bound(await visit());
    await ready();
    const services = JSON.stringify([{ method: 'notes.list' }]);
    const original = await before.evaluate(() => sausage.world.fs.readTextFile('/config/boot.json'));
    await before.evaluate((text) => sausage.world.fs.writeFile('/config/boot.json', text), services);
    await before.evaluate(() => sausage.world.close());
    const started = (page: Page) =>
      page.evaluate(async () => {
        const lines = (await sausage.world.call('core.log', { plugin: 'notes', grep: 'list' })) as { line: string }[];
        return lines.length;
      });

    const { page, ready: opened } = bound(await visit('?safe=1'));
    await opened();
    await page.getByText('Opened without services').waitFor();
    expect(await page.evaluate(() => sausage.world.held)).toBe(true);
    const count = await started(page);
    await page.getByRole('button', { name: 'Open normally' }).click();
    await page.waitForFunction(() => sausage.world && !sausage.world.held);
    expect(page.url()).not.toContain('safe');
    await page.getByText('Opened without services').waitFor({ state: 'detached' });
    await expect.poll(() => started(page)).toBeGreaterThan(count);
    await page.evaluate((text) => sausage.world.fs.writeFile('/config/boot.json', text), original);
  });

  it('R8-5 one button lets a world from outside use the network that has no services', async () => {
    const { page: before, ready } = bound(await visit());
    await ready();
    await before.evaluate(async () => sausage.importWorld('stranger', await sausage.world.exportZip()));
    const { page, ready: opened } = bound(await visit('?world=stranger'));
    await opened();
    expect(await page.evaluate(() => [sausage.world.relay.kind, sausage.world.held])).toEqual(['held', true]);
    const notice = page.getByRole('region', { name: 'This world came from outside' });
    expect(await textOf(notice)).toContain('nothing of it reaches the network before you agree');
    await notice.getByRole('button', { name: 'Not now' }).click();
    await notice.getByRole('button', { name: 'Let it use the network' }).click();
    await notice.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => [sausage.world.relay.kind, sausage.world.held])).toEqual(['idle', false]);
    await page.reload();
    await page.waitForFunction(() => sausage?.world?.held === false);
    expect(await page.evaluate(() => sausage.world.relay.kind)).toBe('idle');
    await page.evaluate(async () => {
      await sausage.world.close();
      await sausage.deleteWorld('stranger');
    });
  });

  it('R8-2 says what is wrong with a boot.json that cannot be read, and starts the world again when it is mended', async () => {
    const { page: before, ready } = bound(await visit());
    await ready();
    const original = await before.evaluate(() => sausage.world.fs.readTextFile('/config/boot.json'));
    const write = (page: Page, text: string) =>
      page.evaluate((text) => sausage.world.fs.writeFile('/config/boot.json', text), text);
    await write(before, '[{"method": "notes"}]');
    const { page, reload } = bound(tabs.at(-1)!);
    await reload();
    const notice = page.getByRole('status', { name: 'The services of this world cannot be read' });
    const sentence = '/config/boot.json: entry 1 has no method of the form plugin.method';
    expect(await textOf(notice)).toContain(`${sentence}. None of them runs. Mend the file`);
    expect(await page.evaluate(() => sausage.world.bootProblem)).toBe(sentence);
    await write(page, '{');
    await notice.getByRole('button', { name: 'Start it again' }).click();
    await notice.getByText('/config/boot.json is no JSON').waitFor();
    await write(page, original);
    await notice.getByRole('button', { name: 'Start it again' }).click();
    await page.waitForFunction(() => sausage.world && sausage.world.bootProblem === undefined);
    await notice.waitFor({ state: 'detached' });
    expect(await run(page, 'notes.list')).toContain('notes');
  });

  it('R8-5 offers to leave the services out after two starts that died', async () => {
    const address = '?world=fragile';
    const { page: maker } = bound(await visit(address));
    await maker.getByRole('button', { name: 'Create “fragile”, empty' }).click();
    await maker.waitForFunction(() => sausage.world?.name === 'fragile');
    await maker.evaluate(() => sausage.world.close());
    for (let start = 1; start <= 2; start++) {
      const tab = await visit(address);
      await tab.ready();
      const crashed = tab.page.waitForEvent('crash');
      const session = await tab.page.context().newCDPSession(tab.page);
      session.send('Page.crash').catch(() => {});
      await crashed;
    }
    const { page } = bound(await visit(address));
    await page.getByText('“fragile” did not last').waitFor();
    expect(await page.evaluate(() => sausage.world)).toBeUndefined();
    await page.getByRole('button', { name: 'Open it without its services' }).click();
    await page.getByText('Opened without services').waitFor();
    expect(page.url()).toContain('safe=1');
    await page.getByRole('button', { name: 'Open normally' }).click();
    await page.getByText('Opened without services').waitFor({ state: 'detached' });
    await page.waitForFunction(() => sausage.world);
    await page.evaluate(() => sausage.world.close());
    await page.evaluate(() => sausage.deleteWorld('fragile'));
  });

  it('R8-5 a tab that is closed soon has not died', async () => {
    for (let start = 1; start <= 3; start++) {
      const tab = await visit();
      await tab.ready();
      await tab.close();
    }
    await (await visit()).ready();
  });

  it('folds into one pane at 380 pixels, and nothing sticks out', async () => {
    const { page, ready } = bound(await visit('', 380));
    await ready();
    await run(page, 'notes.list');
    for (const tab of ['Worlds', 'Journal', 'Processes', 'Console']) {
      await page.getByRole('tab', { name: tab }).click();
      expect(await page.evaluate(() => document.documentElement.scrollWidth), tab).toBe(380);
    }
    await page.getByRole('tab', { name: 'Journal' }).click();
    await page
      .locator('sausage-journal')
      .getByText(/list \{\}/)
      .last()
      .waitFor();
  });

  it('nothing moves while it boots', async () => {
    const shifts = `window.shifts = []; new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map((entry) => entry.value))).observe({ type: 'layout-shift', buffered: true });`;
    const tab = (await browser.open(site.url, { before: shifts })) as ChromiumTab;
    tabs.push(tab);
    const moved = await tab.evaluate(() =>
      (window as unknown as { shifts: number[] }).shifts.reduce((a, b) => a + b, 0),
    );
    expect(moved).toBeLessThan(0.01);
  });
});

describe('the script of the page', () => {
  it('is under 70 KB compressed, the embedding API with it', async () => {
    const page = await readFile(join(DIST, 'index.html'), 'utf8');
    const app = /data-app="([^"]+)"/.exec(page)![1]!;
    expect(gzipSync(await readFile(join(DIST, app))).length).toBeLessThan(70_000);
  });
});

/** The parts of a tab as plain functions. */
function bound(tab: ChromiumTab) {
  return {
    page: tab.page,
    problems: tab.problems,
    ready: () => tab.ready(),
    reload: () => tab.reload(),
    download: (start: () => Promise<unknown>) => tab.download(start),
  };
}
