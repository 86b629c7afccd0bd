/** What tests of the editor need: empty worlds in a page, and looks at its text and at the files behind it. */

import type { Locator, Page } from 'playwright-core';
import { afterEach, expect } from 'vitest';
import type { ChromiumTab } from './chromium.ts';
import { openBrowser, openSite } from './harness.ts';

export interface EditorSite {
  /** Opens a page with a new world, which is empty. The page is closed after the test. */
  visit(world: string, width?: number): Promise<{ page: Page; problems: string[] }>;
}

export async function openEditorSite(): Promise<EditorSite> {
  const site = await openSite();
  const browser = await openBrowser('chromium');
  return {
    async visit(world, width = 1280) {
      const tab = await browser.open(`${site.url}?world=${world}`, { ready: false });
      tabs.push(tab);
      const { page, problems } = tab;
      await page.setViewportSize({ width, height: 800 });
      await page.getByRole('button', { name: `Create “${world}”, empty` }).click();
      await page.waitForFunction((name) => sausage.world?.name === name, world);
      return { page, problems };
    },
  };
}

const tabs: ChromiumTab[] = [];
afterEach(async () => {
  for (const tab of tabs.splice(0)) await tab.close();
});

export const text = (page: Page): Locator => page.locator('.cm-content');

export const file = (page: Page, path: string): Promise<string> =>
  page.evaluate((at) => sausage.world!.fs.readTextFile(at), path);

/** Waits until what `look` gives is as it should be: a build or a start may be in between. */
export const poll = <T>(look: () => T) => expect.poll(look, { timeout: 20_000 });
