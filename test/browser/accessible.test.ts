/** Nobody is kept out of the page: each of its views is looked at by axe, in one tab, wide and narrow, light and dark. */

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Result } from 'axe-core';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ChromiumTab } from './chromium.ts';
import { openBrowser, openSite } from './harness.ts';

let page: Page;

beforeAll(async () => {
  const site = await openSite();
  const browser = await openBrowser('chromium');
  page = ((await browser.open(site.url)) as ChromiumTab).page;
  // A call, so that there are answers, lines of the journal and a graph to look at.
  await page.evaluate(() => sausage.world.call('notes.add', { text: 'milk' }));
  // Not as an element: the policy of the page takes no script of others.
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
});

/** What keeps people out, as one line each; minor things are left to the eye. */
async function faults(): Promise<string[]> {
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as never as { axe: { run(options: object): Promise<{ violations: Result[] }> } };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    return (await axe.run({ runOnly: tags, resultTypes: ['violations'] })).violations;
  });
  return violations
    .filter(({ impact }) => impact !== 'minor')
    .flatMap(({ id, impact, nodes }) =>
      nodes.map(({ target, html }) => `${impact} ${id}: ${target} ${html.slice(0, 160)}`),
    );
}

const tab = (name: string) => page.getByRole('tab', { name, exact: true }).click();
const readme = async () => {
  await tab('Files');
  await page.getByRole('treeitem', { name: 'README.md' }).click();
  await page.locator('sausage-editor').getByRole('button', { name: 'Read', exact: true }).click();
  await page.locator('sausage-page article').getByRole('heading').first().waitFor();
};

const VIEWS: [name: string, show: () => Promise<unknown>][] = [
  ['the first visit', () => tab('Console')],
  [
    'an answer in the console',
    async () => {
      await page.getByRole('combobox', { name: 'Call a method' }).fill('notes.list');
      await page.keyboard.press('Enter');
      await page.locator('sausage-entry').last().getByText('milk').waitFor();
    },
  ],
  [
    'a call as a form',
    async () => {
      const form = page.getByRole('button', { name: 'Form', exact: true });
      if ((await form.getAttribute('aria-pressed')) !== 'true') await form.click();
      await page.locator('sausage-call-form').getByRole('button', { name: 'Call', exact: true }).waitFor();
    },
  ],
  ['files and a page of Markdown', readme],
  ['the editor', () => page.getByRole('button', { name: 'Edit', exact: true }).click()],
  [
    'a component',
    async () => {
      // a tab only where there is one pane
      const consoleTab = page.getByRole('tab', { name: 'Console', exact: true });
      if ((await consoleTab.count()) > 0) await consoleTab.click();
      await page.getByRole('combobox', { name: 'Call a method' }).fill('edit /plugins/notes/plugin.wasm');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Enter');
      await page.locator('sausage-file').getByRole('heading').first().waitFor();
    },
  ],
  ['the worlds', () => tab('Worlds')],
  [
    'the form of a new world',
    () => page.locator('sausage-worlds').getByRole('button', { name: 'New world', exact: true }).click(),
  ],
  [
    'a question',
    async () => {
      await page.keyboard.press('Escape');
      await page.locator('sausage-worlds').getByRole('button', { name: 'Delete playground' }).click();
      await page.locator('sausage-dialog[open], sausage-dialog dialog[open]').first().waitFor();
    },
  ],
  [
    'the processes',
    async () => {
      await page.keyboard.press('Escape');
      await tab('Processes');
    },
  ],
  ['the journal', () => tab('Journal')],
  ['the graph', () => tab('Graph')],
  [
    'the settings',
    async () => {
      await page.getByRole('button', { name: 'Settings' }).first().click();
      await page.locator('sausage-settings dialog[open]').waitFor();
    },
  ],
];

describe.each([
  [1280, 'light'],
  [380, 'dark'],
] as const)('at %i pixels, %s', (width, colorScheme) => {
  it('axe finds nothing that keeps people out', async () => {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const found: Record<string, string[]> = {};
    for (const [name, show] of VIEWS) {
      if (width === 1280 && name === 'the first visit') await page.locator('sausage-console').waitFor();
      else await show();
      const list = await faults();
      if (list.length > 0) found[name] = list;
    }
    await page.keyboard.press('Escape');
    expect(found).toEqual({});
  });
});
