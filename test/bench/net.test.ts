/** What the loopback costs: bytes between two processes, a round trip, connections, requests of HTTP. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ROOT } from '../../scripts/lib/paths.mjs';
import { openBrowser, openSite, type Tab } from '../browser/harness.ts';
import { call, install } from '../browser/probe.ts';
import { figure, median } from './figures.ts';

let tab: Tab;

beforeAll(async () => {
  const site = await openSite();
  tab = await (await openBrowser()).open(site.url);
  const wasm = await readFile(join(ROOT, 'test/plugins/netprobe/plugin.wasm'));
  await install(tab, ['server', 'client'], wasm.toString('base64'));
});

let lastPort = 9000;

/** Runs a server and a client against each other, and answers what the client says. */
async function between(serve: string, ask: string, params: object): Promise<Record<string, number>> {
  const port = ++lastPort;
  const serving = call(tab, `server.${serve}`, { port });
  await tab.evaluate(async (port) => {
    while (!(await sausage.world.ports()).some((one) => one.port === port));
  }, port);
  const { result, error } = await call(tab, `client.${ask}`, { port, ...params });
  expect(error).toBeUndefined();
  await serving;
  return result;
}

/** A call over shared memory and back between two workers that sleep in `Atomics.wait`: the mean, in microseconds. */
const bareCall = (times: number) =>
  tab.evaluate(async (times) => {
    const source = `onmessage = ({ data: { buffer, mine, theirs, times } }) => {
      const words = new Int32Array(buffer);
      const from = performance.now();
      for (let i = 1; i <= times; i++) {
        if (mine === 0) { Atomics.store(words, 0, i); Atomics.notify(words, 0); }
        while (Atomics.load(words, theirs) < i) Atomics.wait(words, theirs, i - 1);
        if (mine === 1) { Atomics.store(words, 1, i); Atomics.notify(words, 1); }
      }
      postMessage((performance.now() - from) * 1000 / times);
    };`;
    const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    const buffer = new SharedArrayBuffer(8);
    const workers = [0, 1].map((mine) => {
      const worker = new Worker(url);
      worker.postMessage({ buffer, mine, theirs: 1 - mine, times });
      return worker;
    });
    const took = await new Promise<number>((resolve) => {
      workers[0]!.onmessage = ({ data }) => resolve(data);
    });
    for (const worker of workers) worker.terminate();
    URL.revokeObjectURL(url);
    return took;
  }, times);

test('bytes over TCP between two processes', async () => {
  const speeds: number[] = [];
  for (let round = 0; round < 5; round++) {
    const { ns } = await between('drain', 'flood', { megabytes: 400 });
    speeds.push(400 / (ns! / 1e9));
  }
  figure({ name: 'loopback TCP, 64 KiB writes', unit: 'MB/s', value: median(speeds.sort((a, b) => a - b)), goal: 200 });
  const small: number[] = [];
  for (let round = 0; round < 3; round++) {
    const { ns } = await between('drain', 'flood', { megabytes: 20, block: 1000 });
    small.push(20 / (ns! / 1e9));
  }
  figure({ name: 'loopback TCP, 1,000-byte writes', unit: 'MB/s', value: median(small.sort((a, b) => a - b)) });
});

test('a round trip of one byte between two processes', async () => {
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < 5; round++) {
    const result = await between('pong', 'ping', { times: 5000 });
    // means: a clock of the browser has steps of 5 µs
    ours.push(result.mean! / 1000);
    bare.push(await bareCall(5000));
  }
  figure({
    name: 'loopback TCP round trip',
    unit: 'µs',
    value: median(ours.sort((a, b) => a - b)),
    floor: median(bare.sort((a, b) => a - b)),
    of: 'a call over shared memory and back between two workers that sleep',
    most: 6,
  });
});

test('connections one after another', async () => {
  const port = ++lastPort;
  const serving = call(tab, 'server.serve', { port });
  const pid = await tab.evaluate(async (port) => {
    for (;;) {
      const found = (await sausage.world.ports()).find((one) => one.port === port);
      if (found) return found.pid;
    }
  }, port);
  const { took, error } = await call(tab, 'client.many', { port, count: 10_000 });
  expect(error).toBeUndefined();
  figure({ name: 'TCP connections with a word each way', unit: 'calls/s', value: 10_000 / (took / 1000) });
  await call(tab, 'core.stop', { pid });
  await serving;
});
