/** The small worlds of the gallery: each opens with two clicks and does what it says. */

import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { ChromiumTab } from './chromium.ts';
import { openBrowser, openSite } from './harness.ts';

let tab: ChromiumTab;
let page: Page;

beforeAll(async () => {
  const site = await openSite();
  const browser = await openBrowser('chromium');
  tab = (await browser.open(site.url)) as ChromiumTab;
  page = tab.page;
});

async function open(title: string): Promise<void> {
  await page.getByRole('button', { name: 'Other small worlds' }).click();
  await page.getByRole('button', { name: `Open ${title}` }).click();
  await page.waitForFunction((name) => sausage.world?.name === name, title.toLowerCase());
}

/** The programs come when the world answers already. */
const call = (method: string, params: object = {}) =>
  expect.poll(
    () => page.evaluate(([name, given]) => sausage.world.call(name, given).catch(String), [method, params] as const),
    { timeout: 20_000 },
  );

it('hello, notes, chat, a site and nothing at all open from the gallery, and work', async () => {
  await open('Hello');
  await call('hello.greet', { name: 'Ada' }).toBe('Hello, Ada!');
  await open('Notes');
  await call('notes.add', { text: 'milk' }).toMatchObject({ text: 'milk' });

  await open('Chat');
  await call('talk.say', { name: 'Ada', text: 'a *b*' }).toBe(1);
  expect(await page.evaluate(() => sausage.world.call('talk.party'))).toBe(4);
  expect(await page.evaluate(() => sausage.world.fs.readTextFile('/state/talk/page.md'))).toContain('a \\*b\\*');

  await open('Site');
  const get = (path: string) =>
    page.evaluate(async (at) => {
      const response = await sausage.world.fetch(8080, new Request(`http://site${at}`));
      return [response.status, response.headers.get('content-type'), (await response.text()).slice(0, 15)];
    }, path);
  await expect
    .poll(() => page.evaluate(async () => (await sausage.world.ports()).map(({ port }) => port)), { timeout: 20_000 })
    .toEqual([8080]);
  expect(await get('/')).toEqual([200, 'text/html; charset=utf-8', '<!doctype html>']);
  expect(await get('/style.css?x')).toEqual([200, 'text/css; charset=utf-8', ':root {\n  color']);
  for (const path of ['/%2e%2e/config/boot.json', '/%2e%2e%2fconfig%2fboot.json', '/none', '/%'])
    expect((await get(path))[0], path).toBe(404);

  await open('Empty');
  expect(await page.evaluate(() => sausage.world.fs.stat('/plugins').catch(() => 'nothing'))).toBe('nothing');
  expect(await page.evaluate(() => sausage.world.held)).toBe(false);
  expect(tab.problems).toEqual([]);
});
