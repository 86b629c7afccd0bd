/** A browser that keeps nothing for the page: the visitor has blocked the data of sites. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { needChromium } from '../../scripts/lib/browsers.mjs';
import { openSite } from './harness.ts';

const BLOCKED = { profile: { default_content_setting_values: { cookies: 2 } } };

test('where the data of sites is blocked the world lives in memory, and the page says so', async () => {
  const profile = await mkdtemp(join(tmpdir(), 'sausage-blocked-'));
  await mkdir(join(profile, 'Default'));
  await writeFile(join(profile, 'Default/Preferences'), JSON.stringify(BLOCKED));
  const site = await openSite();
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: await needChromium(),
    args: ['--no-sandbox', '--disable-gpu'],
    headless: true,
  });
  try {
    const page = await context.newPage();
    await page.goto(site.url);
    const seen = await page.evaluate(async () => {
      while (!('sausage' in globalThis)) await new Promise(requestAnimationFrame);
      await sausage.ready;
      await sausage.world.call('notes.add', { text: 'milk' });
      return { storage: sausage.world.storage, notes: await sausage.world.call('notes.list') };
    });
    expect(seen).toMatchObject({ storage: 'memory', notes: { notes: [{ text: 'milk' }] } });
    await expect
      .poll(() => page.locator('sausage-status footer').textContent())
      .toMatch(/memory|not kept|nothing is kept/i);
  } finally {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  }
}, 60_000);
