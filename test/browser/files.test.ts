/**
 * Files and WASI 0.2 through a real program in a process of a Chromium page: what POSIX says of files, streams and polls,
 * clocks and random bytes, and that who sleeps uses no processor.
 */

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { ROOT } from '../../scripts/lib/paths.mjs';
import { buildLab, EXERCISE, exercise, openLab, run } from '../lab/lab.ts';
import type { ChromiumBrowser } from './chromium.ts';
import { openBrowser, type Site, type Tab } from './harness.ts';

let site: Site;
let browser: ChromiumBrowser;
let tab: Tab;

beforeAll(async () => {
  site = await buildLab();
  browser = await openBrowser('chromium');
  ({ tab } = await openLab(browser, site, 'files'));
});

/** What POSIX wants, in the words of the program; numbers of errors are those of WASI preview 1. */
const CONTRACT = `
write: ()
read: "hello"
exclusive: error 20
truncate: 0
missing: error 44
through a file: error 54
trailing slash of a file: error 54
dots: ()
folder as a file: error 31
name of 255 bytes: ()
name of 256 bytes: error 37
unicode is not changed: ()
list: ["a", "é e\\u{301} 🙂 \\\\ a b"]
deep folders: ()
deep file: "deep"
remove a full folder: error 55
remove all: ()
folder: ()
folder again: error 20
unlink of a folder: error IsADirectory
rmdir of a file: error 54
rename over a file: "new"
rename over an empty folder: ()
rename over a full folder: error 55
rename of a folder over a file: error 54
rename of a file over a folder: error 31
rename to itself: "new"
rename into itself: error 28
hard link: "both"
hard link over a name: error 20
hard link of a folder: error 63
symbolic link: "both"
read link: "b"
kind of a link: true
dangling link: error 44
loop: error 32
link to a folder: ["x"]
link out of the root: error PermissionDenied
sparse: (150000, true)
beyond 4 GiB: (5368709123, "ar")
open after unlink: ("still here", true)
open after rename: "one two"
appends of two: "a0 b0 a1 b1 a2 b2 a3 b3 "
times: (1234567890123456789, 987654321000000001)
times of a folder: (1234567890123456789, 987654321000000001)
write through a reader: error 8
read through a writer: error 8
seek before the start: error 28
sync: ()
stable listing: (300, 300)`;

const lines = (text: string) => text.trim().split('\n');

test('R4-10 the contract of files, through the standard library of Rust', async () => {
  const { stdout, stderr } = await run(tab, 'exercise', ['contract', '/contract']);
  expect(stderr).toBe('');
  expect(lines(stdout)).toEqual(lines(CONTRACT));
});

