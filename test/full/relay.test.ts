/** Servers as they are in the world, spoken to by a program in a page through the relay that `npm start` serves. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BUILD, DIST, ROOT } from '../../scripts/lib/paths.mjs';
import { openBrowser, type Tab, type TestBrowser } from '../browser/harness.ts';
import { install, run } from '../browser/probe.ts';
import { openRelaySite, RELAY_MACHINE } from '../browser/relay-site.ts';
import { createAuthority, hasOpenssl } from '../unit/relay/support/certificates.ts';

const path = (program: string): string | undefined => {
  try {
    return execFileSync('/bin/sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
};

let folder: string;
let browser: TestBrowser;
let wasm: string;
const children: ChildProcess[] = [];
const stops: (() => void)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sausage-servers-'));
  await chmod(folder, 0o755);
  browser = await openBrowser();
  wasm = (await readFile(join(ROOT, 'test/plugins/netprobe/plugin.wasm'))).toString('base64');
});
afterAll(async () => {
  for (const stop of stops) stop();
  for (const child of children) child.kill();
  await rm(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(() => resolve(true)));
    socket.on('error', () => resolve(false));
  });

async function open(url: string): Promise<Tab> {
  const tab = await browser.open(url);
  await install(tab, ['client'], wasm);
  return tab;
}

/** A message of PostgreSQL: a letter (none for the first), the length, what follows. */
function message(letter: string, body: string): string {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(4 + body.length);
  return `${letter}${length.toString('latin1')}${body}`;
}

