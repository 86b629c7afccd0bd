/** Plugins that misbehave give the right error and leave the world working; real processes in a real browser. */

import { readFile } from 'node:fs/promises';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openSite, type Tab } from './harness.ts';
import { call, install, run } from './probe.ts';

let tab: Tab;

beforeAll(async () => {
  const site = await openSite();
  tab = await (await openBrowser()).open(site.url);
  await install(tab, ['probe']);
});

afterEach(async () => {
  expect(await call(tab, 'notes.list'), 'the world still works').toMatchObject({ result: { notes: [] } });
});

describe('a process that fails', () => {
  test('R3.3-6 a trap is -32002 with 134 and what the engine says', async () => {
    const { error } = await run(tab, [{ op: 'stderr', text: 'before the trap\n' }, { op: 'trap' }]);
    expect(error).toMatchObject({
      code: -32002,
      data: { exit: { code: 134, trap: expect.stringMatching(/unreachable/) } },
    });
    expect(error!.data.log).toContain('before the trap');
  });

  test('R3.3-6 an overflow of the stack and a panic are traps', async () => {
    expect((await run(tab, [{ op: 'overflow' }])).error).toMatchObject({ code: -32002, data: { exit: { code: 134 } } });
    const { error } = await run(tab, [{ op: 'panic', message: 'oh no' }]);
    expect(error).toMatchObject({ code: -32002, data: { exit: { code: 134 } } });
    expect(error!.data.log.join('\n')).toContain('oh no');
  });

  test('R3.3-6 an exit with an error is -32002 with 1, in the middle too', async () => {
    expect((await run(tab, [{ op: 'exit', code: 3 }])).error).toMatchObject({
      code: -32002,
      data: { exit: { code: 1 } },
    });
    expect((await run(tab, [{ op: 'exit', code: 0 }])).error).toMatchObject({
      code: -32002,
      data: { exit: { code: 0 } },
    });
  });

  test('R3.3-5 an answer right before the exit or a trap counts', async () => {
    expect(
      await run(tab, [
        { op: 'answer', result: 1 },
        { op: 'exit', code: 3 },
      ]),
    ).toMatchObject({ result: 1 });
    expect(await run(tab, [{ op: 'answer', result: 2 }, { op: 'trap' }])).toMatchObject({ result: 2 });
  });

  test('R3.1-3 R3.1-4 R3.1-9 garbage on stdout is discarded with one warning', async () => {
    const { result } = await run(tab, [
      { op: 'print', text: 'hello\n[1,2]\n{"no":"version"}\n\n' },
      { op: 'print', bytes: [0xff, 0xfe, 0x0a] },
      { op: 'print', text: 'partial' },
    ]);
    expect(result).toHaveLength(3);
    const log = await call(tab, 'core.log', { plugin: 'probe', grep: 'discarded from stdout' });
    expect(log.result).toHaveLength(1);
  });

  test('R3.1-8 an answer of 16 MiB arrives, and one goes in', async () => {
    const text = await tab.evaluate(async () => {
      const text = 'x'.repeat(16 * 1024 * 1024);
      const answer = (await sausage.world.call('probe.echo', { text })) as { text: string };
      return { length: answer.text.length, same: answer.text === text };
    });
    expect(text).toEqual({ length: 16 * 1024 * 1024, same: true });
  });

  test('R3.6-8 R3.6-3 a process in an endless loop is killed, others answer meanwhile', async () => {
    await tab.evaluate(() => {
      void sausage.world.call('probe.loop').catch(() => {});
    });
    const pid = await tab.evaluate(async () => {
      for (;;) {
        const process = (await sausage.world.processes()).find(({ method }) => method === 'loop');
        if (process) return process.pid;
      }
    });
    expect(await call(tab, 'notes.list')).toMatchObject({ result: { notes: [] } });
    expect(await call(tab, 'core.kill', { pid })).toMatchObject({ result: {} });
    expect(await tab.evaluate(async () => (await sausage.world.processes()).map(({ method }) => method))).toEqual([]);
  });

  test('R3.6-2 a cancelled call ends its process', async () => {
    const name = await tab.evaluate(async () => {
      const controller = new AbortController();
      const call = sausage.world.call('probe.hang', {}, { signal: controller.signal });
      while ((await sausage.world.processes()).length === 0);
      controller.abort();
      const error = await call.catch((error: Error) => error);
      return (error as Error).name;
    });
    expect(name).toBe('AbortError');
    await expect.poll(() => tab.evaluate(async () => (await sausage.world.processes()).length)).toBe(0);
  });

  test('R3.1-7 params that are no object, and params nested very deep, harm nobody', async () => {
    const outcomes = await tab.evaluate(async () => {
      const outcome = (params: object) =>
        sausage.world.call('probe.echo', params).then(
          () => 'answered',
          ({ code }) => code,
        );
      const deep = JSON.parse(`${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`);
      return [await outcome([1]), await outcome(deep)];
    });
    expect(outcomes[0]).toBe(-32600);
    expect(['answered', -32002]).toContain(outcomes[1]);
  });

  test('R3.8-5 memory beyond the cap fails in the guest and nothing else is hurt', async () => {
    const { error } = await call(tab, 'probe.exhaust');
    expect(error).toMatchObject({ code: -32002 });
    const { result } = await call(tab, 'probe.allocate');
    expect(result).toBeGreaterThan(64 * 1024 * 1024);
    expect(result).toBeLessThanOrEqual(512 * 1024 * 1024);
  });
});

describe('a plugin.wasm that is no plugin', () => {
  const base64 = (bytes: number[] | string) => Buffer.from(bytes as string).toString('base64');

  test.each([
    ['a core module', base64([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0] as number[]), /core module/],
    ['a text file', base64('#!/bin/sh\necho hello\n'), /text/],
    ['an empty file', '', /empty/],
    [
      'a component cut in the middle',
      base64([0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0, 7, 0x7f] as number[]),
      /cut|truncated|damaged|ends/,
    ],
    ['a component without a run export', base64([0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0] as number[]), /wasi:cli\/run/],
  ])('R3.1-1 %s gives an error that says so', async (_, wasm, words) => {
    await install(tab, ['broken'], wasm);
    const { error } = await call(tab, 'broken.x');
    expect(error).toMatchObject({ code: -32002, message: expect.stringMatching(words), data: { exit: { code: 126 } } });
    const activation = await call(tab, 'core.activate', { plugin: 'other', wasm: '/plugins/broken/plugin.wasm' });
    expect(activation.error).toMatchObject({ code: -32003, message: expect.stringMatching(words) });
  });

  test('R3.1-1 a component with damaged bytes gives an error with what the tools stumbled over', async () => {
    const damaged = new Uint8Array(await readFile('public/world/plugins/notes/plugin.wasm'));
    for (let at = 2000; at < 2200; at++) damaged[at]! ^= 0x5a;
    await install(tab, ['broken'], Buffer.from(damaged).toString('base64'));
    const { error } = await call(tab, 'broken.x');
    expect(error!.message).toMatch(/cannot be made ready to run: .+ The file may be damaged/s);
  });
});
