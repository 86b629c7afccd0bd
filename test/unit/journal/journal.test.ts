import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JournalFilter } from '../../../src/core/host.ts';
import { JOURNAL_PATH, JournalFilterError, type SqliteJournal } from '../../../src/core/journal/index.ts';
import { linesOf, loadSqlite, openJournal, say, TestWorld } from './world.ts';

let world: TestWorld;
let journal: SqliteJournal;
let problems: string[];

beforeEach(() => {
  world = new TestWorld();
  ({ journal, problems } = openJournal(world));
});

afterEach(() => journal.close());

describe('the journal', () => {
  it('R7-1 the file is one that the sqlite3 tool opens and finds whole', async () => {
    for (let i = 0; i < 300; i++) say(journal, `line ${i}`);
    await journal.flush();
    expect(await world.sqlite('PRAGMA integrity_check')).toBe('ok');
    expect(await world.sqlite('SELECT count(*), min(line), max(seq >> 12) > 0 FROM entry')).toBe('300|line 0|1');
    expect(await world.sqlite('PRAGMA user_version')).toBe('1');
    expect(await world.sqlite('SELECT time, line FROM log LIMIT 1')).toMatch(/^20\d\d-\d\d-\d\dT[\d:.]+Z\|line 0$/);
  });

  it('R7-6 lines that waited for SQLite are in the file soon after it came, also while others want the thread', async () => {
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      return loadSqlite();
    };
    const other = openJournal(new TestWorld(), { loadSqlite: slow, isBusy: () => true }).journal;
    for (let i = 0; i < 200; i++) say(other, `line ${i}`);
    other.start();
    await expect.poll(() => other.backlog, { timeout: 2500 }).toBe(0);
    await other.close();
  });

  it('R7-1 nobody ever sees a rollback journal beside the file', async () => {
    let seen = 0;
    let looks = 0;
    let stop = false;
    const look = () => {
      looks++;
      if (world.exists(`${JOURNAL_PATH}-journal`)) seen++;
      if (!stop) setImmediate(look);
    };
    look();
    for (let i = 0; i < 2000; i++) say(journal, `line ${i}`);
    await journal.flush();
    stop = true;
    expect(looks).toBeGreaterThan(5);
    expect(seen).toBe(0);
    expect(world.names('/state/core')).toEqual(['journal.sqlite']);
  });

  it('R7-2 an entry has ID, time, process, plugin, stream and line, and comes back as it was given', async () => {
    const lines = [
      'plain',
      '',
      'a\tb',
      'nul \0 inside',
      'ünïcödé 🎈',
      'quote \' and "',
      '\ufeffmark',
      'x'.repeat(70_000),
    ];
    const given = lines.map((line) => say(journal, line));
    const lone = say(journal, 'half \ud83c');
    expect(lone.line).toBe('half \ufffd');
    await journal.flush();
    expect(problems).toEqual([]);
    expect(await journal.query({})).toEqual([...given, lone]);
    expect(given[0]).toMatchObject({ pid: 'notes-1', plugin: 'notes', stream: 'stderr', line: 'plain' });
    expect(new Date(given[0]!.time).toISOString()).toBe(given[0]!.time);
  });

  it('R7-2 R3.1-6 an empty line is a line of the file, and those after it are written too', async () => {
    for (const line of ['before', '', 'after']) say(journal, line);
    await journal.flush();
    expect(await world.sqlite("SELECT line || '.' FROM entry")).toBe('before.\n.\nafter.');
    expect(await linesOf(journal)).toEqual(['before', '', 'after']);
  });

  it('R7-4 times are bounds also for what is not yet in the file', async () => {
    const { time } = say(journal, 'now');
    const found = async (filter: JournalFilter) => (await journal.query(filter)).map(({ line }) => line);
    expect(await found({ since: '9000-01-01T00:00:00Z' })).toEqual([]);
    expect(await found({ since: time, until: time })).toEqual(['now']);
    say(journal, 'now');
    expect(await found({ until: '2001-01-01T00:00:00Z' })).toEqual([]);
  });

  it('R7-4 the newest entries are given in time order, 1000 when nothing is said', async () => {
    for (let i = 0; i < 2500; i++) say(journal, `${i}`);
    await journal.flush();
    const usual = await journal.query({});
    expect(usual).toHaveLength(1000);
    expect([usual[0]!.line, usual.at(-1)!.line]).toEqual(['1500', '2499']);
    expect((await journal.query({ limit: 2 })).map(({ line }) => line)).toEqual(['2498', '2499']);
    expect(await journal.query({ limit: 0 })).toEqual([]);
  });

  it('R7-4 filters combine', async () => {
    say(journal, 'apple', 'fruit');
    const pear = say(journal, 'pear', 'fruit');
    say(journal, 'pear wood', 'trees');
    const plum = say(journal, 'plum', 'fruit', 'core');
    await journal.flush();
    const lines = async (filter: Parameters<SqliteJournal['query']>[0]) =>
      (await journal.query(filter)).map(({ line }) => line);
    expect(await lines({ plugin: 'fruit' })).toEqual(['apple', 'pear', 'plum']);
    expect(await lines({ pid: 'trees-1' })).toEqual(['pear wood']);
    expect(await lines({ grep: 'pear' })).toEqual(['pear', 'pear wood']);
    expect(await lines({ grep: '/^p(ear|lum)$/' })).toEqual(['pear', 'plum']);
    expect(await lines({ grep: '/^p/', plugin: 'fruit', limit: 1 })).toEqual(['plum']);
    expect(await lines({ since: pear.id })).toEqual(['pear', 'pear wood', 'plum']);
    expect(await lines({ until: pear.id.toUpperCase() })).toEqual(['apple', 'pear']);
    expect(await lines({ since: pear.id, until: plum.id, plugin: 'fruit' })).toEqual(['pear', 'plum']);
    expect(await lines({ since: pear.time, until: plum.time, grep: 'plum' })).toEqual(['plum']);
    expect(await lines({ until: '2020-01-01T00:00:00Z' })).toEqual([]);
    await expect(journal.query({ since: 'soon' })).rejects.toThrow(JournalFilterError);
  });

  it('R7-4 what is not yet written is found too, once', async () => {
    say(journal, 'first');
    await journal.flush();
    say(journal, 'second');
    say(journal, 'third');
    expect(await linesOf(journal)).toEqual(['first', 'second', 'third']);
    await journal.flush();
    expect(await linesOf(journal)).toEqual(['first', 'second', 'third']);
  });

  it('R7-4 a rare match is found among many, over all of the file', async () => {
    journal.retention = { ...journal.retention, stderr: { lines: 100_000, bytes: 1e9 } };
    say(journal, 'needle', 'rare');
    for (let i = 0; i < 9000; i++) say(journal, `hay ${i}`);
    await journal.flush();
    expect((await journal.query({ grep: 'needle' })).map(({ line }) => line)).toEqual(['needle']);
    expect((await journal.query({ grep: '/need.e/' })).map(({ line }) => line)).toEqual(['needle']);
    expect((await journal.query({ plugin: 'rare' })).map(({ line }) => line)).toEqual(['needle']);
  });

  it('R7-5 the log of a process has its lines up to the moment when it was asked for, and the size is right', async () => {
    say(journal, 'one');
    say(journal, 'other', 'other');
    journal.append({ pid: 'notes-1', plugin: 'notes', stream: 'core', line: 'twö' });
    const log = journal.log('notes-1');
    say(journal, 'three');
    const bytes = await log.read();
    expect(bytes.length).toBe(log.size);
    expect(new TextDecoder().decode(bytes)).toMatch(/^\S+Z one\n\S+Z \[core\] twö\n$/);
    expect(journal.log('nobody').size).toBe(0);
  });

  it('R7-5 a log that is too long for memory is read from the file', async () => {
    const line = 'x'.repeat(200);
    for (let i = 0; i < 5000; i++) say(journal, `${i} ${line}`);
    const log = journal.log('notes-1');
    expect(log.read()).toBeInstanceOf(Promise);
    say(journal, 'later');
    const text = new TextDecoder().decode(await log.read());
    expect(text.length).toBe(log.size);
    const lines = text.trimEnd().split('\n');
    expect(lines).toHaveLength(5000);
    expect(lines.every((one, i) => one.endsWith(`Z ${i} ${line}`))).toBe(true);
  });

  it('R3.9-3 the last lines of a process are there without a wait, until it is forgotten', () => {
    for (let i = 0; i < 5000; i++) say(journal, `${i}`);
    expect(journal.tail('notes-1', 3)).toEqual(['4997', '4998', '4999']);
    expect(journal.tail('notes-1', 0)).toEqual([]);
    journal.forget('notes-1');
    expect(journal.tail('notes-1', 3)).toEqual([]);
  });

  it('R7-6 lines before SQLite is there are kept, and nothing is loaded before it is time', async () => {
    let loads = 0;
    const late = openJournal(world, {
      loadSqlite: async () => {
        loads++;
        throw new Error('the network is down');
      },
    });
    for (let i = 0; i < 100; i++) say(late.journal, `${i}`);
    expect(loads).toBe(0);
    expect(late.journal.backlog).toBeGreaterThan(100);
    await late.journal.flush();
    expect(loads).toBe(1);
    expect(late.problems).toEqual(['the journal cannot be written: the network is down']);
    expect(late.journal.backlog).toBe(0);
    expect(await linesOf(late.journal)).toHaveLength(100);
    await late.journal.close();
  });

  it('R7-1 while it is paused the file does not change, and lines wait', async () => {
    say(journal, 'before');
    await journal.paused(async () => {
      const before = world.changes;
      for (let i = 0; i < 500; i++) say(journal, `${i}`);
      await expect.poll(() => journal.query({ grep: '499' })).toHaveLength(1);
      expect(world.changes).toBe(before);
    });
    await journal.flush();
    expect(await linesOf(journal)).toHaveLength(501);
  });

  it('R7-1 a world whose files have to be waited for gives the same journal', async () => {
    for (let i = 0; i < 500; i++) say(journal, `${i} ${'x'.repeat(i)}`);
    await journal.close();
    world.slow = true;
    const second = openJournal(world);
    for (let i = 500; i < 1000; i++) say(second.journal, `${i} ${'x'.repeat(i)}`);
    expect((await linesOf(second.journal)).map((line) => Number.parseInt(line, 10))).toEqual(
      Array.from({ length: 1000 }, (_, i) => i),
    );
    await second.journal.close();
    world.slow = false;
    expect(second.problems).toEqual([]);
    expect(await world.sqlite('PRAGMA integrity_check; SELECT count(*) FROM entry')).toBe('ok\n1000');
  });

  it('R7-1 the journal goes on where the last run of the world ended', async () => {
    const before = say(journal, 'yesterday');
    await journal.close();
    const second = openJournal(world);
    say(second.journal, 'today');
    expect((await second.journal.query({})).map(({ line }) => line)).toEqual(['yesterday', 'today']);
    expect((await second.journal.query({}))[0]).toEqual(before);
    await second.journal.close();
    expect(problems).toEqual([]);
  });
});
