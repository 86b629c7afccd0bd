/** The page as a thing that is served and opened: on the own server, on hosts that know nothing of it, without a network. */

import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DIST } from '../../scripts/lib/paths.mjs';
import type { ChromiumTab } from './chromium.ts';
import { findFirefox, openBrowser, openSite, type Site, type Tab } from './harness.ts';

/** A folder on a host, as a school's page may have it. */
const SUBFOLDER = '/some/where/';

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/** A copy of the built page that a test may change. */
async function copyOfPage(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sausage-page-'));
  folders.push(folder);
  await cp(DIST, folder, { recursive: true });
  return folder;
}

const paths = (site: Site): string[] => site.requests.map(({ url }) => url);
const loads = (site: Site, path: string): number => paths(site).filter((url) => url === path).length;

/** Everything but the page itself, its icon, the gate and the service worker is a download that must wait for the checks. */
const downloads = (site: Site): string[] =>
  paths(site).filter((url) => !/(\/|\/assets\/(icon|gate)-[\w-]+\.(svg|js)|\/service\.js|\/favicon\.ico)$/.test(url));

/** What the gate says, once it does; the page may reload itself before. */
async function sentence({ page }: ChromiumTab): Promise<string | null> {
  const alert = page.locator('body > [role="alert"]');
  await alert.waitFor();
  return alert.textContent();
}

const isIsolated = (tab: Tab): Promise<boolean> =>
  tab.evaluate(() => crossOriginIsolated && typeof SharedArrayBuffer === 'function');

/** Resolves when the service worker has the whole page, with what it says. */
const kept = (tab: Tab): Promise<string | undefined> =>
  tab.evaluate(async () => {
    const { dataset } = document.documentElement;
    while (!dataset.offline) await new Promise((resolve) => setTimeout(resolve, 10));
    return dataset.offline;
  });

const buildId = (tab: Tab): Promise<string | undefined> =>
  tab.evaluate(() => document.querySelector<HTMLMetaElement>('meta[name="sausage-build"]')?.content);

describe.each(['chromium', 'firefox'] as const)('the page in %s', (name) => {
  // The reason why nothing is run stands in the title of the test, which is all that a report shows.
  const absent = name === 'firefox' && !findFirefox();
  const note = absent ? ' (skipped: no Firefox is installed)' : '';

  it.skipIf(absent)(`is isolated by the headers of its own server, at the first load${note}`, async () => {
    const site = await openSite();
    const browser = await openBrowser(name);
    const tab = await browser.open(site.url);
    expect(await isIsolated(tab)).toBe(true);
    expect(loads(site, '/')).toBe(1);
    expect(tab.problems).toEqual([]);
    await browser.close();
  });

  it.skipIf(absent)(`boots, reloads, and does so without a network, in a folder of a bare host${note}`, async () => {
    const site = await openSite({ kind: 'bare', path: SUBFOLDER });
    const browser = await openBrowser(name);
    const tab = await browser.open(site.url);
    expect(await isIsolated(tab)).toBe(true);
    expect(loads(site, SUBFOLDER)).toBe(2);
    expect(await kept(tab)).toBe('ready');
    expect(tab.problems).toEqual([]);

    await tab.reload();
    expect(await isIsolated(tab)).toBe(true);
    expect(loads(site, SUBFOLDER)).toBe(3);

    site.offline = true;
    await tab.reload();
    expect(await isIsolated(tab)).toBe(true);
    await browser.close();
  });
});

