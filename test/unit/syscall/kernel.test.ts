import { describe, expect, test } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../../src/fs/errors.ts';
import type { Namespace } from '../../../src/fs/filesystem.ts';
import { MemoryFileSystem } from '../../../src/fs/memory.ts';
import { MountedNamespace } from '../../../src/fs/namespace.ts';
import { ProcessChannel } from '../../../src/syscall/channel.ts';
import { Doorbell } from '../../../src/syscall/doorbell.ts';
import { Kernel, type KernelOptions } from '../../../src/syscall/kernel.ts';
import {
  AHEAD_BYTES,
  ARGS,
  ARGS_AT,
  ENTRY_HEAD,
  KIND,
  OP,
  OPEN,
  PAYLOAD_AT,
  PAYLOAD_BYTES,
  ROOT_FD,
  SET_TIME,
  WORD,
} from '../../../src/syscall/protocol.ts';

const utf8 = new TextEncoder();

/** The process's side without its waits. */
class Caller {
  readonly channel = new ProcessChannel(new Doorbell(), 0);
  readonly kernel: Kernel;
  readonly words = new Int32Array(this.channel.buffer, 0, 16);
  readonly args = new Float64Array(this.channel.buffer, ARGS_AT, ARGS);
  readonly payload = new Uint8Array(this.channel.buffer, PAYLOAD_AT, PAYLOAD_BYTES);

  constructor(namespace: Namespace, options?: KernelOptions) {
    this.kernel = new Kernel(namespace, options);
  }

  ask(op: number, args: number[], payload: string | Uint8Array = ''): void | Promise<void> {
    const bytes = typeof payload === 'string' ? utf8.encode(payload) : payload;
    this.args.set(args);
    this.payload.set(bytes);
    Atomics.store(this.words, WORD.op, op);
    Atomics.store(this.words, WORD.length, bytes.length);
    Atomics.store(this.words, WORD.call, 1);
    return this.kernel.serve(this.channel);
  }

  /** The bytes of the answer, or the code of the error. */
  get answer(): Uint8Array | ErrorCode {
    expect(Atomics.load(this.words, WORD.call)).toBe(2);
    const error = Atomics.load(this.words, WORD.error);
    return error === 0
      ? this.payload.slice(0, Atomics.load(this.words, WORD.length))
      : (ERROR_CODES[error - 1] as ErrorCode);
  }

  call(op: number, args: number[], payload: string | Uint8Array = ''): Uint8Array | ErrorCode {
    expect(this.ask(op, args, payload)).toBeUndefined();
    return this.answer;
  }

  open(path: string, how = 0): number {
    expect(this.call(OP.openAt, [ROOT_FD, 1, how], path)).toBeInstanceOf(Uint8Array);
    return this.args[0] as number;
  }
}

function caller(options?: KernelOptions): Caller {
  return new Caller(new MountedNamespace(new MemoryFileSystem({ device: 4 })), options);
}

const text = (answer: Uint8Array | ErrorCode) =>
  typeof answer === 'string' ? answer : new TextDecoder().decode(answer);
const CREATE = OPEN.create | OPEN.write;

