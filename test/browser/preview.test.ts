/** Previews: pages that a program serves, in a frame on a host of their own, and what they must not reach. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Frame, FrameLocator, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { BUILD, ROOT } from '../../scripts/lib/paths.mjs';
import type { ChromiumBrowser, ChromiumTab } from './chromium.ts';
import { findFirefox, openBrowser, openSite, type Site, type Tab } from './harness.ts';
import { install } from './probe.ts';

/**
 * Playwright switches features off that visitors have: storage that is partitioned by the page around a frame, without which
 * frames on `localhost` names get no service worker. The last list counts.
 */
const AS_VISITORS = '--disable-features=HttpsUpgrades';

let browser: ChromiumBrowser;
let site: Site;
let wasm: string;

beforeAll(async () => {
  browser = await openBrowser('chromium', [AS_VISITORS]);
  site = await openSite({ previews: true });
  wasm = (await readFile(join(ROOT, 'test/plugins/netprobe/plugin.wasm'))).toString('base64');
});

interface PageOf {
  status?: number;
  headers?: [string, string][];
  body?: string;
  echo?: boolean;
  hold?: boolean;
}

const html = (body: string, more: Partial<PageOf> = {}): PageOf => ({
  headers: [['Content-Type', 'text/html']],
  body: `<!doctype html><title>A page</title>${body}`,
  ...more,
});

/** Serves pages at a port until the world is closed. */
async function serve(tab: Tab, port: number, pages: Record<string, PageOf>): Promise<void> {
  await tab.evaluate(
    async ({ port, pages }) => {
      const listening = new Promise<void>((resolve) => {
        const stop = sausage.world.on('port', (ports) => {
          if (!ports.some((each) => each.port === port)) return;
          stop();
          resolve();
        });
      });
      void sausage.world.call('pages.site', { port, pages }).catch(() => {});
      await listening;
    },
    { port, pages },
  );
}

/** A world is open in one tab at a time, so none outlives its test. */
const tabs: ChromiumTab[] = [];
afterEach(async () => {
  for (const tab of tabs.splice(0)) await tab.close();
});

async function visit(width = 1280, query = ''): Promise<ChromiumTab> {
  const tab = await browser.open(site.url + query);
  tabs.push(tab);
  await tab.page.setViewportSize({ width, height: 720 });
  await install(tab, ['pages'], wasm);
  return tab;
}

const inner = (page: Page, port: number): FrameLocator =>
  page.frameLocator(`iframe[title="Pages of port ${port}"]`).frameLocator('iframe');

/** The frame in which pages of a port run scripts. */
async function frameOf(page: Page, port: number): Promise<Frame> {
  await inner(page, port).locator('body').waitFor();
  const found = page.frames().filter((each) => new URL(each.url()).hostname.startsWith(`p${port}-`));
  return found.find((each) => !each.url().endsWith('/sausage-preview.html'))!;
}

async function openPreview(tab: ChromiumTab, port: number): Promise<Frame> {
  const { page } = tab;
  const processes = page.getByRole('tab', { name: 'Processes' });
  await processes.click();
  await page.getByRole('button', { name: `Preview port ${port}` }).click();
  return frameOf(page, port);
}

