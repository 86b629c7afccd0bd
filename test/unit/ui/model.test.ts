import { describe, expect, it, vi } from 'vitest';
import type { BootProgress, ProcessInfo } from '../../../src/api.ts';
import { RpcError } from '../../../src/core/errors.ts';
import { FsError } from '../../../src/fs/errors.ts';
import { addressOf, readAddress } from '../../../src/ui/address.ts';
import { show } from '../../../src/ui/console/builtins.ts';
import { bootFraction, bootWords } from '../../../src/ui/model/boot.ts';
import { formatAgo, formatBytes, formatDuration, formatElapsed, preview } from '../../../src/ui/model/format.ts';
import { JournalFeed } from '../../../src/ui/model/journal.ts';
import { callProblem, fileProblem, problem } from '../../../src/ui/model/problem.ts';
import { ProcessTable } from '../../../src/ui/model/processes.ts';
import { nameFromFile, nameOfCopy, nameProblem } from '../../../src/ui/model/world-name.ts';
import { Tail } from '../../../src/ui/parts/tail.ts';
import { WorldList } from '../../../src/worlds/list.ts';
import { PageLocks } from '../worlds/locks.ts';

describe('amounts', () => {
  it('are written as people read them', () => {
    expect([0, 1, 999, 1000, 1_234_567, 99_960_000].map(formatBytes)).toEqual([
      '0 bytes',
      '1 byte',
      '999 bytes',
      '1 kB',
      '1.2 MB',
      '100 MB',
    ]);
    expect([0.84, 9.96, 12.4, 3400, 59_949, 125_000].map(formatDuration)).toEqual([
      '0.8 ms',
      '10 ms',
      '12 ms',
      '3.4 s',
      '59.9 s',
      '2 min 5 s',
    ]);
    expect([5999, 61_000].map(formatElapsed)).toEqual(['5 s', '1 min 1 s']);
    const now = new Date('2026-11-30T12:00:00Z');
    expect(formatAgo(new Date('2026-11-30T11:59:30Z'), now)).toBe('just now');
    expect(formatAgo(new Date('2026-11-30T09:00:00Z'), now)).toBe('3h ago');
  });

  it('a preview is one line of bounded length, whatever it is of', () => {
    expect(preview({ id: 1, 'a b': [true, null, 'x'] })).toBe('{id: 1, "a b": [true, null, "x"]}');
    expect(preview({ text: 'x'.repeat(1e6) }, 20)).toHaveLength(20);
    let [list, object]: [unknown, unknown] = [1, 1];
    for (let level = 0; level < 100_000; level++) [list, object] = [[list], { a: object }];
    expect([preview(list, 5), preview(object, 5)]).toEqual(['[[[[…', '{a: …']);
    expect(preview([[[[1]], 2]], 13)).toBe('[[[[1]], 2]]');
    expect(
      preview(
        Array.from({ length: 1e5 }, () => ({ deep: { deeper: [1] } })),
        50,
      ),
    ).toHaveLength(50);
  });
});

describe('the progress of a boot', () => {
  const at = (step: BootProgress['step'], done = 0, total = 0) => bootFraction({ step, done, total });

  it('only grows from step to step and ends full', () => {
    const all = [
      at('lock'),
      at('download', 1, 2),
      at('download', 2, 2),
      at('unpack'),
      at('unpack', 3, 4),
      at('open'),
      at('start'),
      at('ready'),
    ];
    expect(all).toEqual([...all].sort((a, b) => a - b));
    expect([all[0], all.at(-1)]).toEqual([0, 1]);
    expect(at('download', 9, 3)).toBe(at('unpack'));
  });

  it('is told in words', () => {
    expect(bootWords({ step: 'download', done: 120_000, total: 300_000 })).toBe(
      'Downloading the world: 120 kB of 300 kB',
    );
    expect(bootWords({ step: 'unpack', done: 0, total: 0 })).toBe('Unpacking its files');
  });
});

