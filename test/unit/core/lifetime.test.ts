import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LineReader } from '../../../src/core/lines.ts';
import { answers, ask, type Behaviour, described, document, testWorld, waits } from './world.ts';

/** Never looks at its stdin and never ends. */
const loops: Behaviour = () => new Promise(() => {});

describe('the lifetime of processes', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  test('R3.6-2 stopping closes stdin and fails pending calls; the process can still end by itself', async () => {
    const seen: unknown[] = [];
    const world = await testWorld({
      waits,
      caller: async (program) => {
        await program.read();
        program.send({ id: 'p', method: 'waits.x' });
        seen.push(await program.read());
        seen.push(await program.read());
      },
    });
    const failed = world.call('caller.go').catch((error) => error);
    await vi.waitFor(() => expect(world.core.processes.count).toBe(2));
    const [caller] = [...world.core.processes];
    await world.core.processes.stop(caller!);
    expect(seen).toMatchObject([{ id: 'p', error: { code: -32002 } }, undefined]);
    expect(await failed).toMatchObject({ code: -32002, data: { exit: { code: 0 } } });
    expect(world.core.processes.count).toBe(0);
  });

  test('R3.6-2 a call that is written after the end of stdin starts nothing', async () => {
    const started: string[] = [];
    const world = await testWorld({
      other: answers((_, method) => started.push(method)),
      caller: async (program) => {
        await waits(program);
        program.send({ id: 1, method: 'other.called' });
        program.send({ id: 2, method: 'core.call', params: { method: 'other.detached', detach: true } });
        program.send({ method: 'other.notified' });
        await vi.waitFor(() => expect(started).toContain('notified'));
      },
    });
    void world.call('caller.go').catch(() => {});
    await vi.waitFor(() => expect([...world.core.processes][0]?.machine).toBeDefined());
    await world.core.processes.stop([...world.core.processes][0]!);
    expect(started).toEqual(['notified']);
  });

  test('R3.6-2 R3.6-8 what never reads its stdin is killed after 5 s', async () => {
    const world = await testWorld({ loops });
    const failed = world.call('loops.x').catch((error) => error);
    await vi.waitFor(() => expect([...world.core.processes][0]?.machine).toBeDefined());
    const stopped = world.core.processes.stop([...world.core.processes][0]!);
    await vi.advanceTimersByTimeAsync(4900);
    expect([...world.core.processes][0]!.state).toBe('stopping');
    await vi.advanceTimersByTimeAsync(200);
    await stopped;
    expect(await failed).toMatchObject({ data: { exit: { code: 137, killed: true } } });
  });

  test('R3.6-3 core.stop answers when the process has ended, twice is fine; core.kill at once', async () => {
    const world = await testWorld({ waits });
    void world.call('waits.x').catch(() => {});
    await vi.waitFor(() => expect(world.core.processes.count).toBe(1));
    const { pid } = [...world.core.processes][0]!;
    const both = await Promise.all([world.call('core.stop', { pid }), world.call('core.stop', { pid })]);
    expect(both).toEqual([{}, {}]);
    await expect(world.call('core.stop', { pid })).rejects.toMatchObject({ code: -32602 });
    void world.call('waits.x').catch(() => {});
    const [other] = [...world.core.processes];
    expect(await world.call('core.kill', { pid: other!.pid })).toEqual({});
    expect(world.core.processes.count).toBe(0);
  });

  test('R3.6-4 a call to a process that is killed is -32002, its locks and its folder are gone', async () => {
    const world = await testWorld({
      holder: async (program) => {
        await ask(program, 'core.lock', { path: 'a' });
        await program.namespace.writeFile('/self/note', new Uint8Array(3));
        await waits(program);
      },
    });
    const failed = world.call('holder.x').catch((error) => error);
    await vi.waitFor(() => expect(world.core.locks.toJSON()).toHaveLength(1));
    const { pid } = [...world.core.processes][0]!;
    await vi.waitFor(() => world.files.resolve(world.files.root, `/proc/${pid}/note`));
    await world.call('core.kill', { pid });
    expect(await failed).toMatchObject({ code: -32002 });
    expect(world.core.locks.toJSON()).toEqual([]);
    expect(() => world.files.resolve(world.files.root, `/proc/${pid}`)).toThrow(
      expect.objectContaining({ code: 'no-entry' }),
    );
  });

  test('R3.6-5 a tree stops at once and shares one deadline of 5 s', async () => {
    const nest: Behaviour = async (program) => {
      const { params } = await program.read();
      if (params.depth > 0) program.send({ id: 1, method: 'nest.x', params: { depth: params.depth - 1 } });
      await new Promise(() => {});
    };
    const world = await testWorld({ nest });
    const failed = world.call('nest.x', { depth: 3 }).catch((error) => error);
    await vi.waitFor(() => expect(world.core.processes.count).toBe(4));
    await vi.waitFor(() => expect([...world.core.processes].every(({ machine }) => machine)).toBe(true));
    const stopped = world.core.processes.stop([...world.core.processes][0]!);
    expect([...world.core.processes].map(({ state }) => state)).toEqual(Array(4).fill('stopping'));
    await vi.advanceTimersByTimeAsync(5100);
    await stopped;
    expect(await failed).toMatchObject({ code: -32002 });
    expect(world.core.processes.count).toBe(0);
  });

  test('R3.6-5 when a process ends its attached children stop, and an answer while stopping is delivered', async () => {
    const late: Behaviour = async (program) => {
      const { id } = await program.read();
      while ((await program.readText()) !== undefined) {}
      program.send({ id, result: 'after the end of stdin' });
    };
    const world = await testWorld({
      waits,
      late,
      caller: answers(async (_, __, program) => {
        program.send({ id: 1, method: 'waits.x' });
        await vi.waitFor(() => expect(child()?.machine).toBeDefined());
        return 'done';
      }),
    });
    const child = () => [...world.core.processes].find(({ plugin }) => plugin === 'waits');
    expect(await world.call('caller.go')).toBe('done');
    await vi.waitFor(() => expect(world.core.processes.count).toBe(0));
    const answered = world.call('late.x');
    await vi.waitFor(() => expect(world.core.processes.count).toBe(1));
    await world.core.processes.stop([...world.core.processes][0]!);
    expect(await answered).toBe('after the end of stdin');
  });

  test('R3.6-7 closing the world stops every process, detached ones too, and kills what stays', async () => {
    const world = await testWorld({ waits, loops });
    const failures = ['waits.x', 'loops.x'].map((method) => world.call(method).catch((error) => error));
    void world.call('core.call', { method: 'waits.y', detach: true }).catch(() => {});
    await vi.waitFor(() => expect(world.core.processes.count).toBe(3));
    const closed = world.core.close();
    await vi.advanceTimersByTimeAsync(5100);
    await closed;
    expect(world.core.processes.count).toBe(0);
    expect(await Promise.all(failures)).toMatchObject([
      { data: { exit: { code: 0 } } },
      { data: { exit: { code: 137 } } },
    ]);
    await expect(world.call('waits.x')).rejects.toMatchObject({ message: expect.stringContaining('closed') });
  });

  /** Four seconds after the end of its stdin it starts another of its kind, and goes on. */
  const succeeds: Behaviour = async (program) => {
    await waits(program);
    await new Promise((resolve) => setTimeout(resolve, 4000));
    program.send({ method: 'succeeds.x' });
    await new Promise(() => {});
  };

  test('R3.6-5 what a stopping process starts has the time that is left to the tree', async () => {
    const world = await testWorld({ succeeds });
    void world.call('succeeds.x').catch(() => {});
    await vi.waitFor(() => expect([...world.core.processes][0]?.machine).toBeDefined());
    void world.core.processes.stop([...world.core.processes][0]!);
    await vi.advanceTimersByTimeAsync(4500);
    expect([...world.core.processes].map(({ state }) => state)).toEqual(['stopping', 'stopping']);
    await vi.advanceTimersByTimeAsync(600);
    expect(world.core.processes.count).toBe(0);
  });

  test('R3.6-7 a host that stops starts nothing any more, and nothing is left when it has stopped', async () => {
    const world = await testWorld({ succeeds });
    void world.call('succeeds.x').catch(() => {});
    await vi.waitFor(() => expect([...world.core.processes][0]?.machine).toBeDefined());
    const closed = world.core.close();
    await vi.advanceTimersByTimeAsync(4500);
    expect(world.core.processes.count).toBe(1);
    expect(world.lines().join('\n')).toContain('the notification of succeeds.x failed: the host stops');
    await vi.advanceTimersByTimeAsync(600);
    await closed;
    expect(world.core.processes.count).toBe(0);
  });

  test('R3.6-7 R3.7-4 a retirement is not begun by a host that stops', async () => {
    const retired: string[] = [];
    const version =
      (name: string): Behaviour =>
      async (program) => {
        const { id, method } = await program.read();
        if (method === 'rpc.retired') retired.push(name);
        program.send({ id, result: method === 'rpc.discover' ? document({}) : null });
        if (method === 'work') await waits(program);
      };
    const world = await testWorld({ p: version('a') });
    await world.core.watcher.start();
    await world.call('p.work');
    await world.install('p', version('b'), 'b');
    await vi.waitFor(() => expect(world.lines().join('\n')).toContain('60 s to end'));
    await world.core.close();
    await vi.waitFor(() => expect(world.lines().join('\n')).toContain('is retired; the next start tells it'));
    expect(retired).toEqual([]);
    expect(world.core.processes.count).toBe(0);
  });

  test('R3.6-9 a page that was frozen does not use up the 5 s', async () => {
    const world = await testWorld({ loops });
    void world.call('loops.x').catch(() => {});
    await vi.waitFor(() => expect([...world.core.processes][0]?.machine).toBeDefined());
    void world.core.processes.stop([...world.core.processes][0]!);
    // the clock goes on for a minute without any timer running, as when a lid is closed
    const real = performance.now.bind(performance);
    const jump = vi.spyOn(performance, 'now').mockImplementation(() => real() + 60_000);
    await vi.advanceTimersByTimeAsync(600);
    expect([...world.core.processes][0]!.state).toBe('stopping');
    await vi.advanceTimersByTimeAsync(5000);
    jump.mockRestore();
    expect(world.core.processes.count).toBe(0);
  });

  test('R9-2 core.exit answers and then the host stops with 75', async () => {
    const world = await testWorld({});
    expect(await world.call('core.exit')).toEqual({});
    await vi.advanceTimersByTimeAsync(10);
    expect(await world.core.closed).toBe(75);
  });
});

