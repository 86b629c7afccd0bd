/** `npm start` on a fresh clone: everything that a first visitor of the repository does, with the real npm. */

import { execFileSync, spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../scripts/lib/paths.mjs';

let clone: string;
let port: number;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port: free } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return free;
}

beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'sausage clone '));
  port = await freePort();
  // What a commit of this moment would have in it.
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  for (const file of new Set(list.split('\0').filter(Boolean))) {
    await cp(join(ROOT, file), join(clone, file)).catch((error) => {
      // Deleted, but still in the index.
      if (error.code !== 'ENOENT') throw error;
    });
  }
});
afterAll(() => rm(clone, { recursive: true, force: true }));

/** `npm start` as a terminal runs it: a group of processes that all get Ctrl+C. */
function npmStart(...args: string[]) {
  const npm = process.env.npm_execpath;
  const [command, first] = npm ? [process.execPath, [npm]] : ['npm', []];
  const { SAUSAGE_OUT: _, NODE_ENV: __, ...env } = process.env;
  const child = spawn(command, [...first, 'start', '--', ...args], {
    cwd: clone,
    env: { ...env, PORT: String(port) },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (output.stdout += chunk));
  child.stderr.on('data', (chunk) => (output.stderr += chunk));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const address = async (): Promise<string> => {
    const printed = expect.poll(() => /^http\S+$/m.exec(output.stdout)?.[0], { timeout: 400_000, interval: 200 });
    await Promise.race([
      printed.toBeTruthy(),
      ended.then((code) => Promise.reject(new Error(`npm start ended with ${code}: ${output.stderr}`))),
    ]);
    return /^http\S+$/m.exec(output.stdout)![0];
  };
  const interrupt = (): void => void process.kill(-child.pid!, 'SIGINT');
  return { output, ended, address, interrupt };
}

describe.skipIf(process.platform === 'win32')('npm start on a fresh clone', () => {
  it('installs, builds, prints the address as its last line, and ends on Ctrl+C', async () => {
    const started = npmStart();
    const url = await started.address();
    try {
      expect(url).toBe(`http://127.0.0.1:${port}/`);
      expect(started.output.stdout.trimEnd().split('\n').at(-1)).toBe(url);
      const page = await fetch(url);
      expect(page.headers.get('cross-origin-embedder-policy')).toBe('require-corp');
      expect(await page.text()).toContain('sausage-build');
      expect(await (await fetch(`${url}healthz`)).text()).toBe('ok\n');

      const second = npmStart();
      expect(await second.ended).toBe(1);
      expect(second.output.stderr).toContain(`Port ${port} is taken by another program`);
    } finally {
      started.interrupt();
    }
    await started.ended;
    await expect(fetch(url)).rejects.toThrow();
  });

  it('builds nothing the second time', async () => {
    const started = npmStart();
    const url = await started.address();
    started.interrupt();
    await started.ended;
    expect(url).toBe(`http://127.0.0.1:${port}/`);
    expect(started.output.stderr).not.toMatch(/Building|Installing/);
  });
});