describe('errors in sentences', () => {
  it('R3.9-3 -32002 says how the process ended and shows its lines', () => {
    const trapped = new RpcError(-32002, 'no answer', {
      exit: { code: 134, trap: 'unreachable' },
      log: ['a', { line: 'b' }],
    });
    expect(callProblem(trapped, 'p.m', false)).toMatchObject({
      sentence: 'p.m crashed: unreachable.',
      code: -32002,
      log: ['a', 'b'],
      data: { exit: { code: 134, trap: 'unreachable' } },
    });
    const exit = (data: object) =>
      callProblem(new RpcError(-32002, '', { exit: data, log: [] }), 'p.m', false).sentence;
    expect(exit({ code: 3 })).toBe('p.m ended with exit status 3, without an answer.');
    expect(exit({ code: 0 })).toBe('p.m ended without an answer.');
    expect(exit({ code: 137, killed: true })).toBe('p.m was killed before it answered.');
  });

  it('R3.9-2 an error of a plugin is shown as it is', () => {
    const error = new RpcError(4711, 'no milk today', { shop: 'closed' });
    expect(callProblem(error, 'p.m', false)).toEqual({
      sentence: 'no milk today',
      code: 4711,
      data: { shop: 'closed' },
    });
  });

  it('R3.3-12 too many processes says how many', () => {
    const error = new RpcError(-32603, 'too many processes', { limit: 100, running: 100 });
    expect(callProblem(error, 'p.m', false).sentence).toBe('100 of at most 100 processes run already.');
  });

  it('R3.2-2 an unknown plugin is named', () => {
    const error = new RpcError(-32001, 'there is no plugin note in this world');
    for (const method of ['note.list', 'core.call']) {
      expect(callProblem(error, method, false)).toMatchObject({
        sentence: 'there is no plugin note in this world',
        next: '“ls /plugins” shows which there are.',
      });
    }
  });

  it('a call that the visitor stopped is no failure of the plugin', () => {
    const stopped = 'You stopped this call.';
    expect(callProblem(new RpcError(-32002, '', { exit: { code: 0 } }), 'p.m', true).sentence).toBe(stopped);
    expect(callProblem(new DOMException('', 'AbortError'), 'p.m', true).sentence).toBe(stopped);
    expect(callProblem(new RpcError(7, 'other'), 'p.m', true).sentence).toBe('other');
  });

  it('R4-12 a full disk says what helps', () => {
    expect(problem(new FsError('insufficient-space'), 'importing x').next).toContain('Delete a world');
    expect(fileProblem(new FsError('no-entry'), '/x')).toMatchObject({
      slip: true,
      sentence: 'There is nothing at /x.',
    });
  });
});

