/** Rules about processes, proven with real ones: probes under several names that call each other. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../scripts/lib/paths.mjs';
import { withVersion } from '../plugins/version.ts';
import { openBrowser, openSite, type Tab } from './harness.ts';
import { call, install, run, type Step, write } from './probe.ts';

let tab: Tab;

beforeAll(async () => {
  const site = await openSite();
  tab = await (await openBrowser()).open(site.url);
  await install(tab, ['probe', 'a', 'b']);
});

const processes = () => tab.evaluate(async () => sausage.world.processes());
const log = async (filter: object): Promise<string[]> =>
  (await call(tab, 'core.log', filter)).result.map(({ line }: { line: string }) => line);

/** Waits until a process of this plugin and method runs, and gives its ID. */
const pidOf = (plugin: string, method: string): Promise<string> =>
  tab.evaluate(
    async ({ plugin, method }) => {
      for (;;) {
        const found = (await sausage.world.processes()).find((one) => one.plugin === plugin && one.method === method);
        if (found) return found.pid;
      }
    },
    { plugin, method },
  );

/** A call that goes through plugin after plugin by core.call, ten deep, and at its bottom does that. */
function nested(bottom: { method: string; params: object }): { method: string; params: object } {
  let { method, params } = bottom;
  for (let depth = 0; depth < 10; depth++) {
    params = { method: 'core.call', params: { method, params } };
    method = depth % 2 ? 'a.call' : 'b.call';
  }
  return { method, params };
}

/** Starts a call whose outcome nobody waits for. */
const begin = (method: string, params: object = {}) =>
  tab.evaluate(
    ({ method, params }) => {
      void sausage.world.call(method, params).catch(() => {});
    },
    { method, params },
  );

describe('calls between processes', () => {
  test('R3.3-4 R3.3-8 an ID comes back as it was written', async () => {
    for (const id of ['1', '1.0', '"1"', '""', '9007199254740993', '"grün\\u0021"', '-0']) {
      const { result } = await call(tab, 'probe.call', { method: 'a.echo', params: { x: 1 }, id, log: true });
      expect(result.result, id).toEqual({ x: 1 });
    }
  });

  test('R3.3-7 calls in parallel, one failing among them, are answered each under its own ID', async () => {
    const calls = [
      { method: 'a.sleep', params: { ms: 30 } },
      { method: 'nowhere.x' },
      { method: 'b.echo', params: { b: 2 } },
      { method: 'core.lock', params: { path: '/p' } },
    ];
    const { result } = await call(tab, 'probe.parallel', { calls });
    expect(result).toMatchObject([
      { result: null },
      { error: { code: -32001 } },
      { result: { b: 2 } },
      { result: { held: true } },
    ]);
  });

  test('R3.9-2 R3.6-6 errors come through unchanged, A calls B calls A works', async () => {
    const inner = { method: 'b.call', params: { method: 'a.echo', params: { deep: true } } };
    expect(await call(tab, 'a.call', inner)).toMatchObject({ result: { deep: true } });
    const failing = { method: 'b.answer', params: { error: { code: 77, message: 'mine', data: [1] } } };
    expect((await call(tab, 'a.call', failing)).error).toEqual({ code: 77, message: 'mine', data: [1] });
  });

  test('R3.4-2 calls through core.call nest ten deep without deadlock', async () => {
    const { method, params } = nested({ method: 'a.echo', params: { bottom: true } });
    expect(await call(tab, method, params)).toMatchObject({ result: { bottom: true } });
  });

  test('R3.4-2 R3.6-6 R8-1 a running service is called over further processes of its plugin, also by itself', async () => {
    const bottom = { method: 'a.write', params: { path: '/state/bottom', text: 'reached' } };
    const steps: Step[] = [
      { op: 'call', ...nested(bottom) },
      { op: 'write', path: '/state/back', text: 'answered' },
      { op: 'hang' },
    ];
    await write(tab, '/config/boot.json', JSON.stringify([{ method: 'a.do', params: { steps } }]));
    await tab.reload();
    const readText = (path: string) => tab.evaluate((path) => sausage.world.fs.readTextFile(path).catch(String), path);
    await expect.poll(() => readText('/state/back'), { timeout: 10_000 }).toBe('answered');
    expect(await readText('/state/bottom')).toBe('reached');
    const services = async () => (await processes()).filter(({ plugin }) => plugin === 'a');
    await expect.poll(services).toMatchObject([{ parent: 'core', detached: true, method: 'do', state: 'running' }]);
    const [service] = await services();
    const { method, params } = nested({ method: 'a.report', params: {} });
    const { result } = await call(tab, method, params);
    expect(result.plugin).toBe('a');
    expect(result.pid).not.toBe(service!.pid);
    expect((await services()).map(({ pid }) => pid)).toEqual([service!.pid]);
    await tab.evaluate(async (pid) => {
      await sausage.world.fs.remove('/config/boot.json');
      await sausage.world.call('core.stop', { pid });
    }, service!.pid);
  });

  test('R3.5-1 R3.5-3 progress reaches the console in order, before the answer', async () => {
    const seen = await tab.evaluate(async () => {
      const seen: unknown[] = [];
      const result = await sausage.world.call(
        'probe.progress',
        { times: 20, name: 'step' },
        { onNotify: (name, params) => seen.push([name, (params as { number: number }).number]) },
      );
      seen.push(result !== undefined);
      return seen;
    });
    expect(seen).toEqual([...Array.from({ length: 20 }, (_, at) => ['step', at]), true]);
  });

  test('R3.4-1 R3.6-5 R3.6-6 a detached process survives its caller, an attached one does not', async () => {
    await run(tab, [
      { op: 'send', method: 'a.hang', detach: true },
      { op: 'send', method: 'b.hang' },
      { op: 'sleep', ms: 50 },
    ]);
    await expect.poll(async () => (await processes()).map(({ plugin }) => plugin)).toEqual(['a']);
    const [service] = await processes();
    expect(service).toMatchObject({ parent: 'core', detached: true });
    await call(tab, 'core.stop', { pid: service!.pid });
    expect(await processes()).toEqual([]);
  });

  test('R3.8-1 R3.8-4 environment, arguments and the current folder', async () => {
    const { result } = await call(tab, 'probe.report');
    expect(result).toMatchObject({ plugin: 'probe', parent: 'console', cwd: '/' });
    expect(result.pid).toMatch(/^probe-[0-9a-f-]{36}$/);
    expect(result.args).toHaveLength(1);
    const { result: clock } = await call(tab, 'probe.clock');
    expect(Math.abs(Number(clock.wall) / 1e6 - Date.now())).toBeLessThan(60_000);
    const { result: random } = await call(tab, 'probe.random', { bytes: 64 });
    expect(new Set(random).size).toBeGreaterThan(8);
  });
});

