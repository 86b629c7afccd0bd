/** The host's own WASI preview 1, function by function; whole programs are in `oracle.test.ts` and `test/full/programs`. */

import { beforeEach, describe, expect, test } from 'vitest';
import { MemoryFileSystem } from '../../../src/fs/memory.ts';
import { MountedNamespace } from '../../../src/fs/namespace.ts';
import { Host } from '../../../src/wasi/host.ts';
import { adapterInstance, isAdapter } from '../../../src/wasi/preview1/adapter.ts';
import { probe } from './support/component.ts';
import { DirectClient } from './support/direct.ts';

const { modules } = await probe();
const adapter = Object.values(modules).find(isAdapter)!;
const everything = adapterLike(
  `fd_advise fd_allocate fd_close fd_fdstat_get fd_fdstat_set_flags fd_fdstat_set_rights fd_filestat_get
  fd_filestat_set_size fd_filestat_set_times fd_pread fd_prestat_dir_name fd_prestat_get fd_pwrite fd_read fd_readdir
  fd_renumber fd_seek fd_sync fd_tell fd_write path_create_directory path_filestat_get path_filestat_set_times path_link
  path_open path_readlink path_rename path_symlink path_unlink_file poll_oneoff args_get args_sizes_get environ_get
  environ_sizes_get clock_res_get clock_time_get random_get sched_yield sock_send proc_exit`.split(/\s+/),
);

/** A module with the exports of an adapter, whose functions do nothing. */
function adapterLike(names: string[]): WebAssembly.Module {
  const all = [...names, 'cabi_import_realloc', 'wasi:cli/run@0.2.3#run'];
  const encoder = new TextEncoder();
  const text = (value: string) => {
    const bytes = encoder.encode(value);
    return [bytes.length, ...bytes];
  };
  const leb = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...leb(value >> 7)]);
  const section = (id: number, bytes: number[]) => [id, ...leb(bytes.length), ...bytes];
  const exports = all.flatMap((name) => [...text(name), 0, 0]);
  return new WebAssembly.Module(
    new Uint8Array([
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...section(1, [1, 0x60, 0, 0]),
      ...section(3, [1, 0]),
      ...section(7, [...leb(all.length), ...exports]),
      ...section(10, [1, 2, 0, 0x0b]),
    ]),
  );
}

describe('R3.1-1 which module is the adapter', () => {
  test('one of a component that was made of a program for preview 1', () => {
    expect(Object.values(modules).filter(isAdapter)).toEqual([adapter]);
  });

  test('none that exports a function which the host does not know, or something else', () => {
    expect(isAdapter(adapterLike(['fd_read']))).toBe(true);
    expect(isAdapter(adapterLike(['fd_read', 'reset_adapter_state']))).toBe(false);
    expect(isAdapter(new WebAssembly.Module(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])))).toBe(false);
  });
});

