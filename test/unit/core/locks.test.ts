import { describe, expect, test } from 'vitest';
import { encode } from '../../../src/core/message.ts';
import { ask, type Behaviour, testWorld } from './world.ts';

/** Takes a lock, tells what it got, and holds it until it is told to go on by its own entry in `gates`. */
function holder(gates: Map<string, () => void>, events: string[]): Behaviour {
  return async (program) => {
    const { id, params } = await program.read();
    const answer = (await ask(program, 'core.lock', { path: '/state/x' })) as
      | { result?: { held: boolean } }
      | undefined;
    if (!answer?.result) return;
    events.push(`${params.name} holds`);
    await new Promise<void>((resolve) => gates.set(params.name, resolve));
    if (params.end === 'trap') throw new Error('unreachable');
    if (params.end !== 'exit') program.send({ method: 'core.unlock', params: { path: '/state/x' } });
    program.send({ id, result: answer.result });
  };
}

describe('locks', () => {
  test('R6-1 R6-2 R6-3 first in, first out over all processes', async () => {
    const gates = new Map<string, () => void>();
    const events: string[] = [];
    const world = await testWorld({ holder: holder(gates, events) });
    const calls: Promise<unknown>[] = [];
    for (const name of ['a', 'b', 'c']) {
      calls.push(world.call('holder.x', { name }));
      await expect.poll(() => world.core.locks.toJSON()[0]?.waiting.length).toBe(calls.length - 1);
    }
    for (const name of ['a', 'b', 'c']) {
      await expect.poll(() => gates.has(name)).toBe(true);
      gates.get(name)!();
    }
    expect(await Promise.all(calls)).toEqual([{ held: true }, { held: true }, { held: true }]);
    expect(events).toEqual(['a holds', 'b holds', 'c holds']);
    await expect.poll(() => world.core.locks.toJSON()).toEqual([]);
  });

  test('R6-4 when the holder ends, in whatever way, the next one holds', async () => {
    const gates = new Map<string, () => void>();
    const events: string[] = [];
    const world = await testWorld({ holder: holder(gates, events) });
    const calls: Promise<unknown>[] = [];
    for (const [name, end] of [
      ['a', 'trap'],
      ['b', 'exit'],
      ['c', 'kill'],
      ['d', ''],
    ] as const) {
      calls.push(world.call('holder.x', { name, end }).catch(() => 'failed'));
      await expect.poll(() => world.core.locks.toJSON()[0]?.waiting.length).toBe(calls.length - 1);
    }
    await expect.poll(() => gates.has('a')).toBe(true);
    gates.get('a')!();
    await expect.poll(() => gates.has('b')).toBe(true);
    gates.get('b')!();
    await expect.poll(() => gates.has('c')).toBe(true);
    await world.call('core.kill', { pid: world.core.locks.toJSON()[0]!.holder });
    await expect.poll(() => gates.has('d')).toBe(true);
    gates.get('d')!();
    await Promise.all(calls);
    expect(events).toEqual(['a holds', 'b holds', 'c holds', 'd holds']);
  });

  test('R6-5 a waiter that ends leaves the queue, locks.json shows holder and waiters in order', async () => {
    const gates = new Map<string, () => void>();
    const world = await testWorld({ holder: holder(gates, []) });
    const calls: Promise<unknown>[] = [];
    for (const name of ['a', 'b', 'c']) {
      calls.push(world.call('holder.x', { name }).catch(() => 'failed'));
      await expect.poll(() => world.core.locks.toJSON()[0]?.waiting.length).toBe(calls.length - 1);
    }
    const json = JSON.parse(new TextDecoder().decode(await world.files.readFile('/proc/core/locks.json')));
    expect(json).toEqual(world.core.locks.toJSON());
    const [{ waiting }] = json;
    await world.call('core.stop', { pid: waiting[0] });
    expect(world.core.locks.toJSON()[0]!.waiting).toEqual([waiting[1]]);
    for (const name of ['a', 'c']) {
      await expect.poll(() => gates.has(name)).toBe(true);
      gates.get(name)!();
    }
    expect(await Promise.all(calls)).toEqual([{ held: true }, 'failed', { held: true }]);
  });

  test('R6-1 R6-2 wait: false answers at once; the same process waits behind itself', async () => {
    const seen: unknown[] = [];
    const world = await testWorld({
      own: async (program) => {
        const { id } = await program.read();
        seen.push(await ask(program, 'core.lock', { path: 'a' }, 1));
        seen.push(await ask(program, 'core.lock', { path: 'a', wait: false }, 2));
        program.send({ id: 3, method: 'core.lock', params: { path: 'a' } });
        program.send({ method: 'core.unlock', params: { path: 'a' } });
        seen.push(await program.read());
        program.send({ id, result: null });
      },
    });
    await world.call('own.x');
    expect(seen).toMatchObject([
      { id: 1, result: { held: true } },
      { id: 2, result: { held: false } },
      { id: 3, result: { held: true } },
    ]);
  });

  test('R6-3 an unlock of what is not held is ignored with a journal line', async () => {
    const world = await testWorld({});
    expect(await world.call('core.unlock', { path: '/nothing' })).toEqual({});
    expect(world.lines().join('\n')).toContain('/nothing');
  });

  test('R6-6 names are compared as they are, without normalisation', async () => {
    const world = await testWorld({});
    expect(await world.call('core.lock', { path: '/a' })).toEqual({ held: true });
    expect(await world.call('core.lock', { path: '//a', wait: false })).toEqual({ held: true });
  });

  test('R6-5 who is stopped, or gives its call up, leaves the queue at that moment', async () => {
    const world = await testWorld({
      lives: async (program) => {
        await program.read();
        program.send({ id: 1, method: 'core.lock', params: { path: 'a' } });
        await new Promise(() => {});
      },
    });
    await world.call('core.lock', { path: 'a' });
    void world.call('lives.x').catch(() => {});
    const given = world.core.call('core.lock', encode('{"path":"a"}'));
    const waiting = () => world.core.locks.toJSON()[0]!.waiting.length;
    await expect.poll(waiting).toBe(2);
    given.cancel();
    expect(waiting()).toBe(1);
    const [process] = [...world.core.processes];
    void world.core.processes.stop(process!);
    expect(process!.state).toBe('stopping');
    expect(waiting()).toBe(0);
    await world.core.processes.kill(process!);
  });

  test('R6-7 the console can hold a lock', async () => {
    const world = await testWorld({});
    await world.call('core.lock', { path: '/a' });
    expect(world.core.locks.toJSON()).toEqual([{ path: '/a', holder: 'console', waiting: [] }]);
    await world.call('core.unlock', { path: '/a' });
    expect(world.core.locks.toJSON()).toEqual([]);
  });
});