describe('the files of a process', () => {
  test('R4-2 R4-4 R4-5 R4-6 /proc, /self and /run', async () => {
    const steps: Step[] = [
      { op: 'write', path: '/self/mine.txt', text: 'hello' },
      { op: 'write', path: '/run/shared.txt', text: 'for all' },
      { op: 'list', path: '/' },
      { op: 'list', path: '/self' },
      { op: 'read', path: '/self/info.json' },
      { op: 'write', path: '/self/info.json', text: 'x', catch: true },
      { op: 'write', path: '/proc/core/locks.json', text: 'x', catch: true },
      { op: 'rename', from: '/run/shared.txt', to: '/state/x', catch: true },
      { op: 'read', path: '/proc/core/PROTOCOL.md', quiet: true },
    ];
    const { result } = await run(tab, steps);
    const names = (at: number) => result[at].map(({ name }: { name: string }) => name);
    expect(names(2)).toEqual(expect.arrayContaining(['plugins', 'proc', 'run', 'self']));
    expect(names(3).sort()).toEqual(['info.json', 'log', 'mine.txt']);
    expect(JSON.parse(result[4].text)).toMatchObject({
      plugin: 'probe',
      method: 'do',
      state: 'running',
      parent: 'console',
    });
    for (const at of [5, 6, 7]) expect(result[at], String(at)).toHaveProperty('error');
    expect(result[7].error.data.kind).toMatch(/CrossesDevices/);
    expect(result[8].size).toBeGreaterThan(1000);
    expect(await tab.evaluate(() => sausage.world.fs.readTextFile('/run/shared.txt'))).toBe('for all');
  });

  test('R4-8 R4-9 /self of another process is at /proc/<pid>, and goes with it', async () => {
    await begin('a.do', { steps: [{ op: 'write', path: '/self/note', text: 'n' }, { op: 'hang' }] });
    const pid = await pidOf('a', 'do');
    await expect
      .poll(async () => (await call(tab, 'probe.read', { path: `/proc/${pid}/note` })).result?.text)
      .toBe('n');
    expect((await call(tab, 'probe.write', { path: `/proc/${pid}/other`, text: 'x' })).error).toBeDefined();
    await call(tab, 'core.stop', { pid });
    expect((await call(tab, 'probe.list', { path: `/proc/${pid}` })).error).toMatchObject({
      data: { kind: 'NotFound' },
    });
  });

  test('R4-7 R7-5 /proc/<pid>/log has the lines up to the open, and its size is right', async () => {
    await begin('a.do', { steps: [{ op: 'stderr', text: 'one\ntwo\n' }, { op: 'hang' }] });
    const pid = await pidOf('a', 'do');
    await expect
      .poll(async () => (await call(tab, 'probe.read', { path: `/proc/${pid}/log` })).result?.text)
      .toMatch(/one\n[^\n]*two\n$/);
    const { size, text } = (await call(tab, 'probe.read', { path: `/proc/${pid}/log` })).result;
    expect(size).toBe(Buffer.byteLength(text));
    await call(tab, 'core.stop', { pid });
  });

  test('R6-4 a lock goes on when its holder is killed in the middle of a write', async () => {
    await begin('a.do', {
      steps: [
        { op: 'lock', path: '/l' },
        { op: 'repeat', times: 1e6, steps: [{ op: 'write', path: '/state/l', text: 'a', repeat: 5000 }] },
      ],
    });
    const pid = await pidOf('a', 'do');
    await expect
      .poll(async () => await tab.evaluate(() => sausage.world.fs.readTextFile('/proc/core/locks.json')))
      .toContain(pid);
    const waiting = run(
      tab,
      [
        { op: 'lock', path: '/l' },
        { op: 'write', path: '/state/l', text: 'mine' },
        { op: 'sleep', ms: 50 },
        { op: 'read', path: '/state/l' },
      ],
      'b',
    );
    await expect
      .poll(async () => await tab.evaluate(() => sausage.world.fs.readTextFile('/proc/core/locks.json')))
      .toMatch(/"b-/);
    await call(tab, 'core.kill', { pid });
    const { result } = await waiting;
    expect(result[3].text).toBe('mine');
  });
});

describe('the journal', () => {
  test('R7-3 R7-4 has start and end of a process, its stderr in between, and filters', async () => {
    await run(tab, [{ op: 'stderr', text: 'a line to find\nanother\n' }], 'b');
    await expect
      .poll(() => log({ plugin: 'b', limit: 4 }))
      .toEqual([expect.stringMatching(/^start do/), 'a line to find', 'another', 'exit 0']);
    expect(await log({ grep: 'line to find', plugin: 'b' })).toEqual(expect.arrayContaining(['a line to find']));
    expect(await log({ grep: '/^a line .o find$/' })).toEqual(['a line to find']);
    expect((await call(tab, 'core.log', { grep: '/(/' })).error).toMatchObject({ code: -32602 });
    expect((await call(tab, 'core.log', { since: 'yesterday' })).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('since'),
    });
  });

  test('R3.1-6 R7-2 an empty line of stderr is written to the file, and so is what comes after it', async () => {
    await run(tab, [{ op: 'stderr', text: 'before it\n\nafter the empty one\n' }], 'b');
    await expect
      .poll(() =>
        tab.evaluate(async () =>
          new TextDecoder('latin1')
            .decode(await sausage.world.fs.readFile('/state/core/journal.sqlite'))
            .includes('after the empty one'),
        ),
      )
      .toBe(true);
    expect((await log({ plugin: 'b', limit: 4 })).slice(0, 3)).toEqual(['before it', '', 'after the empty one']);
  });

  test('R7-6 20,000 lines from one process are all kept, others go on', async () => {
    const flood = call(tab, 'probe.stderr', { lines: 20_000, text: 'flood' });
    for (let i = 0; i < 5; i++) expect(await call(tab, 'notes.list')).toHaveProperty('result');
    await flood;
    const lines = await log({ plugin: 'probe', grep: 'flood', limit: 30_000 });
    expect(lines.filter((line) => /^flood \d+$/.test(line))).toEqual(
      Array.from({ length: 20_000 }, (_, at) => `flood ${at}`),
    );
    expect(await log({ grep: 'a line to find' })).toContain('a line to find');
  });

  test('R7-6 a flood of lines does not hold up the calls of others', async () => {
    const { quiet, flooded, count } = await tab.evaluate(async () => {
      const { world } = sausage;
      const timed = async () => {
        const from = performance.now();
        await world.call('notes.list');
        return performance.now() - from;
      };
      const median = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
      const some = async () => {
        const times: number[] = [];
        for (let i = 0; i < 100; i++) times.push(await timed());
        return median(times);
      };
      await some();
      const quiet = await some();
      let flows = true;
      const flood = world.call('probe.stderr', { lines: 20_000, text: 'flood' }).finally(() => {
        flows = false;
      });
      const times: number[] = [];
      while (flows) times.push(await timed());
      await flood;
      return { quiet, flooded: median(times), count: times.length };
    });
    expect(count).toBeGreaterThan(10);
    expect(flooded).toBeLessThan(2 * quiet);
  });

  test('R7-1 is a file of the world that others only read', async () => {
    await expect
      .poll(async () => (await call(tab, 'probe.stat', { path: '/state/core/journal.sqlite' })).result?.size)
      .toBeGreaterThan(4096);
    const { result } = await call(tab, 'probe.list', { path: '/state/core' });
    expect(result.map(({ name }: { name: string }) => name)).toEqual(['journal.sqlite']);
  });
});