describe('names of worlds', () => {
  it('are refused with a reason', () => {
    expect(nameProblem('lesson 1', [])).toBeUndefined();
    expect(nameProblem('Übung', [])).toBeUndefined();
    expect(nameProblem('🎈 a/b', [])).toBeUndefined();
    for (const bad of ['', 'a\nb', 'x'.repeat(101)]) expect(nameProblem(bad, []), bad).toBeTypeOf('string');
    expect(nameProblem('a', ['a'])).toBe('There is a world named a already.');
  });

  it('R1-6 that the form refuses, the embedding API refuses in the same sentence, and no others', async () => {
    const list = new WorldList({ containers: null, locks: new PageLocks() as unknown as LockManager });
    await list.complete((await list.create('taken')).id);
    for (const name of ['', 'a\tb', 'x'.repeat(100), 'x'.repeat(101), '../x', '💾', 'half \ud83c', 'taken', 'Taken']) {
      const refused = await list.checkFree(name).then(
        () => undefined,
        (error: Error) => error.message,
      );
      expect(nameProblem(name, ['taken']), name).toBe(refused);
    }
  });

  it('come from a file and are free and allowed', () => {
    expect(nameFromFile('notes.zip', [])).toBe('notes');
    expect(nameFromFile('notes (1).zip', ['notes', 'notes 2'])).toBe('notes 3');
    for (const file of [
      '.zip',
      '../../etc.zip',
      '💾.zip',
      `${'x'.repeat(200)}.zip`,
      `${'𝒳'.repeat(200)}.zip`,
      'a:b|c.zip',
    ]) {
      expect(nameProblem(nameFromFile(file, ['world']), ['world']), file).toBeUndefined();
    }
  });

  it('of copies too, of a copy and of the longest', () => {
    expect(nameOfCopy('v1.2', [])).toBe('v1.2 copy');
    expect(nameOfCopy('a', ['a copy'])).toBe('a copy 2');
    for (const long of ['x'.repeat(100), `x${'𝒳'.repeat(99)}`]) {
      expect(nameProblem(nameOfCopy(long, [long]), [long]), long).toBeUndefined();
    }
  });

  it('R8-5 stand in the address, with safe=1 beside them, all else in it stays', () => {
    expect(readAddress('http://h/p/')).toEqual({ name: 'playground', safe: false });
    expect(readAddress('http://h/p/?world=a%20b&safe=1')).toEqual({ name: 'a b', safe: true });
    const odd = { name: 'ü & ?', safe: true };
    expect(readAddress(addressOf(odd, 'http://h/p/?trace=1#x'))).toEqual(odd);
    const plain = { name: 'playground', safe: false };
    expect(addressOf(plain, 'http://h/p/?world=a&safe=1&trace=1')).toBe('http://h/p/?trace=1');
  });
});

