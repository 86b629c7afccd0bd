/** Firefox through puppeteer and WebDriver BiDi, with a profile on disk. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { findFirefox } from '../../scripts/lib/browsers.mjs';
import { type OpenOptions, REPORT_VIOLATIONS, type Tab, type TestBrowser, waitUntilReady } from './tab.ts';

class FirefoxTab implements Tab {
  readonly problems: string[] = [];
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warn') this.problems.push(message.text());
    });
    page.on('pageerror', (error) => this.problems.push(String(error)));
  }

  evaluate<R, A>(run: (argument: A) => R | Promise<R>, argument?: A): Promise<R> {
    return this.page.evaluate(run as never, argument as never) as Promise<R>;
  }

  ready(): Promise<void> {
    return waitUntilReady((run) => this.page.evaluate(run), this.problems);
  }

  async load(url: string, { ready = true, before }: OpenOptions): Promise<this> {
    await this.page.evaluateOnNewDocument(REPORT_VIOLATIONS);
    if (before) await this.page.evaluateOnNewDocument(before);
    // A page that reloads itself while it loads ends this navigation; what counts is what comes after.
    const response = await this.page.goto(url).catch((error) => {
      if (!/NS_BINDING_ABORTED|navigation/i.test(String(error))) throw error;
      return null;
    });
    if (response && response.status() >= 400) throw new Error(`${url} answers ${response.status()}`);
    if (ready) await this.ready();
    return this;
  }

  async reload({ ready = true }: OpenOptions = {}): Promise<void> {
    await this.page.reload();
    if (ready) await this.ready();
  }

  download(): Promise<never> {
    throw new Error('A download through WebDriver BiDi cannot be read; let the page return its bytes.');
  }

  close(): Promise<void> {
    return this.page.close();
  }
}

export async function openFirefox(): Promise<TestBrowser> {
  const executablePath = findFirefox();
  if (!executablePath) throw new Error('No Firefox is installed; FIREFOX can name one.');
  const profile = await mkdtemp(join(tmpdir(), 'sausage-firefox-'));
  const launch = (): Promise<Browser> =>
    puppeteer.launch({
      browser: 'firefox',
      protocol: 'webDriverBiDi',
      executablePath,
      headless: true,
      userDataDir: profile,
    });
  let browser: Browser | undefined = await launch();
  return {
    name: 'firefox',
    async open(url, options = {}) {
      browser ??= await launch();
      return new FirefoxTab(await browser.newPage()).load(url, options);
    },
    async restart() {
      await browser?.close();
      browser = await launch();
    },
    kill() {
      throw new Error('Only Chromium is killed in tests.');
    },
    async close() {
      await browser?.close();
      browser = undefined;
      await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}