describe('files', () => {
  test('R4-10 what was written at an offset is read at an offset, and appended at the end', () => {
    const process = caller();
    const fd = process.open('a', CREATE);
    process.call(OP.write, [fd, 2], 'hello');
    process.call(OP.append, [fd], '!');
    expect(process.call(OP.read, [fd, 0, 100])).toEqual(utf8.encode('\0\0hello!'));
    expect(text(process.call(OP.read, [fd, 4, 3]))).toBe('llo');
    expect(text(process.call(OP.read, [fd, 8, 3]))).toBe('');
    process.call(OP.setSize, [fd, 4]);
    expect(text(process.call(OP.read, [fd, 2, 100]))).toBe('he');
  });

  test('R4-10 an open answers what was opened, and a stat its sizes and times', () => {
    const process = caller();
    const fd = process.open('a', CREATE);
    const [, kind, , links, inode, device] = process.args;
    expect([kind, links, device]).toEqual([KIND.file, 1, 4]);
    process.call(OP.write, [fd, 0], 'hello');
    expect(process.call(OP.stat, [fd])).toHaveLength(24);
    expect([...process.args.subarray(1, 6)]).toEqual([KIND.file, 5, 1, inode, 4]);
    const before = BigInt(Date.now() - 60_000) * 1_000_000n;
    for (const time of new BigInt64Array(process.payload.buffer, PAYLOAD_AT, 3)) expect(time).toBeGreaterThan(before);
  });

  test('R4-10 times are set by descriptor and by path, to now and to a time', () => {
    const process = caller();
    const fd = process.open('a', CREATE);
    const stamps = new Uint8Array(BigInt64Array.of(1_000n, 2_000n).buffer);
    const times = () => {
      process.call(OP.stat, [fd]);
      return [...new BigInt64Array(process.payload.buffer, PAYLOAD_AT, 2)];
    };
    process.call(OP.setTimes, [fd, SET_TIME.timestamp, SET_TIME.timestamp], stamps);
    expect(times()).toEqual([1_000n, 2_000n]);
    const path = new Uint8Array(17);
    path.set(new Uint8Array(BigInt64Array.of(3_000n, 0n).buffer));
    path[16] = 'a'.charCodeAt(0);
    process.call(OP.setTimesAt, [ROOT_FD, SET_TIME.timestamp, SET_TIME.noChange, 1], path);
    expect(times()).toEqual([3_000n, 2_000n]);
    process.call(OP.setTimes, [fd, SET_TIME.noChange, SET_TIME.now], stamps);
    expect(times()[1]).toBeGreaterThan(1_000_000_000n);
  });

  test('the smallest free number is the next descriptor', () => {
    const process = caller();
    expect([process.open('a', CREATE), process.open('b', CREATE), process.open('c', CREATE)]).toEqual([1, 2, 3]);
    process.call(OP.close, [2]);
    expect(process.call(OP.stat, [2])).toBe('bad-descriptor');
    expect(process.call(OP.close, [2])).toBe('bad-descriptor');
    expect(process.open('d', CREATE)).toBe(2);
  });

  test('R4-10 a descriptor that was given back is closed before the next call', () => {
    const process = caller();
    expect([process.open('a', CREATE), process.open('b', CREATE)]).toEqual([1, 2]);
    Atomics.store(process.words, WORD.unused, 1);
    expect(process.open('c', CREATE)).toBe(1);
    Atomics.store(process.words, WORD.unused, 2);
    process.kernel.attend(process.channel);
    expect(process.call(OP.stat, [2])).toBe('bad-descriptor');
    expect(Atomics.load(process.words, WORD.unused)).toBe(0);
  });

  test('R4-10 an open to read tells the times and the content of a small file ahead', () => {
    const process = caller();
    const fd = process.open('a', CREATE | OPEN.write);
    process.call(OP.write, [fd, 0], 'milk');
    const stat = process.call(OP.stat, [fd]) as Uint8Array;
    const opened = process.call(OP.openAt, [ROOT_FD, 0, 0], 'a') as Uint8Array;
    expect(process.args[6]).toBe(4);
    expect(opened).toEqual(new Uint8Array([...stat, ...utf8.encode('milk')]));
    process.call(OP.openAt, [ROOT_FD, 0, OPEN.write], 'a');
    expect(process.args[6]).toBe(-1);
    process.call(OP.setSize, [fd, AHEAD_BYTES + 1]);
    process.call(OP.openAt, [ROOT_FD, 0, 0], 'a');
    expect(process.args[6]).toBe(-1);
  });
});