test("R4-10 the same steps under jco's bindings and its own file system, as far as that goes", async () => {
  const root = await mkdtemp(join(tmpdir(), 'sausage-oracle-'));
  try {
    const script = join(ROOT, 'test/lab/oracle.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [script, EXERCISE, root, 'contract', '/contract']);
    const theirs = lines(stdout);
    /** Where that file system falls short of POSIX: backslashes, appends, times before 2446 and of folders. */
    const short = ['unicode is not changed', 'list', 'appends of two', 'times', 'times of a folder'];
    const differ = lines(CONTRACT).filter((line, i) => line !== theirs[i]);
    expect(theirs).toHaveLength(lines(CONTRACT).length);
    expect(short).toEqual(expect.arrayContaining(differ.map((line) => line.split(': ')[0])));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

test('R4-10 times and links are there after the world was opened again', async () => {
  await exercise(tab, 'streams', '/kept');
  const before = (await run(tab, 'exercise', ['tree', '/contract'])).stdout;
  expect(before).toContain('times 1234567890123456789 987654321000000001');
  expect(before).toContain('soft -> b');
  await tab.evaluate(() => lab.core.close());
  await tab.close();
  ({ tab } = await openLab(browser, site, 'files'));
  expect((await run(tab, 'exercise', ['tree', '/contract'])).stdout).toBe(before);
});

test('R4-10 streams of files: permits, splices, skips, zeros, appends, the end', async () => {
  expect(await exercise(tab, 'streams', '/streams')).toEqual({
    root: '/',
    permit: true,
    ready: 2,
    skipped: 90,
    spliced: 200_900,
    end: 'closed',
    same: true,
    appends: true,
    beyond: true,
  });
});

test('R4-10 stdin: not ready, woken by its first bytes, read, skipped, at its end', async () => {
  const ran = await tab.evaluate(async () => {
    const listen = lab.proxy(async (text: string, pid: number) => {
      if (!text.includes('ready')) return;
      await lab.core.feed(pid, 'hello, this');
      await lab.core.feed(pid, ' is all');
      await lab.core.end(pid);
    });
    return lab.core.run('exercise', ['stdin'], { keepOpen: true }, listen);
  });
  expect(JSON.parse(lines(ran.stdout).at(-1)!)).toEqual({
    before: [false, 0],
    woken: [1],
    first: 'hello',
    skipped: 3,
    rest: 'his is all',
    end: 'closed',
    after: [true, true],
  });
});

test('R4-10 polls wake for the first of many, at zero and past times at once, and never early', async () => {
  const { waited, ...told } = await exercise(tab, 'poll');
  expect(told).toEqual({
    zero: [true, true],
    past: [1],
    woken: [250],
    early: false,
    twice: [0, 2],
    outputs: [1, 2],
    ready: [false, false],
  });
  expect(waited).toBeGreaterThanOrEqual(30);
});

test('R3.8-4 clocks, random bytes, arguments, no terminals', async () => {
  expect(await exercise(tab, 'random')).toEqual({ bytes: 1024 * 1024, even: 256, differ: true });
  const { steps, ...told } = await exercise(tab, 'surroundings');
  expect(told).toEqual({
    arguments: ['exercise', 'surroundings'],
    environment: 0,
    cwd: '/',
    terminals: [false, false, false],
    back: 0,
    nanoseconds: true,
  });
  expect(steps).toBeGreaterThan(10);
});

test('R4-10 twenty processes that sleep use no processor', async () => {
  const session = await browser.context!.browser()!.newBrowserCDPSession();
  /** Seconds of processor time that all renderers have used. */
  const used = async (): Promise<number> => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    return processInfo.filter(({ type }) => type === 'renderer').reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  };
  await tab.evaluate(async () => {
    const state = globalThis as never as { sleeping: number; pids: Set<number>; ended: Promise<unknown> };
    state.sleeping = 0;
    state.pids = new Set();
    const listen = lab.proxy((text: string, pid: number) => {
      if (/waiting|ready/.test(text)) state.sleeping++;
      state.pids.add(pid);
    });
    const runs = Array.from({ length: 20 }, (_, i) =>
      i % 2
        ? lab.core.run('exercise', ['wait', '600000'], { keepOpen: true }, listen)
        : lab.core.run('exercise', ['stdin'], { keepOpen: true }, listen),
    );
    state.ended = Promise.all(runs);
    while (state.sleeping < 20) await new Promise((resolve) => setTimeout(resolve, 10));
  });
  // What they have run may still be compiled, so the first quiet second counts.
  await expect
    .poll(
      async () => {
        const from = await used();
        await pause(1000);
        return (await used()) - from;
      },
      { timeout: 30_000, interval: 0 },
    )
    .toBeLessThan(0.02);
  const ends = await tab.evaluate(async () => {
    const state = globalThis as never as { pids: Set<number>; ended: Promise<{ exit: { kind: string } }[]> };
    for (const pid of state.pids) await lab.core.kill(pid);
    return (await state.ended).map(({ exit }) => exit.kind);
  });
  expect(ends).toEqual(Array.from({ length: 20 }, () => 'killed'));
});
