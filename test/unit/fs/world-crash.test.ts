import { afterEach, describe, expect, it } from 'vitest';
import { FsError } from '../../../src/fs/errors.ts';
import type { Namespace } from '../../../src/fs/filesystem.ts';
import { MountedNamespace } from '../../../src/fs/namespace.ts';
import { openMemoryWorld } from '../../../src/fs/world/memory-world.ts';
import { openStoredWorld } from '../../../src/fs/world/open.ts';
import type { StoredWorld } from '../../../src/fs/world/stored-world.ts';
import { Crash, FakeStorage } from './fake-storage.ts';
import { generator, type Operation, operation, picture, shorten } from './world-model.ts';

const OPTIONS = { handles: 3, checkpointAt: 2048, logLimit: 512 * 1024 };
const OPERATIONS = 60;
/** Times as many runs as usual: `CRASHES=10 npx vitest run test/unit/fs/world-crash.test.ts` looks harder. */
const MORE = Number(process.env.CRASHES ?? 1);

const turns = (count: number): Promise<void> =>
  Array.from({ length: count }).reduce<Promise<void>>(
    (before) => before.then(() => new Promise((resolve) => setImmediate(resolve))),
    Promise.resolve(),
  );

/** The code of the error, or an empty text. A crash, and what comes of it, goes on up. */
async function outcome(run: Operation['run'], world: Namespace, storage?: FakeStorage): Promise<string> {
  try {
    await Promise.race([run(world), ...(storage ? [crashOf(storage)] : [])]);
    if (storage?.crashed) throw new Crash();
    return '';
  } catch (error) {
    if (storage?.crashed) throw new Crash();
    if (error instanceof FsError) return error.code;
    throw error;
  }
}

/** Rejects when the storage has crashed: what waits for it would wait for ever. */
async function crashOf(storage: FakeStorage): Promise<never> {
  await storage.crash;
  throw new Crash();
}

interface Run {
  /** The picture after each operation that returned, the first one before all. */
  pictures: Record<string, string>[];
  /** The pictures with a part, and with the whole, of the operation that was cut. */
  cut: Record<string, string>[];
  large?: string | undefined;
  /** The operation that was synced last. */
  synced: number;
  texts: string[];
}

/** Does operations by chance until the end or the crash, with the background at work in between. */
async function run(storage: FakeStorage, seed: number, largest: number): Promise<Run> {
  const random = generator(seed);
  const model = new MountedNamespace(openMemoryWorld());
  const result: Run = { pictures: [await picture(model)], synced: 0, texts: [], cut: [] };
  let current: Operation | undefined;
  let world: StoredWorld | undefined;
  try {
    world = await Promise.race([openStoredWorld(storage.directory, OPTIONS), crashOf(storage)]);
    const files = new MountedNamespace(world);
    for (let i = 0; i < OPERATIONS; i++) {
      current = operation(random, largest);
      result.texts.push(current.text);
      const got = await outcome(current.run, files, storage);
      expect(got, `${current.text} of ${result.texts.join(', ')}`).toBe(await outcome(current.run, model));
      result.pictures.push(await picture(model));
      current = undefined;
      const background = random();
      if (background < 0.4) world.applier.pump();
      if (background > 0.9) {
        world.sync();
        result.synced = result.pictures.length - 1;
      }
      if (background > 0.4 && background < 0.45) void world.checkpoint().catch(() => {});
      if (background < 0.6) await turns(Math.floor(random() * 6));
      if (storage.crashed) throw new Crash();
    }
    await Promise.race([world.close(), crashOf(storage)]);
  } catch (error) {
    world?.applier.close();
    if (!(error instanceof Crash) && !storage.crashed) throw error;
    if (current) {
      const { makes } = current;
      if (makes) await outcome(async (files) => void (await files.open(files.root, makes, { create: true })), model);
      result.cut.push(await picture(model));
      await outcome(current.run, model);
      result.cut.push(await picture(model));
      result.large = current.large;
    }
  }
  return result;
}

/** The tree of the storage, as `picture` shows it: no links, and a file with several names under the first. */
function stored(storage: FakeStorage): Record<string, string> {
  const tree = storage.tree('files');
  return Object.fromEntries(Object.entries(tree).map(([path, content]) => [path, shorten(content)]));
}