describe('stderr', () => {
  const lines = (...pieces: Uint8Array[]) => {
    const seen: string[] = [];
    const reader = new LineReader((line) => seen.push(line));
    for (const piece of pieces) reader.push(piece);
    reader.end();
    return seen;
  };
  const bytes = (text: string) => new TextEncoder().encode(text);

  test('R3.1-6 each line is an entry, a last one without a newline too', () => {
    expect(lines(bytes('one\ntw'), bytes('o\r\nthree'))).toEqual(['one', 'two', 'three']);
  });

  test('R3.1-9 broken UTF-8 is kept with U+FFFD, a line over 64 KiB becomes several', () => {
    expect(lines(Uint8Array.from([0x61, 0xff, 0x62, 0x0a]))).toEqual(['a\ufffdb']);
    expect(lines(bytes(`${'x'.repeat(150_000)}\n`)).map(({ length }) => length)).toEqual([65536, 65536, 18928]);
  });

  test.each(['answers', 'is stopped', 'is killed'])(
    'R7-3 the start of a process with long params comes first in the journal, also where it %s at once',
    async (how) => {
      const world = await testWorld({ p: described({}) });
      await world.core.watcher.start();
      const call = world.call('p.m', { text: 'x'.repeat(20_000) }).catch(() => {});
      await vi.waitFor(() => expect(world.core.processes.count).toBe(1));
      const [process] = [...world.core.processes];
      if (how === 'is stopped') void world.core.processes.stop(process!);
      if (how === 'is killed') void world.core.processes.kill(process!);
      await call;
      await process!.ended;
      await vi.waitFor(() => expect(world.journal.lines(process!.pid).join('\n')).toContain('start m '));
      const lines = world.journal.lines(process!.pid);
      expect(lines[0]).toMatch(/^start m /);
      expect(lines.at(-1)).toMatch(/^(exit 0|killed)$/);
    },
  );
});