describe('upgrades with real components', () => {
  const versions = async (name: string) =>
    Buffer.from(withVersion(await readFile(join(ROOT, 'test/plugins/probe/plugin.wasm')), name)).toString('base64');

  test('R3.7-1 R3.7-4 R10-6 R10-7 a new version is activated, the old process ends in its grace, rpc.retired is told', async () => {
    await install(tab, ['up'], await versions('one'));
    const document = { openrpc: '1.2.6', info: { title: 'up', version: '1' }, methods: [], 'x-sausage-grace': 1 };
    await write(tab, '/state/up/rpc.discover.json', JSON.stringify(document));
    await write(
      tab,
      '/state/up/rpc.retired.json',
      JSON.stringify([{ op: 'write', path: '/state/up/retired', text: 'told' }]),
    );
    await install(tab, ['staged'], await versions('two'));
    await begin('up.hang');
    const old = await pidOf('up', 'hang');
    const activated = await call(tab, 'core.activate', { plugin: 'up', wasm: '/plugins/staged/plugin.wasm' });
    expect(activated.result.documents).toHaveProperty('up');
    expect((await call(tab, 'up.report')).result.version).toBe('two');
    expect((await processes()).map(({ pid }) => pid)).toContain(old);
    await expect.poll(async () => (await processes()).map(({ pid }) => pid), { timeout: 8000 }).not.toContain(old);
    await expect
      .poll(async () => (await call(tab, 'probe.read', { path: '/state/up/retired' })).result?.text)
      .toBe('told');
    await call(tab, 'core.revert', { plugin: 'up' });
    expect((await call(tab, 'up.report')).result.version).toBe('one');
  });

  test('R10-8 a copy by hand becomes current, without checks', async () => {
    await install(tab, ['hand'], await versions('first'));
    expect((await call(tab, 'hand.report')).result.version).toBe('first');
    await install(tab, ['hand'], await versions('second'));
    expect((await call(tab, 'hand.report')).result.version).toBe('second');
    await expect.poll(() => log({ plugin: 'hand', grep: 'upgrade' })).toHaveLength(1);
  });

  test('R10-8 while a writer has the file open, calls run the bytes before', async () => {
    await install(tab, ['held'], await versions('whole'));
    expect((await call(tab, 'held.report')).result.version).toBe('whole');
    const path = '/plugins/held/plugin.wasm';
    await begin('b.do', {
      steps: [
        { op: 'open', path, write: true, truncate: true },
        { op: 'writeAt', file: 0, offset: 0, text: 'half' },
        { op: 'hang' },
      ],
    });
    const pid = await pidOf('b', 'do');
    const size = () => tab.evaluate(async (path) => (await sausage.world.fs.stat(path)).size, path);
    await expect.poll(size).toBe(4);
    expect((await call(tab, 'held.report')).result?.version).toBe('whole');
    await call(tab, 'core.stop', { pid });
    await expect.poll(async () => (await call(tab, 'held.report')).error?.data?.exit?.code).toBe(126);
  });
});

