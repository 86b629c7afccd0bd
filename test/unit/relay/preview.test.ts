/** The hosts of previews, as the server serves them: nothing of the page there, nothing of theirs beside the page. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isPlace, isWildcard, labelOf, OWN_PATHS, placeOf } from '../../../src/net/preview/place.ts';
import { type RunningServer, type ServerOptions, startServer } from '../../../src/relay/server.ts';

let dist: string;
const running: { close(): unknown }[] = [];

beforeAll(async () => {
  dist = await mkdtemp(join(tmpdir(), 'sausage-preview-'));
  await mkdir(join(dist, 'preview'));
  await writeFile(join(dist, 'index.html'), 'the page');
  for (const path of OWN_PATHS) await writeFile(join(dist, 'preview', path), `own ${path}`);
});
afterEach(async () => {
  for (const each of running.splice(0)) await each.close();
});
afterAll(() => rm(dist, { recursive: true }));

async function start(options: Partial<ServerOptions>): Promise<RunningServer> {
  const server = await startServer({ dist, port: 0, host: '127.0.0.1', ...options });
  running.push(server);
  return server;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

const ask = (port: number, path: string, host?: string, method = 'GET', headers = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path, method, headers: { ...headers, ...(host && { host }) } },
      (response) => {
        let body = '';
        response.on('data', (piece) => (body += piece));
        response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, body }));
      },
    );
    sent.on('error', reject);
    sent.end();
  });

const LABEL = `p8080-${'a'.repeat(26)}`;

describe('the hosts of previews', () => {
  it('are names of this machine on another port, which the page is told', async () => {
    const server = await start({ preview: 'localhost' });
    const { origin } = JSON.parse((await ask(server.port, '/preview.json')).body);
    expect(origin).toMatch(/^http:\/\/\*\.localhost:\d+$/);
    const { port, host } = new URL(origin.replace('*', LABEL));
    for (const path of OWN_PATHS) {
      const { status, body, headers } = await ask(Number(port), path, host);
      expect([status, body]).toEqual([200, `own ${path}`]);
      expect(headers['content-security-policy']).toContain("default-src 'none'");
    }
    for (const [path, method] of [
      ['/', 'GET'],
      ['/index.html', 'GET'],
      ['/relay.json', 'GET'],
      ['/sausage-preview.html', 'POST'],
      ['/../index.html', 'GET'],
    ] as const) {
      const { status, body, headers } = await ask(Number(port), path, host, method);
      expect([path, status]).toEqual([path, 503]);
      expect(body).toContain('The world of this page is not open');
      expect(headers).toMatchObject({
        'cross-origin-embedder-policy': 'require-corp',
        'cross-origin-resource-policy': 'cross-origin',
        'origin-agent-cluster': '?1',
      });
    }
    // neither the page nor a preview under any other name
    for (const name of ['127.0.0.1', 'localhost', 'p8080.localhost', `${LABEL}.example`, `x.${LABEL}.localhost`]) {
      expect((await ask(Number(port), '/sausage-preview.html', `${name}:${port}`)).status).toBe(404);
    }
  });

  it('are wildcard names that lead to the server of the page, where PREVIEW_ORIGIN says so', async () => {
    const server = await start({ preview: 'https://*.preview.example' });
    expect(server.preview).toEqual({ origin: 'https://*.preview.example' });
    const host = `${LABEL}.preview.example`;
    expect((await ask(server.port, '/sausage-preview.html', host)).body).toBe('own /sausage-preview.html');
    expect((await ask(server.port, '/index.html', host)).status).toBe(503);
    expect((await ask(server.port, '/healthz', host)).status).toBe(503);
    expect((await ask(server.port, '/', 'preview.example')).body).toBe('the page');
    expect((await ask(server.port, '/preview/sausage-preview.html')).status).toBe(404);
    await expect(start({ preview: 'https://preview.example' })).rejects.toThrow(/PREVIEW_ORIGIN.*no wildcard/);
  });

  it('do not open the relay to their pages', async () => {
    const server = await start({ preview: 'localhost' });
    const { origin } = server.preview as { origin: string };
    const preview = origin.replace('*', LABEL);
    expect((await ask(server.port, '/relay/session', undefined, 'POST', { origin: preview })).status).toBe(403);
  });

  it.each([
    ['they are not wanted', { preview: undefined }, /started without/],
    ['others can reach the server', { preview: 'localhost', host: '0.0.0.0' }, /PREVIEW_ORIGIN/],
  ])('are none where %s, and the page is told why', async (_, options, sentence) => {
    const server = await start(options);
    expect(JSON.parse((await ask(server.port, '/preview.json')).body)).toEqual({
      problem: expect.stringMatching(sentence),
    });
  });

  it('are none where their port is taken, and the page works', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    running.push(taken);
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const server = await start({ preview: 'localhost', port: port - 1 });
    expect(server.preview).toEqual({ problem: expect.stringContaining(`Port ${port} is taken`) });
    expect((await ask(server.port, '/')).body).toBe('the page');
  });
});

describe('the name of a preview', () => {
  it('belongs to one page, one world and one port', async () => {
    const names = await Promise.all([
      labelOf('https://a.example', 'world', 8080),
      labelOf('https://b.example', 'world', 8080),
      labelOf('https://a.example', 'other', 8080),
      labelOf('https://a.example', 'world', 8081),
      labelOf('https://a.example', 'world', 8080),
    ]);
    expect(new Set(names).size).toBe(4);
    for (const name of names) expect(name).toMatch(/^p808[01]-[a-z2-7]{26}$/);
    const place = await placeOf('https://*.preview.example:8443', 'https://a.example', 'world', 8080);
    expect(place).toBe(`https://${names[0]}.preview.example:8443`);
    expect(isPlace(new URL(place).host, 'https://*.preview.example:8443')).toBe(true);
    expect(isPlace(new URL(place).host, 'https://*.preview.example')).toBe(false);
  });

  it.each([
    ['https://*.preview.example', true],
    ['http://*.localhost:4322', true],
    ['https://preview.example', false],
    ['https://*.preview.example/', false],
    ['https://a.*.example', false],
    ['https://*', false],
    ['javascript://*.a', false],
    [7, false],
  ])('stands under a wildcard; %s is one: %s', (text, is) => {
    expect(isWildcard(text)).toBe(is);
  });
});
