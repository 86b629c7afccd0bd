import { describe, expect, it } from 'vitest';
import { RpcError } from '../../../src/core/errors.ts';
import { Console } from '../../../src/ui/console/console.ts';
import type { Entry } from '../../../src/ui/console/entry.ts';
import { JournalFeed } from '../../../src/ui/model/journal.ts';
import { type FakeProcess, type FakeWorld, fakePlayground } from './fake-world.ts';

function consoleOn(world: FakeWorld): Console {
  const feed = new JournalFeed();
  const console = new Console(world.name, undefined, () => feed);
  console.world = world;
  world.on('process', (process) => console.onProcess(process));
  world.on('journal', (entries) => {
    feed.add(entries);
    console.onJournal(entries);
  });
  return console;
}

/** Resolves when the entry is as `test` wants it. */
function until(entry: Entry, test: (entry: Entry) => boolean): Promise<Entry> {
  return new Promise((resolve) => {
    const look = () => test(entry) && resolve(entry);
    entry.subscribe(look);
    look();
  });
}

function run(console: Console, line: string): Promise<Entry> {
  console.run(line);
  return until(console.entries.at(-1)!, ({ state }) => state === 'done');
}

describe('the console', () => {
  it('shows what a method answered, and tells it', async () => {
    const console = consoleOn(fakePlayground());
    const entry = await run(console, 'notes.add {text: “milk”}');
    expect(entry.output).toEqual({ kind: 'value', value: { id: 1, text: 'milk' } });
    expect(entry.took).toBeGreaterThanOrEqual(0);
    expect(console.announcement).toMatch(/^notes\.add answered in .*: \{id: 1, text: "milk"\}$/);
  });

  it('keeps what was typed in its history, also when it was wrong', async () => {
    const console = consoleOn(fakePlayground());
    await run(console, 'notes.lost');
    await run(console, 'nonsense');
    expect(console.history.lines).toEqual(['notes.lost', 'nonsense']);
  });

  it('gives the params to the plugin as they were typed', async () => {
    const world = fakePlayground();
    const given: unknown[] = [];
    const { call } = world;
    world.call = (method, params, options) => {
      given.push(params);
      return call.call(world, method, params, options);
    };
    await run(consoleOn(world), "notes.add {text: 'milk', n: 12345678901234567890}");
    expect(given).toEqual(['{"text":"milk","n":12345678901234567890}']);
  });

  it('makes an entry of params nested very deep, and keeps the line', async () => {
    const world = fakePlayground();
    world.call = async () => {
      throw new RpcError(-32600, 'the params of notes.add are nested too deep');
    };
    const console = consoleOn(world);
    const line = `notes.add ${'{a:'.repeat(8000)}1${'}'.repeat(8000)}`;
    const { output } = await run(console, line);
    expect(output).toMatchObject({
      kind: 'problem',
      problem: { sentence: 'the params of notes.add are nested too deep', code: -32600 },
    });
    expect(console.history.lines).toEqual([line]);
  });

  it('tells two calls of the same method apart, and puts the lines of each under it', async () => {
    const world = fakePlayground();
    const running: FakeProcess[] = [];
    const ends: (() => void)[] = [];
    world.plugin('talk', {
      say: (process) => {
        running.push(process);
        return new Promise<void>((resolve) => ends.push(resolve));
      },
    });
    const console = consoleOn(world);
    console.run('talk.say {n: 1}');
    console.run('talk.say {n: 2}');
    const [one, two] = console.entries as [Entry, Entry];
    running[1]!.stderr('from two');
    running[0]!.stderr('from one');
    for (const end of ends) end();
    await until(two, ({ state }) => state === 'done');
    expect([one.pid, two.pid]).toEqual(running.map(({ pid }) => pid));
    expect([one.stderr, two.stderr]).toEqual([['from one'], ['from two']]);
  });

  it('R3.5-1 shows what the callee notifies: a bar where it counts, else a line', async () => {
    const world = fakePlayground();
    world.plugin('busy', {
      work: ({ notify }) => {
        notify('progress', { done: 1, total: 4, message: 'Reading' });
        notify('found', { file: 'a' });
        notify('progress', { done: 9, total: 4 });
      },
    });
    const entry = await run(consoleOn(world), 'busy.work');
    expect(entry.notes).toEqual([
      { kind: 'bar', name: 'progress', done: 4, total: 4, words: undefined },
      { kind: 'line', name: 'found', params: { file: 'a' } },
    ]);
  });

  it('cancels a call, offers to kill it then, and says that the visitor did it', async () => {
    const world = fakePlayground();
    const killed: unknown[] = [];
    let end: (error: Error) => void = () => {};
    world.plugin('stuck', { wait: () => new Promise((_, reject) => (end = reject)) });
    world.methods.set('core.kill', ({ params }) => {
      killed.push(params.pid);
      end(Object.assign(new Error('killed'), { code: -32002, data: { exit: { code: 137, killed: true }, log: [] } }));
      return {};
    });
    const console = consoleOn(world);
    console.run('stuck.wait');
    const [entry] = console.entries as [Entry];
    entry.cancel!();
    expect([entry.state, entry.cancel]).toEqual(['stopping', undefined]);
    entry.kill!();
    await until(entry, ({ state }) => state === 'done');
    expect(killed).toEqual([entry.pid]);
    expect(entry.output).toMatchObject({ kind: 'problem', problem: { sentence: 'You stopped this call.' } });
  });

  it('answers a word without a dot with what to type', async () => {
    const console = consoleOn(fakePlayground());
    const next = async (line: string) => {
      const { output } = await run(console, line);
      return output?.kind === 'problem' ? output.problem.next : undefined;
    };
    expect(await next('notes')).toBe('Write notes.add or notes.list.');
    expect(await next('demo')).toBe('“help demo” shows which it has.');
    expect(await next('LS')).toBe('Write “ls”.');
    expect(await next('hello')).toContain('plugin.method');
    expect(await next('notes.add {')).toContain('notes.add {"name": "value"}');
  });

  it('lists folders, folders first, and shows files', async () => {
    const console = consoleOn(fakePlayground());
    const { output } = await run(console, 'ls /');
    expect(output).toMatchObject({ kind: 'folder' });
    const names = output?.kind === 'folder' ? output.entries.map(({ name }) => name) : [];
    expect(names).toEqual(['config', 'plugins', 'proc', 'run', 'self', 'README.md']);
    expect((await run(console, 'cat README.md')).output).toMatchObject({
      kind: 'text',
      text: expect.stringContaining('# The'),
    });
    expect((await run(console, 'cat /plugins')).output).toMatchObject({ problem: { next: '“ls /plugins” lists it.' } });
    expect((await run(console, 'ls /nowhere/')).output).toMatchObject({
      problem: { sentence: 'There is nothing at /nowhere.' },
    });
  });

  it('R10-11 helps with the descriptions of a plugin, asking the plugin where no file has them', async () => {
    const world = fakePlayground();
    const console = consoleOn(world);
    expect((await run(console, 'help notes')).output).toMatchObject({
      interface: { methods: [{ name: 'add' }, { name: 'list' }, { name: 'remove' }] },
    });
    world.methods.set('demo.rpc.discover', () => ({ methods: [{ name: 'crash', description: 'Crashes.' }] }));
    expect((await run(console, 'help demo')).output).toMatchObject({
      interface: { methods: [{ description: 'Crashes.' }] },
    });
    expect((await run(console, 'help nobody')).output).toMatchObject({ problem: { slip: true } });
  });

  it('clears what is done and keeps what runs', async () => {
    const world = fakePlayground();
    let end = () => {};
    world.plugin('slow', { wait: () => new Promise<void>((resolve) => (end = resolve)) });
    const console = consoleOn(world);
    await run(console, 'notes.list');
    console.run('slow.wait');
    console.run('clear');
    expect(console.entries.map(({ line }) => line)).toEqual(['slow.wait']);
    end();
    await until(console.entries[0]!, ({ state }) => state === 'done');
    console.run('clear');
    expect(console.entries).toEqual([]);
  });

  it('runs nothing while there is no world', () => {
    const console = consoleOn(fakePlayground());
    console.world = undefined;
    console.run('notes.list');
    expect(console.entries).toEqual([]);
  });
});
