import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { MountedNamespace } from '../../../src/fs/namespace.ts';
import { ByteWriter } from '../../../src/fs/world/bytes.ts';
import { beginFrame, endFrame } from '../../../src/fs/world/frames.ts';
import { openStoredWorld } from '../../../src/fs/world/open.ts';
import { writeRecord } from '../../../src/fs/world/records.ts';
import type { StoredWorld } from '../../../src/fs/world/stored-world.ts';
import { FakeStorage } from './fake-storage.ts';
import { picture } from './world-model.ts';

type Picture = Record<string, string>;
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const LOGS = ['log-a', 'log-b'];
const CHECKPOINTS = ['checkpoint-a', 'checkpoint-b'];

/** The storage is up to date, and by its clock later than what the log has. */
async function applied(world: StoredWorld): Promise<void> {
  const now = Date.now();
  await vi.waitUntil(() => Date.now() > now, { interval: 1 });
  await world.settled();
}

/** A world with everything in its log: files, folders, links, replaced and renamed ones; `settled` says what the storage has of it. */
async function killed(settled: boolean): Promise<FakeStorage> {
  const storage = new FakeStorage();
  const world = await openStoredWorld(storage.directory);
  const files = new MountedNamespace(world);
  await files.createDirectories('/d/e');
  for (let i = 0; i < 6; i++) await files.writeFile(`/d/${i}`, encode(String.fromCharCode(65 + i).repeat(100)));
  await world.settled();
  await world.checkpoint();
  await files.writeFile('/early', encode('early'));
  await files.createLink('d/1', files.root, 'link');
  await files.writeFile('/d/0', encode('replaced'));
  const node = await files.open(files.root, 'd/1', { write: true });
  const file = await node.fs.open(node);
  await file.write(0, encode('one'));
  if (settled) await applied(world);
  await file.write(0, encode('THREE'));
  await file.close();
  await files.rename(files.root, 'd/2', files.root, 'd/e/two');
  await files.link(files.root, 'd/3', files.root, 'three');
  await files.writeFile('/large', new Uint8Array(30_000).fill(76));
  await files.createDirectories('/new/inner');
  await files.writeFile('/new/inner/file', encode('inner'));
  if (settled) await applied(world);
  await files.writeFile('/last', encode('last'));
  world.applier.close();
  return storage;
}

/** What there is of content, wherever. */
const contents = (tree: Picture): Set<string> => new Set(Object.values(tree).map((text) => text.replace(/^\d+ /, '')));

const usedBytes = (storage: FakeStorage, name: string): number =>
  storage.bytes(name).findLastIndex((byte) => byte !== 0) + 1;

const newest = (storage: FakeStorage, names: string[]): string =>
  names.toSorted((a, b) => generation(storage, b) - generation(storage, a))[0]!;

function generation(storage: FakeStorage, name: string): number {
  const bytes = storage.bytes(name);
  return bytes.length < 32 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getFloat64(16, true);
}

