import { describe, expect, test } from 'vitest';
import { answers, ask, type Program, testWorld, waits } from './world.ts';

const echo = answers((params) => params);

describe('calls', () => {
  test('R3.2-1 splits at the first dot', async () => {
    const world = await testWorld({ notes: answers((_, method) => method) });
    expect(await world.call('notes.rpc.discover')).toBe('rpc.discover');
    expect(await world.call('notes.a.b.c')).toBe('a.b.c');
  });

  test('R3.2-2 a name without a dot is -32601, an unknown plugin -32001, an unknown core method -32601', async () => {
    const world = await testWorld({ notes: echo });
    await expect(world.call('notes')).rejects.toMatchObject({ code: -32601 });
    await expect(world.call('nowhere.x')).rejects.toMatchObject({
      code: -32001,
      message: expect.stringContaining('nowhere'),
    });
    await expect(world.call('../notes.x')).rejects.toMatchObject({
      code: -32001,
      message: '../notes.x names no plugin',
    });
    await expect(world.call('core.fly')).rejects.toMatchObject({ code: -32601 });
  });

  test('R1-3 folders with other names are no plugins', async () => {
    const world = await testWorld({ Notes: echo, 'a.b': echo, core: echo });
    await expect(world.call('Notes.x')).rejects.toMatchObject({ code: -32001 });
    await expect(world.call('core.x')).rejects.toMatchObject({ code: -32601 });
  });

  test('R3.2-3 other names that begin with rpc. are refused', async () => {
    const world = await testWorld({ notes: echo });
    await expect(world.call('notes.rpc.other')).rejects.toMatchObject({ code: -32601 });
    expect(await world.call('notes.rpc.retired', {})).toEqual({});
  });

  test('R3.3-1 the process ID is the plugin and a UUIDv7, in the order of the calls', async () => {
    const world = await testWorld({ notes: answers((_, __, program) => program.env.get('SAUSAGE_PID')) });
    const pids = await Promise.all(Array.from({ length: 50 }, () => world.call('notes.x')));
    for (const pid of pids)
      expect(pid).toMatch(/^notes-[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect([...pids].sort()).toEqual(pids);
  });

  test('R3.3-2 R3.3-3 one process reads one request: its own ID, the method without the plugin, the params', async () => {
    const requests: unknown[] = [];
    const world = await testWorld({
      notes: async (program) => {
        const request = await program.read();
        requests.push({ request, pid: program.env.get('SAUSAGE_PID') });
        program.send({ id: request.id, result: null });
      },
    });
    await world.call('notes.add', { text: 'milk' });
    expect(requests).toEqual([
      {
        request: { jsonrpc: '2.0', id: expect.any(String), method: 'add', params: { text: 'milk' } },
        pid: (requests[0] as { request: { id: string } }).request.id,
      },
    ]);
  });

  test('R3.3-4 the answer comes under the ID exactly as the caller wrote it', async () => {
    const answersSeen: string[] = [];
    const ids = ['1', '1.0', '"1"', '""', '9007199254740993', '"\\u0061é"', 'null', '-0', '1e2'];
    const world = await testWorld({
      notes: echo,
      caller: async (program) => {
        const { id } = await program.read();
        for (const one of ids) {
          program.write(`{"jsonrpc":"2.0","id":${one},"method":"notes.x","params":{}}\n`);
          answersSeen.push((await program.readText())!);
        }
        program.send({ id, result: 'done' });
      },
    });
    await world.call('caller.go');
    expect(answersSeen).toEqual(ids.map((id) => `{"jsonrpc":"2.0","id":${id},"result":{}}`));
  });

  test('R3.3-5 R3.9-3 a process that ends unanswered is -32002 with its exit and last lines', async () => {
    const world = await testWorld({
      notes: async (program) => {
        await program.read();
        program.error('one\ntwo');
        program.exit({ kind: 'code', code: 3 });
      },
    });
    const error = await world.call('notes.x').catch((error) => error);
    expect(error).toMatchObject({ code: -32002, data: { exit: { code: 3 } } });
    expect(error.data.log).toEqual(expect.arrayContaining(['one', 'two']));
  });

  test('R3.3-5 an answer right before a trap, without a newline, counts', async () => {
    const world = await testWorld({
      notes: async (program) => {
        const { id } = await program.read();
        program.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":7}`);
        program.exit({ kind: 'trap', message: 'unreachable' });
      },
    });
    expect(await world.call('notes.x')).toBe(7);
  });

  test('R3.3-6 a trap is 134, a kill 137, a program that cannot start 126', async () => {
    const world = await testWorld({
      traps: async () => {
        throw new Error('unreachable');
      },
      waits,
    });
    await expect(world.call('traps.x')).rejects.toMatchObject({
      code: -32002,
      data: { exit: { code: 134, trap: 'unreachable' } },
    });
    const waiting = world.call('waits.x').catch((error) => error);
    await expect.poll(() => world.core.processes.count).toBe(1);
    const [process] = [...world.core.processes];
    await world.core.processes.kill(process!);
    expect(await waiting).toMatchObject({ code: -32002, data: { exit: { code: 137, killed: true } } });
    await world.files.createDirectories('/plugins/text');
    await world.files.writeFile('/plugins/text/plugin.wasm', new TextEncoder().encode('hello'));
    await expect(world.call('text.x')).rejects.toMatchObject({
      code: -32002,
      message: expect.stringContaining('hello is no component'),
      data: { exit: { code: 126 } },
    });
  });

  test('a folder in the place of a plugin.wasm is named by its path', async () => {
    const world = await testWorld({});
    await world.files.createDirectories('/plugins/odd/plugin.wasm');
    await expect(world.call('odd.x')).rejects.toMatchObject({
      code: -32603,
      message: '/plugins/odd/plugin.wasm: it is a folder',
    });
  });

  test('R3.3-7 many calls are in flight, answers come in any order, also after the own answer', async () => {
    const order: unknown[] = [];
    let release!: () => void;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const world = await testWorld({
      slow: answers(async () => {
        await gate;
        return 'slow';
      }),
      quick: answers(() => 'quick'),
      caller: async (program) => {
        program.send({ id: 'early', method: 'slow.x' });
        const { id } = await program.read();
        program.send({ id, result: 'answered' });
        program.send({ id: 'late', method: 'quick.x' });
        order.push((await program.read()).result);
        release();
        order.push((await program.read()).result);
      },
    });
    expect(await world.call('caller.go')).toBe('answered');
    const [caller] = [...world.core.processes];
    await caller!.ended;
    expect(order).toEqual(['quick', 'slow']);
  });

  test('R3.3-8 a second use of a pending ID gets -32600 with the ID null, the first is answered', async () => {
    const seen: unknown[] = [];
    let release!: () => void;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const world = await testWorld({
      slow: answers(() => gate.then(() => 'slow')),
      caller: async (program) => {
        const { id } = await program.read();
        program.send({ id: 1, method: 'slow.x' });
        program.send({ id: 1, method: 'slow.x' });
        program.send({ id: '1', method: 'core.lock', params: { path: 'a' } });
        seen.push(await program.read(), await program.read());
        release();
        seen.push(await program.read());
        program.send({ id, result: null });
      },
    });
    await world.call('caller.go');
    expect(seen).toMatchObject([
      { id: null, error: { code: -32600 } },
      { id: '1', result: { held: true } },
      { id: 1, result: 'slow' },
    ]);
    expect(world.lines().join('\n')).toContain('its id 1 waits');
  });

  test('R3.3-9 a response with an unknown, late or repeated ID is dropped', async () => {
    const world = await testWorld({
      notes: async (program) => {
        const { id } = await program.read();
        program.send({ id: 'nobody', result: 0 });
        program.send({ id, result: 1 });
        program.send({ id, result: 2 });
      },
    });
    expect(await world.call('notes.x')).toBe(1);
    expect(await world.call('notes.x')).toBe(1);
  });

  test('R3.3-10 a notification starts an attached process, which gets it without an ID', async () => {
    const seen: unknown[] = [];
    let told!: () => void;
    const got = new Promise<void>((resolve) => {
      told = resolve;
    });
    const world = await testWorld({
      notes: async (program) => {
        seen.push(await program.read(), program.env.get('SAUSAGE_PARENT'));
        told();
      },
      caller: async (program) => {
        const { id } = await program.read();
        program.send({ method: 'notes.add', params: { a: 1 } });
        await got;
        program.send({ id, result: program.env.get('SAUSAGE_PID') });
      },
    });
    const parent = await world.call('caller.go');
    expect(seen).toEqual([{ jsonrpc: '2.0', method: 'add', params: { a: 1 } }, parent]);
  });

  test('R3.3-10 the failure of a notification goes to the journal', async () => {
    const world = await testWorld({});
    world.core.notify('nowhere.x', new TextEncoder().encode('{}'));
    await expect.poll(() => world.lines().join('\n')).toContain('no plugin nowhere');
  });

  test('R3.3-11 an answer is delivered at once while the process goes on', async () => {
    const world = await testWorld({
      notes: async (program) => {
        const { id } = await program.read();
        program.send({ id, result: 'at once' });
        await waits(program);
      },
    });
    expect(await world.call('notes.x')).toBe('at once');
    expect(world.core.processes.count).toBe(1);
  });

  test('R3.3-12 the process beyond the limit gets its error at once, and nothing else suffers', async () => {
    const world = await testWorld({ waits, notes: echo }, { limit: 2 });
    void world.call('waits.x').catch(() => {});
    void world.call('waits.x').catch(() => {});
    await expect.poll(() => world.core.processes.count).toBe(2);
    await expect(world.call('notes.x')).rejects.toMatchObject({
      code: -32603,
      message: 'too many processes',
      data: { limit: 2, running: 2 },
    });
    await world.core.processes.stop([...world.core.processes][0]!);
    expect(await world.call('notes.x')).toEqual({});
  });

  test('R3.9-2 an error of a plugin reaches the caller unchanged', async () => {
    const error = { code: -5, message: 'no', data: { deep: [1, 2] } };
    const world = await testWorld({
      notes: async (program) => {
        const { id } = await program.read();
        program.send({ id, error });
      },
      caller: answers(async (_, __, program) => ask(program, 'notes.x')),
    });
    await expect(world.call('notes.x')).rejects.toEqual(error);
    expect(await world.call('caller.go')).toMatchObject({ error });
  });

  test('R3.1-7 a request whose params are no object is -32600 under its ID', async () => {
    const world = await testWorld({
      notes: echo,
      caller: answers(async (_, __, program) => {
        program.write('{"jsonrpc":"2.0","id":"q","method":"notes.x","params":[1]}\n');
        return program.read();
      }),
    });
    expect(await world.call('caller.go')).toMatchObject({ id: 'q', error: { code: -32600 } });
  });

  test('R3.1-3 the first discarded line of a process is one warning', async () => {
    const world = await testWorld({
      notes: answers((_, __, program) => {
        program.write('hello\nagain\n[1]\n');
        return 1;
      }),
    });
    await world.call('notes.x');
    await world.call('notes.x');
    expect(world.lines().filter((line) => line.includes('discarded from stdout'))).toHaveLength(2);
  });

  test('R4-6 params nested very deep are shown as text', async () => {
    const world = await testWorld({ waits });
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    void world.core.call('waits.x', new TextEncoder().encode(deep));
    await expect.poll(() => world.core.processes.count).toBe(1);
    const [process] = [...world.core.processes];
    expect(process!.info().params).toMatch(/^\{"a":\{"a":.*…$/);
    await world.core.processes.kill(process!);
  });

  test('R3.8-1 the environment names the process, the plugin and the parent', async () => {
    const world = await testWorld({ notes: answers((_, __, program) => Object.fromEntries(program.env)) });
    expect(await world.call('notes.x')).toEqual({
      SAUSAGE_PID: expect.stringMatching(/^notes-/),
      SAUSAGE_PLUGIN: 'notes',
      SAUSAGE_PARENT: 'console',
    });
  });
});

describe('core.call', () => {
  const parentOf = answers((_, __, program) => program.env.get('SAUSAGE_PARENT'));

  test('R3.4-1 R3.4-2 R3.4-5 with detach the process has no parent, without it the caller is', async () => {
    const world = await testWorld({
      child: parentOf,
      caller: answers(async (params, _, program) => ({
        answer: await ask(program, 'core.call', { method: 'child.x', ...params }),
        own: program.env.get('SAUSAGE_PID'),
      })),
    });
    expect(await world.call('caller.go', { detach: true })).toMatchObject({ answer: { result: 'core' } });
    const { answer, own } = await world.call('caller.go', {});
    expect(answer.result).toBe(own);
  });

  test('R3.4-1 R3.6-6 a detached process survives its caller', async () => {
    const world = await testWorld({
      service: async (program) => {
        const { id } = await program.read();
        program.send({ id, result: 'ready' });
        await waits(program);
      },
      caller: answers((_, __, program) => ask(program, 'core.call', { method: 'service.start', detach: true })),
    });
    expect(await world.call('caller.go')).toMatchObject({ result: 'ready' });
    await expect.poll(() => [...world.core.processes].map(({ plugin }) => plugin)).toEqual(['service']);
    expect([...world.core.processes][0]!.info()).toMatchObject({ parent: 'core', detached: true, state: 'running' });
  });

  test('R3.4-3 as a notification it starts the process and forgets it', async () => {
    const world = await testWorld({
      service: async (program) => {
        const { id } = await program.read();
        program.send({ id, result: 'nobody hears it' });
        await waits(program);
      },
      caller: answers((_, __, program) => {
        program.send({ method: 'core.call', params: { method: 'service.start', detach: true } });
        return 'done';
      }),
    });
    expect(await world.call('caller.go')).toBe('done');
    await expect.poll(() => [...world.core.processes].map(({ plugin }) => plugin)).toEqual(['service']);
  });

  test('R9-1 wrong params are -32602 and named', async () => {
    const world = await testWorld({});
    const wrong: [string, object, string][] = [
      ['core.call', {}, 'method'],
      ['core.call', { method: 'a.b', params: 5 }, 'params'],
      ['core.call', { method: 'a.b', detach: 'yes' }, 'detach'],
      ['core.stop', {}, 'pid'],
      ['core.stop', { pid: 'nobody-1' }, 'nobody-1'],
      ['core.kill', { pid: 7 }, 'pid'],
      ['core.lock', { path: 1 }, 'path'],
      ['core.lock', { path: 'a', wait: 1 }, 'wait'],
      ['core.notify', {}, 'name'],
      ['core.notify', { name: 5 }, 'name'],
      ['core.notify', { name: 'told', params: [] }, 'params'],
      ['core.log', { limit: -1 }, 'limit'],
      ['core.log', { limit: null }, 'limit'],
      ['core.log', { grep: [] }, 'grep'],
    ];
    for (const [method, params, name] of wrong) {
      await expect(world.call(method, params), method).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining(name),
      });
    }
  });
});

describe('core.notify', () => {
  const tells = (program: Program, name: string, params: object) =>
    program.send({ method: 'core.notify', params: { name, params } });

  test('R3.5-1 R3.5-3 reaches the console in order before the answer', async () => {
    const seen: unknown[] = [];
    const world = await testWorld({
      notes: answers((_, __, program) => {
        for (let i = 0; i < 5; i++) tells(program, 'progress', { done: i });
        return 'end';
      }),
    });
    await world.call('notes.x', {}, (name, params) => seen.push([name, params]));
    expect(seen).toEqual([0, 1, 2, 3, 4].map((done) => ['progress', { done }]));
  });

  test('R3.5-1 reaches a process with the ID of its request as it wrote it', async () => {
    const world = await testWorld({
      notes: answers((_, __, program) => {
        tells(program, 'text', { a: 1 });
        return 'end';
      }),
      caller: answers(async (_, __, program) => {
        program.write('{"jsonrpc":"2.0","id":1.0,"method":"notes.x"}\n');
        return [await program.readText(), await program.readText()];
      }),
    });
    const [told, answered] = await world.call('caller.go');
    expect(told).toBe('{"jsonrpc":"2.0","method":"core.notify","params":{"call":1.0,"name":"text","params":{"a":1}}}');
    expect(answered).toBe('{"jsonrpc":"2.0","id":1.0,"result":"end"}');
  });

  test('R3.5-2 is dropped after the answer', async () => {
    const seen: string[] = [];
    const world = await testWorld({
      notes: async (program) => {
        const { id } = await program.read();
        program.send({ id, result: 1 });
        tells(program, 'late', {});
      },
    });
    await world.call('notes.x', {}, (name) => seen.push(name));
    await expect.poll(() => world.core.processes.count).toBe(0);
    expect(seen).toEqual([]);
  });

  test('R3.4-5 of a detached process goes to the core.call that waits for it', async () => {
    const world = await testWorld({
      service: answers((_, __, program) => {
        tells(program, 'starting', {});
        return 'ready';
      }),
      caller: answers(async (_, __, program) => {
        program.send({ id: 'c', method: 'core.call', params: { method: 'service.start', detach: true } });
        return [await program.read(), await program.read()];
      }),
    });
    expect(await world.call('caller.go')).toMatchObject([
      { method: 'core.notify', params: { call: 'c', name: 'starting' } },
      { id: 'c', result: 'ready' },
    ]);
  });
});
