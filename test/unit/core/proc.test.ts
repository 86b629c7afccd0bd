import { describe, expect, test } from 'vitest';
import { WorldTree } from '../../../src/core/proc.ts';
import { MemoryFileSystem } from '../../../src/fs/memory.ts';
import { answers, described, ListJournal, testWorld, waits } from './world.ts';

describe('the world as a process sees it', () => {
  test.each(['proc', 'run', 'self'])(
    'R1-4 a world with %s at its top is not started, and the error names it',
    async (name) => {
      const world = new MemoryFileSystem({ device: 1, limit: 1e6 });
      await world.createDirectory(world.root, name);
      expect(() => new WorldTree(world, () => new ListJournal(), {})).toThrow(name);
    },
  );

  test('R4-1 R4-3 / is the world, /proc is read-only, /run is shared, /self is the own', async () => {
    const world = await testWorld({
      own: answers(async (params, _, { namespace }) => {
        const text = new TextEncoder().encode(params.text);
        await namespace.writeFile('/self/mine', text);
        await namespace.writeFile('/run/shared', text);
        await namespace.writeFile('/config/kept', text);
        const codes: unknown[] = [];
        for (const path of ['/proc/core/x', '/proc/x']) {
          await Promise.resolve()
            .then(() => namespace.writeFile(path, text))
            .catch((error) => codes.push(error.code));
        }
        await Promise.resolve()
          .then(() => namespace.rename(namespace.root, '/run/shared', namespace.root, '/config/y'))
          .catch((error) => codes.push(error.code));
        return { codes, mine: new TextDecoder().decode(await namespace.readFile('/self/mine')) };
      }),
    });
    await world.files.createDirectories('/config');
    const results = await Promise.all([world.call('own.x', { text: 'one' }), world.call('own.x', { text: 'two' })]);
    expect(results.map(({ mine }) => mine)).toEqual(['one', 'two']);
    expect(results[0].codes).toEqual(['read-only', 'read-only', 'cross-device']);
    expect(() => world.files.resolve(world.files.root, '/self')).toThrow(expect.objectContaining({ code: 'no-entry' }));
  });

  test('R3.6-1 info.json shows running, then stopping', async () => {
    const states: string[] = [];
    const world = await testWorld({
      late: async (program) => {
        const state = async () =>
          JSON.parse(new TextDecoder().decode(await program.namespace.readFile('/self/info.json'))).state;
        await program.read();
        states.push(await state());
        await waits(program);
        states.push(await state());
      },
    });
    const ended = world.call('late.x').catch(() => {});
    await expect.poll(() => states).toEqual(['running']);
    await world.core.processes.stop([...world.core.processes][0]!);
    await ended;
    expect(states).toEqual(['running', 'stopping']);
  });

  test('R10-10 the document of a version is asked for once, whatever is called', async () => {
    let asked = 0;
    const world = await testWorld({
      notes: async (program) => {
        const { id, method } = await program.read();
        if (method === 'rpc.discover') asked++;
        program.send({ id, result: { openrpc: '1.2.6', info: { title: 'n', version: '1' }, methods: [] } });
      },
      other: described({}),
    });
    await world.core.watcher.start();
    const version = (await world.core.plugins.current('notes'))!;
    await world.core.documents.of(version);
    await world.call('core.activate', { plugin: 'notes', wasm: '/plugins/notes/plugin.wasm' });
    expect(asked).toBe(1);
  });
});
