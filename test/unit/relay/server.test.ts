import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, type ServerOptions, startServer } from '../../../src/relay/server.ts';

let folder: string;
let server: RunningServer;
const start = (options: Partial<ServerOptions> = {}) =>
  startServer({ dist: join(folder, 'dist'), port: 0, host: '127.0.0.1', ...options });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sausage-server-'));
  const assets = join(folder, 'dist/assets');
  await mkdir(assets, { recursive: true });
  await writeFile(join(folder, 'secret.txt'), 'secret');
  await writeFile(join(folder, 'dist/index.html'), '<!doctype html><title>page</title>');
  await writeFile(join(folder, 'dist/service.js'), 'service');
  await writeFile(join(assets, 'main-abc.js'), 'const plain = 1;');
  await writeFile(join(assets, 'main-abc.js.br'), brotliCompressSync('const plain = 1;'));
  await writeFile(join(assets, 'data-abc.bin'), 'data');
  await writeFile(join(assets, 'playground-abc.world'), 'world');
  server = await start();
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A request as it is written, without the tidying that `fetch` does to paths and headers. */
function ask(path: string, options: RequestOptions = {}, to = server): Promise<Answer> {
  const request = to.url.startsWith('https') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port: to.port, path, rejectUnauthorized: false, ...options } as RequestOptions,
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks).toString() }),
        );
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

describe('the server', () => {
  it.each(['/', '/index.html', '/assets/main-abc.js', '/assets/data-abc.bin', '/nothing', '/healthz'])(
    'sends the headers of isolation and policy with %s',
    async (path) => {
      const { headers } = await ask(path);
      expect(headers).toMatchObject({
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      });
      const policy = headers['content-security-policy'] as string;
      expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval' blob:;");
      expect(policy).not.toMatch(/'unsafe-eval'|'unsafe-inline'/);
    },
  );

  it.each([
    ['/', 'text/html;charset=utf-8'],
    ['/assets/main-abc.js', 'text/javascript; charset=utf-8'],
    ['/assets/data-abc.bin', 'application/octet-stream'],
    ['/assets/playground-abc.world', 'application/octet-stream'],
  ])('sends %s as %s', async (path, type) => {
    expect((await ask(path)).headers['content-type']).toBe(type);
  });

  it('lets names with a hash be kept for ever and all else be asked for again', async () => {
    expect((await ask('/assets/main-abc.js')).headers['cache-control']).toBe('public,max-age=31536000,immutable');
    expect((await ask('/')).headers['cache-control']).toBe('no-cache');
    expect((await ask('/service.js')).headers['cache-control']).toBe('no-cache');
  });

  it('answers 304 to who has the file', async () => {
    const { headers } = await ask('/');
    const again = await ask('/', { headers: { 'If-None-Match': headers.etag } });
    expect([again.status, again.body]).toEqual([304, '']);
  });

  it('sends the compressed file to who takes it', async () => {
    const compressed = await ask('/assets/main-abc.js', { headers: { 'Accept-Encoding': 'gzip, br' } });
    expect(compressed.headers['content-encoding']).toBe('br');
    expect(compressed.headers.vary).toBe('Accept-Encoding');
    expect(compressed.headers['content-type']).toBe('text/javascript; charset=utf-8');
    const plain = await ask('/assets/main-abc.js');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.body).toBe('const plain = 1;');
  });

  it('answers HEAD without a body', async () => {
    const { status, headers, body } = await ask('/assets/main-abc.js', { method: 'HEAD' });
    expect([status, headers['content-length'], body]).toEqual([200, '16', '']);
  });

  it('sends the whole file to who asks for a part, whatever the numbers', async () => {
    for (const Range of ['bytes=0-3', 'bytes=9-2', 'bytes=-5', 'bytes=x-y']) {
      const { status, body } = await ask('/assets/main-abc.js', { headers: { Range } });
      expect([Range, status, body]).toEqual([Range, 200, 'const plain = 1;']);
    }
  });

  it.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/..%5csecret.txt',
    '//secret.txt',
    '/%00',
    '/%',
  ])('has nothing at %s', async (path) => {
    const { status, body } = await ask(path);
    expect([status, body]).toEqual([404, 'There is nothing at this address.\n']);
  });

  it('refuses other methods', async () => {
    const { status, headers } = await ask('/', { method: 'POST' });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it('answers /healthz with ok', async () => {
    expect(await ask('/healthz')).toMatchObject({ status: 200, body: 'ok\n' });
  });

  it('says in a sentence that the port is taken', async () => {
    await expect(start({ port: server.port })).rejects.toThrow(
      new RegExp(`^Port ${server.port} is taken by another program.*--port ${server.port + 10}\\.$`),
    );
  });

  it('says in a sentence that the machine has no such address', async () => {
    await expect(start({ host: '192.0.2.1' })).rejects.toThrow(/^This machine has no address 192\.0\.2\.1\./);
  });

  it('closes while a client keeps its connection open', async () => {
    const closing = await start();
    const socket = connect(closing.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    const ended = new Promise((resolve) => socket.once('close', resolve));
    await closing.close();
    await ended;
    const again = await start({ port: closing.port });
    await again.close();
  });
});

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe('the server with TLS', () => {
  const files = () => ({ cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') });

  it.skipIf(!hasOpenssl)('serves https under the name in the certificate (openssl makes one)', async () => {
    const { cert, key } = files();
    const subject = ['-subj', '/CN=school', '-addext', 'subjectAltName=DNS:*.school.test,DNS:world.school.test'];
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-nodes',
        '-keyout',
        key,
        '-out',
        cert,
        ...subject,
      ],
      {
        stdio: 'ignore',
      },
    );
    const secure = await start({ tls: files() });
    try {
      expect(secure.url).toBe(`https://world.school.test:${secure.port}/`);
      expect(await ask('/', {}, secure)).toMatchObject({ status: 200, body: '<!doctype html><title>page</title>' });
    } finally {
      await secure.close();
    }
  });

  it('says which file is missing', async () => {
    const tls = { cert: join(folder, 'none.pem'), key: join(folder, 'none.key') };
    await expect(start({ tls })).rejects.toThrow(/^Cannot read the certificate .*none\.pem: there is no such file\./);
  });

  it('says which file is no PEM file', async () => {
    const file = join(folder, 'secret.txt');
    await expect(start({ tls: { cert: file, key: file } })).rejects.toThrow(
      /^The certificate .*secret\.txt is no PEM file\.$/,
    );
  });
});
