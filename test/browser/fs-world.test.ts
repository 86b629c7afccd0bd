/** The world's files on the real origin private file system of a Chromium, whose process is killed on the way. */

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needChromium } from '../../scripts/lib/browsers.mjs';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
/** Kills of the browser; `KILLS=100` looks harder. */
const KILLS = Number(process.env.KILLS ?? 5);

async function bundleWorker(): Promise<string> {
  const output = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      lib: { entry: join(import.meta.dirname, 'fs-worker.ts'), formats: ['es'], fileName: 'worker' },
    },
  });
  const chunk = (Array.isArray(output) ? output[0]! : output) as { output: { code?: string }[] };
  return chunk.output[0]!.code!;
}

/** The page: it passes commands to its worker, and the progress of the worker to the test. */
const PAGE = `<!doctype html><script>
  const worker = new Worker('/worker.js', { type: 'module' });
  const waiting = new Map();
  let next = 0;
  worker.onmessage = ({ data }) => {
    if ('progress' in data) return window.progress(data.progress);
    const { resolve, reject } = waiting.get(data.id);
    if ('error' in data) reject(new Error(data.error)); else resolve(data.result);
  };
  window.run = (name, ...args) => new Promise((resolve, reject) => {
    waiting.set(++next, { resolve, reject });
    worker.postMessage({ id: next, name, args });
  });
</script>`;

describe('a world in OPFS', () => {
  let server: Server;
  let profile: string;
  let context: BrowserContext | undefined;
  let page: Page;
  let reached = -1;

  const run = (name: string, ...args: unknown[]): Promise<never> =>
    page.evaluate(
      ([called, given]) => (window as never as { run: (...all: unknown[]) => never }).run(called, ...(given as [])),
      [name, args] as const,
    );

  async function launch(): Promise<void> {
    context = await chromium.launchPersistentContext(profile, {
      executablePath: await needChromium(),
      args: FLAGS,
      headless: true,
    });
    page = await context.newPage();
    await page.exposeFunction('progress', (number: number) => {
      reached = number;
    });
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  }

  /** Ends the browser as a power cut would, as far as its own process goes. */
  async function kill(): Promise<void> {
    const session = await context!.browser()!.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    const closed = new Promise((resolve) => context!.once('close', resolve));
    process.kill(processInfo.find(({ type }) => type === 'browser')!.id, 'SIGKILL');
    await closed;
    context = undefined;
  }

  beforeAll(async () => {
    const worker = await bundleWorker();
    server = createServer((request, response) => {
      const script = request.url === '/worker.js';
      response.setHeader('cross-origin-opener-policy', 'same-origin');
      response.setHeader('cross-origin-embedder-policy', 'require-corp');
      response.setHeader('content-type', script ? 'text/javascript' : 'text/html');
      response.end(script ? worker : PAGE);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    profile = await mkdtemp(join(tmpdir(), 'sausage-fs-'));
    await launch();
  });

  afterAll(async () => {
    await context?.close();
    server?.close();
    if (profile) await rm(profile, { recursive: true, force: true });
  });

  it('R1-5 OPFS shows the same tree, one file for one file', async () => {
    await run('open', 'tree');
    await run('write', '/a', 'text');
    await run('write', '/Ä b\\c', 'odd');
    await run('write', '/large', 'x'.repeat(100_000));
    await run('rename', '/a', '/b');
    expect(await run('tree', 'tree')).toEqual({ b: 4, 'Ä b%5Cc': 3, large: 100_000 });
    await run('close');
    expect(await run('open', 'tree')).toMatchObject({ repairs: [] });
    expect(await run('read', '/b')).toBe('text');
    expect(await run('read', '/Ä b\\c')).toBe('odd');
    await run('close');
  });

  it('R10-8 a file that was put into OPFS from outside is there after the next opening', async () => {
    await run('outside', 'tree', 'new', 'from outside');
    await run('open', 'tree');
    await run('compared');
    expect(await run('read', '/new')).toBe('from outside');
    expect(await run('repairs')).toEqual(['/new was put into the world from outside']);
    await run('close');
  });

  it(`R4-11 what returned is there after the browser was killed, ${KILLS} times`, async () => {
    await run('open', 'killed');
    let from = 0;
    for (let i = 0; i < KILLS; i++) {
      const until = reached + 20 + ((i * 37) % 60);
      run('sequence', from).catch(() => {});
      await expect.poll(() => reached, { timeout: 30_000, interval: 1 }).toBeGreaterThan(until);
      await kill();
      const returned = reached;
      await launch();
      await run('open', 'killed');
      const found = (await run('checkSequence')) as { steps: number; current: number; folders: number };
      expect(found.steps).toBeGreaterThan(returned);
      expect(found.current).toBeGreaterThanOrEqual(found.steps - 2);
      expect(found.folders).toBeGreaterThanOrEqual(Math.floor(returned / 10) + 1);
      // The last step may have been cut, so it is done again.
      from = found.steps - 1;
      reached = from - 1;
    }
    await run('close');
  });

  it('one changed byte in the middle of the log costs one record, with files applied and pending', async () => {
    await run('open', 'damaged');
    const texts = Array.from({ length: 12 }, (_, i) => `text ${i}`).sort();
    for (const text of texts) {
      await run('write', `/${text}`, text);
      await run('rename', `/${text}`, `/renamed ${text}`);
      if (text === 'text 5') await run('settled');
    }
    await kill();
    await launch();
    await run('damage', 'damaged');
    await run('open', 'damaged');
    const there = (await run('contents')) as string[];
    expect(texts.filter((text) => !there.includes(text)).length).toBeLessThan(2);
    expect(await run('repairs')).toContainEqual(
      expect.stringMatching(/^the log of this world was damaged in one place/),
    );
    await run('close');
    expect(await run('open', 'damaged')).toMatchObject({ repairs: [] });
    expect(await run('contents')).toEqual(there);
    await run('close');
  });

  it('R4-11 a world of 2500 files opens fast, also with all of them in the log', async () => {
    await run('open', 'many');
    const figures = (await run('bench', 2500)) as Record<string, number>;
    console.log(JSON.stringify(figures));
    await kill();
    await launch();
    const opened = (await run('open', 'many')) as { milliseconds: number };
    console.log(JSON.stringify({ openMilliseconds: opened.milliseconds }));
    // An opening that went to each file in the storage would take as long as it took to make them there.
    expect(opened.milliseconds / figures.settledMilliseconds!).toBeLessThan(0.3);
    expect(await run('read', '/bench/file-2499')).toBe('\u0001'.repeat(1024));
    await run('close');
  });
});
