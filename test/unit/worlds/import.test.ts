import { describe, expect, it } from 'vitest';
import { MemoryFileSystem } from '../../../src/fs/memory.ts';
import { MountedNamespace } from '../../../src/fs/namespace.ts';
import { exportWorld, type ImportOptions, importWorld, ZipError } from '../../../src/worlds/zip.ts';
import { makeCrowd, makeZip, type Part } from './archive.ts';
import { contentOf, emptyWorld, textAt, worldOf } from './world.ts';

async function refusal(zip: Blob, options?: ImportOptions): Promise<ZipError> {
  const error = await importWorld(zip, emptyWorld(), options).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(ZipError);
  return error as ZipError;
}

const good: Part = { name: 'state/good.txt', data: 'good' };
const LINK = 0o120777;

describe('import of what others packed', () => {
  it('R1-1 a plain zip becomes a world; folders need no entries of their own', async () => {
    const world = emptyWorld();
    await importWorld(
      makeZip([good, { name: './config/boot.json', data: '[]', method: 0 }, { name: 'e/' }], { comment: 'hi' }),
      world,
    );
    expect(Object.keys(contentOf(world)).sort()).toEqual([
      '/config',
      '/config/boot.json',
      '/e',
      '/state',
      '/state/good.txt',
    ]);
    expect(textAt(world, '/state/good.txt')).toBe('good');
  });

  it('R1-1 one folder around a world is taken away, as in the zips of code hosts', async () => {
    const world = emptyWorld();
    const parts = [
      { name: 'world-main/' },
      { name: 'world-main/state/a', data: 'a' },
      { name: '__MACOSX/._x', data: '' },
    ];
    await importWorld(makeZip(parts), world);
    expect(Object.keys(contentOf(world))).toEqual(['/state', '/state/a']);
  });

  it('R1-1 one folder that is part of a world, or holds none, stays', async () => {
    for (const name of ['plugins/state/plugin.wasm', 'docs/readme.txt']) {
      const world = emptyWorld();
      await importWorld(makeZip([{ name, data: 'x' }]), world);
      expect(textAt(world, `/${name}`)).toBe('x');
    }
  });

  it('R1-1 the empty zip is the empty world, and progress ends at all', async () => {
    await importWorld(makeZip([]), emptyWorld());
    const progress: [number, number][] = [];
    await importWorld(makeZip([good, { name: 'state/b', data: 'bb' }]), emptyWorld(), {
      onProgress: (...step) => progress.push(step),
    });
    expect(progress.at(-1)).toEqual([6, 6]);
  });
});

