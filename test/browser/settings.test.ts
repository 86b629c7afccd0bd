/** The settings of the page: which way programs take outside, chosen by a visitor with a keyboard. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { BUILD, ROOT } from '../../scripts/lib/paths.mjs';
import type { ChromiumBrowser, ChromiumTab } from './chromium.ts';
import { openBrowser } from './harness.ts';
import { install, run } from './probe.ts';
import { listenTcp, openRelaySite, RELAY_MACHINE } from './relay-site.ts';

let browser: ChromiumBrowser;
let wasm: string;

beforeAll(async () => {
  browser = await openBrowser('chromium');
  wasm = (await readFile(join(ROOT, 'test/plugins/netprobe/plugin.wasm'))).toString('base64');
});

async function visit() {
  const port = await listenTcp((socket) => socket.pipe(socket));
  const site = await openRelaySite({ ports: [port] });
  const tab = await browser.open(site.url);
  await install(tab, ['client'], wasm);
  return { tab, site, port };
}

const connect = async (tab: ChromiumTab, port: number) => {
  const steps = [{ op: 'connect', as: 'c', address: RELAY_MACHINE, port, catch: true }];
  const { result } = await run(tab, steps, 'client');
  return result[0];
};

const dialog = ({ page }: ChromiumTab) => page.getByRole('dialog', { name: 'Settings' });
/** What is in the dialog belongs to the element that shows it. */
const inside = ({ page }: ChromiumTab) => page.locator('sausage-settings');
const status = ({ page }: ChromiumTab) => page.locator('sausage-status');

async function openSettings(tab: ChromiumTab): Promise<void> {
  const { page } = tab;
  await page.getByRole('button', { name: 'Settings' }).focus();
  await page.keyboard.press('Enter');
  await dialog(tab).waitFor();
}

describe('the relay as a setting of the page', () => {
  test('a visitor goes offline and back with the keyboard: it holds at once, and after a reload', async () => {
    const { tab, port } = await visit();
    const { page } = tab;
    expect(await connect(tab, port)).toHaveProperty('remote');
    await status(tab).getByText('outside by WebSocket').waitFor({ state: 'attached' });

    await openSettings(tab);
    // the choice of now has the focus, and the last one is two steps on
    await expect
      .poll(() =>
        inside(tab)
          .getByRole('radio', { name: /host/ })
          .evaluate((radio) => radio.matches(':focus')),
      )
      .toBe(true);
    await page.keyboard.press('ArrowDown');
    await page.getByRole('textbox', { name: 'Its address' }).waitFor();
    await inside(tab)
      .getByRole('radio', { name: /Another/ })
      .press('ArrowDown');
    expect(await inside(tab).getByRole('radio', { name: /None/ }).isChecked()).toBe(true);
    await page.keyboard.press('Enter');
    await dialog(tab).waitFor({ state: 'hidden' });
    await status(tab).getByText('no way outside').waitFor({ state: 'attached' });
    expect(await connect(tab, port)).toMatchObject({ error: { data: { code: 'remote-unreachable' } } });

    await tab.reload();
    expect(await tab.evaluate(() => sausage.world.relay)).toMatchObject({ kind: 'none' });
    await openSettings(tab);
    expect(await inside(tab).getByRole('radio', { name: /None/ }).isChecked()).toBe(true);
    await inside(tab).getByRole('radio', { name: /host/ }).check();
    await inside(tab).getByRole('button', { name: 'Use it' }).click();
    await dialog(tab).waitFor({ state: 'hidden' });
    expect(await connect(tab, port)).toHaveProperty('remote');
    expect(tab.problems).toEqual([]);
    await tab.close();
  });

  test('an address is checked before it is used, and then it is the relay', async () => {
    const { tab, site, port } = await visit();
    const { page } = tab;
    await openSettings(tab);
    await inside(tab)
      .getByRole('radio', { name: /Another/ })
      .check();
    const address = page.getByRole('textbox', { name: 'Its address' });
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Write the address of the relay').waitFor();
    await address.fill('ws://relay.example/relay');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('must be reached with wss').waitFor();
    expect(await address.getAttribute('aria-invalid')).toBe('true');
    await address.fill('/relay');
    await page.keyboard.press('Enter');
    await dialog(tab).waitFor({ state: 'hidden' });
    expect(await connect(tab, port)).toHaveProperty('remote');
    const relay = `ws://127.0.0.1:${site.port}/relay`;
    expect(await tab.evaluate(() => sausage.world.relay)).toMatchObject({ kind: 'connected', relay });
    // what was kept is shown again, as it was understood
    await status(tab).getByRole('button', { name: /relay/ }).click();
    await page.getByRole('button', { name: 'Change the way outside' }).click();
    await expect.poll(() => address.inputValue()).toBe(relay);
    await page.keyboard.press('Escape');
    await dialog(tab).waitFor({ state: 'hidden' });
    await tab.close();
  });

  test.each([1280, 380])('the dialog fits into %i pixels', async (width) => {
    const { tab } = await visit();
    await tab.page.setViewportSize({ width, height: 720 });
    await openSettings(tab);
    await inside(tab)
      .getByRole('radio', { name: /Another/ })
      .check();
    await tab.page.screenshot({ path: join(BUILD, `screenshots/settings-${width}.png`) });
    expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await tab.close();
  });
});
