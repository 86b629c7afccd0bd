/**
 * What every browser test needs: the built page on a host, a browser with a profile of its own on disk (a private
 * window keeps files in memory), and a tab whose errors are collected. Whatever a test file leaves open is closed after it.
 *
 *   const site = await openSite();                       // or { kind: 'bare', path: '/some/where/' }
 *   const browser = await openBrowser('chromium');       // or 'firefox'
 *   const tab = await browser.open(site.url);            // resolves when window.sausage.ready has
 *   await tab.evaluate((text) => sausage.world.call('notes.add', { text }), 'milk');
 */

import { afterAll } from 'vitest';
import type { OpenWorldOptions, Preview, PreviewOptions, PreviewSource, World, WorldInfo } from '../../src/api.ts';
import { type ChromiumBrowser, openChromium } from './chromium.ts';
import { openFirefox } from './firefox.ts';
import { type Site, type SiteOptions, serve } from './site.ts';
import type { BrowserName, TestBrowser } from './tab.ts';

export { findChromium, findFirefox } from '../../scripts/lib/browsers.mjs';
export type { Site, SiteRequest } from './site.ts';
export type { BrowserName, Tab, TestBrowser } from './tab.ts';

declare global {
  /** The embedding API as the page offers it; only for code that runs in the page. */
  var sausage: {
    world: World;
    ready: Promise<unknown>;
    openWorld(options: OpenWorldOptions): Promise<World>;
    copyWorld(name: string, to: string): Promise<void>;
    listWorlds(): Promise<WorldInfo[]>;
    importWorld(name: string, zip: Blob): Promise<void>;
    deleteWorld(name: string): Promise<void>;
    showPreview(frame: HTMLIFrameElement, source: PreviewSource, options?: PreviewOptions): Promise<Preview>;
  };
}

const open = new Set<{ close(): Promise<void> }>();

function closedAtEnd<T extends { close(): Promise<void> }>(thing: T): T {
  open.add(thing);
  return thing;
}

afterAll(async () => {
  // Browsers first: they keep connections to the sites.
  for (const thing of [...open].reverse()) await thing.close();
  open.clear();
});

export async function openSite(options?: SiteOptions): Promise<Site> {
  return closedAtEnd(await serve(options));
}

/** A browser with a new, empty profile. `flags` are for the command line of Chromium, whose tabs have a Playwright `page`. */
export async function openBrowser(name?: 'chromium', flags?: string[]): Promise<ChromiumBrowser>;
export async function openBrowser(name: BrowserName): Promise<TestBrowser>;
export async function openBrowser(name: BrowserName = 'chromium', flags: string[] = []): Promise<TestBrowser> {
  return closedAtEnd(name === 'chromium' ? await openChromium(flags) : await openFirefox());
}