async function expectStored(world: StoredWorld, storage: FakeStorage): Promise<void> {
  await world.settled();
  const shown = stored(storage);
  const expected: Record<string, string> = {};
  for (const node of world.nodes.values()) {
    const path = node.path()?.slice(1);
    if (!path) continue;
    if (node.kind === 'directory') expected[`${path}/`] = '';
    if (node.kind === 'file') {
      const into = new Uint8Array(node.size);
      await world.read(node, 0, into);
      expected[path] = shorten(into);
    }
  }
  expect(shown).toEqual(expected);
}

const withoutContent = (tree: Record<string, string>, path: string | undefined): Record<string, string> =>
  path && path in tree ? { ...tree, [path]: '?' } : tree;

describe('a world after a crash', () => {
  const open: StoredWorld[] = [];
  afterEach(async () => {
    for (const world of open.splice(0)) await world.close();
  });

  async function reopen(storage: FakeStorage): Promise<StoredWorld> {
    const world = await openStoredWorld(storage.directory, OPTIONS);
    open.push(world);
    return world;
  }

  it(
    'R4-11 without a crash the storage shows the same tree, and so does the world opened again',
    async () => {
      for (let seed = 1; seed <= 10 * MORE; seed++) {
        const storage = new FakeStorage();
        const done = await run(storage, seed, 60_000);
        expect(storage.opens).toBe(0);
        const again = storage.reopen('browser');
        const world = await reopen(again);
        expect(world.repairs).toEqual([]);
        expect(await picture(new MountedNamespace(world)), `seed ${seed}`).toEqual(done.pictures.at(-1));
        await expectStored(world, again);
      }
    },
    60_000 * MORE,
  );

  it(
    'R4-11 what returned survives the end of the browser at any step, and nothing else changes',
    async () => {
      for (let seed = 1; seed <= 12 * MORE; seed++) {
        const whole = new FakeStorage();
        await run(whole, seed, 60_000);
        const random = generator(seed * 7919);
        for (let i = 0; i < 6; i++) {
          const crashAt = 1 + Math.floor(random() * whole.steps);
          const storage = new FakeStorage({ crashAt, random });
          const done = await run(storage, seed, 60_000);
          const after = storage.reopen('browser', { random });
          const world = await reopen(after);
          const why = `seed ${seed}, crash at ${crashAt}: ${done.texts.join(', ')}`;
          const shown = await picture(new MountedNamespace(world)).catch((error) => {
            throw new Error(`${why}: ${world.repairs}`, { cause: error });
          });
          const found = withoutContent(shown, done.large);
          const candidates = [done.pictures.at(-1)!, ...done.cut];
          const matches = candidates.map((candidate) => withoutContent(candidate, done.large));
          expect(matches, why).toContainEqual(found);
          await expectStored(world, after).catch((error) => {
            throw new Error(why, { cause: error });
          });
          await world.close();
          const third = await reopen(after.reopen('browser'));
          expect(withoutContent(await picture(new MountedNamespace(third)), done.large), why).toEqual(found);
        }
      }
    },
    60_000 * MORE,
  );

  it(
    'R4-11 what was synced survives a crash of the machine, and no later change is there without an earlier one',
    async () => {
      for (let seed = 100; seed < 100 + 8 * MORE; seed++) {
        const whole = new FakeStorage();
        await run(whole, seed, 3000);
        const random = generator(seed * 104729);
        for (let i = 0; i < 6; i++) {
          const crashAt = 1 + Math.floor(random() * whole.steps);
          const storage = new FakeStorage({ crashAt, random });
          const done = await run(storage, seed, 3000);
          const after = storage.reopen('machine', { random });
          const world = await reopen(after);
          const why = `seed ${seed}, crash at ${crashAt}: ${done.texts.join(', ')}`;
          const candidates = [...done.pictures.slice(done.synced), ...done.cut];
          expect(candidates, why).toContainEqual(await picture(new MountedNamespace(world)));
          await expectStored(world, after).catch((error) => {
            throw new Error(why, { cause: error });
          });
          await world.close();
        }
      }
    },
    60_000 * MORE,
  );
});
