import { afterEach, describe, expect, test, vi } from 'vitest';
import { answers, type Behaviour, described, document, fails, testWorld, waits } from './world.ts';

describe('services', () => {
  afterEach(() => void vi.useRealTimers());

  test('R8-1 start in order, each a detached call with the parent core', async () => {
    const order: unknown[] = [];
    const service = answers((params, _, program) => {
      order.push([params.name, program.env.get('SAUSAGE_PARENT')]);
      return null;
    });
    const world = await testWorld(
      { service },
      {
        boot: [
          { method: 'service.start', params: { name: 'a' } },
          { method: 'service.start', params: { name: 'b' } },
        ],
      },
    );
    expect(await world.core.services.read()).toBe(2);
    await world.core.services.start();
    expect(order).toEqual([
      ['a', 'core'],
      ['b', 'core'],
    ]);
  });

  test('R8-2 a failing service goes to the journal and the next one starts', async () => {
    const started: string[] = [];
    const world = await testWorld(
      {
        fails: async () => {
          throw new Error('unreachable');
        },
        works: answers(() => started.push('works')),
      },
      { boot: [{ method: 'fails.start' }, { method: 'nowhere.start' }, { method: 'works.start' }] },
    );
    await world.core.services.read();
    const done = world.core.services.start();
    await vi.waitFor(() => expect(started).toEqual(['works']));
    void done;
    expect(world.lines().filter((line) => /the service \S+ failed/.test(line))).toHaveLength(2);
  });

  test.each(['null', '5', '{}'])('R8-2 a service that fails with the error %s is one that fails', async (error) => {
    const world = await testWorld(
      { odd: fails(error), works: answers(() => null) },
      { boot: [{ method: 'odd.start' }, { method: 'works.start' }] },
    );
    await world.core.services.read();
    await world.core.services.start();
    expect(world.lines().join('\n')).toContain('odd.start failed: the callee answered with an error that is no error');
    expect(world.lines().filter((line) => line.startsWith('start start'))).toHaveLength(2);
  });

  test('R3.7-3 R8-1 a service upgraded before its turn at boot starts once, in its turn', async () => {
    let open!: () => void;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const started: string[] = [];
    const serving =
      (version: string): Behaviour =>
      async (program) => {
        const { id, method } = await program.read();
        if (method !== 'serve')
          return void program.send({ id, result: method === 'rpc.discover' ? document({}) : null });
        started.push(version);
        program.send({ id, result: null });
        await waits(program);
      };
    const world = await testWorld(
      { first: described({}, () => opened), second: serving('old') },
      { boot: [{ method: 'first.start' }, { method: 'second.serve' }] },
    );
    await world.core.watcher.start();
    await world.core.services.read();
    const done = world.core.services.start();
    await world.install('second', serving('new'), '2');
    await vi.waitFor(() => expect(world.lines().join('\n')).toContain('rpc.retired of'));
    expect(started).toEqual([]);
    open();
    await done;
    expect(started).toEqual(['new']);
  });

  test.each([
    ['{', 'no JSON'],
    ['{}', 'no list'],
    ['[{}]', 'entry 1'],
    ['[{"method":"a.b","params":[]}]', 'params of a.b'],
  ])('R8-2 a broken boot.json (%s) is journaled and starts nothing', async (text, reason) => {
    const world = await testWorld({}, { boot: text });
    expect(await world.core.services.read()).toBe(0);
    expect(world.core.services.problem).toContain(reason);
    expect(world.lines().join('\n')).toContain(reason);
  });

  test('R8-2 a missing boot.json is no services and no journal line', async () => {
    const world = await testWorld({});
    expect(await world.core.services.read()).toBe(0);
    expect(world.core.services.problem).toBeUndefined();
    expect(world.lines()).toEqual([]);
  });

  test('R8-4 a service that never answers is skipped, the order is kept', async () => {
    const started: string[] = [];
    const world = await testWorld(
      {
        silent: () => new Promise(() => {}),
        works: answers(() => {
          started.push('works');
          return null;
        }),
      },
      { boot: [{ method: 'silent.start' }, { method: 'works.start' }] },
    );
    await world.core.services.read();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const done = world.core.services.start();
    await vi.waitFor(() => expect(world.core.processes.count).toBe(1));
    await vi.advanceTimersByTimeAsync(58_000);
    expect(world.lines().join('\n')).not.toContain('has not answered');
    await vi.advanceTimersByTimeAsync(3000);
    expect(world.lines()).toContain('the service silent.start has not answered for 60 s');
    expect(started).toEqual([]);
    world.core.services.skip();
    await done;
    expect(started).toEqual(['works']);
    expect(world.lines().join('\n')).toContain('silent.start was skipped');
  });

  test('R8-4 an answer of a service that was skipped leaves the one after it to be skipped', async () => {
    let open!: () => void;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const world = await testWorld(
      { late: answers(() => opened), silent: () => new Promise(() => {}) },
      { boot: [{ method: 'late.start' }, { method: 'silent.start' }] },
    );
    await world.core.services.read();
    const done = world.core.services.start();
    await vi.waitFor(() => expect(world.core.processes.count).toBe(1));
    world.core.services.skip();
    await vi.waitFor(() => expect(world.core.processes.count).toBe(2));
    const [late] = [...world.core.processes];
    open();
    await late!.ended;
    world.core.services.skip();
    await done;
    expect(world.lines()).toContain('the service silent.start was skipped');
  });
});