describe('R4-10 preview 1', () => {
  const memory = new WebAssembly.Memory({ initial: 4 });
  const bytes = new Uint8Array(memory.buffer);
  const view = new DataView(memory.buffer);
  let host: Host;
  // biome-ignore lint/suspicious/noExplicitAny: each has its own arguments
  let wasi: Record<string, (...args: any[]) => number>;
  const ROOT = 3;
  /** Where results go, and where names and data stand. */
  const OUT = 1024;
  const IN = 4096;

  beforeEach(() => {
    bytes.fill(0);
    host = new Host(new DirectClient(new MountedNamespace(new MemoryFileSystem({ device: 7 }))));
    host.begin(['program', 'ä b'], [['NAME', 'a=b']]);
    const imports = { env: { memory }, __main_module__: { _start: () => {} } };
    wasi = adapterInstance(host, everything, imports).exports as never;
  });

  const put = (text: string, at = IN): [number, number] => {
    const data = new TextEncoder().encode(text);
    bytes.set(data, at);
    return [at, data.length];
  };
  const u32 = (at = OUT) => view.getUint32(at, true);
  const u64 = (at = OUT) => view.getBigUint64(at, true);
  const text = (at: number, length: number) => new TextDecoder().decode(bytes.subarray(at, at + length));
  const ALL = 0xffff_ffffn;

  function open(path: string, how = 0, rights = ALL, flags = 0): number {
    const outcome = wasi.path_open!(ROOT, 1, ...put(path), how, rights, rights, flags, OUT);
    if (outcome !== 0) throw new Error(`errno ${outcome}`);
    return u32();
  }
  /** Vectors at 2048 over pieces of memory. */
  function vectors(...parts: [at: number, length: number][]): [number, number] {
    parts.forEach(([at, length], i) => {
      view.setUint32(2048 + i * 8, at, true);
      view.setUint32(2052 + i * 8, length, true);
    });
    return [2048, parts.length];
  }
  const write = (fd: number, content: string) => wasi.fd_write!(fd, ...vectors(put(content)), OUT);

  test('the folder / is open from the start, under its name', () => {
    expect(wasi.fd_prestat_get!(ROOT, OUT)).toBe(0);
    expect([bytes[OUT], u32(OUT + 4)]).toEqual([0, 1]);
    expect(wasi.fd_prestat_dir_name!(ROOT, OUT, 1)).toBe(0);
    expect(text(OUT, 1)).toBe('/');
    expect(wasi.fd_prestat_dir_name!(ROOT, OUT, 0)).toBe(37);
    expect([0, 4].map((fd) => wasi.fd_prestat_get!(fd, OUT))).toEqual([8, 8]);
  });

  test('numbers are the lowest that are free; a closed one is none', () => {
    const [a, b] = [open('a', 1), open('b', 1)];
    expect([a, b]).toEqual([4, 5]);
    expect([wasi.fd_close!(a), wasi.fd_close!(a), wasi.fd_read!(a, ...vectors([IN, 1]), OUT)]).toEqual([0, 8, 8]);
    expect(open('c', 1)).toBe(4);
    expect(wasi.fd_renumber!(5, 4)).toBe(0);
    expect([wasi.fd_renumber!(5, 4), wasi.fd_renumber!(4, 9)]).toEqual([8, 8]);
    expect(write(4, 'to b')).toBe(0);
    expect(wasi.path_filestat_get!(ROOT, 0, ...put('b'), OUT)).toBe(0);
    expect(u64(OUT + 32)).toBe(4n);
  });

  test('vectors are written and read one behind the other, empty ones left out', () => {
    const fd = open('a', 1);
    put('hello', 5000);
    put(' world', 6000);
    expect(wasi.fd_write!(fd, ...vectors([5000, 5], [0, 0], [6000, 6]), OUT)).toBe(0);
    expect(u32()).toBe(11);
    expect(wasi.fd_seek!(fd, -9n, 1, OUT)).toBe(0);
    expect(u64()).toBe(2n);
    expect(wasi.fd_read!(fd, ...vectors([7000, 4], [8000, 100]), OUT)).toBe(0);
    expect([u32(), text(7000, 4), text(8000, 5)]).toEqual([9, 'llo ', 'world']);
    expect(wasi.fd_tell!(fd, OUT)).toBe(0);
    expect(u64()).toBe(11n);
    expect(wasi.fd_read!(fd, ...vectors([7000, 4]), OUT)).toBe(0);
    expect(u32()).toBe(0);
    expect(wasi.fd_pread!(fd, ...vectors([7000, 4], [7004, 1]), 6n, OUT)).toBe(0);
    expect([u32(), text(7000, 5)]).toEqual([5, 'world']);
    expect(wasi.fd_pwrite!(fd, ...vectors(put('W')), 6n, OUT)).toBe(0);
    expect([wasi.fd_seek!(fd, -1n, 0, OUT), wasi.fd_seek!(fd, 0n, 3, OUT), wasi.fd_seek!(1, 0n, 0, OUT)]).toEqual([
      28, 28, 70,
    ]);
    expect(wasi.fd_seek!(fd, 0n, 2, OUT)).toBe(0);
    expect(u64()).toBe(11n);
  });

  test('a write larger than a system call is one write', () => {
    const fd = open('a', 1);
    bytes.fill(7, 65536, 65536 + 150_000);
    expect(wasi.fd_write!(fd, ...vectors([65536, 150_000]), OUT)).toBe(0);
    expect(u32()).toBe(150_000);
    bytes.fill(0, 65536);
    expect(wasi.fd_pread!(fd, ...vectors([65536, 150_000]), 0n, OUT)).toBe(0);
    expect(u32()).toBe(150_000);
    expect(bytes.subarray(65536, 65536 + 150_000).every((byte) => byte === 7)).toBe(true);
  });

  test('appends go to the end, wherever the position is, and can be switched on and off', () => {
    const [fd, other] = [open('a', 1, ALL, 1), open('a')];
    write(other, 'one');
    expect(write(fd, 'two')).toBe(0);
    expect(wasi.fd_tell!(fd, OUT)).toBe(0);
    expect(u64()).toBe(6n);
    expect(wasi.fd_fdstat_get!(fd, OUT)).toBe(0);
    expect([bytes[OUT], view.getUint16(OUT + 2, true)]).toEqual([4, 1]);
    expect(wasi.fd_fdstat_set_flags!(fd, 0)).toBe(0);
    expect(wasi.fd_fdstat_set_flags!(fd, 2)).toBe(28);
    wasi.fd_seek!(fd, 0n, 0, OUT);
    write(fd, 'ONE');
    expect(wasi.fd_pread!(fd, ...vectors([7000, 9]), 0n, OUT)).toBe(0);
    expect(text(7000, u32())).toBe('ONEtwo');
  });

  test('rights say what a descriptor can do', () => {
    open('a', 1);
    const rights = (fd: number) => {
      expect(wasi.fd_fdstat_get!(fd, OUT)).toBe(0);
      return [1n, 6n].map((bit) => (u64(OUT + 8) >> bit) & 1n);
    };
    expect(rights(open('a', 0, 1n << 1n))).toEqual([1n, 0n]);
    expect(rights(open('a', 0, 1n << 6n))).toEqual([0n, 1n]);
    expect([rights(0), rights(1), rights(ROOT)]).toEqual([
      [1n, 0n],
      [0n, 1n],
      [0n, 0n],
    ]);
    expect(write(open('a', 0, 1n << 1n), 'x')).toBe(8);
    expect(wasi.fd_read!(open('a', 0, 1n << 6n), ...vectors([IN, 1]), OUT)).toBe(8);
    expect(wasi.fd_read!(ROOT, ...vectors([IN, 1]), OUT)).toBe(8);
    expect(wasi.fd_fdstat_set_rights!(4, 0n, 0n)).toBe(58);
  });

  test('a listing goes on where a cookie says, in pieces of any size, and stays what it was', () => {
    for (let i = 0; i < 20; i++) wasi.fd_close!(open(`entry-${i}`, 1));
    const seen: string[] = [];
    let cookie = 0n;
    for (let room = 30; ; room = 30 + ((room * 7) % 90)) {
      expect(wasi.fd_readdir!(ROOT, IN, room, cookie, OUT)).toBe(0);
      const used = u32();
      if (used === 0) break;
      for (let at = IN; at + 24 <= IN + used; ) {
        const length = u32(at + 16);
        if (at + 24 + length > IN + used) break;
        seen.push(text(at + 24, length));
        cookie = u64(at);
        at += 24 + length;
      }
      // A name that comes or goes meanwhile does not move the others.
      const [, path, size] = [0, ...put(`entry-${seen.length % 20}`, 12_000)];
      if (seen.length % 3 === 0) wasi.path_unlink_file!(ROOT, path, size);
    }
    const names = Array.from({ length: 20 }, (_, i) => `entry-${i}`);
    expect(seen.slice(0, 2)).toEqual(['.', '..']);
    expect(seen.slice(2).sort()).toEqual(names.sort());
    expect(wasi.fd_readdir!(ROOT, IN, 4096, 0n, OUT)).toBe(0);
    expect(text(IN, u32())).toContain('entry-');
    expect(wasi.fd_readdir!(open('new', 1), IN, 100, 0n, OUT)).toBe(54);
  });

  test('times are a time, now, or as they are, but not two of these', () => {
    const fd = open('a', 1);
    expect(wasi.fd_filestat_set_times!(fd, 5n, 1_500_000_000_123_456_789n, 1 | 4)).toBe(0);
    expect(wasi.fd_filestat_get!(fd, OUT)).toBe(0);
    expect([u64(OUT + 40), u64(OUT + 48)]).toEqual([5n, 1_500_000_000_123_456_789n]);
    expect(wasi.path_filestat_set_times!(ROOT, 0, ...put('a'), 0n, 0n, 8)).toBe(0);
    expect(wasi.fd_filestat_get!(fd, OUT)).toBe(0);
    expect(u64(OUT + 40)).toBe(5n);
    expect(u64(OUT + 48)).toBeGreaterThan(1_600_000_000_000_000_000n);
    expect(wasi.fd_filestat_set_times!(fd, 0n, 0n, 4 | 8)).toBe(28);
    expect(wasi.fd_filestat_set_times!(ROOT, 0n, 9n, 4)).toBe(0);
  });

  test('links: a target that is cut to the room, a second name, a loop', () => {
    open('a', 1);
    const [target, size] = put('over/there', 9000);
    expect(wasi.path_symlink!(target, size, ROOT, ...put('soft'))).toBe(0);
    expect(wasi.path_readlink!(ROOT, ...put('soft'), 7000, 4, OUT)).toBe(0);
    expect([u32(), text(7000, 4)]).toEqual([4, 'over']);
    expect(wasi.path_link!(ROOT, 0, ...put('a'), ROOT, ...put('b', 9000))).toBe(0);
    expect(wasi.path_filestat_get!(ROOT, 1, ...put('b'), OUT)).toBe(0);
    expect([u64(OUT), u64(OUT + 24), bytes[OUT + 16]]).toEqual([7n, 2n, 4]);
    expect(wasi.path_filestat_get!(ROOT, 0, ...put('soft'), OUT)).toBe(0);
    expect(bytes[OUT + 16]).toBe(7);
    expect(wasi.path_filestat_get!(ROOT, 1, ...put('soft'), OUT)).toBe(44);
    expect(wasi.path_rename!(ROOT, ...put('b'), ROOT, ...put('c', 9000))).toBe(0);
    expect(wasi.path_create_directory!(ROOT, ...put('c'))).toBe(20);
  });

  test('arguments and environment', () => {
    expect(wasi.args_sizes_get!(OUT, OUT + 4)).toBe(0);
    expect([u32(), u32(OUT + 4)]).toEqual([2, 'program\0ä b\0'.length + 1]);
    expect(wasi.args_get!(OUT, IN)).toBe(0);
    expect([u32(), u32(OUT + 4)]).toEqual([IN, IN + 8]);
    expect(text(IN, 13)).toBe('program\0ä b\0');
    expect(wasi.environ_sizes_get!(OUT, OUT + 4)).toBe(0);
    expect([u32(), u32(OUT + 4)]).toEqual([1, 9]);
    expect(wasi.environ_get!(OUT, IN)).toBe(0);
    expect(text(IN, 9)).toBe('NAME=a=b\0');
  });

  test('clocks: two there are, and one never goes back', () => {
    expect([2, 3].map((clock) => wasi.clock_time_get!(clock, 0n, OUT))).toEqual([8, 8]);
    let last = 0n;
    for (let i = 0; i < 1000; i++) {
      expect(wasi.clock_time_get!(1, 0n, OUT)).toBe(0);
      expect(u64()).toBeGreaterThanOrEqual(last);
      last = u64();
    }
    expect(wasi.clock_time_get!(0, 0n, OUT)).toBe(0);
    expect(Math.abs(Number(u64() / 1_000_000n) - Date.now())).toBeLessThan(1000);
    expect(wasi.clock_res_get!(0, OUT)).toBe(0);
    expect(u64()).toBeGreaterThan(0n);
  });

  test('a poll tells of the clock and of files, with what is left to read', () => {
    const fd = open('a', 1);
    write(fd, 'four');
    wasi.fd_seek!(fd, 1n, 0, OUT);
    const subscribe = (i: number, user: bigint, type: number, what: number, timeout = 0n) => {
      const at = IN + i * 48;
      view.setBigUint64(at, user, true);
      view.setUint8(at + 8, type);
      view.setUint32(at + 16, what, true);
      view.setBigUint64(at + 24, timeout, true);
    };
    subscribe(0, 11n, 0, 1, 60_000_000_000n);
    subscribe(1, 12n, 1, fd);
    subscribe(2, 13n, 2, fd);
    subscribe(3, 14n, 2, 1);
    expect(wasi.poll_oneoff!(IN, 8192, 4, OUT)).toBe(0);
    expect(u32()).toBe(3);
    const events = [0, 1, 2].map((i) => [u64(8192 + i * 32), bytes[8192 + i * 32 + 10], u64(8192 + i * 32 + 16)]);
    expect(events).toEqual([
      [12n, 1, 3n],
      [13n, 2, 1n],
      [14n, 2, 1n],
    ]);
    subscribe(0, 15n, 0, 1, 5_000_000n);
    const from = performance.now();
    expect(wasi.poll_oneoff!(IN, 8192, 1, OUT)).toBe(0);
    expect([u32(), u64(8192), bytes[8202]]).toEqual([1, 15n, 0]);
    expect(performance.now() - from).toBeGreaterThanOrEqual(5);
    subscribe(0, 16n, 1, 99);
    expect([wasi.poll_oneoff!(IN, 8192, 1, OUT), wasi.poll_oneoff!(IN, 8192, 0, OUT)]).toEqual([8, 28]);
  });

  test('sizes, advice, sync, random bytes, what is no socket, the exit', () => {
    const fd = open('a', 1);
    expect(wasi.fd_filestat_set_size!(fd, 1000n)).toBe(0);
    expect([wasi.fd_advise!(fd, 0n, 0n, 3), wasi.fd_advise!(fd, 0n, 0n, 6), wasi.fd_advise!(1, 0n, 0n, 0)]).toEqual([
      0, 28, 70,
    ]);
    expect([wasi.fd_allocate!(fd, 0n, 1n), wasi.fd_sync!(fd), wasi.fd_sync!(ROOT), wasi.fd_sync!(1)]).toEqual([
      58, 0, 0, 8,
    ]);
    expect(wasi.random_get!(65536, 100_000)).toBe(0);
    expect(bytes.subarray(65536, 165_536).filter((byte) => byte === 0).length).toBeLessThan(2000);
    expect([wasi.sched_yield!(), wasi.sock_send!(fd), wasi.sock_send!(77)]).toEqual([0, 57, 8]);
    expect(() => wasi.proc_exit!(3)).toThrow('exit 1');
    expect(host.exitCode).toBe(1);
    expect(() => wasi.random_get!(0xffff_fff0, 100)).toThrow(WebAssembly.RuntimeError);
  });
});
