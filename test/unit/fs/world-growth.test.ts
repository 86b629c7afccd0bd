/** Large blocks that a program writes one after another: from the second on they have no record of their own in the log. */

import { afterEach, describe, expect, it } from 'vitest';
import type { OpenFile } from '../../../src/fs/filesystem.ts';
import { MountedNamespace } from '../../../src/fs/namespace.ts';
import { openStoredWorld } from '../../../src/fs/world/open.ts';
import type { StoredWorld } from '../../../src/fs/world/stored-world.ts';
import { Crash, FakeStorage } from './fake-storage.ts';
import { shorten } from './world-model.ts';

const LARGE = 17_000;

/** What is done to the file, one after another, and what it holds then. */
interface Step {
  run(file: OpenFile, world: StoredWorld, files: MountedNamespace): unknown;
  after: Uint8Array;
}

/** Blocks at the end and over one another, with everything between that ends a row of them in the log. */
function steps(): Step[] {
  const all: Step[] = [];
  let content: Uint8Array = new Uint8Array(0);
  const put = (offset: number, length: number): void => {
    const data = new Uint8Array(length).fill(65 + (all.length % 26));
    const after = new Uint8Array(Math.max(content.length, offset + length));
    after.set(content);
    after.set(data, offset);
    content = after;
    all.push({ run: (file) => file.write(offset, data), after });
  };
  const same = (run: Step['run']): void => void all.push({ run, after: content });
  const append = (length: number): void => put(content.length, length);
  for (let i = 0; i < 4; i++) append(LARGE);
  append(100);
  for (let i = 0; i < 3; i++) append(LARGE);
  same((_, world) => world.checkpoint());
  for (let i = 0; i < 3; i++) append(LARGE);
  for (let i = 0; i < 3; i++) put(i * 5000, LARGE);
  same((_file, _world, files) => files.setTimes(files.root, 'file', { modified: 1n }));
  for (let i = 0; i < 3; i++) append(LARGE);
  content = content.slice(0, 50_000);
  same((file) => file.setSize(50_000));
  for (let i = 0; i < 3; i++) append(LARGE);
  same((_, world) => world.sync());
  for (let i = 0; i < 3; i++) append(LARGE);
  same(async (_file, world, files) => {
    for (const [from, to] of [
      ['file', 'moved'],
      ['moved', 'file'],
    ] as const) {
      await files.rename(files.root, from, files.root, to);
      await world.settled();
    }
  });
  for (let i = 0; i < 3; i++) append(LARGE);
  // With one handle at most, this takes the one of the file.
  same((_file, _world, files) => files.writeFile('/other', new Uint8Array(LARGE)));
  for (let i = 0; i < 3; i++) append(LARGE);
  return all;
}

describe('large blocks in a row', () => {
  const open = new Set<StoredWorld>();
  afterEach(async () => {
    await Promise.all([...open].map((world) => world.close()));
    open.clear();
  });

  async function opened(storage: FakeStorage): Promise<[StoredWorld, MountedNamespace]> {
    const world = await openStoredWorld(storage.directory, { handles: 1 });
    open.add(world);
    return [world, new MountedNamespace(world)];
  }

  /** Does the steps until the storage stops; answers how many returned. */
  async function run(storage: FakeStorage, all: Step[]): Promise<number> {
    let returned = 0;
    const crash = storage.crash.then(() => {
      throw new Crash();
    });
    crash.catch(() => {});
    let world: StoredWorld | undefined;
    try {
      world = await Promise.race([openStoredWorld(storage.directory, { handles: 1 }), crash]);
      const files = new MountedNamespace(world);
      const node = await files.open(files.root, 'file', { create: true, write: true });
      const file = await node.fs.open(node);
      for (const step of all) {
        await Promise.race([step.run(file, world, files), crash]);
        if (storage.crashed) break;
        returned++;
      }
    } catch (error) {
      if (!storage.crashed) throw error;
    }
    world?.applier.close();
    return returned;
  }

  it('R4-11 what returned is there after a crash at any step, and what follows comes behind it', async () => {
    const all = steps();
    const whole = new FakeStorage();
    expect(await run(whole, all)).toBe(all.length);
    for (let crashAt = 20; crashAt < whole.steps; crashAt++) {
      const storage = new FakeStorage({ crashAt, random: () => (crashAt % 4) / 4 });
      const returned = await run(storage, all);
      if (returned === 0) continue;
      const why = `crash at step ${crashAt}, ${returned} returned`;
      const before = all[returned - 1]!.after;
      const next = all[returned]?.after ?? before;
      const left = storage.reopen('browser');
      const [world, files] = await opened(left);
      const path = files.list(files.root).some(({ name }) => name === 'file') ? 'file' : 'moved';
      const found = await files.readFile(`/${path}`);
      const lengths = [before.length, next.length];
      expect(found.length, why).toBeGreaterThanOrEqual(Math.min(...lengths));
      expect(found.length, why).toBeLessThanOrEqual(Math.max(...lengths));
      const wrong = found.findIndex(
        (byte, i) => byte !== before[i] && byte !== next[i] && !(i >= before.length && byte === 0),
      );
      expect(wrong, `${why}: ${shorten(found)}, not ${shorten(before)}`).toBe(-1);
      const node = files.resolve(files.root, path);
      const file = await node.fs.open(node);
      await file.append(new Uint8Array(10).fill(33));
      world.applier.close();
      open.delete(world);
      const [, again] = await opened(left.reopen('browser'));
      expect(shorten(await again.readFile(`/${path}`)), why).toBe(shorten(found) + shorten('!'.repeat(10)));
    }
  });

  it('R4-10 the time of the last of them is there after a crash', async () => {
    const storage = new FakeStorage();
    const [world, files] = await opened(storage);
    const node = await files.open(files.root, 'file', { create: true, write: true });
    const file = await node.fs.open(node);
    for (let i = 0; i < 3; i++) await file.write(i * LARGE, new Uint8Array(LARGE));
    const late = Date.now() + 10;
    await expect.poll(() => Date.now()).toBeGreaterThanOrEqual(late);
    await file.write(0, new Uint8Array(LARGE));
    world.applier.close();
    open.delete(world);
    const [, after] = await opened(storage.reopen('browser'));
    expect(after.stat(after.resolve(after.root, 'file')).modified).toBeGreaterThanOrEqual(BigInt(late) * 1_000_000n);
  });

  it('they cost the log no more than three records', async () => {
    const [world, files] = await opened(new FakeStorage());
    const node = await files.open(files.root, 'file', { create: true, write: true });
    const file = await node.fs.open(node);
    await file.append(new Uint8Array(LARGE));
    const before = world.usage.log;
    for (let i = 0; i < 100; i++) await file.append(new Uint8Array(LARGE));
    await file.close();
    expect(world.usage.log - before).toBeLessThanOrEqual(2 * 48);
    expect(files.stat(node).size).toBe(101 * LARGE);
  });
});
