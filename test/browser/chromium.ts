/** Chromium through Playwright, with a profile on disk. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { needChromium } from '../../scripts/lib/browsers.mjs';
import { type OpenOptions, REPORT_VIOLATIONS, type Tab, type TestBrowser, waitUntilReady } from './tab.ts';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  // a page that measures its memory gets the answer now, not at the next garbage collection
  '--enable-blink-features=ForceEagerMeasureMemory',
  '--disable-component-update',
  '--disable-sync',
];

export class ChromiumTab implements Tab {
  readonly problems: string[] = [];
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.problems.push(message.text());
    });
    page.on('pageerror', (error) => this.problems.push(String(error)));
    page.on('crash', () => this.problems.push('The tab crashed.'));
  }

  evaluate<R, A>(run: (argument: A) => R | Promise<R>, argument?: A): Promise<R> {
    // Playwright's types describe what can be sent to a page in more detail than a test needs.
    return this.page.evaluate(run as never, argument) as Promise<R>;
  }

  ready(): Promise<void> {
    return waitUntilReady((run) => this.page.evaluate(run), this.problems);
  }

  async load(url: string, { ready = true, before }: OpenOptions): Promise<this> {
    await this.page.addInitScript(REPORT_VIOLATIONS);
    if (before) await this.page.addInitScript(before);
    const response = await this.page.goto(url);
    if (response && response.status() >= 400) throw new Error(`${url} answers ${response.status()}`);
    if (ready) await this.ready();
    return this;
  }

  async reload({ ready = true }: OpenOptions = {}): Promise<void> {
    await this.page.reload();
    if (ready) await this.ready();
  }

  async download(start: () => Promise<unknown>): Promise<{ name: string; data: Buffer }> {
    const [download] = await Promise.all([this.page.waitForEvent('download'), start()]);
    return { name: download.suggestedFilename(), data: await readFile(await download.path()) };
  }

  close(): Promise<void> {
    return this.page.close();
  }
}

export interface ChromiumBrowser extends TestBrowser {
  /** The running browser, for what the common interface does not offer. */
  readonly context: BrowserContext | undefined;
  open(url: string, options?: OpenOptions): Promise<ChromiumTab>;
}

export async function openChromium(flags: string[] = []): Promise<ChromiumBrowser> {
  const executablePath = await needChromium();
  const profile = await mkdtemp(join(tmpdir(), 'sausage-chromium-'));
  const launch = (): Promise<BrowserContext> =>
    chromium.launchPersistentContext(profile, { executablePath, args: [...FLAGS, ...flags], headless: true });
  let context: BrowserContext | undefined = await launch();

  async function processId(): Promise<number> {
    const session = await context!.browser()!.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    return processInfo.find(({ type }) => type === 'browser')!.id;
  }

  return {
    name: 'chromium',
    get context() {
      return context;
    },
    async open(url, options = {}) {
      context ??= await launch();
      return new ChromiumTab(await context.newPage()).load(url, options);
    },
    async restart() {
      await context?.close();
      context = await launch();
    },
    async kill() {
      if (!context) return;
      const gone = new Promise((resolve) => context!.once('close', resolve));
      process.kill(await processId(), 'SIGKILL');
      await gone;
      context = undefined;
    },
    async close() {
      await context?.close();
      context = undefined;
      await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}