describe('import refuses, with the entry named', () => {
  it.each<[string, Part, RegExp]>([
    ['a name that leads out', { name: '../evil' }, /leads out/],
    ['a name that leads out farther down', { name: 'state/../../evil' }, /leads out/],
    ['an absolute name', { name: '/etc/passwd' }, /absolute/],
    ['the letter of a drive', { name: 'C:/evil' }, /drive/],
    ['a backslash that leads out', { name: '..\\evil' }, /leads out/],
    ['a backslash at the begin', { name: '\\evil' }, /absolute/],
    ['a backslash of a system where it parts folders', { name: 'a\\b', madeBy: 0 }, /backslash/],
    ['a NUL', { name: 'a\0b' }, /NUL/],
    ['an empty step', { name: 'a//b' }, /empty/],
    ['a step that is a dot', { name: 'a/./b' }, /empty/],
    ['a name that is too long', { name: `state/${'x'.repeat(256)}` }, /longer than 255/],
    ['an entry that is encrypted', { name: 'a', flags: 1 }, /encrypted/],
    ['a way of packing that is not known', { name: 'a', method: 12, data: 'x' }, /method 12/],
    ['a device', { name: 'a', mode: 0o020666 }, /neither a file/],
    ['a checksum that differs', { name: 'a', data: 'x', crc: 1 }, /checksum/],
    ['a size that is too small', { name: 'a', data: 'x'.repeat(1000), size: 10 }, /not as large|damaged/],
    ['a size that is too large', { name: 'a', data: 'x', size: 1000 }, /not as large|damaged/],
    ['content that is garbage', { name: 'a', data: 'no deflate', method: 8, packedSize: 3 }, /damaged|two different/],
    ['another name in front of the data', { name: 'a', localName: 'b', data: 'x' }, /two different/],
    ['a link out of the world', { name: 'state/l', data: '../../etc', mode: LINK }, /leads out/],
    ['an absolute link', { name: 'l', data: '/etc/passwd', mode: LINK }, /leads out/],
    ['an empty link', { name: 'l', data: '', mode: LINK }, /nowhere/],
    ['a link without end', { name: 'l', data: 'x/'.repeat(3000), mode: LINK }, /too long/],
    ['proc at the top (R1-2 4)', { name: 'proc/x' }, /proc/],
    ['run at the top (R1-2 4)', { name: 'run' }, /run/],
    ['self at the top (R1-2 4)', { name: 'self/' }, /self/],
  ])('R1-1 %s', async (_, part, problem) => {
    const error = await refusal(makeZip([good, part]));
    expect(error.entry).toBe(part.name);
    expect(error.message).toMatch(problem);
  });

  it.each<[string, Part[], string]>([
    ['one name twice', [good, good], good.name],
    ['a file and a folder of one name', [good, { name: 'state/good.txt/' }], 'state/good.txt/'],
    ['something in a file', [good, { name: 'state/good.txt/x' }], 'state/good.txt/x'],
    ['something behind a link', [{ name: 'l', data: 'state', mode: LINK }, { name: 'l/x' }], 'l/x'],
    ['proc under a folder that is taken away', [{ name: 'w/state/a' }, { name: 'w/proc/x' }], 'w/proc/x'],
  ])('R1-1 %s', async (_, parts, entry) => {
    expect((await refusal(makeZip(parts))).entry).toBe(entry);
  });

  it('R1-1 10 GB of zeros in 10 KB: said openly, hidden behind a small size, and in shared bytes', async () => {
    const zeros = new Uint8Array(8_000_000);
    const open = makeZip([good, { name: 'bomb', data: zeros, size: 0xfffffff0 }]);
    expect(open.size).toBeLessThan(10_000);
    expect((await refusal(open)).message).toMatch(/^bomb: .*2048 MiB/);
    expect((await refusal(makeZip([{ name: 'bomb', data: zeros, size: 1000 }]))).entry).toBe('bomb');
    const shared = Array.from({ length: 100 }, (_, i) => ({
      name: `bomb${i}`,
      data: zeros,
      localName: 'bomb0',
      sharedWith: 0,
    }));
    delete (shared[0] as Part).sharedWith;
    expect((await refusal(makeZip(shared))).entry).toBe('bomb1');
  });

  it('R1-1 a bomb is stopped at the size that it said, not at its end', async () => {
    const disk = new MemoryFileSystem({ device: 1 });
    const bomb = makeZip([{ name: 'bomb', data: new Uint8Array(50_000_000), size: 100_000 }]);
    await expect(importWorld(bomb, new MountedNamespace(disk))).rejects.toThrow(ZipError);
    expect(disk.used).toBeLessThan(1_000_000);
  });

  it('R1-1 more than is free, before anything is written', async () => {
    const world = emptyWorld();
    await expect(importWorld(makeZip([good, { name: 'b', data: 'xx' }]), world, { available: 5 })).rejects.toThrow(
      /^b: .*free/,
    );
    expect(contentOf(world)).toEqual({});
  });

  it('R4-12 a disk that fills up meanwhile', async () => {
    const world = new MountedNamespace(new MemoryFileSystem({ device: 1, limit: 100_000 }));
    const error = await importWorld(makeZip([good, { name: 'b', data: new Uint8Array(200_000) }]), world).catch(
      (e) => e,
    );
    expect(error).toBeInstanceOf(ZipError);
    expect(error.message).toMatch(/^b: no space is left/);
  });

  it('R1-1 1,000,000 entries, quickly and before anything is written', { timeout: 30_000 }, async () => {
    const zip = makeCrowd(1_000_000);
    const start = performance.now();
    const error = await refusal(zip);
    expect(error.message).toMatch(/more than 100000 entries/);
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it('R1-1 a count that lies', async () => {
    expect((await refusal(makeZip([good, { name: 'b' }], { count: 1 }))).message).toMatch(/damaged/);
    expect((await refusal(makeZip([good], { count: 7 }))).message).toMatch(/damaged/);
  });

  it('R1-1 a zip that is cut anywhere', async () => {
    const zip = await exportWorld(await worldOf({ '/state/a': 'aaaa', '/config/boot.json': '[]' }));
    for (let length = 1; length < zip.size; length++) await refusal(zip.slice(0, length));
  });

  it('R1-1 what is no zip, with a sentence that shows what it is', async () => {
    expect((await refusal(new Blob(['<!DOCTYPE html><title>404</title>']))).message).toBe(
      'this is not a zip archive: it begins with "<!DOCTYPE html><title>404</title>"',
    );
    expect((await refusal(new Blob([]))).message).toBe('this is not a zip archive: it is empty');
    expect((await refusal(new Blob(['PK\x03\x04 and no more']))).message).toMatch(/damaged or cut off/);
  });

  it('R1-1 something before or after the archive: it may be another one', async () => {
    const zip = makeZip([good]);
    await refusal(new Blob([zip, 'x']));
    await refusal(new Blob([makeZip([{ name: 'other', data: 'x' }]), zip]));
  });
});
