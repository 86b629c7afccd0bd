/** A tab that sleeps has a world and answers nobody; whoever wants it waits for ten seconds before it is told so. */

import { expect, it } from 'vitest';
import { ensureBuilt } from '../../scripts/build.mjs';
import type { ChromiumTab } from '../browser/chromium.ts';
import { openBrowser, openSite } from '../browser/harness.ts';

it('R1-6 says so when the other tab does not give the world up, and offers the same again', async () => {
  await ensureBuilt();
  const site = await openSite();
  const browser = await openBrowser('chromium');
  const { page: first } = (await browser.open(site.url)) as ChromiumTab;
  await first.evaluate(async () => {
    const { held } = await navigator.locks.query();
    const { name } = held!.find(({ name }) => name!.startsWith('sausage/world/'))!;
    const asleep = new Promise<void>((resolve) => {
      void navigator.locks.request(name!, () => {
        resolve();
        return new Promise(() => {});
      });
    });
    await sausage.world.close();
    await asleep;
  });
  const { page: second } = (await browser.open(site.url, { ready: false })) as ChromiumTab;
  await second.getByRole('button', { name: 'Take it over' }).click();
  await second.getByRole('alert').getByText('does not answer: it sleeps. Close that tab').waitFor();
  await first.close();
  await second.getByRole('button', { name: 'Take it over' }).click();
  await second.waitForFunction(() => sausage.world);
  expect(await second.getByRole('alert').count()).toBe(0);
});