test('R3.6-9 after the tab was closed on running processes, the next boot names them', async () => {
  await begin('a.hang');
  const pid = await pidOf('a', 'hang');
  const written = (pid: string) =>
    tab.evaluate(
      async (pid) =>
        new TextDecoder('latin1').decode(await sausage.world.fs.readFile('/state/core/journal.sqlite')).includes(pid),
      pid,
    );
  await expect.poll(() => written(pid), { timeout: 10_000 }).toBe(true);
  await tab.reload();
  const told = () => log({ pid: 'core', grep: 'ended without stopping', limit: 1 });
  await expect.poll(told, { timeout: 10_000 }).toEqual([expect.stringContaining(`running then: ${pid}`)]);
});

test('R3.6-4 R3.3-12 2,000 calls one after the other leave nothing behind', async () => {
  const left = await tab.evaluate(async () => {
    /** Bytes of JavaScript that the core's worker holds, after a collection of garbage. */
    const heap = async () => {
      const measure = performance as unknown as {
        measureUserAgentSpecificMemory(): Promise<{ breakdown: { bytes: number; attribution: { url: string }[] }[] }>;
      };
      const { breakdown } = await measure.measureUserAgentSpecificMemory();
      const ofCore = breakdown.filter(({ attribution }) => attribution.some(({ url }) => /\/core-/.test(url)));
      return ofCore.reduce((sum, { bytes }) => sum + bytes, 0);
    };
    // every tenth call ends with a lock, with a file in its folder, and with an open one that has no name any more
    const steps = [
      { op: 'lock', path: '/left' },
      { op: 'write', path: '/self/left', text: 'x' },
      { op: 'write', path: '/state/left', text: 'x', repeat: 100_000 },
      { op: 'open', path: '/state/left', read: true },
      { op: 'remove', path: '/state/left' },
    ];
    const calls = async (count: number) => {
      for (let i = 0; i < count; i++) {
        await (i % 10 ? sausage.world.call('a.echo', { i }) : sausage.world.call('a.do', { steps }));
      }
      while ((await sausage.world.processes()).length > 0);
    };
    /** Nodes of the page, which shows processes and the newest lines of the journal. */
    const nodes = (node: Node = document): number => {
      const { shadowRoot = null } = node as Element;
      let count = shadowRoot ? nodes(shadowRoot) : 0;
      for (const child of node.childNodes) count += nodes(child);
      return count + 1;
    };
    /** How many files the storage keeps because somebody has them open. */
    const orphans = async () => {
      let count = 0;
      const worlds = await (await navigator.storage.getDirectory()).getDirectoryHandle('sausage');
      for await (const [name, world] of worlds.entries()) {
        if (name === 'components' || world.kind !== 'directory') continue;
        for await (const _ of (await world.getDirectoryHandle('orphans')).keys()) count++;
      }
      return count;
    };
    const orphansSettle = async (wanted: number) => {
      for (const end = performance.now() + 10_000; performance.now() < end; ) if ((await orphans()) === wanted) break;
      return orphans();
    };
    // what is compiled and what the journal keeps of its newest lines grows at first
    await calls(500);
    const before = await heap();
    const nodesBefore = nodes();
    await calls(2000);
    const after = await heap();
    const grown = nodes() - nodesBefore;
    const proc = (await sausage.world.fs.readDir('/proc')).map(({ name }) => name);
    const locks = await sausage.world.fs.readTextFile('/proc/core/locks.json');
    const left = await orphansSettle(0);
    // that count is no lie: a process that goes on keeps its file
    void sausage.world.call('a.do', { steps: [...steps, { op: 'hang' }] }).catch(() => {});
    const held = await orphansSettle(1);
    for (const { pid } of await sausage.world.processes()) await sausage.world.call('core.stop', { pid });
    return { before, after, grown, proc, locks: JSON.parse(locks), orphans: [left, held, await orphansSettle(0)] };
  });
  expect(left.proc.sort()).toEqual(['core', 'plugins']);
  expect(left.locks).toEqual([]);
  expect(left.grown).toBeLessThan(500);
  expect(left.orphans).toEqual([0, 1, 0]);
  expect(left.before).toBeGreaterThan(1_000_000);
  expect(left.after - left.before).toBeLessThan(5_000_000);
});