describe('a preview', () => {
  test('shows the pages of a port beside the console; path, reload and close work with the keyboard', async () => {
    const tab = await visit();
    const { page } = tab;
    await serve(tab, 8080, {
      '/': html('<h1>Hello</h1><a href="/second?x=1">on</a>'),
      '/second': html('<h1>Second</h1>'),
    });
    await openPreview(tab, 8080);
    await inner(page, 8080).getByRole('heading', { name: 'Hello' }).waitFor();
    await page.screenshot({ path: join(BUILD, 'screenshots/preview-1280.png') });
    await inner(page, 8080).getByRole('link').click();
    const path = page.getByRole('textbox', { name: 'Path at port 8080' });
    await expect.poll(() => path.inputValue()).toBe('/second?x=1');
    await path.fill('/');
    await page.keyboard.press('Enter');
    await inner(page, 8080).getByRole('heading', { name: 'Hello' }).waitFor();
    await page.getByRole('button', { name: 'Close the preview of port 8080' }).press('Enter');
    await expect.poll(() => page.locator('sausage-preview').count()).toBe(0);
    expect(tab.problems).toEqual([]);
  });

  test('passes methods, queries, headers and bodies on, also of streams, and follows where the server sends', async () => {
    const tab = await visit();
    await serve(tab, 8081, {
      '/': html('<p>start</p>'),
      '/echo': { headers: [['Content-Type', 'application/json']], echo: true },
      '/away': { status: 302, headers: [['Location', 'http://127.0.0.1:8081/echo?from=away']] },
      '/near': { status: 307, headers: [['Location', 'echo?from=near']] },
    });
    const frame = await openPreview(tab, 8081);
    const outcome = await frame.evaluate(async () => {
      const json = async (path: string, init?: RequestInit) => (await fetch(path, init)).json();
      const text = await json('/echo?a=b%20c', { method: 'PUT', headers: { 'X-One': 'yes' }, body: 'some text' });
      const file = await json('/echo', { method: 'POST', body: new Blob(['x'.repeat(3_000_000)]) });
      const away = await json('/away');
      const near = await json('/near', { method: 'POST', body: 'again' });
      const missing = await fetch('/nothing');
      return { text, file, away, near, missing: [missing.status, await missing.text()] };
    });
    expect(outcome.text).toMatchObject({ method: 'PUT', target: '/echo?a=b%20c', body: 'some text' });
    expect(outcome.text.headers).toMatchObject({ 'x-one': 'yes', host: '127.0.0.1:8081' });
    expect(outcome.file).toMatchObject({ method: 'POST', size: 3_000_000 });
    expect(outcome.away).toMatchObject({ method: 'GET', target: '/echo?from=away' });
    expect(outcome.near).toMatchObject({ method: 'POST', target: '/echo?from=near', body: 'again' });
    expect(outcome.missing).toEqual([404, 'no such page']);
  });

  test('brings an answer as it comes, and an end of the reader ends the connection', async () => {
    const tab = await visit();
    await serve(tab, 8082, { '/': html('<p>start</p>'), '/stream': { body: 'first', hold: true } });
    const frame = await openPreview(tab, 8082);
    const first = await frame.evaluate(async () => {
      const response = await fetch('/stream');
      const reader = response.body!.getReader();
      const { value } = await reader.read();
      await reader.cancel();
      return new TextDecoder().decode(value);
    });
    expect(first).toBe('first');
    // one connection after the other, each held open by the server: they would run out if none ended
    const count = await frame.evaluate(async () => {
      let count = 0;
      for (; count < 300; count++) {
        const reader = (await fetch('/stream')).body!.getReader();
        await reader.read();
        await reader.cancel();
      }
      return count;
    });
    expect(count).toBe(300);
  });

  test('a world that was opened safely shows none', async () => {
    const tab = await visit(1280, '?safe=1');
    await serve(tab, 8084, { '/': html('hello') });
    await tab.page.getByRole('tab', { name: 'Processes' }).click();
    await tab.page.getByText('This world was opened safely, so its pages are not shown.').waitFor();
    expect(await tab.page.getByRole('button', { name: 'Preview port 8084' }).count()).toBe(0);
  });

  test('says when nothing listens any more, and loads the page when something does again', async () => {
    const tab = await visit();
    const { page } = tab;
    await serve(tab, 8083, { '/': html('<h1>One</h1>') });
    await openPreview(tab, 8083);
    const [{ pid }] = (await tab.evaluate(() => sausage.world.ports())) as [{ pid: string }, ...unknown[]];
    await tab.evaluate((pid) => sausage.world.call('core.kill', { pid }), pid);
    await page.getByText('Nothing listens on port 8083 now').waitFor();
    await page.locator('sausage-preview').getByRole('button', { name: 'Reload' }).click();
    await inner(page, 8083).getByText('No answer from port 8083 of this world').waitFor();
    await serve(tab, 8083, { '/': html('<h1>Two</h1>') });
    await inner(page, 8083).getByRole('heading', { name: 'Two' }).waitFor();
  });

  test('comes back after the browser stopped its service worker', async () => {
    const tab = await visit();
    const { page } = tab;
    await serve(tab, 8084, { '/': html('<h1>Here</h1>'), '/echo': { echo: true } });
    const frame = await openPreview(tab, 8084);
    const session = await page.context().newCDPSession(page);
    const running = new Map<string, string>();
    session.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
      for (const { scriptURL, runningStatus } of versions) running.set(scriptURL, runningStatus);
    });
    await session.send('ServiceWorker.enable');
    const state = () => [...running].find(([url]) => url.endsWith('/sausage-preview-service.js'))?.[1];
    await expect.poll(state).toBe('running');
    await session.send('ServiceWorker.stopAllWorkers');
    await expect.poll(state).toBe('stopped');
    expect(await frame.evaluate(async () => (await fetch('/echo?again')).json())).toMatchObject({
      target: '/echo?again',
    });
    await page.locator('sausage-preview').getByRole('button', { name: 'Reload' }).click();
    await inner(page, 8084).getByRole('heading', { name: 'Here' }).waitFor();
  });

  test('in a tab shows the same pages, also after the playground was loaded anew, and says when the world is gone', async () => {
    const tab = await visit();
    const { page } = tab;
    const pages = { '/': html('<h1>In a tab</h1>') };
    await serve(tab, 8085, pages);
    await page.getByRole('tab', { name: 'Processes' }).click();
    const opening = page.waitForEvent('popup');
    await page.getByRole('button', { name: 'Open port 8085 in a tab' }).click();
    const other = await opening;
    const heading = inner(other, 8085).getByRole('heading', { name: 'In a tab' });
    await heading.waitFor();
    await expect.poll(() => other.title()).toBe('A page');
    expect(await other.evaluate(() => window.sausage?.world)).toBeUndefined();

    const reload = () => other.getByRole('button', { name: 'Reload' }).click();
    await tab.reload();
    await reload();
    await inner(other, 8085).getByText('No answer from port 8085').waitFor();
    await serve(tab, 8085, pages);
    await reload();
    await heading.waitFor();
    await page.evaluate(() => sausage.world.close());
    await reload();
    await inner(other, 8085)
      .getByText(/loaded anew|not open/)
      .waitFor();
    await other.close();
  });

  test('fits into 380 pixels, and the console is one step away', async () => {
    const tab = await visit(380);
    const { page } = tab;
    await serve(tab, 8086, { '/': html('<h1>Small</h1>') });
    await openPreview(tab, 8086);
    await inner(page, 8086).getByRole('heading', { name: 'Small' }).waitFor();
    await page.screenshot({ path: join(BUILD, 'screenshots/preview-380.png') });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(380);
    await page.getByRole('tab', { name: 'Console' }).click();
    await page.getByRole('combobox', { name: 'Call a method' }).waitFor();
  });
});

