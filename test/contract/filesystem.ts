import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ErrorCode, FsError } from '../../src/fs/errors.ts';
import type { FileSystem, Node } from '../../src/fs/filesystem.ts';

/** What a file system under test needs beside itself. */
export interface Subject {
  fs: FileSystem;
  /** Opens the same files anew, where they outlast the object. */
  reopen?(): Promise<FileSystem>;
  close?(): Promise<void>;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The code of the error that `work` throws, at once or later. */
export async function codeOf(work: () => unknown): Promise<ErrorCode | 'no error'> {
  try {
    await work();
    return 'no error';
  } catch (error) {
    if (error instanceof FsError) return error.code;
    throw error;
  }
}

/** What every file system that can be written promises, whatever it keeps its bytes in. */
export function fileSystemContract(name: string, make: () => Promise<Subject>): void {
  describe(`contract of a file system: ${name}`, () => {
    let subject: Subject;
    let fs: FileSystem;
    let root: Node;

    beforeEach(async () => {
      subject = await make();
      fs = subject.fs;
      root = fs.root;
    });
    afterEach(() => subject.close?.());

    async function put(directory: Node, file: string, text: string | Uint8Array): Promise<Node> {
      const node = fs.lookup(directory, file) ?? (await fs.createFile(directory, file));
      const open = await fs.open(node);
      await open.setSize(0);
      await open.write(0, typeof text === 'string' ? bytes(text) : text);
      await open.close();
      return node;
    }

    async function get(node: Node): Promise<string> {
      const open = await fs.open(node);
      const into = new Uint8Array(fs.stat(node).size + 10);
      const length = await open.read(0, into);
      await open.close();
      return new TextDecoder().decode(into.subarray(0, length));
    }

    const names = (directory: Node): string[] =>
      fs
        .list(directory)
        .map((entry) => entry.name)
        .filter((entry) => entry !== 'info.json' && entry !== 'log')
        .sort();

    describe('names', () => {
      it('R4-10 a name leads to the same node each time, and to no other', async () => {
        const a = await fs.createFile(root, 'a');
        const b = await fs.createFile(root, 'b');
        expect(fs.lookup(root, 'a')).toBe(a);
        expect(a).not.toBe(b);
        expect(a.inode).not.toBe(b.inode);
        expect(fs.lookup(root, 'c')).toBeUndefined();
      });

      it('R4-10 an inode is not used again after its node was removed', async () => {
        const first = (await fs.createFile(root, 'a')).inode;
        await fs.unlink(root, 'a');
        expect((await fs.createFile(root, 'a')).inode).not.toBe(first);
      });

      it('R4-10 a taken name cannot be made again, as whatever', async () => {
        await fs.createFile(root, 'a');
        expect(await codeOf(() => fs.createFile(root, 'a'))).toBe('exist');
        expect(await codeOf(() => fs.createDirectory(root, 'a'))).toBe('exist');
        expect(await codeOf(() => fs.createLink(root, 'a', 'b'))).toBe('exist');
      });

      it('R4-10 names keep spaces, Unicode, backslashes, percent signs and 255 bytes unchanged', async () => {
        const long = 'ä'.repeat(127);
        const all = [
          'a b',
          'Ä',
          'A\u0308',
          '日本語',
          '🎉',
          'back\\slash',
          '%5C',
          '100%',
          '...',
          'A',
          'a',
          long,
          'x'.repeat(255),
        ];
        for (const entry of all) await put(root, entry, entry);
        await subject.reopen?.();
        expect(names(root)).toEqual([...all].sort());
        for (const entry of all) expect(await get(fs.lookup(root, entry)!)).toBe(entry);
      });

      it('R4-10 a name over 255 bytes is too long', async () => {
        expect(await codeOf(() => fs.createFile(root, 'ä'.repeat(128)))).toBe('name-too-long');
      });

      it('R4-10 a path of 4096 bytes is the longest, however a node comes to it', async () => {
        let folder = root;
        for (let i = 0; i < 15; i++) folder = await fs.createDirectory(folder, String.fromCharCode(97 + i).repeat(255));
        expect(await codeOf(() => fs.createFile(folder, 'x'.repeat(256)))).toBe('name-too-long');
        const last = await fs.createDirectory(folder, 'l'.repeat(253));
        const file = await fs.createFile(last, 'f');
        expect(await codeOf(() => fs.createFile(last, 'ff'))).toBe('name-too-long');
        expect(await codeOf(() => fs.createDirectory(last, 'ff'))).toBe('name-too-long');
        expect(await codeOf(() => fs.createLink(last, 'ff', 'x'))).toBe('name-too-long');
        expect(await codeOf(() => fs.link(file, last, 'ff'))).toBe('name-too-long');
        expect(await codeOf(() => fs.rename(last, 'f', last, 'ff'))).toBe('name-too-long');
        expect(await codeOf(() => fs.rename(folder, 'l'.repeat(253), folder, 'm'.repeat(254)))).toBe('name-too-long');
        await fs.rename(folder, 'l'.repeat(253), folder, 'm'.repeat(253));
        const short = await fs.createDirectory(root, 'short');
        expect(await codeOf(() => fs.rename(root, 'a'.repeat(255), short, 'a'))).toBe('no error');
        expect(await codeOf(() => fs.rename(short, 'a', short, 'a'.repeat(255)))).toBe('name-too-long');
      });

      it('R4-10 a listing is a snapshot', async () => {
        await fs.createFile(root, 'a');
        const listing = fs.list(root);
        await fs.createFile(root, 'b');
        await fs.unlink(root, 'a');
        expect(listing.filter((entry) => entry.name === 'a')).toHaveLength(1);
        expect(listing.filter((entry) => entry.name === 'b')).toHaveLength(0);
      });

      it('R4-10 a listing tells kinds and inodes', async () => {
        const d = await fs.createDirectory(root, 'd');
        const l = await fs.createLink(root, 'l', 'd');
        expect(fs.list(root)).toEqual(
          expect.arrayContaining([
            { name: 'd', kind: 'directory', inode: d.inode },
            { name: 'l', kind: 'link', inode: l.inode },
          ]),
        );
        expect(fs.readLink(l)).toBe('d');
        expect(await codeOf(() => fs.readLink(d))).toBe('invalid');
      });
    });

    describe('content', () => {
      it('R4-10 what was written is read, at any offset', async () => {
        const node = await put(root, 'f', 'hello world');
        const open = await fs.open(node);
        const into = new Uint8Array(5);
        expect(await open.read(6, into)).toBe(5);
        expect(new TextDecoder().decode(into)).toBe('world');
        expect(await open.read(9, into)).toBe(2);
        expect(await open.read(11, into)).toBe(0);
        expect(await open.read(1000, into)).toBe(0);
        await open.close();
      });

      it('R4-10 a gap reads as zeros', async () => {
        const node = await fs.createFile(root, 'f');
        const open = await fs.open(node);
        await open.write(5, bytes('x'));
        await open.write(200_000, bytes('y'));
        expect(fs.stat(node).size).toBe(200_001);
        const all = new Uint8Array(200_001).fill(9);
        expect(await open.read(0, all)).toBe(200_001);
        expect(all.every((byte, at) => byte === (at === 5 ? 120 : at === 200_000 ? 121 : 0))).toBe(true);
        await open.close();
      });

      it('R4-10 what was cut off reads as zeros when the file grows again', async () => {
        const node = await put(root, 'f', 'x'.repeat(100_000));
        const open = await fs.open(node);
        await open.setSize(3);
        await open.setSize(100_000);
        const all = new Uint8Array(100_000);
        expect(await open.read(0, all)).toBe(100_000);
        expect(new TextDecoder().decode(all.subarray(0, 4))).toBe('xxx\0');
        expect(all.subarray(3).every((byte) => byte === 0)).toBe(true);
        await open.close();
      });

      it('R4-10 several writers append one after another', async () => {
        const node = await fs.createFile(root, 'f');
        const [a, b] = [await fs.open(node), await fs.open(node)];
        expect(await a.append(bytes('one'))).toBe(0);
        expect(await b.append(bytes('two'))).toBe(3);
        expect(await a.append(bytes('x'.repeat(50_000)))).toBe(6);
        expect(await b.append(bytes('three'))).toBe(50_006);
        await a.close();
        await b.close();
        expect(await get(node)).toBe(`onetwo${'x'.repeat(50_000)}three`);
      });

      it('R4-10 small and large writes over each other leave what came last', async () => {
        const node = await fs.createFile(root, 'f');
        const open = await fs.open(node);
        const expected = new Uint8Array(150_000);
        let seed = 1;
        for (let i = 0; i < 60; i++) {
          seed = (seed * 48271) % 2147483647;
          const length = i % 3 === 0 ? 20_000 + (seed % 30_000) : 1 + (seed % 9000);
          const offset = seed % (expected.length - length);
          const data = new Uint8Array(length).fill(i + 1);
          expected.set(data, offset);
          await open.write(offset, data);
          if (i % 7 === 0) {
            const into = new Uint8Array(length);
            expect(await open.read(offset, into)).toBe(length);
            expect(into.every((byte) => byte === i + 1)).toBe(true);
          }
        }
        const size = fs.stat(node).size;
        const into = new Uint8Array(size);
        await open.read(0, into);
        expect(into).toEqual(expected.subarray(0, size));
        await open.close();
      });

      it('R4-10 the buffer of a write can be used again when it has returned', async () => {
        const node = await fs.createFile(root, 'f');
        const open = await fs.open(node);
        const data = bytes('before');
        await open.write(0, data);
        data.fill(0);
        await open.close();
        expect(await get(node)).toBe('before');
      });

      it('R4-10 a write of nothing does not extend the file', async () => {
        const node = await fs.createFile(root, 'f');
        const open = await fs.open(node);
        await open.write(10, new Uint8Array(0));
        await open.close();
        expect(fs.stat(node).size).toBe(0);
      });

      it('R4-10 a size past 4 GiB counts without taking that much', async () => {
        const node = await fs.createFile(root, 'f');
        const open = await fs.open(node);
        await open.write(2, bytes('x'));
        await open.setSize(5 * 2 ** 30);
        expect(fs.stat(node).size).toBe(5 * 2 ** 30);
        const into = new Uint8Array(4);
        expect(await open.read(5 * 2 ** 30 - 2, into)).toBe(2);
        await open.setSize(3);
        await open.close();
        expect(await get(node)).toBe('\0\0x');
      });

      it('R4-10 offsets that no file can have are refused', async () => {
        const open = await fs.open(await fs.createFile(root, 'f'));
        expect(await codeOf(() => open.write(Number.MAX_SAFE_INTEGER, bytes('xx')))).toBe('file-too-large');
        expect(await codeOf(() => open.write(-1, bytes('xx')))).toBe('invalid');
        await open.close();
        expect(await codeOf(() => open.write(0, bytes('x')))).toBe('bad-descriptor');
      });

      it('R4-10 a folder and a link are no files', async () => {
        expect(await codeOf(() => fs.open(root))).toBe('is-directory');
        expect(await codeOf(() => fs.truncate(root))).toBe('is-directory');
        const link = await fs.createLink(root, 'l', 'x');
        expect(await codeOf(() => fs.open(link))).toBe('loop');
      });

      it('R4-10 sync returns', async () => {
        const open = await fs.open(await fs.createFile(root, 'f'));
        await open.write(0, bytes('x'.repeat(20_000)));
        await open.sync();
        await open.close();
      });
    });

    describe('removal', () => {
      it('R4-10 an unlinked file stays readable and writable through what has it open', async () => {
        const node = await put(root, 'f', 'kept');
        const open = await fs.open(node);
        await fs.unlink(root, 'f');
        expect(fs.lookup(root, 'f')).toBeUndefined();
        expect(fs.stat(node).links).toBe(0);
        await open.write(4, bytes(' alive'));
        await open.write(10, bytes('x'.repeat(30_000)));
        const other = await put(root, 'f', 'another');
        const into = new Uint8Array(10);
        expect(await open.read(0, into)).toBe(10);
        expect(new TextDecoder().decode(into)).toBe('kept alive');
        await open.close();
        expect(await get(other)).toBe('another');
      });

      it('R4-10 what does not exist cannot be removed', async () => {
        expect(await codeOf(() => fs.unlink(root, 'x'))).toBe('no-entry');
        expect(await codeOf(() => fs.removeDirectory(root, 'x'))).toBe('no-entry');
      });

      it('R4-10 a folder goes only when it is empty, and only as a folder', async () => {
        const d = await fs.createDirectory(root, 'd');
        await fs.createFile(d, 'f');
        expect(await codeOf(() => fs.unlink(root, 'd'))).toBe('is-directory');
        expect(await codeOf(() => fs.removeDirectory(root, 'd'))).toBe('not-empty');
        expect(await codeOf(() => fs.removeDirectory(d, 'f'))).toBe('not-directory');
        await fs.unlink(d, 'f');
        await fs.removeDirectory(root, 'd');
        expect(names(root)).toEqual([]);
        expect(fs.parent(d)).toBeUndefined();
        expect(await codeOf(() => fs.createFile(d, 'x'))).toBe('no-entry');
      });
    });

    describe('rename', () => {
      it('R4-3 a rename moves the node itself', async () => {
        const node = await put(root, 'a', 'text');
        const d = await fs.createDirectory(root, 'd');
        await fs.rename(root, 'a', d, 'b');
        expect(fs.lookup(root, 'a')).toBeUndefined();
        expect(fs.lookup(d, 'b')).toBe(node);
        expect(await get(node)).toBe('text');
      });

      it('R4-3 a rename over a file replaces it in one step', async () => {
        const a = await put(root, 'a', 'new');
        const b = await put(root, 'b', 'old');
        const open = await fs.open(b);
        await fs.rename(root, 'a', root, 'b');
        expect(fs.lookup(root, 'b')).toBe(a);
        expect(names(root)).toEqual(['b']);
        const into = new Uint8Array(3);
        await open.read(0, into);
        expect(new TextDecoder().decode(into)).toBe('old');
        await open.close();
        expect(await get(a)).toBe('new');
      });

      it('R4-10 a rename of an open file leaves the open as it was', async () => {
        const node = await put(root, 'a', 'x'.repeat(20_000));
        const open = await fs.open(node);
        await fs.rename(root, 'a', root, 'b');
        await open.append(bytes('end'));
        await open.close();
        expect((await get(node)).endsWith('xend')).toBe(true);
      });

      it('R4-10 a rename over an empty folder replaces it, over a full one it fails', async () => {
        const a = await fs.createDirectory(root, 'a');
        const b = await fs.createDirectory(root, 'b');
        await fs.createFile(a, 'f');
        await fs.rename(root, 'a', root, 'b');
        expect(fs.lookup(root, 'b')).toBe(a);
        expect(fs.parent(b)).toBeUndefined();
        await fs.createDirectory(root, 'c');
        expect(await codeOf(() => fs.rename(root, 'c', root, 'b'))).toBe('not-empty');
      });

      it('R4-10 kinds do not replace each other', async () => {
        await fs.createDirectory(root, 'd');
        await fs.createFile(root, 'f');
        expect(await codeOf(() => fs.rename(root, 'f', root, 'd'))).toBe('is-directory');
        expect(await codeOf(() => fs.rename(root, 'd', root, 'f'))).toBe('not-directory');
        expect(await codeOf(() => fs.rename(root, 'x', root, 'f'))).toBe('no-entry');
      });

      it('R4-10 a folder cannot go into itself', async () => {
        const a = await fs.createDirectory(root, 'a');
        const b = await fs.createDirectory(a, 'b');
        expect(await codeOf(() => fs.rename(root, 'a', b, 'c'))).toBe('invalid');
        expect(await codeOf(() => fs.rename(root, 'a', a, 'c'))).toBe('invalid');
        expect(fs.parent(b)).toBe(a);
      });

      it('R4-10 two names of one file: a rename of one to the other does nothing', async () => {
        const node = await put(root, 'a', 'x');
        await fs.link(node, root, 'b');
        await fs.rename(root, 'a', root, 'b');
        expect(names(root)).toEqual(['a', 'b']);
      });

      it('R4-10 the contents of a renamed folder come with it, over and over', async () => {
        let folder = await fs.createDirectory(root, 'd0');
        const inner = await fs.createDirectory(folder, 'inner');
        const small = await put(inner, 'small', 'text');
        const large = await put(inner, 'large', 'y'.repeat(40_000));
        for (let i = 0; i < 5; i++) {
          await fs.rename(root, `d${i}`, root, `d${i + 1}`);
          folder = await fs.createDirectory(root, `d${i}`);
          await put(folder, 'inner', `a file now, ${i}`);
        }
        expect(await get(small)).toBe('text');
        expect(await get(large)).toBe('y'.repeat(40_000));
        expect(await get(fs.lookup(fs.lookup(root, 'd3')!, 'inner')!)).toBe('a file now, 3');
        expect(fs.parent(fs.parent(inner)!)).toBe(root);
      });

      it('R4-10 two files change places over a third name', async () => {
        const a = await put(root, 'a', 'A');
        const b = await put(root, 'b', 'x'.repeat(30_000));
        await fs.rename(root, 'a', root, 't');
        await fs.rename(root, 'b', root, 'a');
        await fs.rename(root, 't', root, 'b');
        expect(fs.lookup(root, 'a')).toBe(b);
        expect(fs.lookup(root, 'b')).toBe(a);
        expect(await get(a)).toBe('A');
        expect(await get(b)).toBe('x'.repeat(30_000));
      });
    });

    describe('hard links', () => {
      it('R4-10 both names are one file, until the last is gone', async () => {
        const node = await put(root, 'a', 'one');
        const d = await fs.createDirectory(root, 'd');
        await fs.link(node, d, 'b');
        expect(fs.lookup(d, 'b')).toBe(node);
        expect(fs.stat(node).links).toBe(2);
        await fs.unlink(root, 'a');
        expect(fs.stat(node).links).toBe(1);
        expect(await get(fs.lookup(d, 'b')!)).toBe('one');
      });

      it('R4-10 a folder has one name, and a removed file gets none', async () => {
        const d = await fs.createDirectory(root, 'd');
        expect(await codeOf(() => fs.link(d, root, 'e'))).toBe('not-permitted');
        const node = await fs.createFile(root, 'f');
        const open = await fs.open(node);
        await fs.unlink(root, 'f');
        expect(await codeOf(() => fs.link(node, root, 'g'))).toBe('no-entry');
        await open.close();
      });
    });

    describe('stat and times', () => {
      it('R4-10 times are set to the nanosecond', async () => {
        const node = await put(root, 'f', 'x');
        await fs.setTimes(node, { accessed: 1n, modified: 1_700_000_000_123_456_789n });
        expect(fs.stat(node)).toMatchObject({ accessed: 1n, modified: 1_700_000_000_123_456_789n });
        await fs.setTimes(node, { modified: 5n });
        expect(fs.stat(node)).toMatchObject({ accessed: 1n, modified: 5n });
        const before = BigInt(Date.now()) * 1_000_000n;
        await fs.setTimes(node, { accessed: 'now' });
        expect(fs.stat(node).accessed).toBeGreaterThanOrEqual(before);
      });

      it('R4-10 a write and a new entry change the time of change', async () => {
        const node = await put(root, 'f', 'x');
        await fs.setTimes(node, { modified: 5n });
        await put(root, 'f', 'y');
        expect(fs.stat(node).modified).toBeGreaterThan(5n);
        await fs.setTimes(root, { modified: 5n });
        await fs.createFile(root, 'g');
        expect(fs.stat(root).modified).toBeGreaterThan(5n);
      });

      it('R4-10 links of a folder count its folders', async () => {
        const d = await fs.createDirectory(root, 'd');
        expect(fs.stat(d).links).toBe(2);
        await fs.createDirectory(d, 'e');
        await fs.createFile(d, 'f');
        expect(fs.stat(d).links).toBe(3);
      });

      it('R4-10 the size of a link is the length of its target', async () => {
        const link = await fs.createLink(root, 'l', 'ä/b');
        expect(fs.stat(link)).toMatchObject({ kind: 'link', size: 4, links: 1 });
      });
    });
  });
}
