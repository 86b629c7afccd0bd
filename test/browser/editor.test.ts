/** What a visitor does to make something: a new plugin, its text, one Run, and what the page says when it does not fit. */

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type EditorSite, file, openEditorSite, poll, text } from './editor.ts';

let visit: EditorSite['visit'];

beforeAll(async () => {
  ({ visit } = await openEditorSite());
});

const run = (page: Page) => page.keyboard.press('ControlOrMeta+Enter');
async function newPlugin(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'New plugin' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `Run ${name}` }).waitFor();
  // what comes next is typed into the new text
  await poll(() => text(page).evaluate((element) => element.matches(':focus'))).toBe(true);
}

/** Puts another text into the file in front. */
async function write(page: Page, source: string): Promise<void> {
  await text(page).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(source);
}

const PLUGIN = (params: string) => `import { method, serve, t } from 'sausage';
serve({ grace: 1, methods: { add: method({ params: ${params}, result: t.integer(), run: () => 1 }) } });
`;

const WAITS = (name: string) => `import { method, serve, t } from 'sausage';
const wait = () => new Promise<string>((resolve) => setTimeout(() => resolve('${name}'), 300_000));
serve({ methods: { wait: method({ params: t.object({}), result: t.string(), run: wait }) } });
`;

describe('the files of a world and their editor', () => {
  it('R11-1 R10-6 a plugin is made, run, broken, mended and called, with keys alone', async () => {
    const { page, problems } = await visit('making');
    await newPlugin(page, 'mine');
    expect(await text(page).textContent()).toContain('greet');
    await run(page);
    await page.getByText('mine is active').waitFor();
    await page.getByText('2 tests passed').waitFor();
    await page.getByRole('button', { name: 'mine.greet' }).click();
    await page.getByRole('option', { name: /"name"/ }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('Ada');
    await page.keyboard.press('Enter');
    await page.locator('sausage-entry .output').getByText('"Hello, Ada!"').waitFor();

    await text(page).click();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.type('let x = ;');
    await run(page);
    await page.getByText('mine does not build').waitFor();
    await page.getByRole('button', { name: /main\.ts:1:9 error/ }).click();
    await page.locator('.cm-lintRange-error').waitFor();
    await page.keyboard.press('Delete');
    await page.keyboard.insertText('1;');
    await run(page);
    await page.getByText('mine is active').waitFor();
    expect(await file(page, '/plugins/mine/source/main.ts')).toMatch(/^let x = 1;/);

    expect(problems).toEqual([]);

    // a process of one version goes on while the next one is activated
    await page.evaluate(() => sausage.world!.fs.remove('/plugins/mine/source/main.test.ts'));
    await write(page, WAITS('one'));
    await run(page);
    await page.getByRole('button', { name: 'mine.wait' }).waitFor();
    await page.evaluate(() => void sausage.world!.call('mine.wait').catch(() => {}));
    await poll(() => page.evaluate(async () => (await sausage.world!.processes()).map(({ method }) => method))).toEqual(
      ['wait'],
    );
    await write(page, WAITS('two'));
    await run(page);
    const old = page.locator('sausage-run').getByText(/1 process of the version before has \d+ s to end/);
    await old.waitFor();
    await page.locator('sausage-run').getByRole('button', { name: 'Stop now' }).click();
    await old.waitFor({ state: 'detached' });
    await poll(() => page.evaluate(async () => (await sausage.world!.processes()).length)).toBe(0);
  });

  it('R10-4 R10-6 a version that does not fit is refused with an example, forced, and taken back', async () => {
    const { page } = await visit('breaking');
    await newPlugin(page, 'shelf');
    await page.evaluate(() => sausage.world!.fs.remove('/plugins/shelf/source/main.test.ts'));
    await write(page, PLUGIN('t.object({ title: t.string() })'));
    await run(page);
    await page.getByText('shelf is active').waitFor();
    // a consumer, made by the same means
    await page.evaluate(async () => {
      const { world } = sausage;
      await world!.call('js.new', { plugin: 'shop', imports: ['shelf'] });
      await world!.fs.remove('/plugins/shop/source/main.test.ts');
      const source = `import { method, serve, t } from 'sausage';
import * as shelf from 'imports/shelf';
serve({ methods: { buy: method({ params: t.object({}), result: t.integer(), run: () => shelf.add({ title: 'x' }) }) } });`;
      await world!.fs.writeFile('/plugins/shop/source/main.ts', source);
      const { wasm } = (await world!.call('js.build', { plugin: 'shop' })) as { wasm: string };
      await world!.call('core.activate', { plugin: 'shop', wasm });
    });
    await write(page, PLUGIN('t.object({ title: t.string(), price: t.integer() })'));
    await run(page);
    await page.getByText('This version of shelf does not fit the other plugins').waitFor();
    const misfit = page.locator('sausage-run .misfit');
    expect(await misfit.textContent()).toMatch(/shop uses shelf\.add/);
    await misfit.locator('sausage-tree').getByText('title').waitFor();
    await misfit.locator('sausage-diff .added').getByText('"price",').waitFor();
    expect(await misfit.locator('sausage-diff .removed').count()).toBe(0);
    await page.getByRole('button', { name: 'Activate it anyway' }).click();
    await page.getByText('shelf is active').waitFor();
    const graph = () => file(page, '/proc/core/graph.json').then((json) => JSON.parse(json).imports[0].result);
    await poll(graph).toBe('broken');
    await page.getByRole('tab', { name: 'Graph' }).click();
    await page.getByRole('img', { name: /The plugins of breaking/ }).waitFor();
    await page.getByRole('list', { name: 'What does not fit' }).getByText('shop uses shelf').waitFor();
    await page.getByRole('button', { name: 'Go back to the version before' }).click();
    await poll(graph).toBe('ok');
  });

  it('nothing is lost when a process writes the file that is being edited', async () => {
    const { page } = await visit('conflict');
    await page.evaluate(() => sausage.world!.fs.writeFile('/list.txt', 'one\n'));
    await page.getByRole('treeitem', { name: 'list.txt' }).click();
    await text(page).getByText('one').waitFor();
    await page.evaluate(() => sausage.world!.fs.writeFile('/list.txt', 'two\n'));
    await text(page).getByText('two').waitFor();
    await text(page).click();
    await page.keyboard.type('mine ');
    await page.evaluate(() => sausage.world!.fs.writeFile('/list.txt', 'theirs\n'));
    await page.getByText('Something else wrote this file').waitFor();
    expect(await file(page, '/list.txt')).toBe('theirs\n');
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await poll(() => file(page, '/list.txt')).toContain('mine ');
    await page.evaluate(() => sausage.world!.fs.remove('/list.txt'));
    await page.getByText('This file is no longer in the world.').waitFor();
    await page.getByRole('button', { name: 'Put it back' }).click();
    await poll(() => file(page, '/list.txt')).toContain('mine ');
  });

  it('shows what a file was before, and sets it back; an export has nothing of that', async () => {
    const { page, problems } = await visit('versions', 380);
    await page.evaluate(() => sausage.world!.fs.writeFile('/list.txt', 'milk\nbread\n'));
    await page.getByRole('combobox', { name: 'Call a method' }).fill('edit /list.txt');
    await page.keyboard.press('Enter');
    await text(page).waitFor();
    await write(page, 'milk\ncheese only here\n');
    await page.keyboard.press('ControlOrMeta+s');
    await poll(() => file(page, '/list.txt')).toContain('cheese');
    await page.getByRole('button', { name: 'Versions' }).click();
    const diff = page.locator('sausage-diff');
    await diff.locator('.added').getByText('bread').waitFor();
    await diff.locator('.removed').getByText('cheese').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(380);
    const zip = await page.evaluate(async () => (await sausage.world!.exportZip()).text());
    expect(zip).toContain('list.txt');
    expect(zip).not.toContain('versions');
    await page.getByRole('button', { name: 'Set it back to this' }).click();
    await poll(() => file(page, '/list.txt')).toBe('milk\nbread\n');
    expect(await text(page).textContent()).toContain('bread');
    expect(problems).toEqual([]);
  });

  it('keeps a text that is not saved when the world starts again', async () => {
    const { page } = await visit('restart');
    await page.evaluate(() => sausage.world!.fs.writeFile('/a.txt', 'one'));
    await page.getByRole('treeitem', { name: 'a.txt' }).click();
    await text(page).click();
    await page.keyboard.type('new ');
    await page.evaluate(() => sausage.world!.call('core.exit', { code: 75 }).catch(() => {}));
    await poll(() => file(page, '/a.txt').catch(() => '')).toContain('new ');
    expect(await text(page).textContent()).toContain('new ');
  });

  it('walks, makes, renames and deletes in the tree with keys alone, 5,000 files among them', async () => {
    const { page } = await visit('tree');
    await page.evaluate(async () => {
      const { fs } = sausage.world!;
      await fs.mkdir('/many');
      await Promise.all(Array.from({ length: 5000 }, (_, at) => fs.writeFile(`/many/${at}`, '')));
    });
    const tree = page.getByRole('tree', { name: 'Files of the world' });
    const chosen = tree.locator('[aria-selected=true]');
    await tree.getByRole('treeitem', { name: 'many' }).waitFor();
    await tree.focus();
    await page.keyboard.press('m');
    await poll(() => chosen.getAttribute('title')).toBe('/many');
    await page.keyboard.press('ArrowRight');
    await poll(() => chosen.getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('ArrowRight');
    await poll(() => chosen.getAttribute('title')).toBe('/many/0');
    expect(await chosen.getAttribute('aria-setsize')).toBe('5000');
    expect(await tree.getByRole('treeitem').count()).toBeLessThan(200);
    await page.keyboard.press('F2');
    await page.getByRole('textbox', { name: 'Name' }).fill('first');
    await page.keyboard.press('Enter');
    await poll(() => chosen.getAttribute('title')).toBe('/many/first');
    await page.keyboard.press('Delete');
    await page.getByRole('dialog', { name: 'Delete “first”?' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.evaluate(() => sausage.world!.fs.stat('/many/first').catch(() => 'gone')))
      .toBe('gone');
    // the keys go on beside it
    await poll(() => chosen.getAttribute('title')).toBe('/proc');
  });

  it('shows pictures as such, programs by what they import, and other bytes as bytes', async () => {
    const { page } = await visit('kinds');
    await page.evaluate(async () => {
      const { fs } = sausage.world!;
      const canvas = new OffscreenCanvas(2, 2);
      canvas.getContext('2d');
      await fs.writeFile('/a.png', new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer()));
      await fs.writeFile('/b.bin', new Uint8Array([0, 1, 254]));
      await fs.writeFile('/c.wasm', 'no program');
    });
    await page.getByRole('treeitem', { name: 'a.png' }).click();
    const picture = page.getByRole('img', { name: 'a.png' });
    await poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(2);
    await page.getByRole('treeitem', { name: 'b.bin' }).click();
    await page.getByText('00 01 fe').waitFor();
    await page.getByRole('treeitem', { name: 'c.wasm' }).click();
    await text(page).getByText('no program').waitFor();
  });

  it('10,000 lines of the journal follow as they come, and stay where the visitor is', async () => {
    const { page } = await visit('loud');
    const shout = (from: number, to: number) =>
      page.evaluate(([from, to]) => sausage.world!.call('loud.shout', { from, to }), [from, to]);
    await page.evaluate(async () => {
      const world = sausage.world!;
      await world.call('js.new', { plugin: 'loud' });
      await world.fs.remove('/plugins/loud/source/main.test.ts');
      const source = `import { method, serve, t } from 'sausage';
const params = t.object({ from: t.integer(), to: t.integer() });
const run = ({ from, to }) => { for (let i = from; i < to; i++) console.error('line ' + i); };
serve({ methods: { shout: method({ params, run }) } });`;
      await world.fs.writeFile('/plugins/loud/source/main.ts', source);
      const { wasm } = (await world.call('js.build', { plugin: 'loud' })) as { wasm: string };
      await world.call('core.activate', { plugin: 'loud', wasm });
    });
    const lines = page.getByRole('log', { name: 'Newest lines of the journal' });
    await shout(0, 9000);
    await lines.getByText('line 8999', { exact: true }).waitFor();
    expect(await lines.locator('.entry').count()).toBeLessThan(100);
    // The list may still be on its way to the end, as it is while lines come: the visitor's hand counts more.
    await lines.hover();
    await page.mouse.wheel(0, -(await lines.evaluate((element) => element.scrollHeight / 2)));
    const middle = lines.getByText(/^line [45]\d\d\d$/).first();
    await middle.waitFor();
    const where = () => middle.evaluate((element) => `${element.textContent} ${element.getBoundingClientRect().top}`);
    const before = await poll(where).toBeTruthy().then(where);
    await shout(9000, 9050);
    await poll(() => file(page, '/state/core/journal.sqlite').then((text) => text.includes('line 9049'))).toBe(true);
    expect(await where()).toBe(before);
    await page.getByRole('searchbox', { name: 'Filter' }).fill('line 9049');
    await lines.getByText('line 9049', { exact: true }).waitFor();
    expect(await lines.locator('.entry').count()).toBe(1);
  });

  it('is one pane at 380 pixels, where a file that is opened comes to the front', async () => {
    const { page } = await visit('small', 380);
    await page.getByRole('tab', { name: 'Files' }).click();
    await page.getByRole('button', { name: 'New file' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('a/b.txt');
    await page.keyboard.press('Enter');
    await text(page).waitFor();
    expect(await page.getByRole('tab', { name: 'Editor' }).getAttribute('aria-selected')).toBe('true');
    await text(page).click();
    await page.keyboard.type('by thumb');
    await poll(() => file(page, '/a/b.txt')).toBe('by thumb');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(380);
  });
});
