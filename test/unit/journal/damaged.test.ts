import { describe, expect, it } from 'vitest';
import { JOURNAL_PATH } from '../../../src/core/journal/index.ts';
import { linesOf, openJournal, say, TestWorld } from './world.ts';

async function worldWithJournal(lines: number): Promise<TestWorld> {
  const world = new TestWorld();
  const { journal } = openJournal(world);
  for (let i = 0; i < lines; i++) say(journal, `old ${i} ${'x'.repeat(100)}`);
  await journal.close();
  return world;
}

function content(world: TestWorld): Uint8Array {
  return (world.files.readFile(JOURNAL_PATH) as Uint8Array).slice();
}

async function goesOnWithNew(world: TestWorld, aside: RegExp): Promise<void> {
  const { journal, problems } = openJournal(world);
  say(journal, 'new');
  await journal.flush();
  // Damage deep in the file is found when it is looked through.
  await expect.poll(() => world.names('/state/core').filter((name) => aside.test(name))).toHaveLength(1);
  say(journal, 'newer');
  await journal.flush();
  expect((await linesOf(journal)).at(-1)).toBe('newer');
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(aside);
  await journal.close();
  expect(await world.sqlite('PRAGMA integrity_check')).toBe('ok');
}

describe('a journal that cannot be used', () => {
  it.each([
    ['text', new TextEncoder().encode('this is no database '.repeat(50))],
    ['a header and nothing more', new TextEncoder().encode('SQLite format 3\0')],
    ['zeros', new Uint8Array(8192)],
  ])('R7-7 a file of %s is set aside, whole, and a new one begun', async (_, bytes) => {
    const world = new TestWorld();
    await world.files.createDirectories('/state/core');
    await world.files.writeFile(JOURNAL_PATH, bytes);
    await goesOnWithNew(world, /journal\.sqlite\.damaged-\d{8}T\d{6}Z/);
    const aside = world.names('/state/core').find((name) => name.includes('.damaged-'))!;
    expect(world.files.readFile(`/state/core/${aside}`)).toEqual(bytes);
  });

  it('R7-7 a page in the middle that is no page is found without a query for it', async () => {
    const world = await worldWithJournal(3000);
    const bytes = content(world);
    bytes.fill(0xaa, 20 * 4096, 21 * 4096);
    await world.files.writeFile(JOURNAL_PATH, bytes);
    await goesOnWithNew(world, /journal\.sqlite\.damaged-/);
  });

  it('R7-7 a file that was cut is set aside', async () => {
    const world = await worldWithJournal(3000);
    await world.files.writeFile(JOURNAL_PATH, content(world).subarray(0, 10 * 4096));
    await goesOnWithNew(world, /journal\.sqlite\.damaged-/);
  });

  it('R7-7 damage that a query meets loses no line that waits', async () => {
    const world = await worldWithJournal(3000);
    const bytes = content(world);
    for (let page = 1; page < bytes.length / 4096; page++) bytes.fill(0xaa, page * 4096, (page + 1) * 4096);
    await world.files.writeFile(JOURNAL_PATH, bytes);
    const { journal } = openJournal(world);
    say(journal, 'waits');
    expect(await linesOf(journal)).toEqual(['waits']);
    await journal.flush();
    expect(await linesOf(journal)).toEqual(['waits']);
    await journal.close();
  });

  it('R7-2 a file with another schema is set aside, not touched', async () => {
    const world = await worldWithJournal(10);
    const bytes = content(world);
    new DataView(bytes.buffer).setUint32(60, 7);
    await world.files.writeFile(JOURNAL_PATH, bytes);
    await goesOnWithNew(world, /journal\.sqlite\.version-7-\d{8}T\d{6}Z/);
    const aside = world.names('/state/core').find((name) => name.includes('.version-7-'))!;
    expect(world.files.readFile(`/state/core/${aside}`)).toEqual(bytes);
  });

  it('R7-1 a file that a process removes is made again, with the lines that wait', async () => {
    const world = await worldWithJournal(10);
    const { journal } = openJournal(world);
    await journal.flush();
    await world.files.removeAll('/state/core');
    say(journal, 'after');
    await journal.flush();
    expect(await linesOf(journal)).toEqual(['after']);
    await journal.close();
    expect(await world.sqlite('SELECT line FROM entry')).toBe('after');
  });

  it('R7-7 a folder where the file should be is set aside', async () => {
    const world = new TestWorld();
    await world.files.createDirectories(JOURNAL_PATH);
    await goesOnWithNew(world, /journal\.sqlite\.damaged-/);
  });
});
