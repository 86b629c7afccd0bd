import { describe, expect, test } from 'vitest';
import { CODE, RpcError } from '../../../src/core/errors.ts';
import type { NativeTarget } from '../../../src/core/native.ts';
import { answers, described, testWorld } from './world.ts';

const target: NativeTarget = {
  name: 'js',
  document: { openrpc: '1.2.6', info: { title: 'js', version: '1' }, methods: [] },
  methods: {
    async build(params, { log, notify, call, files }) {
      log('building');
      notify('step', { name: 'bundle' });
      await files.writeFile('/self/out', new Uint8Array(2));
      return { params, echoed: await call('echo.x', { a: 1 }) };
    },
    async fail() {
      throw new RpcError(-32000, 'it does not compile', { step: 'bundle' });
    },
    hang: (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
  },
};
const world = () => testWorld({ echo: answers((params) => params) }, { native: [target] });

describe('built-in targets', () => {
  test('R11-2 R11-8 a call is a process: journal, progress, calls of its own, a folder', async () => {
    const { call, journal, core } = await world();
    await core.watcher.start();
    const told: unknown[] = [];
    const result = await call('js.build', { plugin: 'p' }, (name, params) => told.push([name, params]));
    expect(result).toEqual({ params: { plugin: 'p' }, echoed: { a: 1 } });
    expect(told).toEqual([['step', { name: 'bundle' }]]);
    const lines = journal.entries.filter(({ pid }) => pid.startsWith('js-')).map(({ line }) => line);
    expect(lines).toEqual(expect.arrayContaining(['start build {"plugin":"p"}', 'building', 'exit 0']));
  });

  test('R11-2 R3.9-2 errors reach the caller unchanged, a stop ends the work', async () => {
    const { call, core } = await world();
    await expect(call('js.fail')).rejects.toEqual({
      code: -32000,
      message: 'it does not compile',
      data: { step: 'bundle' },
    });
    await expect(call('js.nothing')).rejects.toMatchObject({ code: CODE.methodNotFound });
    const hanging = call('js.hang').catch((error) => error);
    await expect.poll(() => core.processes.count).toBe(1);
    await core.processes.stop([...core.processes][0]!);
    expect(await hanging).toMatchObject({ message: 'stopped' });
    expect(core.processes.count).toBe(0);
  });

  test('R11-8 answers rpc.discover, stands in /proc/plugins and the graph; a plugin.wasm of its name comes first', async () => {
    const { call, core, files, install, lines } = await world();
    expect(await call('js.rpc.discover')).toEqual(target.document);
    await core.watcher.start();
    const graph = JSON.parse(new TextDecoder().decode(await files.readFile('/proc/core/graph.json')));
    expect(graph.plugins.map(({ name }: { name: string }) => name)).toContain('js');
    expect(files.resolve(files.root, '/proc/plugins/js/discover.json').kind).toBe('file');
    await install(
      'js',
      answers(() => 'of the world'),
    );
    expect(await call('js.build')).toBe('of the world');
    await core.watcher.start();
    expect(lines().join('\n')).toContain('takes the place of the built-in js');
  });

  test('R3.7-8 R11-8 the first plugin.wasm in the place of a built-in target is no upgrade of it', async () => {
    const { call, core, files, component, lines } = await world();
    await core.watcher.start();
    await files.createDirectories('/plugins/js');
    core.watcher.changed({ path: '/plugins/js', kind: 'create' });
    const asked: string[] = [];
    await component(
      '/state/js.wasm',
      described({}, (_params, method) => asked.push(method)),
    );
    await call('core.activate', { plugin: 'js', wasm: '/state/js.wasm', force: true });
    await call('js.build');
    expect(asked).toEqual(['build']);
    expect(lines().filter((line) => line.includes('native-js'))).toEqual([]);
  });
});
