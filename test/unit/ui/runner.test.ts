import { describe, expect, it } from 'vitest';
import { RpcError } from '../../../src/core/errors.ts';
import { readPlaces } from '../../../src/ui/editor/places.ts';
import { pluginOf, Runner } from '../../../src/ui/editor/runner.ts';
import { type FakeMethod, FakeWorld } from './fake-world.ts';

const saved = async () => [];
const WASM = '/state/js/builds/1/mine.wasm';

function worldWith(methods: Record<string, FakeMethod>): FakeWorld {
  const world = new FakeWorld('w').plugin('js', {}).plugin('cargo', {});
  world.write('/plugins/mine/source/main.ts', '');
  for (const [name, method] of Object.entries(methods)) world.methods.set(name, method);
  return world;
}

describe('a run', () => {
  it('saves, builds and activates, and says what there is to try', async () => {
    const done: string[] = [];
    const world = worldWith({
      'js.build': ({ notify }) => {
        notify('progress', { step: 'test', done: 1, total: 2 });
        done.push('build');
        return { wasm: WASM, tests: { passed: 2, failed: 0, output: 'fine' }, warnings: [] };
      },
      'core.activate': ({ params }) => {
        done.push(`activate ${params.wasm}`);
        return { documents: { mine: { methods: [{ name: 'greet', params: [] }] } }, warnings: ['careful'] };
      },
    });
    const runner = new Runner(world);
    const words: unknown[] = [];
    runner.subscribe(() => runner.run?.outcome.kind === 'running' && words.push(runner.run.outcome.words));
    await runner.start('mine', async () => {
      done.push('save');
      return [];
    });
    expect(done).toEqual(['save', 'build', `activate ${WASM}`]);
    expect(words).toContain('Testing: 1 of 2');
    expect(runner.run).toMatchObject({
      took: expect.any(Number),
      outcome: { kind: 'done', tests: { passed: 2 }, warnings: ['careful'], methods: [{ name: 'greet' }] },
    });
  });

  it('builds with cargo what has a Cargo.toml', async () => {
    const world = worldWith({
      'cargo.build': () => ({ wasm: WASM }),
      'core.activate': () => ({ documents: {}, warnings: [] }),
    });
    world.write('/plugins/mine/source/Cargo.toml', '');
    const runner = new Runner(world);
    await runner.start('mine', saved);
    expect(runner.run?.outcome.kind).toBe('done');
  });

  it('builds nothing while something of the plugin is not saved', async () => {
    const world = worldWith({ 'js.build': () => expect.unreachable('it was built') });
    const runner = new Runner(world);
    await runner.start('mine', async () => ['/list.md', '/plugins/mine/source/a.ts']);
    const sentence = '/plugins/mine/source/a.ts could not be saved.';
    expect(runner.run?.outcome).toMatchObject({ kind: 'failed', step: 'save', problem: { sentence } });
  });

  it('builds a plugin whatever cannot be saved elsewhere', async () => {
    const world = worldWith({
      'js.build': () => ({ wasm: WASM }),
      'core.activate': () => ({ documents: {}, warnings: [] }),
    });
    const runner = new Runner(world);
    await runner.start('mine', async () => ['/list.md', '/plugins/other/source/main.ts']);
    expect(runner.run?.outcome.kind).toBe('done');
  });

  it('shows the places of a build that failed, and activates nothing', async () => {
    const output = 'source/main.ts:1:9: error: Unexpected ";"\n\n    1 │ let x = ;\n';
    const world = worldWith({
      'js.build': () => {
        throw new RpcError(-32000, 'the build failed', { step: 'compile', output });
      },
      'core.activate': () => expect.unreachable('it was activated'),
    });
    const runner = new Runner(world);
    await runner.start('mine', saved);
    const place = { path: '/plugins/mine/source/main.ts', line: 1, column: 9, message: 'Unexpected ";"' };
    expect(runner.run?.outcome).toMatchObject({ kind: 'failed', step: 'build', output, places: [place] });
  });

  it('R10-6 shows why a version does not fit, and activates it all the same when the visitor says so', async () => {
    const misfit = { consumer: 'shop', provider: 'mine', method: 'add', side: 'params', pointer: '/x', reason: 'no' };
    const forced: unknown[] = [];
    const world = worldWith({
      'js.build': () => ({ wasm: WASM }),
      'core.activate': ({ params }) => {
        forced.push(params.force);
        if (!params.force) throw new RpcError(-32003, 'no', { problems: [{ ...misfit, counterexample: {} }] });
        return { documents: {}, warnings: [] };
      },
    });
    const add = (...params: object[]) => [{ name: 'add', params }];
    world.methods.set('shop.rpc.discover', () => ({ 'x-sausage-imports': { mine: { methods: add() } } }));
    world.documents.set(WASM, { methods: add({ name: 'price', required: true, schema: {} }) });
    const runner = new Runner(world);
    await runner.start('mine', saved);
    const { outcome } = runner.run!;
    expect(outcome).toMatchObject({ kind: 'rejected', misfits: [{ consumer: 'shop', counterexample: {} }] });
    const [sides] = outcome.kind === 'rejected' ? [...outcome.sides.values()] : [];
    expect(JSON.parse(sides!.expected)).toMatchObject({ required: [] });
    expect(JSON.parse(sides!.offered)).toMatchObject({ required: ['price'] });
    await runner.force();
    expect(runner.run?.outcome.kind).toBe('done');
    expect(forced).toEqual([undefined, true]);
  });

  it('R11-2 stops the build when the visitor says so', async () => {
    let asked!: () => void;
    const building = new Promise<void>((resolve) => (asked = resolve));
    const world = worldWith({
      'js.build': ({ signal }) => {
        asked();
        return new Promise((_, reject) =>
          signal?.addEventListener('abort', () => reject(new RpcError(-32002, 'ended'))),
        );
      },
    });
    const runner = new Runner(world);
    const run = runner.start('mine', saved);
    await building;
    runner.stop();
    await run;
    expect(runner.run?.outcome.kind).toBe('stopped');
  });
});

describe('pluginOf', () => {
  it('knows which files are built into which plugin', () => {
    expect(pluginOf('/plugins/notes/source/src/main.rs')).toBe('notes');
    expect(pluginOf('/plugins/notes/imports/x.json')).toBe('notes');
    expect(pluginOf('/plugins/notes/plugin.wasm')).toBeUndefined();
    expect(pluginOf('/plugins/js/sdk/index.ts')).toBeUndefined();
    expect(pluginOf('/README.md')).toBeUndefined();
  });
});

describe('readPlaces', () => {
  it('finds what rustc says, with its place on the line below', () => {
    const output = [
      'error[E0425]: cannot find value `d` in this scope',
      ' --> src/main.rs:5:10',
      '  |',
      'warning: unused variable: `c`',
      '  --> /plugins/w/source/src/a.rs:4:31',
      'error: could not compile `w`',
    ].join('\n');
    expect(readPlaces('w', output)).toEqual([
      {
        path: '/plugins/w/source/src/main.rs',
        line: 5,
        column: 10,
        severity: 'error',
        message: 'cannot find value `d` in this scope',
      },
      { path: '/plugins/w/source/src/a.rs', line: 4, column: 31, severity: 'warning', message: 'unused variable: `c`' },
    ]);
  });
});
