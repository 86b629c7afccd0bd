import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { stringify } from '../../../src/core/message.ts';
import { report } from '../../../src/core/process.ts';
import { type Behaviour, described, document, fails, type TestWorld, testWorld, waits } from './world.ts';

interface Seen {
  retired: { version: string; previous: string }[];
}

/** A version of a plugin: `work` runs until the end of stdin, `version` answers which one it is. */
function version(name: string, seen: Seen, grace?: number): Behaviour {
  return async (program) => {
    const { id, method, params } = await program.read();
    if (method === 'rpc.discover') program.send({ id, result: document({ ...(grace !== undefined && { grace }) }) });
    else if (method === 'rpc.retired') {
      seen.retired.push({ version: name, previous: params.previous });
      program.send({ id, result: null });
    } else {
      program.send({ id, result: name });
      if (method === 'work' || method === 'serve') await waits(program);
    }
  };
}

const working = (world: TestWorld) =>
  [...world.core.processes].filter(({ method }) => method === 'work' || method === 'serve');

describe('upgrades', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** A world with version a of the plugin p, looked at as after a boot. */
  async function started(seen: Seen, grace?: number, boot?: unknown): Promise<TestWorld> {
    const world = await testWorld({ p: version('a', seen, grace) }, { boot });
    await world.core.watcher.start();
    await world.core.services.read();
    await world.core.services.start();
    return world;
  }

  const upgraded = async (world: TestWorld, name: string, seen: Seen, grace?: number) => {
    await world.install('p', version(name, seen, grace), name);
    await vi.waitFor(async () => expect(await world.call('p.version')).toBe(name));
  };

  test('R3.7-1 R3.7-2 R3.7-4 new calls get the new version, the old process 60 s, then it is retired', async () => {
    const seen: Seen = { retired: [] };
    const world = await started(seen);
    await world.call('p.work');
    const [old] = working(world);
    await upgraded(world, 'b', seen);
    expect(old!.state).toBe('running');
    await vi.advanceTimersByTimeAsync(59_000);
    expect(old!.state).toBe('running');
    expect(seen.retired).toEqual([]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(old!.state).toBe('ended');
    await vi.waitFor(() => expect(seen.retired).toEqual([{ version: 'b', previous: old!.version.sha256 }]));
  });

  test('R3.7-4 what a host that stops cannot tell is told by the next one', async () => {
    const seen: Seen = { retired: [] };
    const first = await started(seen);
    await first.call('p.work');
    const previous = working(first)[0]!.version.sha256;
    await upgraded(first, 'b', seen);
    await first.core.close();
    expect(working(first)).toEqual([]);
    expect(seen.retired).toEqual([]);
    const left = await first.files.readFile('/state/core/retiring.json');

    const second = await testWorld({});
    await second.component('/plugins/p/plugin.wasm', version('b', seen), 'b');
    await second.files.createDirectories('/state/core');
    await second.files.writeFile('/state/core/retiring.json', left);
    await second.core.recover();
    await second.core.watcher.start();
    await vi.waitFor(() => expect(seen.retired).toEqual([{ version: 'b', previous }]));
    await vi.waitFor(() =>
      expect(() => second.files.resolve(second.files.root, '/state/core/retiring.json')).toThrow(),
    );
  });

  test('R3.7-8 bytes that are current at the next start are not told that they are over', async () => {
    const seen: Seen = { retired: [] };
    const world = await testWorld({ p: version('a', seen) });
    const current = (await world.core.plugins.current('p'))!.sha256;
    await world.files.createDirectories('/state/core');
    const other = 'e'.repeat(64);
    const left = { p: [current, other], q: 'nonsense', core: [other] };
    await world.files.writeFile('/state/core/retiring.json', stringify(left));
    await world.core.recover();
    await world.core.watcher.start();
    await vi.waitFor(() => expect(seen.retired).toEqual([{ version: 'a', previous: other }]));
    await vi.waitFor(() => expect(() => world.files.resolve(world.files.root, '/state/core/retiring.json')).toThrow());
  });

  test('R3.7-2 the grace period is that of the old version', async () => {
    const seen: Seen = { retired: [] };
    const world = await started(seen, 2);
    await world.call('p.work');
    const [old] = working(world);
    await upgraded(world, 'b', seen, 500);
    await vi.advanceTimersByTimeAsync(1500);
    expect(old!.state).toBe('running');
    // the page is told how long it has; files are not
    expect(report(old!).graceLeft).toBeGreaterThan(0);
    expect(report(old!).graceLeft).toBeLessThanOrEqual(500);
    expect(old!.info()).not.toHaveProperty('graceLeft');
    await vi.advanceTimersByTimeAsync(1000);
    expect(old!.state).toBe('ended');
  });

  test('R3.7-2 R10-8 a copy by hand while the documents of others are still asked for is an upgrade', async () => {
    const seen: Seen = { retired: [] };
    const silent: Behaviour = () => new Promise(() => {});
    const world = await testWorld({ a: silent, p: version('a', seen) });
    void world.core.watcher.start();
    await world.call('p.work');
    const [old] = working(world);
    await upgraded(world, 'b', seen);
    await vi.waitFor(() => expect(world.lines().join('\n')).toContain('upgrade to'));
    await vi.advanceTimersByTimeAsync(61_000);
    expect(old!.state).toBe('ended');
    await vi.waitFor(() => expect(seen.retired).toEqual([{ version: 'b', previous: old!.version.sha256 }]));
  });

  test('R3.7-7 an activation right after a copy by hand retires both versions before it', async () => {
    const seen: Seen = { retired: [] };
    const world = await started(seen, 1);
    await world.call('p.work');
    const [old] = working(world);
    let answer!: () => void;
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const slow: Behaviour = async (program) => {
      const { id } = await program.read();
      await asked;
      program.send({ id, result: document({}) });
    };
    await world.install('p', slow, 'b');
    const copied = (await world.core.plugins.current('p'))!.sha256;
    await world.component('/state/c.wasm', version('c', seen));
    const activated = world.call('core.activate', { plugin: 'p', wasm: '/state/c.wasm', force: true });
    await vi.waitFor(() =>
      expect([...world.core.processes].some(({ version }) => version.sha256 === copied)).toBe(true),
    );
    await activated;
    answer();
    await vi.advanceTimersByTimeAsync(2000);
    expect(old!.state).toBe('ended');
    await vi.waitFor(() =>
      expect(seen.retired).toEqual([
        { version: 'c', previous: old!.version.sha256 },
        { version: 'c', previous: copied },
      ]),
    );
  });

  test('R3.7-4 R10-8 bytes that are no plugin retire nobody, the plugin after them does', async () => {
    const seen: Seen = { retired: [] };
    const world = await started(seen, 1);
    await world.call('p.work');
    const [old] = working(world);
    await world.files.writeFile('/plugins/p/plugin.wasm', new TextEncoder().encode('half a file'));
    world.core.watcher.changed({ path: '/plugins/p/plugin.wasm', kind: 'close' });
    await vi.waitFor(() => expect(world.lines().join('\n')).toContain('plugin.wasm is no plugin now'));
    await expect(world.call('p.version')).rejects.toMatchObject({ code: -32002, data: { exit: { code: 126 } } });
    await vi.advanceTimersByTimeAsync(2000);
    expect(old!.state).toBe('running');
    await upgraded(world, 'b', seen);
    await vi.waitFor(() => expect(world.lines().join('\n')).toContain('has 1 s to end'));
    await vi.advanceTimersByTimeAsync(2000);
    expect(old!.state).toBe('ended');
    await vi.waitFor(() => expect(seen.retired).toEqual([{ version: 'b', previous: old!.version.sha256 }]));
  });

  test('R3.7-4 R10-8 with no old process the retirement is told at once, a first activation tells none', async () => {
    const seen: Seen = { retired: [] };
    const world = await started(seen);
    const old = await world.core.plugins.current('p');
    await upgraded(world, 'b', seen);
    await vi.waitFor(() => expect(seen.retired).toEqual([{ version: 'b', previous: old!.sha256 }]));
    await world.install('q', version('a', seen));
    await vi.waitFor(async () => expect(await world.call('q.version')).toBe('a'));
    expect(seen.retired).toHaveLength(1);
  });

  test('R3.7-3 R8-3 a service starts again when its old process has ended, never while one runs', async () => {
    const seen: Seen = { retired: [] };
    const world = await started(seen, 3, [{ method: 'p.serve' }]);
    const [old] = working(world);
    await upgraded(world, 'b', seen);
    expect(working(world)).toEqual([old]);
    await vi.advanceTimersByTimeAsync(3500);
    await vi.waitFor(() => expect(working(world)).toHaveLength(1));
    expect(working(world)[0]!.version).toBe(await world.core.plugins.current('p'));
  });

  test('R3.7-3 a service that had ended starts at once, another detached process does not', async () => {
    const seen: Seen = { retired: [] };
    const world = await started(seen, 1, [{ method: 'p.serve' }]);
    await world.core.processes.stop(working(world)[0]!);
    await world.call('core.call', { method: 'p.work', detach: true });
    await upgraded(world, 'b', seen);
    await vi.waitFor(() =>
      expect(
        working(world)
          .map(({ method }) => method)
          .sort(),
      ).toEqual(['serve', 'work']),
    );
    await vi.advanceTimersByTimeAsync(2000);
    expect(working(world).map(({ method }) => method)).toEqual(['serve']);
  });

  test('R3.4-4 a detached process is stopped by an upgrade', async () => {
    const seen: Seen = { retired: [] };
    const world = await started(seen, 1);
    await world.call('core.call', { method: 'p.work', detach: true });
    const [detached] = working(world);
    await upgraded(world, 'b', seen);
    await vi.advanceTimersByTimeAsync(1500);
    expect(detached!.state).toBe('ended');
  });

  test('R3.7-6 an old process that calls a method which the new provider lacks gets its -32601', async () => {
    const seen: Seen = { retired: [] };
    const world = await testWorld({
      caller: async (program) => {
        const { id, method } = await program.read();
        if (method === 'rpc.discover') return program.send({ id, result: document({}) });
        await program.read();
        program.send({ id: 1, method: 'p.gone' });
        program.send({ id, result: await program.read() });
      },
      p: version('a', seen),
    });
    await world.core.watcher.start();
    const answer = world.call('caller.go');
    await world.install(
      'p',
      async (program) => {
        const { id, method } = await program.read();
        if (method === 'rpc.discover') program.send({ id, result: document({}) });
        else program.send({ id, error: { code: -32601, message: `no method ${method}` } });
      },
      'b',
    );
    await vi.waitFor(() => expect(world.lines().join()).toContain('upgrade to'));
    const caller = [...world.core.processes].find(({ plugin }) => plugin === 'caller')!;
    caller.send(new TextEncoder().encode('{"go":"on"}\n'));
    expect(await answer).toMatchObject({ error: { code: -32601, message: 'no method gone' } });
  });

  test('R3.7-5 a plugin without rpc.retired is fine', async () => {
    const world = await testWorld({ p: described({}) });
    await world.core.watcher.start();
    await world.install(
      'p',
      async (program) => {
        const { id } = await program.read();
        program.send({ id, error: { code: -32601, message: 'no such method' } });
      },
      'b',
    );
    await vi.waitFor(() => expect(world.lines().join('\n')).toContain('is retired; rpc.retired: no such method'));
  });

  test('R3.7-5 R3.7-7 an rpc.retired that fails with a broken error holds up no later one', async () => {
    const seen: Seen = { retired: [] };
    const world = await started(seen);
    await world.install('p', fails('null'), 'b');
    await vi.waitFor(() => expect(world.lines().join('\n')).toContain('is retired; rpc.retired: the callee'));
    const b = (await world.core.plugins.current('p'))!.sha256;
    await upgraded(world, 'c', seen);
    await vi.waitFor(() => expect(seen.retired).toEqual([{ version: 'c', previous: b }]));
  });

  test('R3.7-7 two upgrades within one grace period retire each older version once, in order', async () => {
    const seen: Seen = { retired: [] };
    const world = await started(seen, 10);
    await world.call('p.work');
    const a = (await world.core.plugins.current('p'))!.sha256;
    await upgraded(world, 'b', seen);
    await world.call('p.work');
    const b = (await world.core.plugins.current('p'))!.sha256;
    await upgraded(world, 'c', seen);
    const [first, second] = working(world);
    // the younger of the old versions ends first, and waits for the older one
    await world.core.processes.stop(second!);
    expect(seen.retired).toEqual([]);
    await world.core.processes.stop(first!);
    await vi.waitFor(() =>
      expect(seen.retired).toEqual([
        { version: 'c', previous: a },
        { version: 'c', previous: b },
      ]),
    );
  });

  test('R3.7-8 bytes that come back within the grace make their processes current again', async () => {
    const seen: Seen = { retired: [] };
    const world = await started(seen, 5);
    await world.call('p.work');
    const [old] = working(world);
    await upgraded(world, 'b', seen);
    // the bytes of the first version
    await world.install('p', version('a', seen, 5));
    expect(report(old!).graceLeft).toBeGreaterThan(0);
    await vi.waitFor(async () => expect(await world.call('p.version')).toBe('a'));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(old!.state).toBe('running');
    expect(report(old!)).not.toHaveProperty('graceLeft');
    // and what is current again is not retired when they end
    await vi.waitFor(() => expect(seen.retired.map(({ version }) => version)).toEqual(['a']));
    await world.core.processes.stop(old!);
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen.retired.map(({ previous }) => previous)).not.toContain(old!.version.sha256);
  });

  test('R3.7-3 R3.7-8 a service whose bytes come back within the grace goes on', async () => {
    const seen: Seen = { retired: [] };
    const world = await started(seen, 5, [{ method: 'p.serve' }]);
    const [service] = working(world);
    await upgraded(world, 'b', seen);
    await world.install('p', version('a', seen, 5));
    await vi.waitFor(async () => expect(await world.call('p.version')).toBe('a'));
    await vi.waitFor(() => expect(seen.retired).toHaveLength(1));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(working(world)).toEqual([service]);
    // once it has ended nobody starts it again: no upgrade waits for that
    await world.core.processes.stop(service!);
    await vi.advanceTimersByTimeAsync(1000);
    expect(working(world)).toEqual([]);
  });

  test('R3.7-3 R3.7-8 a service that stops already when its bytes come back starts again', async () => {
    const seen: Seen = { retired: [] };
    const unhurried: Behaviour = async (program) => {
      const { id, method } = await program.read();
      if (method === 'rpc.discover') return void program.send({ id, result: document({ grace: 1 }) });
      program.send({ id, result: 'a' });
      if (method === 'serve') await new Promise(() => {});
    };
    const world = await testWorld({ p: unhurried }, { boot: [{ method: 'p.serve' }] });
    await world.core.watcher.start();
    await world.core.services.read();
    await world.core.services.start();
    const [old] = working(world);
    await upgraded(world, 'b', seen);
    await vi.waitFor(() => expect(world.lines().join('\n')).toContain('has 1 s to end'));
    await vi.advanceTimersByTimeAsync(2000);
    expect(old!.state).toBe('stopping');
    await world.install('p', unhurried);
    await vi.waitFor(async () => expect(await world.call('p.version')).toBe('a'));
    await vi.advanceTimersByTimeAsync(6000);
    expect(old!.state).toBe('ended');
    await vi.waitFor(() => expect(working(world)).toHaveLength(1));
  });

  test('R3.7-4 R3.7-7 R3.7-8 nothing is retired to itself when it is current again before its turn', async () => {
    const retired: string[] = [];
    const answers: (() => void)[] = [];
    const slow =
      (name: string): Behaviour =>
      async (program) => {
        const { id, method, params } = await program.read();
        if (method === 'rpc.discover') return void program.send({ id, result: document({}) });
        if (method === 'rpc.retired') {
          retired.push(`${params.previous} to ${name}`);
          await new Promise<void>((resolve) => answers.push(resolve));
        }
        program.send({ id, result: name });
      };
    const world = await testWorld({ p: slow('a') });
    await world.core.watcher.start();
    const shas: Record<string, string> = {};
    const next = async (name: string) => {
      await world.install('p', slow(name), name);
      await vi.waitFor(async () => expect(await world.call('p.version')).toBe(name));
      shas[name] = (await world.core.plugins.current('p'))!.sha256;
      await vi.waitFor(() => expect(world.lines().join('\n')).toContain(`upgrade to ${shas[name]!.slice(0, 12)}`));
    };
    const before = (await world.core.plugins.current('p'))!.sha256;
    await next('b');
    await vi.waitFor(() => expect(retired).toEqual([`${before} to b`]));
    await next('c');
    await next('d');
    answers[0]!();
    // c waits until d has answered about b, and is current again then
    await vi.waitFor(() => expect(retired.slice(1)).toEqual([`${shas.b} to d`]));
    const upgrades = world.lines().filter((line) => line.startsWith('upgrade')).length;
    await next('c');
    await vi.waitFor(() =>
      expect(world.lines().filter((line) => line.startsWith('upgrade'))).toHaveLength(upgrades + 1),
    );
    answers[1]!();
    await vi.waitFor(() => expect(retired.slice(2)).toEqual([`${shas.d} to c`]));
  });

  test('R3.7-4 R10-10 R3.3-12 in a full house the retirement and the document come when there is room', async () => {
    const seen: Seen = { retired: [] };
    const q = described({}, (_params, _method, program) => waits(program));
    const world = await testWorld({ p: version('a', seen), q }, { limit: 2 });
    await world.core.watcher.start();
    const old = (await world.core.plugins.current('p'))!;
    for (const _ of [1, 2]) world.core.notify('q.wait', stringify({}));
    await vi.waitFor(() => expect(world.core.processes.count).toBe(2));
    await world.install('p', version('b', seen), 'b');
    await vi.waitFor(() => expect(world.lines().join('\n')).toContain('upgrade to'));
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen.retired).toEqual([]);
    expect(world.core.graph.plugins.names()).toEqual(['q']);
    for (const process of [...world.core.processes]) await world.core.processes.stop(process);
    await vi.waitFor(() => expect(seen.retired).toEqual([{ version: 'b', previous: old.sha256 }]));
    await vi.waitFor(() => expect(world.core.graph.plugins.names()).toEqual(['p', 'q']));
    await vi.waitFor(() => expect(world.core.processes.count).toBe(0));
  });

  test('R3.7-3 R3.3-12 a service whose place rpc.retired has taken in a full house starts when there is room', async () => {
    let answer!: () => void;
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const serving: Behaviour = async (program) => {
      const { id, method } = await program.read();
      if (method === 'rpc.discover') return void program.send({ id, result: document({}) });
      if (method === 'rpc.retired') await asked;
      program.send({ id, result: null });
      if (method === 'serve') await waits(program);
    };
    const world = await testWorld({ p: serving }, { limit: 1, boot: [{ method: 'p.serve' }] });
    await world.core.watcher.start();
    await world.core.services.read();
    await world.core.services.start();
    const [old] = working(world);
    await world.install('p', serving, 'b');
    await vi.waitFor(() => expect(world.lines().join('\n')).toContain('has 60 s to end'));
    await vi.advanceTimersByTimeAsync(61_000);
    expect(old!.state).toBe('ended');
    await vi.waitFor(() => expect(world.lines()).toContain('the service p.serve failed: too many processes (-32603)'));
    answer();
    await vi.waitFor(() => expect(working(world)).toHaveLength(1));
  });

  test('R3.7-5 R10-1 a plugin that itself answers "too many processes" is asked once', async () => {
    const asked: string[] = [];
    const full: Behaviour = async (program) => {
      const { id, method } = await program.read();
      asked.push(method);
      const error = { code: -32603, message: 'too many processes', data: { limit: 1, running: 1 } };
      program.send({ id, error });
    };
    const world = await testWorld({ p: described({}) });
    await world.core.watcher.start();
    await world.install('p', full, 'b');
    await vi.waitFor(() => expect(world.lines().join('\n')).toContain('is retired; rpc.retired: too many processes'));
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked).toEqual(['rpc.discover', 'rpc.retired']);
  });

  test('R3.7-1 R3.7-2 a call that waits for a file which is replaced meanwhile runs the new version', async () => {
    const seen: Seen = { retired: [] };
    const world = await testWorld({ p: version('a', seen) });
    const answer = world.call('p.work');
    await world.install('p', version('b', seen), 'b');
    expect(await answer).toBe('b');
    await vi.waitFor(() => expect(world.lines().join('\n')).toContain('first version'));
    expect(working(world).map(({ version }) => version)).toEqual([await world.core.plugins.current('p')]);
  });

  test('R3.2-2 R10-8 the folder of all plugins takes them along when it gets another name, and brings others', async () => {
    const seen: Seen = { retired: [] };
    const world = await started(seen);
    const { files, core } = world;
    const a = (await core.plugins.current('p'))!.sha256;
    await world.component('/others/p/plugin.wasm', version('b', seen));
    await world.component('/others/q/plugin.wasm', version('q', seen));
    const move = async (from: string, to: string) => {
      await files.rename(files.root, from, files.root, to);
      core.watcher.changed({ path: from, kind: 'remove' });
      core.watcher.changed({ path: to, kind: 'create' });
    };
    await move('/plugins', '/old');
    await expect(world.call('p.version')).rejects.toMatchObject({ code: -32001 });
    await move('/others', '/plugins');
    expect(await world.call('p.version')).toBe('b');
    await vi.waitFor(() => expect(seen.retired).toEqual([{ version: 'b', previous: a }]));
    await vi.waitFor(() => expect(core.graph.plugins.names()).toEqual(['p', 'q']));
  });

  test('R3.7-2 R3.7-7 R10-8 a copy that has run before the next one came is a version with its grace and retirement', async () => {
    const seen: Seen = { retired: [] };
    const world = await started(seen);
    const a = (await world.core.plugins.current('p'))!.sha256;
    let open!: () => void;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    // the document of b takes its time; meanwhile c and d come, and all of them run
    const slow: Behaviour = async (program) => {
      const { id, method } = await program.read();
      if (method === 'rpc.discover') await opened;
      program.send({ id, result: method === 'rpc.discover' ? document({}) : 'b' });
      if (method === 'work') await waits(program);
    };
    await world.install('p', slow, 'b');
    await world.call('p.work');
    await world.install('p', version('c', seen), 'c');
    await world.call('p.work');
    await world.install('p', version('d', seen), 'd');
    await world.call('p.work');
    const [b, c, d] = working(world);
    open();
    await vi.waitFor(() => expect(seen.retired).toEqual([{ version: 'd', previous: a }]));
    await vi.advanceTimersByTimeAsync(62_000);
    expect([b!.state, c!.state, d!.state]).toEqual(['ended', 'ended', 'running']);
    await vi.waitFor(() =>
      expect(seen.retired.slice(1)).toEqual([
        { version: 'd', previous: b!.version.sha256 },
        { version: 'd', previous: c!.version.sha256 },
      ]),
    );
  });
});
