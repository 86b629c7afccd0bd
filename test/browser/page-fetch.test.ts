/** HTTP of programs by the page's own `fetch`, where a visitor chooses that: against sites with and without CORS. */

import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BUILD, ROOT } from '../../scripts/lib/paths.mjs';
import { type Certificate, createAuthority, hasOpenssl } from '../unit/relay/support/certificates.ts';
import type { ChromiumBrowser, ChromiumTab } from './chromium.ts';
import { openBrowser, openSite } from './harness.ts';
import { install, run, type Step } from './probe.ts';
import { atEnd, listenHttp } from './relay-site.ts';

const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Allow-Methods': '*',
  'Access-Control-Expose-Headers': 'X-Seen',
};

describe.skipIf(!hasOpenssl)("HTTP by the page's fetch (openssl makes the certificates)", () => {
  let browser: ChromiumBrowser;
  let tab: ChromiumTab;
  let certificate: Certificate;
  let wasm: string;

  beforeAll(async () => {
    certificate = await (await createAuthority()).issue('DNS:shop.test');
    browser = await openBrowser('chromium', [
      '--host-resolver-rules=MAP *.test 127.0.0.1',
      '--ignore-certificate-errors',
    ]);
    wasm = (await readFile(join(ROOT, 'test/plugins/netprobe/plugin.wasm'))).toString('base64');
    const site = await openSite();
    tab = await browser.open(site.url);
    await install(tab, ['client'], wasm);
  });

  beforeEach(() => tab.evaluate(() => sausage.world.setOutside({ relay: null, http: 'fetch' })));

  type Answer = (
    request: IncomingMessage | Http2ServerRequest,
    response: ServerResponse & Http2ServerResponse,
  ) => unknown;

  /** A site over HTTP/2 that all pages may read. */
  async function listenHttp2(answer: Answer): Promise<number> {
    const server = createSecureServer({ ...certificate, allowHTTP1: true }, (request, response) => {
      for (const [name, value] of Object.entries(CORS)) response.setHeader(name, value);
      if (request.method === 'OPTIONS') response.end();
      else answer(request, response as never);
    });
    const sessions = new Set<{ destroy(): void }>();
    server.on('session', (session) => sessions.add(session));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    atEnd(() => {
      for (const session of sessions) session.destroy();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  }

  const ask = async (port: number, step: Omit<Step, 'op'> = {}) => {
    const steps = [{ op: 'fetch', scheme: 'https', authority: `shop.test:${port}`, catch: true, ...step }];
    const { result, error } = await run(tab, steps, 'client');
    expect(error).toBeUndefined();
    return result[0];
  };

  test('R3.8-2 a site that lets pages read it is read without a relay; a body goes up as a stream', async () => {
    const seen: unknown[] = [];
    const port = await listenHttp2(async (request, response) => {
      let bytes = 0;
      for await (const piece of request as AsyncIterable<Buffer>) bytes += piece.length;
      seen.push([
        request.method,
        request.httpVersion,
        request.headers['content-length'],
        bytes,
        request.headers.cookie,
      ]);
      response.setHeader('X-Seen', 'yes');
      response.end('hello');
    });
    const got = await ask(port, { path: '/a?b=c' });
    expect([got.status, got.body]).toEqual([200, 'hello']);
    expect(got.headers).toContainEqual(['x-seen', 'yes']);
    expect((await ask(port, { method: 'POST', body: { fill: 100_000, times: 20 } })).body).toBe('hello');
    expect(seen).toEqual([
      ['GET', '2.0', undefined, 0, undefined],
      ['POST', '2.0', undefined, 2_000_000, undefined],
    ]);
    expect(await tab.evaluate(() => sausage.world.relay)).toMatchObject({ kind: 'none', http: 'fetch' });
  });

  test('a site over HTTP/1.1, to which no stream goes up, gets a short body whole', async () => {
    const lengths: unknown[] = [];
    const port = await listenHttp((request, response) => {
      for (const [name, value] of Object.entries(CORS)) response.setHeader(name, value);
      if (request.method === 'POST') lengths.push(request.headers['content-length']);
      request.resume().on('end', () => response.end('taken'));
    }, certificate);
    expect((await ask(port, { method: 'POST', body: { text: 'abc', times: 2 } })).body).toBe('taken');
    expect(lengths).toEqual(['6']);
  });

  test('a program that is stopped gives its request up while the answer still comes', async () => {
    let begun = false;
    let gone = false;
    const port = await listenHttp2((_, response) => {
      response.write('first');
      begun = true;
      response.on('close', () => {
        gone = true;
      });
    });
    const calling = run(tab, [{ op: 'fetch', scheme: 'https', authority: `shop.test:${port}` }], 'client');
    await expect.poll(() => begun).toBe(true);
    const [process] = await tab.evaluate(() => sausage.world.processes());
    await tab.evaluate((pid) => sausage.world.call('core.kill', { pid }), process!.pid);
    await expect.poll(() => gone).toBe(true);
    expect((await calling).error?.code).toBe(-32002);
  });

  test('R3.8-2 a site that lets no page read it is denied, and the journal says what that is', async () => {
    const port = await listenHttp((_, response) => response.end('secret'), certificate);
    expect((await ask(port)).error.data).toEqual({ http: 'http-request-denied' });
    const lines = await tab.evaluate(() =>
      sausage.world.call('core.log', { plugin: 'client', grep: 'CORS', limit: 1 }),
    );
    expect(lines).toMatchObject([{ line: expect.stringContaining('A relay has no such rule') }]);
    const plain = { scheme: 'http', authority: `shop.test:${port}` };
    expect((await ask(port, plain)).error.data).toEqual({ http: 'http-request-denied' });
    await tab.evaluate(() => sausage.world.setOutside({ relay: null, http: 'none' }));
    expect((await ask(port)).error.data).toEqual({ http: 'http-request-denied' });
  });

  test('R8-5 a world from outside asks nobody before the visitor has agreed', async () => {
    let asked = 0;
    const port = await listenHttp2((_, response) => {
      asked++;
      response.end('hello');
    });
    const outcome = await tab.evaluate(async (port) => {
      const zip = await sausage.world.exportZip();
      const world = await sausage.openWorld({ name: 'guest', from: zip, relay: null, http: 'fetch' });
      const steps = [{ op: 'fetch', scheme: 'https', authority: `shop.test:${port}`, catch: true }];
      const [before] = (await world.call('client.do', { steps })) as { error?: unknown }[];
      const { held } = world;
      await world.consent();
      const [after] = (await world.call('client.do', { steps })) as { body?: string }[];
      await world.close();
      await sausage.deleteWorld('guest');
      return { held, before, after };
    }, port);
    expect(outcome).toMatchObject({
      held: true,
      before: { error: { data: { http: 'http-request-denied' } } },
      after: { body: 'hello' },
    });
    expect(asked).toBe(1);
  });

  test('a visitor chooses it in the settings, and the status line says so', async () => {
    const { page } = tab;
    await page.getByRole('button', { name: 'Settings' }).click();
    const settings = page.locator('sausage-settings');
    await settings.getByRole('radio', { name: /None/ }).check();
    await settings.getByRole('radio', { name: /own fetch/ }).check();
    await page.setViewportSize({ width: 380, height: 720 });
    await page.screenshot({ path: join(BUILD, 'screenshots/settings-http-380.png') });
    await settings.getByRole('button', { name: 'Use it' }).click();
    await page.locator('sausage-status').getByText('outside by fetch').waitFor();
    await tab.reload();
    expect(await tab.evaluate(() => sausage.world.relay)).toMatchObject({ kind: 'none', http: 'fetch' });
  });
});
