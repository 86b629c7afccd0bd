import { describe, expect, it } from 'vitest';
import { DEFAULT_RETENTION } from '../../../src/core/journal/index.ts';
import { openJournal, say, TestWorld } from './world.ts';

describe('retention', () => {
  it('R7-8 20,000 lines or 16 MiB of the stderr of a plugin and 100,000 entries of the core are kept by default', () => {
    expect(DEFAULT_RETENTION.stderr).toEqual({ lines: 20_000, bytes: 16 * 1024 * 1024 });
    expect(DEFAULT_RETENTION.core.lines).toBe(100_000);
  });

  it('R7-8 the flood of one plugin pushes out only its own stderr, oldest first', async () => {
    const world = new TestWorld();
    const { journal } = openJournal(world, { retention: { stderr: { lines: 300, bytes: 1e9 } } });
    for (let i = 0; i < 200; i++) say(journal, `quiet ${i}`, 'quiet');
    say(journal, 'start', 'loud', 'core');
    for (let i = 0; i < 2000; i++) say(journal, `loud ${i}`, 'loud');
    await journal.flush();
    const loud = await journal.query({ plugin: 'loud' });
    expect(loud.map(({ line }) => line)).toEqual([
      'start',
      ...Array.from({ length: 300 }, (_, i) => `loud ${i + 1700}`),
    ]);
    expect(await journal.query({ plugin: 'quiet' })).toHaveLength(200);
    await journal.close();
    expect(await world.sqlite('PRAGMA integrity_check')).toBe('ok');
    expect(await world.sqlite('SELECT plugin, stream, lines FROM tally ORDER BY 1, 2')).toBe(
      'loud|core|1\nloud|stderr|300\nquiet|stderr|200',
    );
    expect(await world.sqlite('SELECT sum(bytes) FROM tally')).toBe(
      await world.sqlite('SELECT sum(length(line)) FROM entry'),
    );
  });

  it('R7-8 bytes count as well as lines, in UTF-8', async () => {
    const world = new TestWorld();
    const { journal } = openJournal(world, { retention: { stderr: { lines: 1e9, bytes: 1000 } } });
    for (let i = 0; i < 30; i++) say(journal, 'ü'.repeat(50));
    await journal.flush();
    expect(await journal.query({})).toHaveLength(10);
    await journal.close();
  });

  it('R7-8 new limits hold for what is there already, and the file does not grow beyond them', async () => {
    const world = new TestWorld();
    const { journal } = openJournal(world);
    for (let i = 0; i < 3000; i++) say(journal, `${i} ${'x'.repeat(100)}`);
    await journal.flush();
    const size = world.files.stat(world.files.resolve(world.root, '/state/core/journal.sqlite')).size;
    journal.retention = { ...journal.retention, stderr: { lines: 100, bytes: 1e9 } };
    await journal.flush();
    expect(await journal.query({ limit: 10_000 })).toHaveLength(100);
    for (let i = 0; i < 3000; i++) say(journal, `${i} ${'x'.repeat(100)}`);
    await journal.flush();
    expect(world.files.stat(world.files.resolve(world.root, '/state/core/journal.sqlite')).size).toBe(size);
    await journal.close();
  });

  it('R7-5 the log of a process that flooded is as long as it says, without the lines that went', async () => {
    const world = new TestWorld();
    const { journal } = openJournal(world, { retention: { stderr: { lines: 50, bytes: 1e9 } } });
    for (let i = 0; i < 500; i++) say(journal, `${i}`);
    await journal.flush();
    const log = journal.log('notes-1');
    const text = new TextDecoder().decode(await log.read());
    expect(text.length).toBe(log.size);
    expect(text.trimEnd().split('\n')).toHaveLength(50);
    await journal.close();
  });

  it('R7-6 20,000 lines at once are all kept, the backlog says how much waits, and no turn is held for long', async () => {
    const world = new TestWorld();
    const { journal } = openJournal(world);
    await journal.flush();
    for (let i = 0; i < 20_000; i++) say(journal, `line ${i}`, 'loud');
    expect(journal.backlog).toBeGreaterThan(20_000);
    const turns: number[] = [];
    let last = performance.now();
    let stop = false;
    const turn = () => {
      const now = performance.now();
      turns.push(now - last);
      last = now;
      if (!stop) setImmediate(turn);
    };
    setImmediate(turn);
    await journal.flush();
    stop = true;
    expect(journal.backlog).toBe(0);
    const lines = (await journal.query({ limit: 100_000 })).map(({ line }) => line);
    expect(lines).toEqual(Array.from({ length: 20_000 }, (_, i) => `line ${i}`));
    // The median: single turns are at the mercy of whatever else this machine does.
    expect(turns.sort((a, b) => a - b)[turns.length >> 1]).toBeLessThan(4);
    await journal.close();
  });
});