describe('folders and links', () => {
  test('R4-10 folders are made, renamed and removed; a non-empty one is not removed', () => {
    const process = caller();
    process.call(OP.createDirectoryAt, [ROOT_FD], 'x');
    const x = process.open('x', OPEN.directory);
    process.call(OP.createDirectoryAt, [x], 'y');
    expect(process.call(OP.removeDirectoryAt, [ROOT_FD], 'x')).toBe('not-empty');
    process.call(OP.renameAt, [x, ROOT_FD, 1], 'yz');
    expect(process.call(OP.removeDirectoryAt, [ROOT_FD], 'x')).toEqual(new Uint8Array());
    expect(process.call(OP.statAt, [ROOT_FD, 0], 'z')).toHaveLength(24);
    expect(process.args[1]).toBe(KIND.directory);
  });

  test('R4-10 a symbolic link is followed when asked, and read', () => {
    const process = caller();
    process.open('file', CREATE);
    process.call(OP.symlinkAt, [ROOT_FD, 4], 'filelink');
    expect(text(process.call(OP.readLinkAt, [ROOT_FD], 'link'))).toBe('file');
    const kind = (follow: number) => {
      process.call(OP.statAt, [ROOT_FD, follow], 'link');
      return process.args[1];
    };
    expect([kind(0), kind(1)]).toEqual([KIND.link, KIND.file]);
  });

  test('R4-10 a hard link is the same node', () => {
    const process = caller();
    process.open('a', CREATE);
    const inode = process.args[4];
    process.call(OP.linkAt, [ROOT_FD, ROOT_FD, 1, 0], 'ab');
    process.call(OP.unlinkFileAt, [ROOT_FD], 'a');
    process.call(OP.statAt, [ROOT_FD, 0], 'b');
    expect(process.args[4]).toBe(inode);
  });

  /** Names and kinds of all entries, by as many calls as it takes. */
  function list(process: Caller, fd: number, meanwhile: () => void): { names: string[]; calls: number } {
    const names: string[] = [];
    let bytes = process.call(OP.readDirectory, [fd]) as Uint8Array;
    const listing = process.args[0] as number;
    meanwhile();
    process.args[0] = listing;
    for (let calls = 1; ; calls++) {
      const view = new DataView(bytes.buffer);
      for (let at = 0; at < bytes.length; ) {
        const length = view.getUint16(at + 1, true);
        names.push(text(bytes.subarray(at + ENTRY_HEAD, at + ENTRY_HEAD + length)));
        at += ENTRY_HEAD + length;
      }
      if (process.args[0] === 0) return { names, calls };
      bytes = process.call(OP.nextEntries, [process.args[0] as number]) as Uint8Array;
    }
  }

  test('R4-10 a listing of any length comes whole, and stays as it was at the start', () => {
    const process = caller();
    process.call(OP.createDirectoryAt, [ROOT_FD], 'many');
    const many = process.open('many');
    const expected = Array.from({ length: 1500 }, (_, i) => `${'ü'.repeat(100)}-${i}`);
    for (const name of expected) {
      process.call(OP.openAt, [many, 0, CREATE], name);
      process.call(OP.close, [process.args[0] as number]);
    }
    process.call(OP.readDirectory, [many]);
    const listing = process.args[0] as number;
    expect(listing).toBeGreaterThan(0);
    process.call(OP.closeEntries, [listing]);
    expect(process.call(OP.nextEntries, [listing])).toBe('bad-descriptor');
    const { names, calls } = list(process, many, () => {
      process.call(OP.unlinkFileAt, [many], expected.at(-1));
      process.call(OP.openAt, [many, 0, CREATE], 'new');
    });
    expect(names.sort()).toEqual(expected.sort());
    expect(calls).toBeGreaterThan(1);
  });
});