describe('the processes', () => {
  const process = (pid: string, parent = 'console', state: ProcessInfo['state'] = 'running'): ProcessInfo => ({
    pid,
    parent,
    state,
    plugin: 'p',
    version: '',
    method: 'm',
    params: {},
    detached: false,
    started: `2026-01-01T00:00:0${pid}Z`,
  });
  it('R3.7-2 know how long one of an older version has, until it is current again or is stopped', () => {
    vi.useFakeTimers({ now: 0 });
    try {
      const table = new ProcessTable();
      const old = { ...process('a'), graceLeft: 59_500 };
      table.update(process('a'));
      expect([table.secondsLeft(old), table.old('p')]).toEqual([undefined, []]);
      table.update(old);
      expect(table.secondsLeft(old)).toBe(60);
      vi.setSystemTime(58_900);
      expect([table.secondsLeft(old), table.old('p'), table.old('q')]).toEqual([1, [old], []]);
      vi.setSystemTime(61_000);
      expect(table.secondsLeft(old)).toBe(0);
      table.update({ ...old, state: 'stopping' });
      expect(table.old('p')).toEqual([]);
      table.update(process('a'));
      expect(table.old('p')).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });

  const rows = (table: ProcessTable) => table.tree().map(({ process: { pid }, depth }) => `${depth} ${pid}`);

  it('stand below the one that called them', () => {
    const table = new ProcessTable();
    for (const each of [process('3', '1'), process('1'), process('2'), process('4', '3')]) table.update(each);
    expect(rows(table)).toEqual(['0 1', '1 3', '2 4', '0 2']);
    table.update(process('1', 'console', 'ended'));
    expect(rows(table)).toEqual(['0 2', '0 3', '1 4']);
  });

  it('that ended before the first list came do not come back with it', () => {
    const table = new ProcessTable();
    table.update(process('1', 'console', 'ended'));
    table.update(process('2', 'console', 'stopping'));
    table.fill([process('1'), process('2'), process('3')]);
    expect(rows(table)).toEqual(['0 2', '0 3']);
    expect(table.tree()[0]!.process.state).toBe('stopping');
  });

  it('leave nothing behind that grows with each of them', () => {
    const table = new ProcessTable();
    table.fill([]);
    table.update(process('1'));
    table.update(process('1', 'console', 'ended'));
    // what is remembered of the ended would keep this one out
    table.fill([process('1')]);
    expect(rows(table)).toEqual(['0 1']);
  });
});

describe('the journal feed', () => {
  const line = (id: string) => ({ id, time: '', pid: 'p', plugin: 'p', stream: 'stderr' as const, line: id });

  it('brings a burst as one change, in the order of the IDs, none twice', async () => {
    const feed = new JournalFeed();
    let changes = 0;
    const change = new Promise<void>((resolve) => feed.subscribe(() => resolve(void changes++)));
    for (const id of ['5', '6', '7']) feed.add([line(id)]);
    expect(feed.linesOf('p', 'stderr')).toEqual(['5', '6', '7']);
    await change;
    expect(changes).toBe(1);
    feed.addEarlier([line('3'), line('5')]);
    expect(feed.entries.map(({ id }) => id)).toEqual(['3', '5', '6', '7']);
  });

  it('keeps the newest 10,000', async () => {
    const feed = new JournalFeed();
    const change = new Promise<void>((resolve) => feed.subscribe(resolve));
    feed.add(Array.from({ length: 12_000 }, (_, at) => line(String(at).padStart(5, '0'))));
    await change;
    expect([feed.entries.length, feed.entries[0]!.id]).toEqual([10_000, '02000']);
  });

  it('knows the core’s own lines about its questions, and not what a plugin wrote meanwhile', () => {
    const feed = new JournalFeed();
    const entry = (id: string, stream: 'core' | 'stderr', pid: string, text: string) => ({
      ...line(id),
      stream,
      pid,
      line: text,
    });
    const entries = [
      entry('1', 'core', 'notes-1', 'start rpc.discover {}'),
      entry('2', 'stderr', 'notes-1', 'oh'),
      entry('3', 'core', 'notes-1', 'exit 0'),
      entry('4', 'core', 'notes-2', 'start list {}'),
      entry('5', 'core', 'notes-2', 'exit 0'),
    ];
    feed.addEarlier(entries);
    expect(entries.filter((each) => feed.isQuestion(each)).map(({ id }) => id)).toEqual(['1', '3']);
  });
});

describe('what follows its end', () => {
  const element = (scrollHeight: number, scrollTop: number) =>
    ({ scrollHeight, scrollTop, clientHeight: 100 }) as Element;

  it('goes on while it only grows, stops when the visitor goes up, and goes on at the end again', () => {
    const tail = new Tail();
    const list = element(500, 400);
    tail.scrolled(list);
    Object.assign(list, { scrollHeight: 900 });
    tail.scrolled(list);
    tail.grown(list);
    expect(list.scrollTop).toBe(900);
    Object.assign(list, { scrollTop: 300 });
    tail.scrolled(list);
    tail.grown(list);
    expect(list.scrollTop).toBe(300);
    Object.assign(list, { scrollTop: 790 });
    tail.scrolled(list);
    Object.assign(list, { scrollHeight: 1200 });
    tail.grown(list);
    expect(list.scrollTop).toBe(1200);
  });
});

describe('cat', () => {
  it('shows text as text, cut at 256 KiB without a broken character', () => {
    expect(show(new TextEncoder().encode('größer'))).toEqual({ kind: 'text', text: 'größer' });
    const long = show(new TextEncoder().encode(`a${'ü'.repeat(200_000)}`));
    expect(long).toMatchObject({ kind: 'text', size: 400_001, shown: 262_144 });
    expect(long.kind === 'text' && long.text.endsWith('ü')).toBe(true);
  });

  it('shows anything else by its size and first bytes', () => {
    expect(show(new Uint8Array([0, 97, 115, 109]))).toEqual({
      kind: 'bytes',
      begin: new Uint8Array([0, 97, 115, 109]),
      size: 4,
    });
    expect(show(new Uint8Array(100).fill(0xff))).toMatchObject({ kind: 'bytes', size: 100 });
  });
});