const firefox = await findFirefox();

describe.each([
  ['Chromium', false],
  ['Firefox', true],
] as const)('a preview by the embedding API, in %s', (_, isFirefox) => {
  test.skipIf(isFirefox && !firefox)('shows pages, sends bodies up, and says where it is', async () => {
    const tab: Tab = isFirefox ? await (await openBrowser('firefox')).open(site.url) : await visit();
    if (isFirefox) await install(tab, ['pages'], wasm);
    const script = `<script>
      fetch('/echo', { method: 'POST', body: 'hello' }).then((answer) => answer.json()).then(({ body }) => {
        location.href = '/done?' + body;
      });
    </script>`;
    await serve(tab, 8087, {
      '/': html(script),
      '/echo': { headers: [['Content-Type', 'application/json']], echo: true },
      '/done': html('done'),
    });
    const seen = await tab.evaluate(
      () =>
        new Promise((resolve) => {
          const frame = document.createElement('iframe');
          document.body.append(frame);
          const preview = sausage.showPreview(frame, sausage.world.preview(8087), {
            onState: (state) => {
              if (state.kind === 'opening' || (state.kind === 'open' && state.path === '/')) return;
              void preview.then((shown) => shown.close());
              resolve(state);
            },
          });
        }),
    );
    expect(seen).toEqual({ kind: 'open', path: '/done?hello', title: 'A page' });
    await tab.close();
  });
});