describe('the first load', () => {
  it('takes at most 900 KB before the world answers, without jco', async () => {
    const site = await openSite();
    const browser = await openBrowser();
    // noted by the page itself at that moment: when a test hears of it, what comes later is under way
    const note = `const look = () => window.sausage
      ? sausage.ready.then(() => { window.answeredAt = performance.timeOrigin + performance.now(); })
      : setTimeout(look);
      look();`;
    const tab = await browser.open(site.url, { ready: false, before: note });
    const answered = await tab.evaluate(async () => {
      const page = globalThis as { answeredAt?: number };
      while (page.answeredAt === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
      return page.answeredAt;
    });
    // What nobody waits for begins at that moment, and on a busy machine some of it has ended before the note was made.
    const later = /\/(wa-sqlite|runner|programs|work|code|desk|worlds)[-.]/;
    const before = site.requests.filter(({ ended, url }) => ended <= answered && !later.test(url));
    const bytes = before.reduce((sum, request) => sum + request.bytes, 0);
    expect(before.length).toBeGreaterThan(4);
    expect(before.filter(({ url }) => url.includes('js-component-bindgen'))).toEqual([]);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(900_000);
    await browser.close();
  });
});

describe('a page on a bare host', () => {
  it('asks for no address that a school filter blocks, and gets every file with a type it does not expect', async () => {
    const site = await openSite({ kind: 'bare', path: SUBFOLDER });
    const browser = await openBrowser();
    const tab = await browser.open(site.url);
    await kept(tab);
    expect(paths(site).length).toBeGreaterThan(4);
    expect(paths(site).filter((url) => /\.(zip|wasm|tgz|gz|tar|exe|dll)($|\?)/i.test(url))).toEqual([]);
    expect(site.requests.filter(({ status }) => status !== 200)).toEqual([]);
    await browser.close();
  });

  it('has every file at hand without a network, also those that nothing has asked for yet', async () => {
    const site = await openSite({ kind: 'bare', path: SUBFOLDER });
    const browser = await openBrowser();
    await kept(await browser.open(site.url));
    site.offline = true;
    await browser.restart();
    const tab = await browser.open(site.url);
    const files = (await readdir(join(DIST, 'assets'))).filter((file) => !/\.(br|gz)$/.test(file));
    const answers = await tab.evaluate(
      (names) => Promise.all(names.map((name) => fetch(`assets/${name}`).then(({ ok }) => ok))),
      files,
    );
    expect(answers).toEqual(files.map(() => true));
    await browser.close();
  });

  it('opens without a network after the browser crashed', async () => {
    const site = await openSite({ kind: 'bare', path: SUBFOLDER });
    const browser = await openBrowser();
    await kept(await browser.open(site.url));
    await browser.kill();
    site.offline = true;
    expect(await isIsolated(await browser.open(site.url))).toBe(true);
    await browser.close();
  });

  it('does not take the page of a login portal for its own', async () => {
    const site = await openSite({ kind: 'bare', path: SUBFOLDER });
    const browser = await openBrowser();
    const tab = await browser.open(site.url);
    await kept(tab);
    const portal = await copyOfPage();
    await writeFile(join(portal, 'index.html'), '<!doctype html><title>Log in to the network</title>');
    site.dist = portal;
    await tab.reload();
    expect(await tab.evaluate(() => document.title)).not.toContain('Log in');
    await browser.close();
  });

  it('reloads once and then says why it cannot start, when the service worker is of no help', async () => {
    const dist = await copyOfPage();
    await writeFile(join(dist, 'service.js'), 'addEventListener("install", () => skipWaiting());');
    const site = await openSite({ kind: 'bare', path: SUBFOLDER, dist });
    const browser = await openBrowser();
    const tab = await browser.open(site.url, { ready: false });
    expect(await sentence(tab)).toMatch(
      /^This page could not be isolated from others.* its service worker could not add them\. Try Chrome or Edge \d+, /,
    );
    expect(loads(site, SUBFOLDER)).toBe(2);
    expect(downloads(site)).toEqual([]);
    await browser.close();
  });

  it('recovers from loads that go past the service worker, each time with one reload', async () => {
    const site = await openSite({ kind: 'bare', path: SUBFOLDER });
    const browser = await openBrowser();
    const tab = await browser.open(site.url);
    const cdp = await tab.page.context().newCDPSession(tab.page);
    await cdp.send('Network.enable');
    for (let time = 0; time < 2; time++) {
      const before = loads(site, SUBFOLDER);
      await cdp.send('Network.setBypassServiceWorker', { bypass: true });
      await tab.reload({ ready: false });
      expect(await sentence(tab)).toMatch(/its service worker could not add them/);
      expect(loads(site, SUBFOLDER)).toBe(before + 2);
      await cdp.send('Network.setBypassServiceWorker', { bypass: false });
      await tab.reload();
      expect(await isIsolated(tab)).toBe(true);
    }
    await browser.close();
  });

  it('says so when the host has no service worker for it', async () => {
    const dist = await copyOfPage();
    await rm(join(dist, 'service.js'));
    const site = await openSite({ kind: 'bare', path: SUBFOLDER, dist });
    const browser = await openBrowser();
    const tab = await browser.open(site.url, { ready: false });
    expect(await sentence(tab)).toMatch(/^This page could not be isolated .* sends no isolation headers, and .*404/);
    expect(downloads(site)).toEqual([]);
    await browser.close();
  });
});

describe('builds', () => {
  /** The built page with a file that no other build has. */
  async function buildWithExtra(extra: string): Promise<string> {
    const folder = await copyOfPage();
    const service = await readFile(join(folder, 'service.js'), 'utf8');
    // in the place of another name: the list of files may be an array or one text that is split
    const changed = service.replace('LICENSE.txt', extra);
    expect(changed).not.toBe(service);
    await writeFile(join(folder, 'service.js'), changed);
    await writeFile(join(folder, extra), 'only here');
    return folder;
  }

  /** The built page as another build: another ID in every place that has it. */
  async function otherBuild(id: string): Promise<string> {
    const folder = await copyOfPage();
    const old = /name="sausage-build" content="(\w+)"/.exec(await readFile(join(folder, 'index.html'), 'utf8'))![1]!;
    for (const file of ['index.html', 'service.js']) {
      const text = await readFile(join(folder, file), 'utf8');
      await writeFile(join(folder, file), text.replaceAll(old, id));
    }
    return folder;
  }

  const cacheNames = (tab: Tab): Promise<string[]> => tab.evaluate(() => caches.keys());

  it('are never mixed: an open page keeps its own files, and they go when nobody uses them any more', async () => {
    const extra = 'assets/extra-12345678.txt';
    const site = await openSite({ kind: 'bare', path: SUBFOLDER, dist: await buildWithExtra(extra) });
    const browser = await openBrowser();
    const older = await browser.open(site.url);
    expect(await kept(older)).toBe('ready');
    const first = await buildId(older);

    site.dist = await otherBuild('feedfeedfeedfeed');
    // The service worker is still the older one, the page is the newer build all the same. (It finds its world in use.)
    const newer = await browser.open(site.url, { ready: false });
    expect(await buildId(newer)).toBe('feedfeedfeedfeed');
    // Its own service worker takes over, and keeps its files beside the older ones.
    await expect.poll(() => cacheNames(newer), { timeout: 60_000 }).toHaveLength(2);
    expect(await buildId(older)).toBe(first);
    const read = (): Promise<string> => older.evaluate(async (file) => (await fetch(file)).text(), extra);
    expect(await read()).toBe('only here');

    await older.close();
    await newer.reload();
    await kept(newer);
    await expect
      .poll(() => cacheNames(newer), { timeout: 60_000 })
      .toEqual([expect.stringContaining('feedfeedfeedfeed')]);
    await browser.close();
  });
});

describe('the gate', () => {
  const VERSIONS = /It runs in Chrome or Edge \d+, Firefox \d+ or Safari [\d.]+, or newer\.$/;

  it.each([
    ['WebAssembly', 'delete globalThis.WebAssembly'],
    ['isolated pages', 'delete globalThis.crossOriginIsolated'],
    ['Atomics.waitAsync', 'delete Atomics.waitAsync'],
    ['Web Locks', 'delete Navigator.prototype.locks'],
    ['module workers', 'globalThis.Worker = class { constructor() {} terminate() {} }'],
    ['Promise.withResolvers', 'delete Promise.withResolvers'],
    ['shared memory', 'delete globalThis.SharedArrayBuffer'],
  ])('says in a sentence that the browser has no %s, before any download', async (feature, before) => {
    const site = await openSite();
    const browser = await openBrowser();
    const tab = await browser.open(site.url, { ready: false, before });
    const said = await sentence(tab);
    expect(said).toContain(`This browser has no ${feature}, which the playground needs.`);
    expect(said).toMatch(VERSIONS);
    expect(downloads(site)).toEqual([]);
    await browser.close();
  });

  it('asks for https when the page comes over plain http from another machine, before any download', async () => {
    const site = await openSite();
    const browser = await openBrowser('chromium', ['--host-resolver-rules=MAP world.school.test 127.0.0.1']);
    const { port } = new URL(site.url);
    const tab = await browser.open(`http://world.school.test:${port}/`, { ready: false });
    expect(await sentence(tab)).toMatch(/^This page needs https: .* an address that begins with https:\/\/\.$/);
    expect(downloads(site)).toEqual([]);
    await browser.close();
  });

  it('says so when it stands inside another page of a host without headers', async () => {
    const dist = await copyOfPage();
    await writeFile(join(dist, 'frame.html'), '<!doctype html><iframe src="index.html"></iframe>');
    const site = await openSite({ kind: 'bare', path: SUBFOLDER, dist });
    const browser = await openBrowser();
    const tab = await browser.open(`${site.url}frame.html`, { ready: false });
    const said = tab.page.frameLocator('iframe').getByRole('alert');
    await said.waitFor();
    expect(await said.textContent()).toMatch(/Open it in a tab of its own\.$/);
    await browser.close();
  });

  it('furnishes a new world at its next opening when its first tab was gone too soon', async () => {
    const dist = await copyOfPage();
    const packs = (await readdir(join(dist, 'assets'))).filter((name) => /^programs-.*\.pack/.test(name));
    const move = (from: string, to: string) =>
      Promise.all(packs.map((name) => rename(join(dist, 'assets', from + name), join(dist, 'assets', to + name))));
    await move('', 'late-');
    const site = await openSite({ kind: 'bare', path: SUBFOLDER, dist });
    const browser = await openBrowser();
    const tab = await browser.open(site.url);
    const greet = () => tab.evaluate(() => sausage.world.call('hello.greet', { name: 'you' }).catch(String));
    expect(await greet()).toMatch(/no plugin hello/);
    await move('late-', '');
    await tab.reload();
    await expect.poll(greet, { timeout: 20_000 }).toBe('Hello, you!');
    await browser.close();
  });

  it('says so when a part of the page does not arrive', async () => {
    const dist = await copyOfPage();
    const app = /data-app="\.\/([^"]+)"/.exec(await readFile(join(dist, 'index.html'), 'utf8'))![1]!;
    for (const variant of ['', '.br', '.gz']) await rm(join(dist, app + variant), { force: true });
    const site = await openSite({ dist });
    const browser = await openBrowser();
    const tab = await browser.open(site.url, { ready: false });
    expect(await sentence(tab)).toMatch(/^The playground could not be loaded: a part of it did not arrive\./);
    await browser.close();
  });
});
