import { describe, expect, it } from 'vitest';
import { SqliteJournal } from '../../../src/core/journal/index.ts';
import { MountedNamespace } from '../../../src/fs/namespace.ts';
import { openStoredWorld } from '../../../src/fs/world/open.ts';
import { FakeStorage } from '../fs/fake-storage.ts';
import { askSqlite, linesOf, loadSqlite, say } from './world.ts';

async function openOn(storage: FakeStorage) {
  const world = await openStoredWorld(storage.directory);
  const files = new MountedNamespace(world);
  const problems: string[] = [];
  const journal = new SqliteJournal({ namespace: files, loadSqlite, onProblem: (problem) => problems.push(problem) });
  return { world, files, journal, problems };
}

describe('the journal on the store of a world', () => {
  it('R7-1 no step of a commit waits, so that it is over within its turn', async () => {
    const { world, files, journal } = await openOn(new FakeStorage());
    await journal.flush();
    let seen = 0;
    let stop = false;
    const look = () => {
      if (files.list(files.resolve(files.root, '/state/core')).length > 1) seen++;
      if (!stop) setImmediate(look);
    };
    look();
    for (let i = 0; i < 3000; i++) say(journal, `${i} ${'x'.repeat(100)}`);
    await journal.flush();
    stop = true;
    expect(seen).toBe(0);
    await journal.close();
    await world.close();
  });

  it('R4-11 a browser killed at any moment leaves the lines up to some transaction, in a file that is whole', async () => {
    let random = 1;
    for (let crashAt = 20; crashAt < 320; crashAt += 29) {
      const storage = new FakeStorage();
      const first = await openOn(storage);
      for (let i = 0; i < 50; i++) say(first.journal, `${i}`);
      await first.journal.flush();
      // From here on, at a step that is chosen by the number, with a last write that may be there in part.
      storage.options = {
        crashAt: storage.steps + crashAt,
        random: () => (random = (random * 48271) % 2147483647) / 2147483647,
      };
      // How many commits that takes depends on what the store writes between them.
      for (let i = 50; i < 15_000 && !storage.crashed; i += 50) {
        for (let k = i; k < i + 50; k++) say(first.journal, `${k} ${'x'.repeat((k * 37) % 900)}`);
        await first.journal.flush();
      }
      expect(storage.crashed).toBe(true);
      await first.journal.close();
      const second = await openOn(storage.reopen('browser'));
      const numbers = (await linesOf(second.journal)).map((line) => Number.parseInt(line, 10));
      expect(numbers.length).toBeGreaterThanOrEqual(50);
      expect(numbers).toEqual(numbers.map((_, i) => i));
      await second.journal.close();
      expect(second.problems).toEqual([]);
      expect(await askSqlite(second.files, 'PRAGMA integrity_check')).toBe('ok');
      await second.world.close();
    }
  });
});
