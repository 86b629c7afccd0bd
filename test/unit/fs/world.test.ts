import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Node } from '../../../src/fs/filesystem.ts';
import { MountedNamespace } from '../../../src/fs/namespace.ts';
import { openStoredWorld } from '../../../src/fs/world/open.ts';
import type { StoredWorld } from '../../../src/fs/world/stored-world.ts';
import type { WorldOptions } from '../../../src/fs/world/world.ts';
import { codeOf } from '../../contract/filesystem.ts';
import { FakeStorage } from './fake-storage.ts';
import { picture, shorten } from './world-model.ts';

const encode = (value: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(value);
const letters = (letter: string, count: number): Uint8Array => encode(letter.repeat(count));

describe('a world in a storage', () => {
  const opened = new Set<StoredWorld>();
  afterEach(async () => {
    await Promise.all([...opened].map((world) => world.close()));
    opened.clear();
  });

  async function open(storage: FakeStorage, options: WorldOptions = {}): Promise<[StoredWorld, MountedNamespace]> {
    const world = await openStoredWorld(storage.directory, options);
    opened.add(world);
    return [world, new MountedNamespace(world)];
  }

  async function close(world: StoredWorld): Promise<void> {
    opened.delete(world);
    await world.close();
  }

  /** Leaves the world as a killed browser does, and opens what is there. */
  async function crash(
    world: StoredWorld,
    storage: FakeStorage,
    kind: 'browser' | 'machine' = 'browser',
  ): Promise<FakeStorage> {
    world.applier.close();
    opened.delete(world);
    return storage.reopen(kind, storage.options);
  }

  const text = async (files: MountedNamespace, path: string): Promise<string> => shorten(await files.readFile(path));

  describe('what the storage shows', () => {
    it('R1-5 a file is one file there, under its own name, and nothing of ours is in the folder', async () => {
      const storage = new FakeStorage();
      const [world, files] = await open(storage);
      await files.createDirectories('/plugins/notes');
      await files.writeFile('/plugins/notes/plugin.wasm', letters('w', 30_000));
      await files.writeFile('/empty', encode(''));
      await files.createLink('plugins', files.root, 'link');
      await world.settled();
      expect(Object.keys(storage.tree('files')).sort()).toEqual([
        'empty',
        'plugins/',
        'plugins/notes/',
        'plugins/notes/plugin.wasm',
      ]);
      expect([...storage.root.keys()].sort()).toEqual([
        'checkpoint-a',
        'checkpoint-b',
        'files',
        'log-a',
        'log-b',
        'orphans',
      ]);
    });

    it('R1-5 names that the storage refuses or folds are escaped there, and come back', async () => {
      for (const folds of [false, true]) {
        const storage = new FakeStorage({ folds });
        const [world, files] = await open(storage);
        for (const name of ['a\\b', 'A', 'a', 'Ä', '%5C']) await files.writeFile(`/${name}`, encode(name));
        await close(world);
        const shown = Object.keys(storage.tree('files'));
        expect(shown).toContain('a%5Cb');
        expect(shown).toContain(folds ? '%255%43' : '%255C');
        expect(shown).toContain(folds ? '%41' : 'A');
        const [, again] = await open(storage);
        expect(new TextDecoder().decode(await again.readFile('/A'))).toBe('A');
        expect(new TextDecoder().decode(await again.readFile('/a'))).toBe('a');
      }
    });

    it('R4-10 a file with two names is there under the older, and under the other when that goes', async () => {
      const storage = new FakeStorage();
      const [world, files] = await open(storage);
      await files.writeFile('/one', letters('x', 10));
      await files.link(files.root, 'one', files.root, 'two');
      await world.settled();
      expect(Object.keys(storage.tree('files'))).toEqual(['one']);
      await files.unlink(files.root, 'one');
      await world.settled();
      expect(storage.tree('files')).toEqual({ two: 'xxxxxxxxxx' });
    });

    it('R4-10 a removed file that is open is an orphan in the storage, and goes with its last close', async () => {
      const storage = new FakeStorage();
      const [world, files] = await open(storage);
      await files.writeFile('/f', letters('x', 30_000));
      await world.settled();
      const node = files.resolve(files.root, 'f');
      const file = await node.fs.open(node);
      await files.unlink(files.root, 'f');
      await world.settled();
      expect(storage.tree('files')).toEqual({});
      expect(Object.keys(storage.tree('orphans'))).toHaveLength(1);
      const into = new Uint8Array(3);
      expect(await file.read(0, into)).toBe(3);
      expect(shorten(into)).toBe('3x');
      await file.close();
      await world.settled();
      expect(storage.tree('orphans')).toEqual({});
    });

    it('R1-5 a file takes the name of a folder that was renamed, after a crash at any step of that', async () => {
      /** Answers whether the storage stopped. */
      const replace = async (storage: FakeStorage): Promise<boolean> => {
        const work = async (): Promise<void> => {
          const world = await openStoredWorld(storage.directory);
          opened.add(world);
          const files = new MountedNamespace(world);
          await files.rename(files.root, 'd', files.root, 'c');
          await world.settled();
          await files.writeFile('/d', letters('d', 10));
          await world.settled();
        };
        await Promise.race([work(), storage.crash]);
        for (const world of opened) world.applier.close();
        opened.clear();
        return storage.crashed;
      };
      const start = new FakeStorage();
      const [before, there] = await open(start);
      await there.createDirectories('/d/inner');
      await there.writeFile('/d/inner/f', letters('x', 20));
      await there.writeFile('/d/g', letters('y', 20));
      await close(before);
      for (let crashAt = 1; ; crashAt++) {
        for (const done of [0, 1]) {
          const storage = start.reopen('browser', { crashAt, random: () => done });
          if (!(await replace(storage))) return;
          const after = storage.reopen('browser');
          const [world, files] = await open(after);
          if (!files.list(files.root).some(({ name }) => name === 'c'))
            await files.rename(files.root, 'd', files.root, 'c');
          await files.writeFile('/d', letters('d', 10));
          await world.settled();
          expect(after.tree('files'), `crash at ${crashAt}`).toEqual({
            'c/': '',
            'c/inner/': '',
            'c/inner/f': 'x'.repeat(20),
            'c/g': 'y'.repeat(20),
            d: 'd'.repeat(10),
          });
          await close(world);
        }
      }
    }, 60_000);

    it('R4-11 an orphan that a crash left behind is removed at the next opening', async () => {
      const storage = new FakeStorage();
      const [world, files] = await open(storage);
      await files.writeFile('/f', letters('x', 30_000));
      await world.settled();
      const node = files.resolve(files.root, 'f');
      await node.fs.open(node);
      await files.unlink(files.root, 'f');
      await world.settled();
      const after = await crash(world, storage);
      const [again] = await open(after);
      await again.settled();
      expect(after.tree('orphans')).toEqual({});
    });

    it('R4-3 what writeFile had not finished is removed at the next opening', async () => {
      const storage = new FakeStorage();
      const [world, files] = await open(storage);
      await files.writeFile('/f', encode('old'));
      await world.createFile(world.root, '.sausage-unfinished-0');
      const [again, after] = await open(await crash(world, storage));
      expect(await picture(after)).toEqual({ f: '1 1o1l1d' });
      expect(again.repairs).toEqual([]);
    });

    it('at most so many handles are open as the options say', async () => {
      const storage = new FakeStorage();
      const [world, files] = await open(storage, { handles: 4 });
      const ours = 4;
      const kept: Node[] = [];
      for (let i = 0; i < 20; i++) {
        await files.writeFile(`/${i}`, letters('x', 20_000 + i));
        kept.push(files.resolve(files.root, String(i)));
        expect(storage.opens).toBeLessThanOrEqual(ours + 4 + 16);
      }
      await world.settled();
      const files20 = await Promise.all(kept.map((node) => node.fs.open(node)));
      for (const file of files20) {
        const into = new Uint8Array(1);
        await file.read(0, into);
        expect(into[0]).toBe(120);
        expect(storage.opens).toBeLessThanOrEqual(ours + 4);
      }
      for (const file of files20) await file.close();
    });

    it('R4-10 several readers of a file that is not at hand all get its content', async () => {
      const storage = new FakeStorage();
      const [world, files] = await open(storage);
      await files.writeFile('/f', encode('milk'));
      await world.close();
      const [, again] = await open(storage);
      const node = again.resolve(again.root, 'f');
      const readers = await Promise.all(Array.from({ length: 5 }, () => node.fs.open(node)));
      const counts = await Promise.all(readers.map((file) => file.read(0, new Uint8Array(10))));
      expect(counts).toEqual([4, 4, 4, 4, 4]);
    });
  });

  describe('log and checkpoint', () => {
    it('R4-10 times, links and inodes survive a reload, from the log and from a checkpoint', async () => {
      const closed = async (world: StoredWorld, storage: FakeStorage): Promise<FakeStorage> => {
        await close(world);
        return storage;
      };
      for (const end of [crash, closed]) {
        const storage = new FakeStorage();
        const [world, files] = await open(storage);
        await files.createDirectories('/d');
        await files.writeFile('/d/f', letters('x', 100));
        await files.link(files.root, 'd/f', files.root, 'g');
        await files.createLink('../g', files.root, 'd/l');
        for (const path of ['d/f', 'd/l', 'd']) {
          await files.setTimes(
            files.root,
            path,
            { accessed: 3n, modified: 1_700_000_000_123_456_789n },
            { follow: false },
          );
        }
        const stats = (from: MountedNamespace) =>
          ['', 'd', 'd/f', 'd/l', 'g'].map((path) => from.stat(from.resolve(from.root, `/${path}`, { follow: false })));
        const before = stats(files);
        const [, after] = await open(await end(world, storage));
        expect(stats(after)).toEqual(before);
        const used = before.map(({ inode }) => inode);
        expect(used).not.toContain((await after.open(after.root, 'new', { create: true })).inode);
      }
    });

    it('R4-11 a file that was replaced while a checkpoint was made is no damage after a crash', async () => {
      const storage = new FakeStorage();
      const [world, files] = await open(storage);
      await files.writeFile('/kept', letters('a', 20_000));
      await world.settled();
      await files.writeFile('/kept', letters('b', 20_000));
      await world.checkpoint();
      const after = await crash(world, storage);
      const [again, there] = await open(after);
      expect(again.repairs).toEqual([]);
      expect(await text(there, '/kept')).toBe(shorten(letters('b', 20_000)));
    });

    it('R4-11 a large file that is replaced again and again is whole after a crash at any step', async () => {
      /** Always by the same second name, so that the storage has to make room there. */
      const once = async (files: MountedNamespace, number: number): Promise<void> => {
        const node = await files.open(files.root, 'last.new', { create: true, truncate: true, write: true });
        const file = await node.fs.open(node);
        await file.write(0, letters(String(number), 20_000));
        await file.close();
        await files.rename(files.root, 'last.new', files.root, 'last');
      };
      /** Replaces until the storage stops; answers how many replacements returned. */
      const replace = async (storage: FakeStorage): Promise<number> => {
        let returned = 0;
        const world = await openStoredWorld(storage.directory);
        const files = new MountedNamespace(world);
        try {
          for (; returned < 6; returned++) {
            await Promise.race([
              once(files, returned),
              vi.waitUntil(() => storage.crashed, { timeout: 1000, interval: 1 }),
            ]);
            if (storage.crashed) break;
            // Half of them are moved by the storage between, the others catch up with one another.
            if (returned % 2) await new Promise((resolve) => setTimeout(resolve, 30));
          }
        } catch {
          // What was under way when the storage stopped.
        }
        world.applier.close();
        return returned;
      };
      for (let crashAt = 30; crashAt < 130; crashAt++) {
        const storage = new FakeStorage({ crashAt, random: () => crashAt % 2 });
        const returned = await replace(storage);
        const [world, files] = await open(storage.reopen('browser'));
        if (returned > 0) {
          const found = await text(files, '/last');
          const whole = [returned - 1, returned].map((number) => shorten(letters(String(number), 20_000)));
          expect(whole, `crash at step ${crashAt}`).toContain(found);
          await world.settled();
          expect(whole).toContain(await text(files, '/last'));
          expect(world.repairs.filter((repair) => !repair.startsWith('the log'))).toEqual([]);
        }
        await close(world);
      }
    });

    it('R4-11 a log that grows is cut by checkpoints, and writers wait only while there is no room', async () => {
      const storage = new FakeStorage();
      const [world, files] = await open(storage, { checkpointAt: 16 * 1024, logLimit: 64 * 1024 });
      for (let i = 0; i < 400; i++) {
        await files.writeFile(`/${i % 10}`, letters('x', 1000 + i));
        expect(world.usage.log).toBeLessThan(33 * 1024 + 2048);
      }
      const [, after] = await open(await crash(world, storage));
      for (let i = 390; i < 400; i++) expect(await text(after, `/${i % 10}`)).toBe(`${1000 + i}x`);
    });

    it('R4-11 an old small write is never put over a newer large one', async () => {
      const storage = new FakeStorage();
      const [world, files] = await open(storage);
      const node = await files.open(files.root, 'f', { create: true });
      const file = await node.fs.open(node);
      await file.write(0, letters('s', 1000));
      await file.write(0, letters('L', 20_000));
      await file.write(10, letters('t', 5));
      await file.write(30_000, letters('M', 20_000));
      const [, after] = await open(await crash(world, storage));
      expect(await text(after, '/f')).toBe('10L5t19985L10000020000M');
    });

    it('R4-11 a large file that was renamed over another is whole after a crash of the machine', async () => {
      const storage = new FakeStorage();
      const [world, files] = await open(storage);
      await files.writeFile('/f', letters('o', 30_000));
      world.sync();
      await files.writeFile('/f', letters('n', 40_000));
      const [, after] = await open(await crash(world, storage, 'machine'));
      expect(['30000o', '40000n']).toContain(await text(after, '/f'));
    });

    it('R4-11 several operations in a group are in the log when the group returns', async () => {
      const storage = new FakeStorage();
      const [world] = await open(storage);
      await world.createFile(world.root, 'first');
      const before = storage.steps;
      world.group(() => {
        for (let i = 0; i < 50; i++) world.createFile(world.root, String(i));
      });
      expect(storage.steps - before).toBe(1);
      const [again] = await open(await crash(world, storage));
      expect(again.list(again.root)).toHaveLength(51);
    });

    it('R4-11 small data is read from the log before it is in the storage, without a wait', async () => {
      const storage = new FakeStorage();
      const [world, files] = await open(storage);
      await files.writeFile('/f', letters('x', 5000));
      const [, after] = await open(await crash(world, storage));
      const bytes = after.readFile('/f');
      expect(bytes).not.toBeInstanceOf(Promise);
    });

    it('R4-11 operations that need no wait return at once', async () => {
      const [world] = await open(new FakeStorage());
      const node = world.createFile(world.root, 'f');
      expect(node).not.toBeInstanceOf(Promise);
      const file = world.open(node as Node);
      expect(file).not.toBeInstanceOf(Promise);
      if (file instanceof Promise) return;
      expect(file.write(0, letters('x', 1024))).toBeUndefined();
      expect(file.read(0, new Uint8Array(10))).toBe(10);
      expect(file.close()).toBeUndefined();
    });
  });

  describe('a full disk', () => {
    it('R4-12 writes fail with insufficient-space, nothing there is damaged, and removing frees space', async () => {
      const storage = new FakeStorage();
      const [world, files] = await open(storage);
      await files.writeFile('/kept', letters('k', 100_000));
      await world.settled();
      await files.writeFile('/ballast', letters('b', 800_000));
      await world.settled();
      storage.options.capacity = storage.used + 1000;
      expect(await codeOf(() => files.writeFile('/large', letters('L', 50_000)))).toBe('insufficient-space');
      const node = files.resolve(files.root, '/kept');
      const file = await node.fs.open(node);
      expect(await codeOf(() => file.write(90_000, letters('z', 50_000)))).toBe('insufficient-space');
      expect(files.stat(node).size).toBe(100_000);
      await file.close();
      const fill = async (): Promise<void> => {
        for (let i = 0; i < 10_000; i++) await files.writeFile(`/small-${i}`, letters('s', 10_000));
      };
      expect(await codeOf(fill)).toBe('insufficient-space');
      await files.unlink(files.root, 'ballast');
      await vi.waitFor(() => world.settled(), { timeout: 10_000 });
      await files.writeFile('/after', letters('a', 50_000));
      const again = await crash(world, storage);
      const [, after] = await open(again);
      expect(await text(after, '/kept')).toMatch(/^90000k.*/);
      expect(await text(after, '/after')).toBe('50000a');
      expect(files.list(files.root).map((entry) => entry.name)).not.toContain('large');
    }, 30_000);

    it('R4-12 what is removed makes room at once, however much waits for room', async () => {
      const storage = new FakeStorage();
      const [world, files] = await open(storage);
      await files.writeFile('/ballast', letters('b', 4_000_000));
      await files.writeFile('/cut', letters('c', 1_000_000));
      await world.settled();
      storage.options.capacity = storage.used + 2_500_000;
      for (let i = 0; i < 200; i++) await files.writeFile(`/small-${i}`, letters('s', 10_000));
      await expect(world.settled()).rejects.toMatchObject({ code: 'insufficient-space' });
      const full = storage.used;
      await files.unlink(files.root, 'ballast');
      const node = files.resolve(files.root, 'cut');
      const file = await node.fs.open(node);
      await file.setSize(10);
      await file.close();
      // What failed is tried again once a second, sixteen at a time: behind all of it this would take twelve seconds.
      await vi.waitFor(() => expect(storage.used).toBeLessThan(full - 2_000_000), { timeout: 3000 });
      await vi.waitFor(() => world.settled(), { timeout: 3000 });
      expect(await text(files, '/small-199')).toBe('10000s');
    }, 30_000);
  });

  describe('damage', () => {
    async function filled(): Promise<FakeStorage> {
      const storage = new FakeStorage();
      const [world, files] = await open(storage);
      await files.createDirectories('/d');
      for (let i = 0; i < 20; i++) await files.writeFile(`/d/${i}`, letters(String.fromCharCode(65 + i), 100 + i));
      await world.settled();
      await world.checkpoint();
      await files.writeFile('/last', encode('last'));
      return crash(world, storage);
    }

    it('R4-11 a torn tail of the log is cut, with a sentence', async () => {
      const storage = await filled();
      const log = ['log-a', 'log-b'].find((name) => shorten(storage.bytes(name)).includes('1l1a1s1t'))!;
      const bytes = storage.bytes(log);
      const at = bytes.findLastIndex((byte) => byte !== 0);
      bytes[at] = bytes[at]! ^ 1;
      const [world, files] = await open(storage);
      expect(world.repairs).toEqual([expect.stringMatching(/^the log of this world ended in the middle of a record/)]);
      expect(await text(files, '/d/19')).toBe('119T');
    });

    it('a damaged checkpoint is replaced by the one before and the log', async () => {
      const storage = await filled();
      const size = (name: string): number => storage.bytes(name).length;
      const newest = size('checkpoint-a') > size('checkpoint-b') ? 'checkpoint-a' : 'checkpoint-b';
      const bytes = storage.bytes(newest);
      bytes[bytes.length - 100] = bytes[bytes.length - 100]! ^ 1;
      const [world, files] = await open(storage);
      expect(await text(files, '/d/7')).toBe('107H');
      expect(await text(files, '/last')).toBe('1l1a1s1t');
      expect(files.list(files.resolve(files.root, 'd'))).toHaveLength(20);
      await close(world);
    });

    it('without any checkpoint and log the tree is made from the folder', async () => {
      const storage = await filled();
      const [world] = await open(storage);
      await close(world);
      for (const name of ['checkpoint-a', 'checkpoint-b', 'log-a', 'log-b'])
        storage.setBytes(name, letters('?', 500).slice() as Uint8Array<ArrayBuffer>);
      const [again, files] = await open(storage);
      expect(await text(files, '/d/7')).toBe('107H');
      expect(await text(files, '/last')).toBe('1l1a1s1t');
      expect(again.repairs.length).toBeGreaterThan(4);
      const [third] = await open(await crash(again, storage));
      expect(third.repairs).toEqual([]);
    });

    it('a damaged checkpoint alone loses nothing that is whole', async () => {
      const storage = new FakeStorage();
      const [world, files] = await open(storage);
      for (let round = 0; round < 4; round++) {
        await files.writeFile(`/f${round}`, letters('x', 50 + round));
        await world.settled();
        await world.checkpoint();
      }
      await files.writeFile('/last', encode('last'));
      const after = await crash(world, storage);
      for (const name of ['checkpoint-a', 'checkpoint-b']) after.bytes(name)[40] = after.bytes(name)[40]! ^ 1;
      const [again, found] = await open(after);
      expect(Object.keys(await picture(found))).toEqual(expect.arrayContaining(['f0', 'f1', 'f2', 'f3']));
      expect(await text(found, '/f3')).toBe('53x');
      expect(again.repairs.length).toBeGreaterThan(0);
    });

    it('files of a newer version are refused with a sentence', async () => {
      const storage = await filled();
      const { xxHash32 } = await import('../../../src/fs/world/checksum.ts');
      for (const name of ['checkpoint-a', 'checkpoint-b', 'log-a', 'log-b']) {
        const bytes = storage.bytes(name);
        if (bytes.length === 0) continue;
        const words = new Uint32Array(bytes.buffer, 0, 8);
        words[3] = 99;
        words[7] = xxHash32(words, 0, 7, 0);
      }
      await expect(open(storage)).rejects.toMatchObject({
        code: 'unsupported',
        message: expect.stringContaining('reload the page'),
      });
      expect(storage.opens).toBe(0);
    });
  });

  describe('changes from outside', () => {
    it('R10-8 files that were put there, removed or cut are noticed after the next opening', async () => {
      const storage = new FakeStorage();
      const [world, files] = await open(storage);
      await files.createDirectories('/d/e');
      await files.writeFile('/d/e/gone', letters('x', 10));
      await files.writeFile('/gone', letters('x', 10));
      await files.writeFile('/shorter', letters('x', 10));
      await files.writeFile('/kept', letters('x', 10));
      await close(world);
      storage.remove('files/gone');
      storage.remove('files/d');
      storage.setBytes('files/shorter', encode('xxx'));
      storage.makeDirectory('files/new');
      storage.setBytes('files/new/file', encode('hello'));
      const [again, after] = await open(storage);
      await again.compared();
      expect(await picture(after)).toEqual({ kept: '1 10x', 'new/': '', 'new/file': '1 1h1e2l1o', shorter: '1 3x' });
      expect([...again.repairs].sort()).toEqual([
        '/d was removed from outside of the world: it is gone',
        '/gone was removed from outside of the world: it is gone',
        '/new was put into the world from outside',
        '/new/file was put into the world from outside',
        '/shorter was changed from outside of the world: it has 3 bytes, not 10',
      ]);
      const [third, kept] = await open(await crash(again, storage));
      expect(await picture(kept)).toEqual(await picture(after));
      await third.compared();
      expect(third.repairs).toEqual([]);
    });
  });

  it('an empty folder that was put where a file is to be goes', async () => {
    const storage = new FakeStorage();
    const [world, files] = await open(storage);
    storage.makeDirectory('files/f');
    await files.writeFile('/f', letters('f', 10));
    await world.settled();
    expect(storage.tree('files')).toEqual({ f: 'f'.repeat(10) });
  });

  it.each([
    ['made', 'the first time'],
    ['moved', 'by a rename'],
  ])(
    'a folder of another tool that is where a file is to be stays, and the file goes on beside it: %s',
    async (way) => {
      const storage = new FakeStorage();
      const [world, files] = await open(storage);
      if (way === 'moved') {
        await files.writeFile('/before', letters('f', 20_000));
        await world.settled();
      }
      storage.makeDirectory('files/f');
      storage.setBytes('files/f/theirs', encode('kept'));
      if (way === 'moved') await files.rename(files.root, 'before', files.root, 'f');
      else await files.writeFile('/f', letters('f', 20));
      await world.settled();
      const length = way === 'moved' ? 20_000 : 20;
      const name = files.list(files.root)[0]!.name;
      expect(name).toMatch(/^displaced-\d+$/);
      expect(storage.tree('files')).toEqual({ 'f/': '', 'f/theirs': 'kept', [name]: 'f'.repeat(length) });
      expect(world.repairs).toEqual([`/f is now /${name}: a folder with the name f was put there from outside`]);
      // Nothing waits for ever: a checkpoint gets done, and the next opening has both.
      await world.checkpoint();
      const [again, after] = await open(await crash(world, storage));
      await again.compared();
      expect(await picture(after)).toEqual({ 'f/': '', 'f/theirs': '1 1k1e1p1t', [name]: `1 ${length}f` });
    },
  );

  it('R4-10 what cannot be in a world stays outside, with a sentence, and keeps nothing else from joining', async () => {
    const storage = new FakeStorage();
    const [world] = await open(storage);
    await close(world);
    let path = 'files';
    for (let i = 0; i < 20; i++) storage.makeDirectory((path += `/${'d'.repeat(240)}`));
    storage.setBytes(`${path}/f`, encode('deep'));
    storage.setBytes(`files/${'n'.repeat(300)}`, encode('long'));
    storage.setBytes('files/z', encode('kept'));
    const [again, files] = await open(storage);
    await again.compared();
    expect(new TextDecoder().decode(await files.readFile('/z'))).toBe('kept');
    const refused = again.repairs.filter((repair) => repair.includes('cannot be in a world'));
    expect(refused).toHaveLength(2);
    expect(storage.bytes(`${path}/f`)).toHaveLength(4);
  });

  it('R4-10 a world with the deepest tree that can be made opens again', async () => {
    const storage = new FakeStorage();
    const [world, files] = await open(storage);
    let folder: Node = world.root;
    const make = async (): Promise<void> => {
      for (;;) folder = await world.createDirectory(folder, 'd'.repeat(250));
    };
    expect(await codeOf(make)).toBe('name-too-long');
    const file = (await await world.open(await world.createFile(folder, 'f'))) as Awaited<
      ReturnType<typeof world.open>
    >;
    await file.write(0, letters('x', 20_000));
    await file.close();
    await world.settled();
    await world.checkpoint();
    const [again, after] = await open(await crash(world, storage));
    expect(again.repairs).toEqual([]);
    expect(await picture(after)).toEqual(await picture(files));
  });

  describe('events', () => {
    it('R10-8 close comes when the last open that wrote has ended', async () => {
      const [world, files] = await open(new FakeStorage());
      const changes: string[] = [];
      const end = world.onChange(({ kind, path }) => changes.push(`${kind} ${path}`));
      const node = await files.open(files.root, 'f', { create: true, truncate: true });
      const [a, b, reader] = [await node.fs.open(node), await node.fs.open(node), await node.fs.open(node)];
      await Promise.resolve();
      a.write(0, encode('1'));
      b.write(1, encode('2'));
      a.close();
      expect(world.isBeingWritten(node)).toBe(true);
      await Promise.resolve();
      expect(changes).toEqual(['create /f', 'write /f']);
      await b.close();
      await reader.close();
      expect(world.isBeingWritten(node)).toBe(false);
      await Promise.resolve();
      expect(changes).toEqual(['create /f', 'write /f', 'close /f']);
      changes.length = 0;
      await files.createDirectories('/d');
      await files.rename(files.root, 'f', files.root, 'd/g');
      await files.removeAll('/d');
      await Promise.resolve();
      expect(changes).toEqual(['create /d', 'remove /f', 'create /d/g', 'remove /d/g', 'remove /d']);
      end();
      await files.createDirectories('/x');
      await Promise.resolve();
      expect(changes).toHaveLength(5);
    });

    it('R10-8 an open that cuts a file tells no close before its opener has ended', async () => {
      const [world, files] = await open(new FakeStorage());
      await files.writeFile('/plugin', encode('old'));
      const changes: string[] = [];
      world.onChange(({ kind, path }) => changes.push(`${kind} ${path}`));
      const node = await files.open(files.root, 'plugin', { truncate: true, write: true });
      const file = await node.fs.open(node);
      await Promise.resolve();
      expect(changes).toEqual(['write /plugin']);
      await file.close();
      await Promise.resolve();
      expect(changes).toEqual(['write /plugin', 'close /plugin']);
    });
  });
});
