import { describe, expect, test, vi } from 'vitest';
import { encode } from '../../../src/core/message.ts';
import { FsError } from '../../../src/fs/errors.ts';
import { answers, type Behaviour, described, document, fails, type TestWorld, testWorld, waits } from './world.ts';

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const optional = { type: 'object', properties: { text: { type: 'string' } } };
const stricter = {
  type: 'object',
  properties: { text: { type: 'string' }, when: { type: 'string' } },
  required: ['text', 'when'],
};

const provider = (params: object, mark = 'p') => described({ methods: { add: { params } } }, () => mark);
const consumer = (params: object) => described({ imports: { notes: { add: { params } } } });

const exists = (world: TestWorld, path: string) => {
  try {
    world.files.resolve(world.files.root, path);
    return true;
  } catch {
    return false;
  }
};
const content = async (world: TestWorld, path: string) => new TextDecoder().decode(await world.files.readFile(path));

describe('activation', () => {
  test('a world whose /plugins or /state is a file has no plugins, and nothing else is wrong', async () => {
    const world = await testWorld({});
    for (const path of ['/plugins', '/state']) {
      await world.files.removeAll(path);
      await world.files.writeFile(path, encode('a file'));
    }
    expect(world.core.plugins.isFile).toBe(true);
    expect(world.core.plugins.folders()).toEqual([]);
    await world.core.activation.recover();
    expect(world.lines().filter((line) => line.includes('cut'))).toEqual([]);
    await expect(world.call('notes.list')).rejects.toMatchObject({ code: -32001 });
  });

  test('R10-1 R10-6 a folder in the place of one plugin.wasm keeps no other plugin from being known or activated', async () => {
    const world = await testWorld({ notes: provider(text, 'old') });
    await world.files.createDirectories('/plugins/amiss/plugin.wasm');
    await world.core.watcher.start();
    expect([...world.core.graph.plugins.names()]).toEqual(['notes']);
    await world.component('/state/new.wasm', provider(text, 'new'));
    await world.call('core.activate', { plugin: 'notes', wasm: '/state/new.wasm' });
    expect(await world.call('notes.add')).toBe('new');
  });

  test('R10-10 a plugin.wasm that cannot be read keeps nobody from knowing the others, and is named in the journal', async () => {
    const world = await testWorld({ amiss: provider(text), notes: provider(text) });
    const { readFile } = world.files;
    world.files.readFile = async (path) => {
      if (path === '/plugins/amiss/plugin.wasm') throw new Error('the disk is damaged');
      return readFile.call(world.files, path);
    };
    await world.core.watcher.start();
    expect([...world.core.graph.plugins.names()]).toEqual(['notes']);
    expect(world.lines()).toContainEqual(expect.stringContaining('plugin.wasm cannot be read: the disk is damaged'));
  });

  test('R10-6 R10-7 R9-3 puts the file into its place, keeps the one before, answers the documents', async () => {
    const world = await testWorld({ notes: provider(text, 'old') });
    const before = await content(world, '/plugins/notes/plugin.wasm');
    await world.component('/state/new.wasm', provider(optional, 'new'));
    const { documents } = await world.call('core.activate', { plugin: 'notes', wasm: '/state/new.wasm' });
    expect(documents).toEqual({ notes: document({ methods: { add: { params: optional } } }) });
    expect(await content(world, '/plugins/notes/plugin.prev.wasm')).toBe(before);
    expect(await world.call('notes.add')).toBe('new');
    expect(exists(world, '/state/core/activation')).toBe(false);
  });

  test('R10-6 a first activation makes the plugin and no previous file', async () => {
    const world = await testWorld({});
    await world.component('/state/new.wasm', provider(text));
    await world.call('core.activate', { plugin: 'notes', wasm: '/state/new.wasm' });
    expect(await world.call('notes.add')).toBe('p');
    expect(exists(world, '/plugins/notes/plugin.prev.wasm')).toBe(false);
  });

  test('R10-2 R10-6 R3.9-3 a change that breaks a consumer is -32003 with a counterexample and changes nothing', async () => {
    const world = await testWorld({ notes: provider(text, 'old'), diary: consumer(text) });
    const before = await content(world, '/plugins/notes/plugin.wasm');
    await world.component('/state/new.wasm', provider(stricter));
    const error = await world
      .call('core.activate', { plugin: 'notes', wasm: '/state/new.wasm' })
      .catch((error) => error);
    expect(error).toMatchObject({
      code: -32003,
      data: {
        problems: [
          {
            consumer: 'diary',
            provider: 'notes',
            method: 'add',
            side: 'params',
            counterexample: { text: expect.any(String) },
          },
        ],
      },
    });
    expect(await content(world, '/plugins/notes/plugin.wasm')).toBe(before);
    expect(exists(world, '/plugins/notes/plugin.prev.wasm')).toBe(false);
    expect(await world.call('notes.add')).toBe('old');
  });

  test('R10-6 R10-7 imports of the new version are checked too, a missing provider fails', async () => {
    const world = await testWorld({});
    await world.component('/state/new.wasm', consumer(text));
    await expect(world.call('core.activate', { plugin: 'diary', wasm: '/state/new.wasm' })).rejects.toMatchObject({
      code: -32003,
      data: { problems: [{ consumer: 'diary', provider: 'notes' }] },
    });
    expect(exists(world, '/plugins/diary')).toBe(false);
  });

  test('R10-7 plugins together are checked against the new set, all or nothing', async () => {
    const world = await testWorld({ notes: provider(text), diary: consumer(text) });
    await world.component('/state/notes.wasm', provider(optional, 'new'));
    await world.component('/state/diary.wasm', consumer(optional));
    const both = [
      { plugin: 'notes', wasm: '/state/notes.wasm' },
      { plugin: 'diary', wasm: '/state/diary.wasm' },
    ];
    await expect(world.call('core.activate', { plugins: [both[1]] })).rejects.toMatchObject({ code: -32003 });
    const { documents } = await world.call('core.activate', { plugins: both });
    expect(Object.keys(documents)).toEqual(['notes', 'diary']);
    expect(await world.call('notes.add')).toBe('new');
  });

  test('R10-6 imports that neither consume nor provide the new version refuse nothing', async () => {
    const world = await testWorld({ notes: provider(stricter), diary: consumer(text) });
    await world.component(
      '/state/new.wasm',
      described({}, () => 'new'),
    );
    await world.call('core.activate', { plugin: 'other', wasm: '/state/new.wasm' });
    expect(await world.call('other.x')).toBe('new');
  });

  test('R7-3 R10-7 R10-9 force skips the checks only, graph.json and the journal then show the broken import', async () => {
    const world = await testWorld({ notes: provider(text), diary: consumer(text) });
    await world.core.watcher.start();
    await world.component('/state/new.wasm', provider(stricter, 'new'));
    await world.call('core.activate', { plugin: 'notes', wasm: '/state/new.wasm', force: true });
    expect(await world.call('notes.add')).toBe('new');
    const graph = JSON.parse(await content(world, '/proc/core/graph.json'));
    expect(graph.imports).toMatchObject([{ consumer: 'diary', provider: 'notes', result: 'broken' }]);
    expect(world.lines().filter((line) => line.startsWith('its import of notes is broken'))).toHaveLength(1);
  });

  test('R7-3 R10-8 R10-9 a provider that is taken away is missing, and in the journal', async () => {
    const world = await testWorld({ notes: provider(text), diary: consumer(text) });
    await world.core.watcher.start();
    await world.files.removeAll('/plugins/notes');
    world.core.watcher.changed({ path: '/plugins/notes', kind: 'remove' });
    await vi.waitFor(() => expect(world.lines()).toContain('imports notes, which does not exist'));
    const { missing } = JSON.parse(await content(world, '/proc/core/graph.json'));
    expect(missing).toEqual([{ consumer: 'diary', provider: 'notes' }]);
  });

  test('R10-7 core.revert swaps the two files, without a previous one it says so', async () => {
    const world = await testWorld({ notes: provider(text, 'old') });
    await expect(world.call('core.revert', { plugin: 'notes' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('no previous version'),
    });
    await expect(world.call('core.revert', { plugin: 'nobody' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('nobody is no plugin of this world'),
    });
    await world.component('/state/new.wasm', provider(text, 'new'));
    await world.call('core.activate', { plugin: 'notes', wasm: '/state/new.wasm' });
    await world.call('core.revert', { plugin: 'notes' });
    expect(await world.call('notes.add')).toBe('old');
    await world.call('core.revert', { plugin: 'notes' });
    expect(await world.call('notes.add')).toBe('new');
  });

  test('R3.7-8 activating the current bytes changes nothing and keeps the previous file', async () => {
    const world = await testWorld({ notes: provider(text, 'old') });
    await world.component('/state/new.wasm', provider(text, 'new'));
    await world.call('core.activate', { plugin: 'notes', wasm: '/state/new.wasm' });
    const previous = await content(world, '/plugins/notes/plugin.prev.wasm');
    await world.call('core.activate', { plugin: 'notes', wasm: '/state/new.wasm' });
    expect(await content(world, '/plugins/notes/plugin.prev.wasm')).toBe(previous);
  });

  test('R10-1 a plugin without a document provides nothing, and the activation says so', async () => {
    const world = await testWorld({});
    await world.component('/state/new.wasm', async (program) => {
      const { id } = await program.read();
      program.send({ id, error: { code: -32601, message: 'what?' } });
    });
    expect(await world.call('core.activate', { plugin: 'quiet', wasm: '/state/new.wasm' })).toMatchObject({
      documents: { quiet: null },
      warnings: [expect.stringContaining('quiet has no document')],
    });
  });

  test('R10-1 a plugin that answers no rpc.discover within 30 s has no document, and is stopped', async () => {
    const world = await testWorld({});
    await world.component('/state/new.wasm', waits);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const activated = world.call('core.activate', { plugin: 'quiet', wasm: '/state/new.wasm' });
      await vi.waitFor(() => expect([...world.core.processes][0]?.machine).toBeDefined());
      await vi.advanceTimersByTimeAsync(29_000);
      expect(world.core.processes.count).toBe(1);
      await vi.advanceTimersByTimeAsync(2000);
      expect(await activated).toEqual({
        documents: { quiet: null },
        warnings: ['quiet has no document: rpc.discover had no answer within 30 s'],
      });
      expect(world.core.processes.count).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('R10-7 one activation runs at a time, in the order of asking', async () => {
    const asked: string[] = [];
    const answer: (() => void)[] = [];
    const version = (name: string) =>
      described(
        {},
        () => name,
        async () => {
          asked.push(name);
          await new Promise<void>((resolve) => answer.push(resolve));
        },
      );
    const world = await testWorld({});
    const all = [];
    for (const name of ['one', 'two']) {
      await world.component(`/state/${name}.wasm`, version(name));
      all.push(world.call('core.activate', { plugin: 'notes', wasm: `/state/${name}.wasm` }));
    }
    await vi.waitFor(() => expect(asked).toEqual(['one']));
    await world.call('core.log');
    expect(asked).toEqual(['one']);
    answer[0]!();
    await all[0];
    expect(await world.call('notes.x')).toBe('one');
    await vi.waitFor(() => expect(asked).toEqual(['one', 'two']));
    answer[1]!();
    await all[1];
    expect(await world.call('notes.x')).toBe('two');
  });

  test('R10-1 a document that the checks cannot use refuses the activation', async () => {
    const world = await testWorld({});
    await world.component(
      '/state/new.wasm',
      answers(() => ({ openrpc: '1.2.6', methods: 'none' })),
    );
    await expect(world.call('core.activate', { plugin: 'odd', wasm: '/state/new.wasm' })).rejects.toMatchObject({
      code: -32003,
    });
  });

  test('R10-1 a plugin whose rpc.discover fails with a broken error provides nothing, and others go on', async () => {
    const world = await testWorld({ a: fails('null'), notes: provider(text) });
    await world.core.watcher.start();
    expect(exists(world, '/proc/plugins/notes/discover.json')).toBe(true);
    await world.component('/state/new.wasm', provider(text, 'new'));
    expect(await world.call('core.activate', { plugin: 'notes', wasm: '/state/new.wasm' })).toHaveProperty('documents');
  });

  test('R10-6 R10-10 a folder named plugin.wasm is no plugin, and others go on', async () => {
    const world = await testWorld({ notes: provider(text) });
    await world.files.createDirectories('/plugins/a/plugin.wasm');
    await world.core.watcher.start();
    expect(exists(world, '/proc/plugins/notes/discover.json')).toBe(true);
    await world.component('/state/new.wasm', provider(text, 'new'));
    await world.call('core.activate', { plugin: 'notes', wasm: '/state/new.wasm' });
    expect(await world.call('notes.add')).toBe('new');
  });

  /** Answers what it is asked for its document, and lives until it is stopped in any other call. */
  const holds: Behaviour = async (program) => {
    const { id, method } = await program.read();
    if (method === 'rpc.discover') program.send({ id, result: document({}) });
    else await waits(program);
  };

  test('R10-6 R3.3-12 without room to ask for a document nothing is activated, and it is asked for again', async () => {
    const world = await testWorld({ holds, diary: consumer(text) }, { limit: 2 });
    await world.component('/state/new.wasm', provider(stricter));
    const calls = [world.call('holds.x'), world.call('holds.x')].map((call) => call.catch(() => {}));
    await vi.waitFor(() => expect(world.core.processes.count).toBe(2));
    const params = { plugin: 'notes', wasm: '/state/new.wasm' };
    await expect(world.call('core.activate', params)).rejects.toEqual({
      code: -32603,
      message: 'too many processes',
      data: { limit: 2, running: 2 },
    });
    expect(exists(world, '/plugins/notes')).toBe(false);
    for (const process of world.core.processes) void world.core.processes.stop(process);
    await Promise.all(calls);
    await expect(world.call('core.activate', params)).rejects.toMatchObject({ code: -32003 });
  });

  test('R3.1-1 bytes that are no plugin are refused with the reason', async () => {
    const world = await testWorld({});
    await world.files.createDirectories('/state');
    await world.files.writeFile('/state/text.wasm', encode('hello'));
    await expect(world.call('core.activate', { plugin: 'notes', wasm: '/state/text.wasm' })).rejects.toMatchObject({
      code: -32003,
      message: expect.stringContaining('hello is no component'),
    });
  });

  test('R9-1 R1-3 wrong params of core.activate are named', async () => {
    const world = await testWorld({});
    await world.component('/state/new.wasm', provider(text));
    const wrong: [object, string][] = [
      [{}, 'plugin'],
      [{ plugin: 'notes' }, 'wasm'],
      [{ plugin: 'Notes', wasm: '/state/new.wasm' }, 'Notes'],
      [{ plugin: 'core', wasm: '/state/new.wasm' }, 'core'],
      [{ plugin: 'a'.repeat(101), wasm: '/state/new.wasm' }, '1 to 100 of a-z'],
      [{ plugin: 'notes', wasm: '/nowhere.wasm' }, '/nowhere.wasm'],
      [{ plugin: 'notes', wasm: '/state' }, '/state'],
      [{ plugins: [] }, 'plugins'],
      [{ plugins: [{ plugin: 'notes' }] }, 'plugins'],
      [{ plugin: 'notes', wasm: '/state/new.wasm', force: 1 }, 'force'],
    ];
    for (const [params, name] of wrong) {
      await expect(world.call('core.activate', params)).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining(name),
      });
    }
  });

  test('R10-7 a wasm path under /self is the caller’s own', async () => {
    const world = await testWorld({
      builder: described({}, async (_, __, program) => {
        await program.namespace.writeFile('/self/new.wasm', encode('/state/x.wasm 1'));
        program.send({ id: 1, method: 'core.activate', params: { plugin: 'notes', wasm: '/self/new.wasm' } });
        return program.read();
      }),
    });
    await world.component('/state/x.wasm', provider(text, 'from self'));
    await world.call('builder.go');
    expect(await world.call('notes.add')).toBe('from self');
  });

  test.each([0, 1, 2, 3])(
    'R10-7 an activation that is cut after %i moves is finished at the next boot',
    async (moves) => {
      const world = await testWorld({ notes: provider(text, 'old'), diary: consumer(text) });
      const { root } = world.files;
      const old = await content(world, '/plugins/notes/plugin.wasm');
      await world.component('/state/core/activation/notes.wasm', provider(text, 'new'));
      await world.component('/state/core/activation/diary.wasm', consumer(text));
      await world.files.writeFile('/state/core/activation/decision.json', encode('["notes","diary"]'));
      const steps: [string, string][] = [
        ['/plugins/notes/plugin.wasm', '/plugins/notes/plugin.prev.wasm'],
        ['/state/core/activation/notes.wasm', '/plugins/notes/plugin.wasm'],
        ['/plugins/diary/plugin.wasm', '/plugins/diary/plugin.prev.wasm'],
      ];
      for (const [from, to] of steps.slice(0, moves)) await world.files.rename(root, from, root, to);
      await world.core.activation.recover();
      expect(await world.call('notes.add')).toBe('new');
      expect(await content(world, '/plugins/notes/plugin.prev.wasm')).toBe(old);
      expect(exists(world, '/plugins/diary/plugin.prev.wasm')).toBe(true);
      expect(exists(world, '/state/core/activation')).toBe(false);
    },
  );

  test.each([
    ['/plugins/b', '/plugins/b is no folder'],
    ['/plugins/b/plugin.prev.wasm/folder/file', '/plugins/b/plugin.prev.wasm is no file'],
  ])('R10-7 with %s in the way none of several is activated, at the next boot neither', async (path, reason) => {
    const world = await testWorld({ a: described({}, () => 'old') });
    await world.files.createDirectories(path.slice(0, path.lastIndexOf('/')));
    await world.files.writeFile(path, encode('in the way'));
    await world.component(
      '/state/a.wasm',
      described({}, () => 'new'),
    );
    await world.component(
      '/state/b.wasm',
      described({}, () => 'new'),
    );
    const plugins = ['a', 'b'].map((plugin) => ({ plugin, wasm: `/state/${plugin}.wasm` }));
    await expect(world.call('core.activate', { plugins })).rejects.toMatchObject({
      code: -32003,
      data: { problems: [{ consumer: 'b', reason }] },
    });
    expect(exists(world, '/plugins/a/plugin.prev.wasm')).toBe(false);
    await world.files.removeAll('/plugins/b');
    await world.core.activation.recover();
    expect(exists(world, '/plugins/b')).toBe(false);
    expect(await world.call('a.x')).toBe('old');
  });

  test.each([
    ['../nowhere/deep', 'leads nowhere'],
    ['b', 'leads to itself'],
    ['../run', 'leads out of the files of the world'],
  ])('R10-7 with a link as a folder (%s) that %s none of several is activated', async (target) => {
    const world = await testWorld({ a: described({}, () => 'old') });
    const { root } = world.files;
    await world.files.createLink(target, root, '/plugins/b');
    for (const name of ['a', 'b']) {
      await world.component(
        `/state/${name}.wasm`,
        described({}, () => 'new'),
      );
    }
    const plugins = ['a', 'b'].map((plugin) => ({ plugin, wasm: `/state/${plugin}.wasm` }));
    await expect(world.call('core.activate', { plugins })).rejects.toMatchObject({
      code: -32003,
      data: { problems: [{ consumer: 'b', reason: '/plugins/b is no folder' }] },
    });
    await world.core.activation.recover();
    expect(exists(world, '/plugins/a/plugin.prev.wasm')).toBe(false);
    expect(exists(world, '/state/core/activation')).toBe(false);
  });

  test('R10-6 a disk that is full before the decision keeps nothing of the activation', async () => {
    const world = await testWorld({ a: described({}, () => 'old') });
    await world.component(
      '/state/a.wasm',
      described({}, () => 'new'),
    );
    const write = world.files.writeFile.bind(world.files);
    vi.spyOn(world.files, 'writeFile').mockImplementation((path, data) => {
      if (path.endsWith('decision.json')) throw new FsError('insufficient-space', 'the disk is full');
      return write(path, data);
    });
    await expect(world.call('core.activate', { plugin: 'a', wasm: '/state/a.wasm' })).rejects.toMatchObject({
      message: 'the disk is full',
    });
    expect(exists(world, '/state/core/activation')).toBe(false);
    expect(await world.call('a.x')).toBe('old');
  });

  test('R10-7 staged files without a decision are cleared away', async () => {
    const world = await testWorld({ notes: provider(text, 'old') });
    await world.component('/state/core/activation/notes.wasm', provider(text, 'new'));
    await world.core.activation.recover();
    expect(await world.call('notes.add')).toBe('old');
    expect(exists(world, '/state/core/activation')).toBe(false);
  });
});

describe('interfaces in /proc', () => {
  test('R4-6 R10-9 R10-11 graph.json, graph.dot, discover.json and client.rs', async () => {
    const world = await testWorld({ notes: provider(text), diary: consumer(text), lone: consumer(text) });
    await world.core.watcher.start();
    const graph = JSON.parse(await content(world, '/proc/core/graph.json'));
    expect(graph.plugins.map(({ name }: { name: string }) => name)).toEqual(['diary', 'lone', 'notes']);
    expect(await content(world, '/proc/core/graph.dot')).toMatch(/^digraph/);
    expect(JSON.parse(await content(world, '/proc/plugins/notes/discover.json'))).toEqual(
      document({ methods: { add: { params: text } } }),
    );
    expect(await content(world, '/proc/plugins/notes/client.rs')).toContain('fn add');
  });

  test('R10-9 an import of a plugin that does not exist is missing, and in the journal', async () => {
    const world = await testWorld({ diary: consumer(text) });
    await world.core.watcher.start();
    const graph = JSON.parse(await content(world, '/proc/core/graph.json'));
    expect(graph.missing).toEqual([{ consumer: 'diary', provider: 'notes' }]);
    expect(world.lines().join('\n')).toContain('imports notes, which does not exist');
  });

  test('R7-3 R10-9 what a new world still gets is not missing', async () => {
    const world = await testWorld({ diary: consumer(text) });
    const { watcher } = world.core;
    let complete = () => {};
    const started = watcher.start(new Promise((resolve) => (complete = () => resolve(undefined))));
    await vi.waitFor(() => expect(world.lines()).toContain('exit 0'));
    watcher.tellBroken();
    await world.component('/plugins/notes/plugin.wasm', provider(text));
    watcher.changed({ path: '/plugins/notes/plugin.wasm', kind: 'close' });
    complete();
    await started;
    await vi.waitFor(async () => {
      expect(JSON.parse(await content(world, '/proc/core/graph.json'))).toMatchObject({
        imports: [{ result: 'ok' }],
        missing: [],
      });
    });
    expect(world.lines().join('\n')).not.toContain('does not exist');
  });

  test('R9-4 core.rpc.discover describes the ten methods', async () => {
    const world = await testWorld({});
    const { methods } = await world.call('core.rpc.discover');
    expect(methods.map(({ name }: { name: string }) => name).sort()).toEqual([
      'activate',
      'call',
      'exit',
      'kill',
      'lock',
      'log',
      'notify',
      'revert',
      'stop',
      'unlock',
    ]);
  });
});

describe('params in the journal', () => {
  const starts = (world: TestWorld) => world.lines().filter((line) => line.startsWith('start '));

  test('R7-3 a property that is writeOnly is hidden, also deep inside', async () => {
    const secret = { type: 'string', writeOnly: true };
    const params = {
      type: 'object',
      properties: {
        user: { type: 'string' },
        list: { type: 'array', items: { type: 'object', properties: { key: secret } } },
      },
    };
    const world = await testWorld({ notes: described({ methods: { add: { params } } }) });
    await world.core.watcher.start();
    await world.call('notes.add', { user: 'ann', list: [{ key: 'hunter2' }] });
    expect(starts(world).at(-1)).toBe('start add {"user":"ann","list":[{"key":"•••"}]}');
  });

  /** A plugin whose params hold a secret at any depth. */
  const nested = answers((_, method) => {
    const to = { $ref: '#/components/schemas/Node' };
    const properties = {
      value: { type: 'number' },
      key: { type: 'string', writeOnly: true },
      below: { anyOf: [to, { type: 'null' }] },
    };
    return method === 'rpc.discover'
      ? {
          ...document({ methods: { add: { params: to } } }),
          components: { schemas: { Node: { type: 'object', properties } } },
        }
      : 'added';
  });

  test('R7-3 a property that is writeOnly is hidden however deep it is', async () => {
    const world = await testWorld({ nested });
    await world.core.watcher.start();
    let params: object = { key: 'hunter2' };
    for (let depth = 0; depth < 200; depth++) params = { below: params };
    await world.call('nested.add', params);
    expect(starts(world).at(-1)).toContain('•••');
    expect(starts(world).join()).not.toContain('hunter2');
  });

  test.each([
    ['a gigantic number', '{"value":1e999,"key":"hunter2"}'],
    ['endless nesting', `{"value":${'['.repeat(50_000)}${']'.repeat(50_000)},"key":"hunter2"}`],
  ])('R7-3 params with %s are not shown where one of them is secret, and the call is made', async (_, params) => {
    const world = await testWorld({ nested });
    await world.core.watcher.start();
    const { reply } = world.core.call('nested.add', encode(params));
    expect(await reply).toEqual({ result: encode('"added"') });
    await vi.waitFor(() => expect(world.core.processes.count).toBe(0));
    expect(starts(world).at(-1)).toBe('start add (params not shown: it cannot be told what in them is secret)');
  });

  test('R7-3 params are shown when the schema is known, with what is secret in them hidden', async () => {
    const params = { type: 'object', properties: { key: { type: 'string', writeOnly: true } } };
    const world = await testWorld({ notes: described({ methods: { add: { params } } }) });
    for (let at = 0; at < 120; at++) await world.call('notes.add', { user: `ann${at}`, key: 'hunter2' });
    expect(world.lines().join()).not.toContain('ann');
    await world.core.watcher.start();
    const later = () => world.lines().filter((line) => line.startsWith('params of add'));
    await vi.waitFor(() => expect(later()).toContain('params of add {"user":"ann0","key":"•••"}'));
    // not those of any number of calls
    expect(later()).toHaveLength(100);
    expect(world.lines().join()).not.toContain('hunter2');
  });

  test('R7-3 params over 16 KiB are cut, with length and hash', async () => {
    const world = await testWorld({ notes: described({}) });
    await world.core.watcher.start();
    await world.call('notes.add', { text: 'x'.repeat(20_000) });
    await expect
      .poll(() => starts(world).at(-1))
      .toMatch(/^start add \{"text":"x{16375}… \(20011 bytes, sha256 [0-9a-f]{64}\)$/);
  });
});
