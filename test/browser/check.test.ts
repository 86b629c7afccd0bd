/** The page `/check`, which tells before a lesson what will not work, and the diagnostics that go with an error. */

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { ChromiumTab } from './chromium.ts';
import { openBrowser, openSite } from './harness.ts';

/** As visitors have it: without it, frames on `localhost` names get no service worker (see preview.test.ts). */
const AS_VISITORS = '--disable-features=HttpsUpgrades';

async function lines(page: Page): Promise<Record<string, string>> {
  await page
    .getByRole('status')
    .getByText(/^(Yes|Not all)/)
    .waitFor();
  const all = await page
    .locator('li')
    .evaluateAll((rows) =>
      rows.map((row) => [
        row.querySelector('.name')!.textContent,
        `${row.firstElementChild!.textContent} ${row.querySelector('.words')!.textContent}`,
      ]),
    );
  return Object.fromEntries(all);
}

describe('the page of checks', () => {
  it('has a tick for everything at the own server, and gives it as text', async () => {
    const site = await openSite({ previews: true });
    const browser = await openBrowser('chromium', [AS_VISITORS]);
    const { page } = (await browser.open(`${site.url}check`, { ready: false })) as ChromiumTab;
    const seen = await lines(page);
    expect(Object.keys(seen)).toHaveLength(12);
    expect(
      Object.entries(seen).filter(([name, words]) => name !== 'room and persistence' && !words.startsWith('✓')),
    ).toEqual([]);
    expect(seen['room and persistence']).toMatch(/^[✓–] \d+ MB of \d+ MB are used\./);
    expect(seen['relay by HTTPS']).toContain('by a stream');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy diagnostics' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    expect(text).toMatch(/^Sausage, build [0-9a-f]{16}\n/);
    expect(text).toContain('\n✓ relay by WebSocket: connected');

    await page.getByRole('link', { name: 'Open the playground' }).click();
    await page.getByRole('combobox', { name: 'Call a method' }).fill('nobody.knows');
    await page.keyboard.press('Enter');
    await page.locator('sausage-problem').getByRole('button', { name: 'Copy diagnostics' }).click();
    await page.locator('sausage-problem').getByRole('button', { name: 'Copied' }).waitFor();
    const about = await page.evaluate(() => navigator.clipboard.readText());
    expect(about).toContain('"code": -32001');
    expect(about).toContain('\n✓ cross-origin isolation: works');
  });

  it('works on a static host under a path, also without a network, and says what that host lacks', async () => {
    const site = await openSite({ kind: 'bare', path: '/some/where/' });
    const browser = await openBrowser('chromium');
    const { page } = (await browser.open(`${site.url}check/`, { ready: false })) as ChromiumTab;
    const seen = await lines(page);
    expect(seen['cross-origin isolation']).toBe('✓ works');
    expect(seen['relay by WebSocket']).toMatch(/^– The host of this page names no relay/);
    expect(seen['hosts of previews']).toMatch(/^– Previews are off: this page has one host name/);
    await page.getByRole('status').getByText(/^Yes/).waitFor();

    await page.getByRole('link', { name: 'Open the playground' }).click();
    await page.waitForFunction(() => document.documentElement.dataset.offline === 'ready');
    await page.context().setOffline(true);
    await page.goto(`${site.url}check/`);
    expect((await lines(page))['service worker']).toBe('✓ works');
  });
});
