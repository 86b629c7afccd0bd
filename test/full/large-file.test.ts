/** A file of 1 GiB, written and read by one program: what the core and its process need for it beyond the program's own. */

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openBrowser } from '../browser/harness.ts';
import { buildLab, exercise, openLab } from '../lab/lab.ts';

const MEBIBYTE = 1024 * 1024;

/** Bytes that a process of the operating system has in memory of its own; files that are cached do not count. */
async function ownMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

test.runIf(process.platform === 'linux')('R4-10 1 GiB is written and read in less than 64 MiB', async () => {
  const browser = await openBrowser('chromium');
  const { tab } = await openLab(browser, await buildLab(), 'large');
  // Once small, so that all code is compiled and the workers are there.
  await exercise(tab, 'large', '/small', '64');
  const session = await browser.context!.browser()!.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const renderers = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
  const total = async (): Promise<number> =>
    (await Promise.all(renderers.map(ownMemory))).reduce((sum, bytes) => sum + bytes, 0);

  const before = await total();
  let most = before;
  let ended = false;
  const running = exercise(tab, 'large', '/large', '1024').finally(() => {
    ended = true;
  });
  while (!ended) {
    most = Math.max(most, await total());
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(await running).toEqual({ size: 1024 * MEBIBYTE });
  console.log(`${((most - before) / MEBIBYTE).toFixed(1)} MiB for a file of 1 GiB`);
  expect((most - before) / MEBIBYTE).toBeLessThan(64);
});
