import { describe, expect, it } from 'vitest';
import { JOURNAL_PATH } from '../../../src/core/journal/index.ts';
import { linesOf, openJournal, say, TestWorld } from './world.ts';

/** Writes `count` lines as one transaction or more, the tab being killed after `life` changes of the world. */
async function writeAndDie(world: TestWorld, from: number, count: number, life: number): Promise<boolean> {
  const { journal } = openJournal(world);
  await journal.flush();
  world.life = life;
  for (let i = from; i < from + count; i++) say(journal, `${i} ${'x'.repeat((i * 37) % 900)}`);
  await journal.flush();
  const survived = world.life > 0;
  // What the killed one does now does not reach the world, and later it does nothing.
  world.life = 0;
  await journal.close();
  return survived;
}

function isBegin(lines: string[], least: number): void {
  expect(lines.length).toBeGreaterThanOrEqual(least);
  expect(lines.map((line) => Number.parseInt(line, 10))).toEqual(lines.map((_, i) => i));
}

describe('a tab killed while the journal is written', () => {
  it('R4-11 leaves, at every single change, a file whose transactions are there or not, never half', async () => {
    let survived = false;
    let life = 0;
    for (; !survived; life++) {
      const world = new TestWorld();
      expect(await writeAndDie(world, 0, 40, Number.POSITIVE_INFINITY)).toBe(true);
      world.life = Number.POSITIVE_INFINITY;
      survived = await writeAndDie(world, 40, 60, life);
      world.life = Number.POSITIVE_INFINITY;
      // Another tool, which finds the rollback journal beside the file when there is one.
      const [check, count] = (await world.sqlite('PRAGMA integrity_check; SELECT count(*) FROM entry')).split('\n');
      expect(check).toBe('ok');
      expect(Number(count)).toBeGreaterThanOrEqual(40);
      const after = openJournal(world);
      isBegin(await linesOf(after.journal), 40);
      say(after.journal, '1000000');
      await after.journal.close();
      expect(after.problems).toEqual([]);
      expect(world.names('/state/core')).toEqual(['journal.sqlite']);
      expect(await world.sqlite('PRAGMA integrity_check')).toBe('ok');
    }
    // The rollback journal made, written, the pages, the rollback journal removed: at least.
    expect(life).toBeGreaterThan(5);
  });

  it('R4-11 leaves nothing or an empty journal when it dies while the file is made', async () => {
    for (let life = 0, survived = false; !survived; life++) {
      const world = new TestWorld();
      world.life = life;
      const dying = openJournal(world);
      say(dying.journal, '0');
      await dying.journal.flush();
      survived = world.life > 0;
      world.life = 0;
      await dying.journal.close();
      world.life = Number.POSITIVE_INFINITY;
      const after = openJournal(world);
      isBegin(await linesOf(after.journal), survived ? 1 : 0);
      await after.journal.close();
      expect(after.problems).toEqual([]);
      expect(await world.sqlite('PRAGMA integrity_check')).toBe('ok');
    }
  });

  it('R4-11 dies again while the state before is put back, and nothing is lost', async () => {
    const world = new TestWorld();
    await writeAndDie(world, 0, 40, Number.POSITIVE_INFINITY);
    // In the middle of the pages: the rollback journal is there.
    for (let life = 1; !world.exists(`${JOURNAL_PATH}-journal`) || life < 6; life++) {
      world.life = Number.POSITIVE_INFINITY;
      await writeAndDie(world, 40, 60, life);
    }
    for (let life = 0; world.exists(`${JOURNAL_PATH}-journal`); life++) {
      world.life = life;
      const dying = openJournal(world);
      await dying.journal.flush();
      world.life = 0;
      await dying.journal.close();
    }
    world.life = Number.POSITIVE_INFINITY;
    const after = openJournal(world);
    const numbers = (await linesOf(after.journal)).map((line) => Number.parseInt(line, 10));
    expect(numbers.slice(0, 40)).toEqual(Array.from({ length: 40 }, (_, i) => i));
    await after.journal.close();
    expect(await world.sqlite('PRAGMA integrity_check')).toBe('ok');
  });
});

describe('a full disk', () => {
  it('R4-12 what is in the journal stays whole, lines wait, and are written when there is room again', async () => {
    const world = new TestWorld();
    const { journal, problems } = openJournal(world);
    for (let i = 0; i < 100; i++) say(journal, `${i}`);
    await journal.flush();
    for (let space = 0; space < 40_000; space += 3000) {
      world.space = space;
      say(journal, 'waits');
      await journal.flush();
      expect(await world.sqlite('PRAGMA integrity_check')).toBe('ok');
    }
    expect(problems).toContain('the journal cannot be written: the disk is full');
    // Nobody is held back by a disk that is full.
    world.space = 0;
    say(journal, 'last');
    await journal.flush();
    expect(journal.backlog).toBe(0);
    world.space = Number.POSITIVE_INFINITY;
    await journal.flush();
    const lines = await linesOf(journal);
    expect(lines.slice(0, 100)).toEqual(Array.from({ length: 100 }, (_, i) => `${i}`));
    expect(lines.slice(100)).toEqual([...new Array(14).fill('waits'), 'last']);
    await journal.close();
    expect(await world.sqlite('PRAGMA integrity_check; SELECT count(*) FROM entry')).toBe('ok\n115');
  });
});
