import { describe, expect, test, vi } from 'vitest';
import { answers, testWorld } from './world.ts';

describe('services', () => {
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
    const done = world.core.services.start();
    await vi.waitFor(() => expect(world.core.processes.count).toBe(1));
    expect(started).toEqual([]);
    world.core.services.skip();
    await done;
    expect(started).toEqual(['works']);
    expect(world.lines().join('\n')).toContain('silent.start was skipped');
  });
});