describe('a program of a world speaks to', () => {
  const initdb = path('initdb');
  const control = path('pg_ctl');
  const postgres = path('postgres');
  const owner = userInfo().uid === 0 ? path('runuser') && 'postgres' : '';

  test.skipIf(!initdb || !postgres || !control || owner === undefined)(
    'PostgreSQL over TCP (skipped where it is not installed)',
    async () => {
      const data = join(folder, 'postgres');
      const as = (program: string, args: string[]): [string, string[]] =>
        owner ? ['runuser', ['-u', owner, '--', program, ...args]] : [program, args];
      await mkdir(data);
      if (owner) execFileSync('chown', [owner, data]);
      execFileSync(...as(initdb as string, ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync']), {
        stdio: 'ignore',
      });
      const port = await freePort();
      const options = ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', data, '-F'];
      spawn(...as(postgres as string, options), { stdio: 'ignore' });
      stops.push(() =>
        execFileSync(...as(control as string, ['-D', data, '-m', 'immediate', 'stop']), { stdio: 'ignore' }),
      );
      await expect.poll(() => answers(port), { timeout: 30_000 }).toBe(true);
      const site = await openRelaySite({ ports: [port] });
      const tab = await open(site.url);
      const hello = message('', '\x00\x03\x00\x00user\x00postgres\x00\x00');
      const { result, error } = await run(
        tab,
        [
          { op: 'resolve', name: 'relay.internal' },
          { op: 'connect', as: 'db', address: RELAY_MACHINE, port },
          { op: 'write', of: 'db', text: hello },
          // "ready for queries", idle
          { op: 'read', of: 'db', until: 'Z\x00\x00\x00\x05I' },
          { op: 'write', of: 'db', text: message('Q', "select 'answer ' || 6 * 7\x00") },
          { op: 'read', of: 'db', until: 'Z\x00\x00\x00\x05I' },
          // about six million bytes in one row
          { op: 'write', of: 'db', text: message('Q', "select repeat('x', 6000000) || 'end of the row'\x00") },
          // The probe looks for a text one byte at a time, so it takes the bulk by its size.
          { op: 'read', of: 'db', count: 6_000_000 },
          { op: 'read', of: 'db', until: 'end of the row' },
          { op: 'write', of: 'db', text: message('X', '') },
          { op: 'read', of: 'db' },
        ],
        'client',
      );
      expect(error).toBeUndefined();
      expect(result[5].text).toContain('answer 42');
      expect(result[7].text.length + result[8].text.length).toBeGreaterThan(6_000_000);
      // The server ends the connection when it is told to.
      expect(result.at(-1).ended).toBe(true);
    },
  );

  const redis = path('redis-server');
  test.skipIf(!redis)('Redis over TCP (skipped where it is not installed)', async () => {
    const port = await freePort();
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
    children.push(spawn(redis as string, options, { stdio: 'ignore' }));
    await expect.poll(() => answers(port), { timeout: 30_000 }).toBe(true);
    const site = await openRelaySite({ ports: [port] });
    const tab = await open(site.url);
    const { result, error } = await run(
      tab,
      [
        { op: 'connect', as: 'db', address: RELAY_MACHINE, port },
        { op: 'write', of: 'db', text: 'SET word sausage\r\nGET word\r\nQUIT\r\n' },
        { op: 'read', of: 'db' },
      ],
      'client',
    );
    expect(error).toBeUndefined();
    expect(result[2]).toEqual({ text: '+OK\r\n$7\r\nsausage\r\n+OK\r\n', ended: true });
  });

  const dnsmasq = path('dnsmasq');
  test.skipIf(!dnsmasq)('dnsmasq over RESOLVE (skipped where it is not installed)', async () => {
    const port = await freePort();
    const names = ['--address=/shop.test/93.184.216.34', '--address=/inner.test/10.0.0.1'];
    const options = ['--keep-in-foreground', `--port=${port}`, '--listen-address=127.0.0.1', '--bind-interfaces'];
    const rest = ['--no-resolv', '--no-hosts', '--conf-file=/dev/null', '--pid-file', `--user=${userInfo().username}`];
    children.push(spawn(dnsmasq as string, [...options, ...names, ...rest], { stdio: 'ignore' }));
    await expect.poll(() => answers(port), { timeout: 30_000 }).toBe(true);
    const site = await openRelaySite({ ports: [], dns: [`127.0.0.1:${port}`] });
    const tab = await open(site.url);
    const { result } = await run(
      tab,
      [
        { op: 'resolve', name: 'shop.test' },
        { op: 'resolve', name: 'inner.test', catch: true },
      ],
      'client',
    );
    expect(result[0]).toEqual(['93.184.216.34']);
    expect(result[1].error.data).toEqual({ code: 'access-denied' });
  });

  test.skipIf(!hasOpenssl)(
    'HTTPS whose authority the server was told of by NODE_EXTRA_CA_CERTS (openssl makes it)',
    async () => {
      const authority = await createAuthority();
      const server = createHttpsServer(await authority.issue('DNS:relay.internal'), (_, response) =>
        response.end('trusted'),
      );
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const ca = join(folder, 'ca.pem');
      await writeFile(ca, authority.ca);
      // The server as it is built, in a process of its own: the variable is read at its start.
      const script = `
      const { startServer } = await import(${JSON.stringify(pathToFileURL(join(BUILD, 'relay/server.js')).href)});
      const relay = { allow: ['127.0.0.1:${port}'] };
      const { url } = await startServer({ dist: ${JSON.stringify(DIST)}, port: 0, host: '127.0.0.1', relay });
      console.log(url);`;
      const start = async (env: Record<string, string>): Promise<string> => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
          env: { ...process.env, ...env },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        children.push(child);
        return new Promise((resolve) => child.stdout.once('data', (data) => resolve(String(data).trim())));
      };
      const fetch = { op: 'fetch', scheme: 'https', authority: `relay.internal:${port}`, catch: true };
      const outcome = async (url: string) => JSON.stringify((await run(await open(url), [fetch], 'client')).result);
      expect(await outcome(await start({ NODE_EXTRA_CA_CERTS: ca }))).toContain('trusted');
      expect(await outcome(await start({ NODE_EXTRA_CA_CERTS: '' }))).toContain('tls-certificate-error');
      server.closeAllConnections();
      server.close();
    },
  );
});
