import { describe, expect, it } from 'vitest';
import { findFirefox, openBrowser, openSite } from './harness.ts';

describe.each(['chromium', 'firefox'] as const)('the page in %s', (name) => {
  it.skipIf(name === 'firefox' && !findFirefox())('is isolated on the own server', async () => {
    const site = await openSite();
    const browser = await openBrowser(name);
    const tab = await browser.open(site.url);
    expect(await tab.evaluate(() => crossOriginIsolated)).toBe(true);
    expect(tab.problems).toEqual([]);
  });

  it.skipIf(name === 'firefox' && !findFirefox())('is isolated on a bare host', async () => {
    const site = await openSite({ kind: 'bare', path: '/some/where/' });
    const browser = await openBrowser(name);
    const tab = await browser.open(site.url);
    expect(await tab.evaluate(() => crossOriginIsolated)).toBe(true);
    expect(tab.problems).toEqual([]);
    await tab.reload();
    await browser.restart();
    const tab2 = await browser.open(site.url);
    expect(await tab2.evaluate(() => crossOriginIsolated)).toBe(true);
  });
});
