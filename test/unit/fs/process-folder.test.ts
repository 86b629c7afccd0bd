import { beforeEach, describe, expect, it } from 'vitest';
import type { FileSystem } from '../../../src/fs/filesystem.ts';
import { GeneratedFileSystem } from '../../../src/fs/generated.ts';
import { MemoryFileSystem } from '../../../src/fs/memory.ts';
import { MountedNamespace } from '../../../src/fs/namespace.ts';
import { PROCESS_FOLDER_BYTES, ProcessFolder } from '../../../src/fs/process-folder.ts';
import { codeOf } from '../../contract/filesystem.ts';

const encode = (value: string): Uint8Array => new TextEncoder().encode(value);
const decode = (value: Uint8Array): string => new TextDecoder().decode(value);

describe('the folder of a process', () => {
  let folder: ProcessFolder;
  let files: MountedNamespace;
  let log: string;
  let alive: boolean;

  beforeEach(() => {
    log = 'one\n';
    alive = true;
    const logFile = { size: () => log.length, read: async () => encode(log) };
    folder = new ProcessFolder({ device: 4, info: { size: () => 2, read: () => encode('{}') }, log: logFile });
    const proc = new GeneratedFileSystem(3, {
      names: () => (alive ? ['p-1'] : []),
      child: (name) => (alive && name === 'p-1' ? { view: folder.root } : undefined),
    });
    files = new MountedNamespace(
      new MemoryFileSystem({ device: 1 }),
      new Map<string, FileSystem>([
        ['proc', proc],
        ['self', folder],
      ]),
    );
  });

  it('R4-9 what the process writes to /self is read at /proc/<pid>', async () => {
    await files.createDirectories('/self/d');
    await files.writeFile('/self/d/x', encode('text'));
    expect(decode(await files.readFile('/proc/p-1/d/x'))).toBe('text');
    expect(files.list(files.resolve(files.root, '/proc/p-1')).map((entry) => entry.name)).toEqual([
      'info.json',
      'log',
      'd',
    ]);
    const d = files.resolve(files.root, '/proc/p-1/d');
    expect(files.resolve(d, '..')).toBe(files.resolve(files.root, '/proc/p-1'));
  });

  it('R4-6 a node of /proc is the same object each time, until another thing has its name', async () => {
    await files.writeFile('/self/x', encode('1'));
    const first = files.resolve(files.root, '/proc/p-1/x');
    expect(files.resolve(files.root, '/proc/p-1/x')).toBe(first);
    await files.writeFile('/self/x', encode('2'));
    const second = files.resolve(files.root, '/proc/p-1/x');
    expect(second).not.toBe(first);
    expect(second.inode).not.toBe(first.inode);
  });

  it('R4-4 a write through /proc fails, also to what the process wrote', async () => {
    await files.writeFile('/self/x', encode('1'));
    expect(await codeOf(() => files.open(files.root, '/proc/p-1/x', { write: true }))).toBe('read-only');
    expect(await codeOf(() => files.unlink(files.root, '/proc/p-1/x'))).toBe('read-only');
    expect(await codeOf(() => files.writeFile('/proc/p-1/y', encode('')))).toBe('read-only');
    const node = files.resolve(files.root, '/proc/p-1/x');
    const open = await node.fs.open(node);
    expect(await codeOf(() => open.write(0, encode('2')))).toBe('read-only');
    expect(await codeOf(() => open.setSize(0))).toBe('read-only');
    await open.close();
  });

  it('R4-5 info.json, log and fs belong to the core', async () => {
    expect(decode(await files.readFile('/self/info.json'))).toBe('{}');
    for (const name of ['info.json', 'log']) {
      expect(await codeOf(() => files.open(files.root, `/self/${name}`, { write: true }))).toBe('read-only');
      expect(await codeOf(() => files.writeFile(`/self/${name}`, encode('x')))).toBe('read-only');
      expect(await codeOf(() => files.unlink(files.root, `/self/${name}`))).toBe('access');
      expect(await codeOf(() => files.rename(files.root, `/self/${name}`, files.root, '/self/x'))).toBe('access');
    }
    await files.writeFile('/self/x', encode('x'));
    for (const name of ['info.json', 'log', 'fs']) {
      expect(await codeOf(() => files.rename(files.root, '/self/x', files.root, `/self/${name}`))).toBe('access');
    }
    expect(await codeOf(() => files.resolve(files.root, '/self/fs'))).toBe('no-entry');
    expect(await codeOf(() => files.createDirectory(files.root, '/self/fs'))).toBe('access');
    expect(await codeOf(() => files.writeFile('/self/fs', encode('')))).toBe('access');
    expect(await codeOf(() => files.createLink('x', files.root, '/self/fs'))).toBe('access');
    await files.createDirectories('/self/d');
    await files.writeFile('/self/d/fs', encode(''));
  });

  it('R4-7 a read of a generated file is a snapshot taken at the open, and its size is right there', async () => {
    const node = files.resolve(files.root, '/proc/p-1/log');
    expect(files.stat(node).size).toBe(4);
    const open = await node.fs.open(node);
    log += 'two\n';
    const into = new Uint8Array(100);
    expect(await open.read(0, into)).toBe(4);
    expect(await open.read(4, into)).toBe(0);
    await open.close();
    expect(files.stat(node).size).toBe(8);
    expect(decode(await files.readFile('/self/log'))).toBe('one\ntwo\n');
  });

  it('R4-8 the folder of a process goes away with it', async () => {
    await files.writeFile('/self/x', encode('1'));
    files.resolve(files.root, '/proc/p-1/x');
    alive = false;
    expect(await codeOf(() => files.resolve(files.root, '/proc/p-1/x'))).toBe('no-entry');
    expect(files.list(files.resolve(files.root, '/proc'))).toEqual([]);
  });

  it('R4-8 /self holds 64 MiB and then fails with insufficient-space, until something is removed', async () => {
    const block = new Uint8Array(PROCESS_FOLDER_BYTES / 4);
    for (let i = 0; i < 4; i++) await files.writeFile(`/self/${i}`, block);
    expect(await codeOf(() => files.writeFile('/self/more', encode('x')))).toBe('insufficient-space');
    await files.unlink(files.root, '/self/0');
    await files.writeFile('/self/more', encode('x'));
  });

  it('R4-8 the names of /self are limited too', async () => {
    const small = new MemoryFileSystem({ device: 9, limit: 10 * 1024 });
    const made = async (): Promise<void> => {
      for (let i = 0; i < 100; i++) await small.createFile(small.root, String(i));
    };
    expect(await codeOf(made)).toBe('insufficient-space');
    expect(small.list(small.root).length).toBeLessThan(10);
  });

  it('R4-6 a thousand processes that ended leave no node behind', () => {
    let pid = 0;
    const proc = new GeneratedFileSystem(3, {
      names: () => [`p-${pid}`],
      child: (name) => (name === `p-${pid}` ? { names: () => [], child: () => undefined } : undefined),
    });
    for (pid = 0; pid < 1000; pid++) expect(proc.lookup(proc.root, `p-${pid}`)).toBeDefined();
    expect(proc.root.children.size).toBeLessThanOrEqual(64);
  });
});