describe('a world whose store was damaged', () => {
  const open: StoredWorld[] = [];
  afterEach(async () => {
    for (const world of open.splice(0)) await world.close();
  });

  /** The tree at the opening, which is the same later on and at the next opening, without another word. */
  async function found(storage: FakeStorage): Promise<{ tree: Picture; repairs: string[] }> {
    const world = await openStoredWorld(storage.directory);
    const files = new MountedNamespace(world);
    const tree = await picture(files);
    await world.compared();
    await world.settled();
    expect(await picture(files)).toEqual(tree);
    const repairs = [...world.repairs];
    world.applier.close();
    const again = await openStoredWorld(storage.reopen('browser').directory);
    expect(again.repairs).toEqual([]);
    expect(await picture(new MountedNamespace(again))).toEqual(tree);
    again.applier.close();
    return { tree, repairs };
  }

  describe.each([
    ['whose changes are in its log', false],
    ['whose changes are in its files too', true],
  ])('%s', (_, settled) => {
    let whole: FakeStorage;
    let truth: Picture;
    beforeAll(async () => {
      whole = await killed(settled);
      truth = (await found(whole.reopen('browser'))).tree;
    });

    it('loses no more than one content by one changed byte, wherever in log and checkpoint', async () => {
      for (const name of [...LOGS, ...CHECKPOINTS]) {
        const used = usedBytes(whole, name);
        for (let at = 0; at < used; at += 28) {
          const storage = whole.reopen('browser');
          storage.bytes(name)[at]! ^= 1 << (at % 7);
          const why = `${name} at ${at}`;
          const { tree, repairs } = await found(storage);
          const there = contents(tree);
          const lost = [...contents(truth)].filter((content) => !there.has(content));
          expect(lost.length, `${why}: ${lost}`).toBeLessThan(2);
          if (JSON.stringify(tree) !== JSON.stringify(truth)) expect(repairs, why).not.toEqual([]);
        }
      }
    }, 60_000);

    it('finds the records behind bytes that were taken out of the log or put into it', async () => {
      const name = newest(whole, LOGS);
      const used = usedBytes(whole, name);
      for (let at = 40; at < used - 200; at += 101) {
        for (const [out, into] of [
          [7, 0],
          [40, 0],
          [0, 5],
        ] as const) {
          const storage = whole.reopen('browser');
          const bytes = storage.bytes(name);
          storage.setBytes(
            name,
            new Uint8Array([...bytes.subarray(0, at), ...new Uint8Array(into).fill(9), ...bytes.subarray(at + out)]),
          );
          const { tree, repairs } = await found(storage);
          expect(tree['last'], `${out} out of ${at}, ${into} in`).toBe('1 1l1a1s1t');
          expect(repairs[0]).toMatch(/^the log of this world was damaged in/);
        }
      }
    });

    it('has what the storage has of it when the log is missing or cut', async () => {
      const name = newest(whole, LOGS);
      for (const length of [undefined, 20, 500, 900]) {
        const storage = whole.reopen('browser');
        if (length === undefined) storage.remove(name);
        else storage.setBytes(name, storage.bytes(name).slice(0, length));
        const { tree, repairs } = await found(storage);
        expect(repairs).toContainEqual(expect.stringMatching(/log .* (is missing|was cut off)/));
        const there = contents(tree);
        for (const content of ['100E', '100F']) expect(there).toContain(content);
        if (!settled) continue;
        for (const path of ['early', 'large', 'd/0', 'd/1', 'new/inner/file']) {
          expect(there, `${path} after ${length}`).toContain(truth[path]!.slice(2));
        }
      }
    });
  });

  it('keeps pending data of a file whose name is lost, among the lost', async () => {
    const storage = new FakeStorage();
    const world = await openStoredWorld(storage.directory);
    await world.checkpoint();
    const at = usedBytes(storage, newest(storage, LOGS));
    const file = await world.open(await world.createFile(world.root, 'name'));
    await file.write(0, encode('kept'));
    world.applier.close();
    const after = storage.reopen('browser');
    after.bytes(newest(after, LOGS))[at + 12]! ^= 1;
    const { tree, repairs } = await found(after);
    expect(tree).toEqual({ 'lost+found/': '', 'lost+found/2': '1 1k1e1p1t' });
    expect(repairs.at(-1)).toBe('/lost+found/2 is here because the record of its name is lost');
  });

  it('keeps what had reached a file when the record of it is lost', async () => {
    const storage = new FakeStorage();
    const world = await openStoredWorld(storage.directory);
    await world.checkpoint();
    const file = await world.open(await world.createFile(world.root, 'grown'));
    await file.write(0, encode('one'));
    await world.settled();
    const at = usedBytes(storage, newest(storage, LOGS));
    await file.write(3, encode('two'));
    await world.settled();
    await world.createFile(world.root, 'later');
    world.applier.close();
    const after = storage.reopen('browser');
    after.bytes(newest(after, LOGS))[at + 20]! ^= 1;
    expect((await found(after)).tree).toEqual({ grown: '1 1o1n1e1t1w1o', later: '1 ' });
  });

  it('finds the names of a folder whose node is lost by what the storage has in it', async () => {
    const storage = new FakeStorage();
    const world = await openStoredWorld(storage.directory);
    const files = new MountedNamespace(world);
    // A checkpoint has its nodes in frames of 32 KiB: the folder is in the first, most of what is in it is not.
    await files.createDirectories('/folder');
    for (let i = 0; i < 1000; i++) await files.writeFile(`/folder/${i}`, encode(`file ${i}`));
    await world.settled();
    await world.checkpoint();
    await world.checkpoint();
    world.applier.close();
    const after = storage.reopen('browser');
    for (const name of CHECKPOINTS) after.bytes(name)[200]! ^= 1;
    const { tree } = await found(after);
    for (let i = 0; i < 1000; i++) expect(tree[`folder/${i}`]).toMatch(/^1 /);
    expect(Object.keys(tree)).toHaveLength(1001);
  });

  it('R4-11 a page of the log that a crash of the machine left unwritten ends it: nothing later is kept', async () => {
    const storage = new FakeStorage();
    const world = await openStoredWorld(storage.directory);
    const files = new MountedNamespace(world);
    for (let i = 0; i < 40; i++) await files.writeFile(`/${i}`, encode(String(i).repeat(300)));
    world.applier.close();
    const after = storage.reopen('browser');
    after.bytes(newest(after, LOGS)).fill(0, 2 * 4096, 3 * 4096);
    const again = await openStoredWorld(after.directory);
    open.push(again);
    const names = again.list(again.root).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(2);
    expect(names.length).toBeLessThan(40);
    expect(names).toEqual(names.map((_, i) => String(i)));
    expect(again.repairs).toEqual([expect.stringMatching(/ended in the middle of a record/)]);
  });

  it('takes nothing for a record that stands in the data of one that a crash cut', async () => {
    const storage = new FakeStorage();
    const world = await openStoredWorld(storage.directory);
    const writer = new ByteWriter(1024);
    let seed = 7;
    for (const name of ['forged', 'forged too', 'forged as well']) {
      const start = beginFrame(writer, 200);
      writeRecord(writer, { type: 'create', inode: 90 + seed, kind: 'file', directory: 1, name, target: '', time: 1n });
      seed = endFrame(writer, start, seed);
    }
    const file = await world.open(await world.createFile(world.root, 'innocent'));
    await file.write(0, new Uint8Array([...writer.bytes.subarray(0, writer.at), ...new Uint8Array(3000).fill(1)]));
    world.applier.close();
    const after = storage.reopen('browser');
    const log = newest(after, LOGS);
    const bytes = after.bytes(log);
    bytes.fill(0, usedBytes(after, log) - 1000);
    const { tree } = await found(after);
    expect(Object.keys(tree)).toEqual(['innocent']);
  });
});