describe('what a page of a program cannot do', () => {
  test('reach the playground, its storage, its server, or the frames of another preview', async () => {
    const tab = await visit();
    const { page } = tab;
    await page.evaluate(async () => {
      localStorage.setItem('secret', 'mine');
      await caches.open('secret');
      const channel = new BroadcastChannel('secret');
      channel.onmessage = () => Object.assign(globalThis, { heard: true });
      Object.assign(globalThis, { channel });
    });
    await serve(tab, 8090, { '/': html('<p>hostile</p>') });
    await serve(tab, 8091, { '/': html('<p>victim</p>') });
    const victim = await openPreview(tab, 8091);
    await victim.evaluate(() => localStorage.setItem('secret', 'of the other'));
    const frame = await openPreview(tab, 8090);
    const outcome = await frame.evaluate(
      async ({ playground, other }) => {
        const attempt = async (work: () => unknown) => {
          try {
            return ['done', await work()];
          } catch (error) {
            return ['refused', (error as Error).name];
          }
        };
        const page = window.top as unknown as Window & { sausage: unknown };
        new BroadcastChannel('secret').postMessage('hello');
        const databases = (await indexedDB.databases()).map(({ name }) => name);
        const root = await navigator.storage.getDirectory();
        const files: string[] = [];
        for await (const name of (root as unknown as { keys(): AsyncIterable<string> }).keys()) files.push(name);
        return {
          api: await attempt(() => page.sausage),
          page: await attempt(() => page.document.body.innerHTML),
          boot: await attempt(() => (parent.parent as Window).document.title),
          navigate: await attempt(() => {
            page.location.href = 'about:blank';
          }),
          isolated: crossOriginIsolated,
          storage: localStorage.getItem('secret'),
          databases,
          files,
          caches: await caches.keys(),
          locks: (await navigator.locks.query()).held?.map(({ name }) => name),
          read: await attempt(() => fetch(`${playground}index.html`)),
          relay: await attempt(
            async () => (await fetch(`${playground}relay/session`, { method: 'POST', body: 'x' })).status,
          ),
          blind: await attempt(async () => (await fetch(`${playground}relay.json`, { mode: 'no-cors' })).type),
          frames: page.length,
          other: await attempt(async () => (await fetch(`${other}/`)).text()),
        };
      },
      { playground: site.url, other: new URL(victim.url()).origin },
    );
    expect(outcome).toMatchObject({
      api: ['refused', 'SecurityError'],
      page: ['refused', 'SecurityError'],
      boot: ['refused', 'SecurityError'],
      navigate: ['refused', 'SecurityError'],
      isolated: false,
      storage: null,
      databases: [],
      files: [],
      caches: [],
      locks: [],
      read: ['refused', 'TypeError'],
      relay: ['refused', 'TypeError'],
      blind: ['refused', 'TypeError'],
      other: ['refused', 'TypeError'],
    });
    // frames in a shadow tree are not even named: there is no way to those of other previews
    expect(outcome.frames).toBe(0);
    expect(await page.evaluate(() => (globalThis as { heard?: boolean }).heard)).toBeUndefined();
    expect(await page.evaluate(() => location.href)).toBe(site.url);
  });

  test('get a channel to another port, or more than one, by speaking as its boot frame', async () => {
    const tab = await visit();
    // a script in the boot frame, which is of the same origin: the playground takes it for that, and it keeps what comes
    const impostor = `
      var ports = [];
      ServiceWorker.prototype.postMessage = (data, [port] = []) => port && ports.push(port);
      for (let i = 0; i < 1000; i++) parent.postMessage({ sausage: 'preview', type: 'want', port: 8093, world: 'x' }, '*');
    `;
    await serve(tab, 8092, {
      '/': html('<p>hostile</p>'),
      '/impostor.js': { headers: [['Content-Type', 'text/javascript']], body: impostor },
      '/echo': { echo: true },
    });
    await serve(tab, 8093, { '/': html('<p>victim</p>'), '/echo': { body: 'secret' } });
    const frame = await openPreview(tab, 8092);
    const got = await frame.evaluate(async () => {
      const boot = parent as Window & { ports?: MessagePort[] };
      const script = boot.document.createElement('script');
      script.src = '/impostor.js';
      boot.document.body.append(script);
      while (!boot.ports?.[0]) await new Promise((resolve) => setTimeout(resolve, 20));
      // an older one is closed when another is made
      const port = boot.ports.at(-1) as MessagePort;
      const answer = new Promise((resolve) => {
        port.onmessage = ({ data }) => resolve(data);
      });
      const headers = [['Host', '127.0.0.1:8093']];
      port.postMessage({ type: 'request', id: 1, port: 8093, request: { method: 'GET', target: '/echo', headers } });
      const { response } = (await answer) as { response: { body: MessagePort } };
      const body = new Promise<string>((resolve) => {
        response.body.onmessage = ({ data }) => resolve(new TextDecoder().decode(data.bytes));
      });
      response.body.postMessage({ type: 'pull' });
      return { ports: boot.ports.length, host: JSON.parse(await body).headers.host };
    });
    expect(got.host).toBe('127.0.0.1:8092');
    expect(got.ports).toBeLessThan(5);
  });

  test('hold the playground up by computing for ever', async () => {
    const tab = await visit();
    await serve(tab, 8094, { '/': html('<p>loop</p>') });
    const frame = await openPreview(tab, 8094);
    const looping = frame.evaluate(() => {
      for (const end = performance.now() + 4000; performance.now() < end; );
      return true;
    });
    const worst = await tab.evaluate(async () => {
      let worst = 0;
      for (let round = 0; round < 30; round++) {
        const from = performance.now();
        await new Promise((resolve) => setTimeout(resolve));
        await sausage.world.fs.readTextFile('/proc/core/PROTOCOL.md');
        worst = Math.max(worst, performance.now() - from);
      }
      return worst;
    });
    const still = await Promise.race([looping, Promise.resolve('looping')]);
    expect(still, 'it loops all the while').toBe('looping');
    expect(worst).toBeLessThan(1000);
    await looping;
  });

  test('be put there by a page of somebody else, who knows the name of the host and the world', async () => {
    const tab = await visit();
    await serve(tab, 8095, { '/': html('<p>mine</p>') });
    const frame = await openPreview(tab, 8095);
    const { origin } = new URL(frame.url());
    const world = await tab.evaluate(async () => {
      const { held } = await navigator.locks.query();
      return held!.find(({ name }) => name!.startsWith('sausage/world/'))!.name!.slice('sausage/world/'.length);
    });
    const stranger = await openSite({ kind: 'bare' });
    const { page } = await browser.open(`${stranger.url}LICENSE.txt`, { ready: false });
    const said = await page.evaluate(
      async ({ origin, world }) => {
        const said: string[] = [];
        const hello = new Promise<Window>((resolve) => {
          addEventListener('message', ({ source, data }) => {
            said.push(data.type);
            if (data.type === 'hello') resolve(source as Window);
          });
        });
        const frame = document.createElement('iframe');
        frame.src = `${origin}/sausage-preview.html`;
        document.body.append(frame);
        const boot = await hello;
        const { port2 } = new MessageChannel();
        boot.postMessage({ sausage: 'preview', type: 'begin', world, path: '/' }, '*');
        boot.postMessage({ sausage: 'preview', type: 'channel' }, '*', [port2]);
        // a second frame is greeted after the first has had its chance to answer
        const second = frame.cloneNode() as HTMLIFrameElement;
        const again = new Promise((resolve) => addEventListener('message', resolve, { once: true }));
        document.body.append(second);
        await again;
        return said;
      },
      { origin, world },
    );
    expect(new Set(said)).toEqual(new Set(['hello']));
    expect(page.frames().map((each) => new URL(each.url()).pathname)).not.toContain('/');
    await page.close();
  });
});

describe('with one host name only', () => {
  test('there are no previews, and the page says why and what to do', async () => {
    const bare = await openSite({ kind: 'bare' });
    const tab = await browser.open(bare.url);
    await install(tab, ['pages'], wasm);
    await serve(tab, 8080, { '/': html('<p>nobody sees it</p>') });
    const { page } = tab;
    await page.getByRole('tab', { name: 'Processes' }).click();
    await page.getByText(/one host name.*PREVIEW_ORIGIN.*wildcard/).waitFor();
    expect(await page.getByRole('button', { name: /Preview port/ }).count()).toBe(0);
  });
});
