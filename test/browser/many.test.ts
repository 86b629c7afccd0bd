/** Many processes: fairness, the budget of memories, nothing left behind. */

import { beforeAll, expect, test } from 'vitest';
import { openBrowser, openSite, type Tab } from './harness.ts';
import { call, install } from './probe.ts';

const names = Array.from({ length: 12 }, (_, at) => `probe${at}`);
let tab: Tab;

beforeAll(async () => {
  const site = await openSite();
  tab = await (await openBrowser()).open(site.url);
  await install(tab, names);
});

test('R3.8-3 two endless loops do not keep a third plugin from answering within 200 ms', async () => {
  await call(tab, 'notes.list');
  const took = await tab.evaluate(async () => {
    for (const name of ['probe0', 'probe1']) void sausage.world.call(`${name}.loop`).catch(() => {});
    while ((await sausage.world.processes()).filter(({ method }) => method === 'loop').length < 2);
    const times: number[] = [];
    for (let i = 0; i < 20; i++) {
      const from = performance.now();
      await sausage.world.call('notes.list');
      times.push(performance.now() - from);
    }
    for (const { pid, method } of await sausage.world.processes()) {
      if (method === 'loop') await sausage.world.call('core.kill', { pid });
    }
    return times.sort((a, b) => a - b);
  });
  expect(took[10]).toBeLessThan(200);
});

test('R3.3-12 2,000 calls over 12 plugins: no failed start, nothing left behind', async () => {
  const { failed, processes, locks } = await tab.evaluate(async (names) => {
    const failures: string[] = [];
    const one = async (at: number) => {
      try {
        await sausage.world.call(`${names[at % names.length]}.echo`, { at });
      } catch (error) {
        failures.push((error as Error).message);
      }
    };
    // four at a time
    let next = 0;
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        while (next < 2000) await one(next++);
      }),
    );
    while ((await sausage.world.processes()).length > 0);
    return {
      failed: failures,
      processes: (await sausage.world.fs.readDir('/proc')).map(({ name }) => name).filter((name) => /-/.test(name)),
      locks: JSON.parse(await sausage.world.fs.readTextFile('/proc/core/locks.json')),
    };
  }, names);
  expect(failed).toEqual([]);
  expect(processes).toEqual([]);
  expect(locks).toEqual([]);
});

test('R3.3-12 R3.6-5 100 processes in a tree three deep stop within 6 s; one beyond the limit gets its error at once', async () => {
  const seen = await tab.evaluate(async () => {
    const { world } = sausage;
    const limit = world.processLimit;
    // what the core asks a plugin for the first time takes a place too
    await world.call('probe0.echo');
    while ((await world.processes()).length > 0);
    const failed = (error: { code: number; message: string; data: unknown }) => ({
      code: error.code,
      message: error.message,
      data: error.data,
    });
    const send = (method: string, steps?: object[]) => ({ op: 'send', method, ...(steps && { params: { steps } }) });
    const many = (count: number, one: (at: number) => object) => Array.from({ length: count }, (_, at) => one(at));
    // one, nine below it, and ten below each of these, of which one computes for ever
    const leaves = many(10, (at) => send(at === 0 ? 'probe0.loop' : 'probe0.hang'));
    const branches = many(9, () => send('probe0.do', [...leaves, { op: 'hang' }]));
    const more = many(limit - 100, () => send('probe0.hang'));
    const root = world.call('probe0.do', { steps: [...branches, ...more, { op: 'hang' }] }).catch(failed);
    while ((await world.processes()).length < limit);
    const from = performance.now();
    const error = await world.call('probe0.echo').catch(failed);
    const refused = performance.now() - from;
    const { pid } = (await world.processes()).find(({ parent }) => parent === 'console')!;
    const begin = performance.now();
    await world.call('core.stop', { pid });
    const stopped = performance.now() - begin;
    const left = (await world.processes()).length;
    const { code } = await (root as Promise<{ code: number }>);
    const after = await world.call('probe0.echo', { a: 1 });
    return { limit, error, refused, stopped, left, code, after };
  });
  expect(seen.limit).toBeGreaterThanOrEqual(100);
  expect(seen.error).toEqual({
    code: -32603,
    message: 'too many processes',
    data: { limit: seen.limit, running: seen.limit },
  });
  expect(seen.refused).toBeLessThan(1000);
  expect(seen.stopped).toBeLessThan(6000);
  expect(seen.left).toBe(0);
  expect(seen.code).toBe(-32002);
  expect(seen.after).toEqual({ a: 1 });
});
