/** What a visitor typed, and what processes wrote, is not lost and not changed by the way. */

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type EditorSite, file, openEditorSite, poll, text } from './editor.ts';

let visit: EditorSite['visit'];

beforeAll(async () => {
  ({ visit } = await openEditorSite());
});

const write = (page: Page, path: string, content: string) =>
  page.evaluate(([path, content]) => sausage.world!.fs.writeFile(path!, content!), [path, content]);
const item = (page: Page, path: string) => page.locator(`[role=treeitem][title="${path}"]`);
const standing = (page: Page) => page.locator('sausage-editor .standing');

async function open(page: Page, path: string): Promise<void> {
  await item(page, path).click();
  await page.locator(`sausage-editor .path [title="${path}"]`).waitFor();
  await text(page).click();
}

async function rename(page: Page, path: string, name: string): Promise<void> {
  await item(page, path).click();
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.keyboard.press('Enter');
}

describe('texts in the editor', () => {
  it('keep the ends of their lines, also while a process writes the file', async () => {
    const { page } = await visit('ends');
    for (const [path, before, after, changed] of [
      ['/dos.txt', 'one\r\ntwo\r\n', 'one\r\ntwo\r\nthree\r\n', 'one\r\ntwo\r\nthree\r\nmine\r\n'],
      ['/mixed.txt', '10%\r20%\r\nx\n', '10%\r20%\r30%\r\nx\n', '10%\r20%\r30%\r\nx\nmine\n'],
    ] as const) {
      await write(page, path, before);
      await open(page, path);
      await text(page)
        .getByText(before.includes('two') ? 'two' : '20%')
        .waitFor();
      await write(page, path, after);
      await text(page)
        .getByText(before.includes('two') ? 'three' : '30%')
        .waitFor();
      // what the editor took for a change of the visitor's would be marked at once, and saved later
      expect(await standing(page).textContent()).toBe('saved');
      await page.keyboard.press('ControlOrMeta+End');
      await page.keyboard.type('mine');
      await page.keyboard.press('Enter');
      await page.keyboard.press('ControlOrMeta+s');
      await poll(() => file(page, path)).toBe(changed);
    }
  });

  it('go along when the visitor renames the file, or a folder above it', async () => {
    const { page } = await visit('moving');
    await page.evaluate(() => sausage.world!.fs.mkdir('/dir'));
    await write(page, '/dir/a.txt', 'one');
    await item(page, '/dir').click();
    await open(page, '/dir/a.txt');
    await page.keyboard.type('first ');
    await rename(page, '/dir/a.txt', 'b.txt');
    await page.locator('sausage-editor .path [title="/dir/b.txt"]').waitFor();
    await poll(() => file(page, '/dir/b.txt')).toContain('first ');
    await poll(() => page.getByRole('tree').evaluate((tree) => tree.matches(':focus'))).toBe(true);
    await rename(page, '/dir', 'other');
    await page.locator('sausage-editor .path [title="/other/b.txt"]').waitFor();
    await text(page).click();
    await page.keyboard.type('second ');
    await poll(() => file(page, '/other/b.txt')).toContain('second ');
    expect(await page.getByRole('tab', { name: 'b.txt' }).count()).toBe(1);
    expect(await page.evaluate(() => sausage.world!.fs.stat('/dir').catch(() => 'gone'))).toBe('gone');
  });

  it('are told of when another program moves their folder away, and can be put back', async () => {
    const { page } = await visit('moved');
    await page.evaluate(() => sausage.world!.fs.mkdir('/dir/sub', { recursive: true }));
    await write(page, '/dir/sub/a.txt', 'one');
    await item(page, '/dir').click();
    await item(page, '/dir/sub').click();
    await open(page, '/dir/sub/a.txt');
    await text(page).getByText('one').waitFor();
    await page.evaluate(() => sausage.world!.fs.rename('/dir', '/away'));
    await page.getByRole('button', { name: 'Put it back' }).click();
    await poll(() => file(page, '/dir/sub/a.txt').catch(() => '')).toBe('one');
    expect(await standing(page).textContent()).toBe('saved');
  });

  it('are not lost with a page that goes away before they are saved', async () => {
    const { page } = await visit('leaving');
    await write(page, '/a.txt', 'one');
    await open(page, '/a.txt');
    await text(page).getByText('one').waitFor();
    // no disk is so slow: nothing can be saved while this holds
    await page.evaluate(() => {
      const { fs } = sausage.world!;
      const { writeFile } = fs;
      fs.writeFile = async () => {
        throw new Error('not now');
      };
      addEventListener('again', () => (fs.writeFile = writeFile));
    });
    await page.keyboard.type('mine ');
    const asked = new Promise<string>((resolve) =>
      page.once('dialog', async (dialog) => {
        await dialog.dismiss();
        resolve(dialog.type());
      }),
    );
    const left = page.close({ runBeforeUnload: true });
    expect(await asked).toBe('beforeunload');
    await left;
    await page.evaluate(() => dispatchEvent(new Event('again')));
    await text(page).click();
    await page.keyboard.press('ControlOrMeta+s');
    await poll(() => file(page, '/a.txt')).toContain('mine ');
    page.once('dialog', () => expect.unreachable('all is saved'));
    await page.reload();
    await page.waitForFunction(() => sausage.world?.name === 'leaving');
    expect(await file(page, '/a.txt')).toContain('mine ');
  });

  it('leave the focus where one goes on with keys when they are made and closed', async () => {
    const { page } = await visit('focus');
    for (const name of ['a.txt', 'b.txt']) {
      await page.getByRole('button', { name: 'New file' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill(name);
      await page.keyboard.press('Enter');
      await page.locator(`sausage-editor .path [title="/${name}"]`).waitFor();
      await poll(() => text(page).evaluate((element) => element.matches(':focus'))).toBe(true);
      await page.keyboard.type(name);
    }
    await poll(() => file(page, '/b.txt')).toBe('b.txt');
    await page.getByRole('tab', { name: 'b.txt' }).focus();
    await page.keyboard.press('Delete');
    await poll(() => page.getByRole('tab', { name: 'a.txt' }).evaluate((tab) => tab.matches(':focus'))).toBe(true);
    await page.keyboard.press('Delete');
    await poll(() => page.getByRole('tree').evaluate((tree) => tree.matches(':focus'))).toBe(true);
    expect(await file(page, '/a.txt')).toBe('a.txt');
  });

  it('show the tab of the file in front, however many are open', async () => {
    const { page } = await visit('tabs');
    const names = Array.from({ length: 20 }, (_, at) => `/a-rather-long-name-${at}.txt`);
    for (const name of names) await write(page, name, name);
    for (const name of names) await open(page, name);
    const tab = page.getByRole('tab', { name: 'a-rather-long-name-19.txt' });
    const inView = () =>
      tab.evaluate((element) => {
        const [{ left, right }, strip] = [element.getBoundingClientRect(), element.closest('.tabs')!];
        return left >= strip.getBoundingClientRect().left && right <= strip.getBoundingClientRect().right + 1;
      });
    expect(await inView()).toBe(true);
  });
});