describe('errors', () => {
  test.each<[string, ErrorCode, number, number[], (string | Uint8Array)?]>([
    ['a file that does not exist', 'no-entry', OP.openAt, [ROOT_FD, 1, 0], 'none'],
    ['an absolute path', 'not-permitted', OP.openAt, [ROOT_FD, 1, CREATE], '/a'],
    ['a path that is not UTF-8', 'illegal-byte-sequence', OP.statAt, [ROOT_FD, 1], Uint8Array.of(0xff, 0xfe)],
    ['an absolute target of a link', 'not-permitted', OP.symlinkAt, [ROOT_FD, 4], '/abclink'],
    ['a descriptor that is not open', 'bad-descriptor', OP.read, [77, 0, 1]],
    ['the content of a folder', 'is-directory', OP.read, [ROOT_FD, 0, 1]],
    ['a file as a folder', 'not-directory', OP.statAt, [1, 1], 'x'],
    ['a folder made by an open', 'invalid', OP.openAt, [ROOT_FD, 1, OPEN.create | OPEN.directory], 'x'],
    ['a number that is no call', 'unsupported', 999, []],
    ['a size beyond all files', 'file-too-large', OP.setSize, [1, 2 ** 53]],
  ])('R4-10 %s fails with %s', (_, code, op, args, payload) => {
    const process = caller();
    expect(process.open('file', CREATE)).toBe(1);
    expect(process.call(op, args, payload)).toBe(code);
  });

  test('a process cannot open files without end', () => {
    const process = caller({ descriptors: 3 });
    process.open('a', CREATE);
    process.open('b', CREATE);
    expect(process.call(OP.openAt, [ROOT_FD, 1, CREATE], 'c')).toBe('quota');
    expect(process.call(OP.statAt, [ROOT_FD, 1], 'c')).toBe('no-entry');
  });

  test('what no file system should throw is io for the process, and reported', () => {
    const faults: unknown[] = [];
    const namespace = new MountedNamespace(new MemoryFileSystem({ device: 1 }));
    namespace.open = () => {
      throw new TypeError('a bug');
    };
    const process = new Caller(namespace, { onFault: (error) => faults.push(error) });
    expect(process.call(OP.openAt, [ROOT_FD, 1, 0], 'a')).toBe('io');
    expect(faults).toEqual([new TypeError('a bug')]);
  });
});

describe('the end of a process', () => {
  /** A namespace whose files write only when they are told to, and that remembers what was closed. */
  function slow() {
    const namespace = new MountedNamespace(new MemoryFileSystem({ device: 1 }));
    namespace.writeFile('/old', utf8.encode('old content'));
    const { fs } = namespace.root;
    const open = fs.open.bind(fs);
    const log: string[] = [];
    let resolve = (): void => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    const gate = { promise, resolve };
    fs.open = async (node) => {
      const file = await open(node);
      return {
        node,
        read: async (offset, into) => {
          await gate.promise;
          log.push('read');
          return file.read(offset, into);
        },
        write: async (offset, data) => {
          await gate.promise;
          log.push('write');
          return file.write(offset, data);
        },
        append: (data) => file.append(data),
        setSize: (size) => file.setSize(size),
        sync: () => file.sync(),
        close: async () => {
          log.push('close');
          await file.close();
        },
      };
    };
    return { process: new Caller(namespace), log, gate };
  }

  test('R6-4 close waits for the operation under way, then closes every file', async () => {
    const { process, log, gate } = slow();
    await process.ask(OP.openAt, [ROOT_FD, 1, CREATE], 'a');
    await process.ask(OP.openAt, [ROOT_FD, 1, CREATE], 'b');
    const writing = process.ask(OP.write, [1, 0], 'late');
    const closing = Promise.resolve(process.kernel.close()).then(() => log.push('closed'));
    await Promise.resolve();
    expect(log).toEqual([]);
    gate.resolve();
    await Promise.all([writing, closing]);
    expect(log).toEqual(['write', 'close', 'close', 'closed']);
  });

  test('what ends after the process was killed is not answered', async () => {
    const { process, gate } = slow();
    await process.ask(OP.openAt, [ROOT_FD, 1, 0], 'old');
    const reading = process.ask(OP.read, [1, 0, 100]);
    const closing = process.kernel.close();
    process.channel.reset();
    gate.resolve();
    await Promise.all([reading, closing]);
    expect(Atomics.load(process.words, WORD.call)).toBe(0);
  });

  test('close is synchronous where the files are, and can be called twice', () => {
    const process = caller();
    process.open('a', CREATE);
    expect(process.kernel.close()).toBeUndefined();
    expect(process.kernel.close()).toBeUndefined();
  });
});
