import { beforeEach, describe, expect, it } from 'vitest';
import type { Node, OpenFlags } from '../../../src/fs/filesystem.ts';
import { GeneratedFileSystem } from '../../../src/fs/generated.ts';
import { MemoryFileSystem } from '../../../src/fs/memory.ts';
import { MountedNamespace } from '../../../src/fs/namespace.ts';
import { codeOf } from '../../contract/filesystem.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

describe('a namespace', () => {
  let world: MemoryFileSystem;
  let run: MemoryFileSystem;
  let files: MountedNamespace;
  let root: Node;

  beforeEach(async () => {
    world = new MemoryFileSystem({ device: 1 });
    run = new MemoryFileSystem({ device: 2 });
    const proc = new GeneratedFileSystem(3, {
      names: () => ['version'],
      child: (name) => (name === 'version' ? { size: () => 3, read: () => text('one') } : undefined),
    });
    files = new MountedNamespace(
      world,
      new Map<string, MemoryFileSystem | GeneratedFileSystem>([
        ['proc', proc],
        ['run', run],
      ]),
    );
    root = files.root;
    await files.createDirectories('/a/b/c');
    await files.writeFile('/a/b/file', text('content'));
  });

  const resolve = (path: string, follow = true): Node => files.resolve(root, path, { follow });
  const same = (path: string, other: string): void => expect(resolve(path)).toBe(resolve(other));

  describe('paths', () => {
    it('R4-10 `.`, `..` and repeated slashes lead where POSIX says', () => {
      same('a/./b//c/..', '/a/b');
      same('/', '.');
      same('a/b/c/../../../a', 'a');
    });

    it('R4-10 `..` never leaves `/`, also from a mount', () => {
      same('../../..', '/');
      same('/../a', '/a');
      same('/run/..', '/');
      same('/proc/../../run/../a', '/a');
    });

    it('R4-10 a relative path starts where it is told to, an absolute one at the root', () => {
      const b = resolve('/a/b');
      expect(files.resolve(b, 'c')).toBe(resolve('/a/b/c'));
      expect(files.resolve(b, '..')).toBe(resolve('/a'));
      expect(files.resolve(b, '/a')).toBe(resolve('/a'));
      expect(files.resolve(run.root, '..')).toBe(root);
    });

    it('R4-10 paths that lead nowhere say why', async () => {
      expect(await codeOf(() => resolve(''))).toBe('no-entry');
      expect(await codeOf(() => resolve('x'))).toBe('no-entry');
      expect(await codeOf(() => resolve('x/y'))).toBe('no-entry');
      expect(await codeOf(() => resolve('a/b/file/x'))).toBe('not-directory');
      expect(await codeOf(() => resolve('a/b/file/..'))).toBe('not-directory');
      expect(await codeOf(() => resolve('a\0b'))).toBe('invalid');
      expect(await codeOf(() => resolve('a\ud800'))).toBe('illegal-byte-sequence');
      expect(await codeOf(() => files.resolve(resolve('a/b/file'), 'x'))).toBe('not-directory');
    });

    it('R4-10 a trailing slash asks for a folder', async () => {
      same('a/b/', 'a/b');
      expect(await codeOf(() => resolve('a/b/file/'))).toBe('not-directory');
      expect(await codeOf(() => files.open(root, 'new/', { create: true }))).toBe('is-directory');
      expect(await codeOf(() => files.unlink(root, 'a/b/file/'))).toBe('not-directory');
      expect(await codeOf(() => files.rename(root, 'a/b/file', root, 'new/'))).toBe('not-directory');
      expect(await codeOf(() => files.rename(root, 'a/b/file/', root, 'new'))).toBe('not-directory');
      expect(await codeOf(() => files.link(root, 'a/b/file', root, 'new/'))).toBe('no-entry');
      await files.createDirectory(root, 'd/');
      await files.rename(root, 'd/', root, 'e/');
      await files.removeDirectory(root, 'e/');
    });

    it('R4-10 names have 255 bytes at most and paths 4096', async () => {
      await files.writeFile(`/${'x'.repeat(255)}`, text(''));
      expect(await codeOf(() => files.createDirectory(root, 'ä'.repeat(128)))).toBe('name-too-long');
      expect(await codeOf(() => resolve(`${'y'.repeat(256)}/x`))).toBe('name-too-long');
      same(`${'./'.repeat(2047)}a`, 'a');
      expect(await codeOf(() => resolve(`${'./'.repeat(2048)}a`))).toBe('name-too-long');
    });

    it('R4-10 deep paths work', async () => {
      let directory = root;
      for (let depth = 0; depth < 2000; depth++) {
        await files.createDirectory(directory, 'd');
        directory = files.resolve(directory, 'd');
      }
      expect(files.resolve(root, 'd/'.repeat(2000))).toBeDefined();
      for (let depth = 0; depth < 2000; depth++) directory = files.resolve(directory, '..');
      expect(directory).toBe(root);
    });
  });

  describe('symbolic links', () => {
    it('R4-10 links are followed on the way, and at the end where it is asked', async () => {
      await files.createLink('a/b', root, 'l');
      same('l/c', 'a/b/c');
      same('l', 'a/b');
      expect(resolve('l', false).kind).toBe('link');
      expect(resolve('l/', false)).toBe(resolve('a/b'));
      expect(files.readLink(root, 'l')).toBe('a/b');
      expect(await codeOf(() => files.readLink(root, 'a'))).toBe('invalid');
    });

    it('R4-10 a link starts in its own folder and cannot leave `/`', async () => {
      await files.createLink('../file', root, 'a/b/c/up');
      same('a/b/c/up', 'a/b/file');
      await files.createLink('../../../../a', root, 'a/b/out');
      same('a/b/out', 'a');
      expect(await codeOf(() => files.createLink('/a', root, 'absolute'))).toBe('not-permitted');
      expect(await codeOf(() => files.createLink('', root, 'empty'))).toBe('no-entry');
    });

    it('R4-10 a loop ends with `loop`, forty links are followed', async () => {
      await files.createLink('y', root, 'x');
      await files.createLink('x', root, 'y');
      expect(await codeOf(() => resolve('x'))).toBe('loop');
      expect(await codeOf(() => resolve('x/z'))).toBe('loop');
      await files.createLink('a', root, 'l1');
      for (let i = 2; i <= 41; i++) await files.createLink(`l${i - 1}`, root, `l${i}`);
      same('l40', 'a');
      expect(await codeOf(() => resolve('l41'))).toBe('loop');
    });

    it('R4-10 a create through a dangling link makes what it leads to', async () => {
      await files.createLink('a/target', root, 'dangling');
      expect(await codeOf(() => resolve('dangling'))).toBe('no-entry');
      expect(await codeOf(() => files.open(root, 'dangling', { create: true, exclusive: true, follow: true }))).toBe(
        'exist',
      );
      expect(await codeOf(() => files.open(root, 'dangling', { create: true }))).toBe('loop');
      const node = await files.open(root, 'dangling', { create: true, follow: true });
      expect(resolve('a/target')).toBe(node);
    });

    it('R4-10 unlink and rename mean the link, not what it leads to', async () => {
      await files.createLink('a/b/file', root, 'l');
      await files.rename(root, 'l', root, 'm');
      expect(resolve('m', false).kind).toBe('link');
      await files.unlink(root, 'm');
      expect(resolve('a/b/file').kind).toBe('file');
      await files.createLink('a/b', root, 'd');
      expect(await codeOf(() => files.removeDirectory(root, 'd'))).toBe('not-directory');
    });
  });

  describe('open', () => {
    const open = (path: string, flags: OpenFlags) => codeOf(() => files.open(root, path, flags));

    it('R4-10 the flags give the codes of POSIX', async () => {
      expect(await open('x', {})).toBe('no-entry');
      expect(await open('a/b/file', { create: true, exclusive: true })).toBe('exist');
      expect(await open('a/b/file', { directory: true })).toBe('not-directory');
      expect(await open('a', { directory: true })).toBe('no error');
      expect(await open('a', { write: true })).toBe('is-directory');
      expect(await open('a', { truncate: true })).toBe('is-directory');
      expect(await open('a', {})).toBe('no error');
      expect(await open('x/y', { create: true })).toBe('no-entry');
      expect(await open('a/b/file/y', { create: true })).toBe('not-directory');
    });

    it('R4-10 truncate cuts the file before it is opened', async () => {
      const node = await files.open(root, 'a/b/file', { truncate: true, write: true });
      expect(files.stat(node).size).toBe(0);
    });
  });

  describe('mounts', () => {
    it('R4-2 a listing of `/` shows the mounts beside the entries of the world', async () => {
      await files.createDirectories('/run/inner');
      expect(
        files
          .list(root)
          .map((entry) => entry.name)
          .sort(),
      ).toEqual(['a', 'proc', 'run']);
    });

    it('R4-1 a process sees its own /self, the page none', async () => {
      const [one, two] = [new MemoryFileSystem({ device: 4 }), new MemoryFileSystem({ device: 5 })];
      const [first, second] = [files.with('self', one), files.with('self', two)];
      await first.writeFile('/self/x', text('1'));
      await second.writeFile('/self/x', text('2'));
      expect(new TextDecoder().decode(await first.readFile('/self/x'))).toBe('1');
      expect(await codeOf(() => files.readFile('/self/x'))).toBe('no-entry');
      await first.writeFile('/shared', text('3'));
      expect(new TextDecoder().decode(await second.readFile('/shared'))).toBe('3');
    });

    it('R4-3 a rename or link across two areas fails with cross-device', async () => {
      await files.writeFile('/run/x', text('x'));
      expect(await codeOf(() => files.rename(root, 'run/x', root, 'x'))).toBe('cross-device');
      expect(await codeOf(() => files.rename(root, 'a', root, 'run/a'))).toBe('cross-device');
      expect(await codeOf(() => files.link(root, 'run/x', root, 'x'))).toBe('cross-device');
      await files.rename(root, 'run/x', root, 'run/y');
    });

    it('R4-1 a mount point cannot be removed, renamed or replaced', async () => {
      expect(await codeOf(() => files.removeDirectory(root, 'run'))).toBe('busy');
      expect(await codeOf(() => files.rename(root, 'run', root, 'x'))).toBe('busy');
      expect(await codeOf(() => files.rename(root, 'a', root, 'run'))).toBe('busy');
      expect(await codeOf(() => files.removeAll('/run'))).toBe('busy');
      expect(await codeOf(() => files.unlink(root, 'run'))).toBe('is-directory');
      expect(await codeOf(() => files.createDirectory(root, 'run'))).toBe('exist');
      expect(await codeOf(() => files.open(root, 'self', { create: true }))).toBe('no error');
    });

    it('R4-4 every change below /proc fails with read-only', async () => {
      expect(await codeOf(() => files.open(root, 'proc/version', { write: true }))).toBe('read-only');
      expect(await codeOf(() => files.open(root, 'proc/version', { truncate: true }))).toBe('read-only');
      expect(await codeOf(() => files.open(root, 'proc/new', { create: true }))).toBe('read-only');
      expect(await codeOf(() => files.writeFile('/proc/version', text('')))).toBe('read-only');
      expect(await codeOf(() => files.writeFile('/proc/new', text('')))).toBe('read-only');
      expect(await codeOf(() => files.createDirectory(root, 'proc/new'))).toBe('read-only');
      expect(await codeOf(() => files.createLink('x', root, 'proc/new'))).toBe('read-only');
      expect(await codeOf(() => files.unlink(root, 'proc/version'))).toBe('read-only');
      expect(await codeOf(() => files.rename(root, 'proc/version', root, 'proc/x'))).toBe('read-only');
      expect(await codeOf(() => files.setTimes(root, 'proc/version', { modified: 1n }))).toBe('read-only');
      expect(new TextDecoder().decode(await files.readFile('/proc/version'))).toBe('one');
    });
  });

  describe('names that cannot be changed', () => {
    it('R4-10 `.`, `..` and `/` give the codes of POSIX', async () => {
      expect(await codeOf(() => files.removeDirectory(root, 'a/.'))).toBe('invalid');
      expect(await codeOf(() => files.removeDirectory(root, 'a/b/..'))).toBe('not-empty');
      expect(await codeOf(() => files.removeDirectory(root, '/'))).toBe('busy');
      expect(await codeOf(() => files.rename(root, 'a/.', root, 'x'))).toBe('busy');
      expect(await codeOf(() => files.rename(root, 'a', root, '/'))).toBe('busy');
      expect(await codeOf(() => files.unlink(root, '/'))).toBe('is-directory');
      expect(await codeOf(() => files.createDirectory(root, '/'))).toBe('exist');
      expect(await codeOf(() => files.createDirectory(root, '..'))).toBe('exist');
    });
  });

  describe('whole files and trees', () => {
    it('R4-3 writeFile replaces in one step: an open of the old content keeps it', async () => {
      const node = resolve('a/b/file');
      const open = await node.fs.open(node);
      await files.writeFile('/a/b/file', text('new'));
      const into = new Uint8Array(7);
      await open.read(0, into);
      expect(new TextDecoder().decode(into)).toBe('content');
      await open.close();
      expect(new TextDecoder().decode(await files.readFile('/a/b/file'))).toBe('new');
      expect(files.list(resolve('a/b')).map((entry) => entry.name)).toEqual(['c', 'file']);
    });

    it('R4-8 a writeFile that fails for want of space leaves the old content and nothing else', async () => {
      const small = new MountedNamespace(new MemoryFileSystem({ device: 9, limit: 10_000 }));
      await small.writeFile('/f', text('old'));
      expect(await codeOf(() => small.writeFile('/f', new Uint8Array(20_000)))).toBe('insufficient-space');
      expect(new TextDecoder().decode(await small.readFile('/f'))).toBe('old');
      expect(small.list(small.root)).toHaveLength(1);
    });

    it('R4-10 createDirectories makes what is missing, and removeAll takes a tree away', async () => {
      await files.createDirectories('/a/b/x/y/z');
      await files.createDirectories('/a/b/x/y/z');
      expect(await codeOf(() => files.createDirectories('/a/b/file/x'))).toBe('not-directory');
      await files.createLink('../..', root, 'a/b/x/out');
      await files.removeAll('/a/b');
      await files.removeAll('/a/b');
      await files.removeAll('/none/at/all');
      expect(files.list(resolve('a'))).toEqual([]);
      expect(files.list(root).map((entry) => entry.name)).toContain('a');
    });
  });
});
