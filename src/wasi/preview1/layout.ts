/** How the records of WASI preview 1 lie in memory. All numbers are little endian. */

import type { Client } from '../../syscall/client.ts';
import { KIND } from '../../syscall/protocol.ts';
import type { Guest } from '../memory.ts';

const bits = (...numbers: number[]): bigint => numbers.reduce((sum, number) => sum | (1n << BigInt(number)), 0n);

export const RIGHT = { read: bits(1), write: bits(6), readdir: bits(14) } as const;
/** What programs expect to be allowed on a folder (everything with names), and on what they open in it. */
export const FOLDER_RIGHTS = bits(9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 21, 23, 24, 25, 26);
export const INHERITED_RIGHTS = FOLDER_RIGHTS | bits(0, 1, 2, 3, 4, 5, 6, 7, 8, 22, 27);
const ALL_RIGHTS = 2n ** 64n - 1n;

export const FDFLAG = { append: 1, dsync: 2, nonblock: 4, rsync: 8, sync: 16 } as const;

const FILETYPE: Record<number, number> = { [KIND.directory]: 3, [KIND.file]: 4, [KIND.link]: 7 };
export const filetype = (kind: number): number => FILETYPE[kind] ?? 0;

export const IOVEC_BYTES = 8;
export const DIRENT_BYTES = 24;
export const SUBSCRIPTION_BYTES = 48;
export const EVENT_BYTES = 32;

/** The pieces of memory that a list of vectors names, in place, without the empty ones. */
export function vectors(guest: Guest, at: number, count: number): Uint8Array<ArrayBuffer>[] {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const { view } = guest;
  for (let i = 0; i < count; i++) {
    const vector = (at >>> 0) + i * IOVEC_BYTES;
    const length = view.getUint32(vector + 4, true);
    if (length > 0) parts.push(guest.list(view.getUint32(vector, true), length));
  }
  return parts;
}

/** Stores a `filestat` from the answer of `stat` or `statAt`. */
export function putFilestat({ args, times }: Client, guest: Guest, at: number): void {
  const { view } = guest;
  at >>>= 0;
  view.setBigUint64(at, BigInt(args[5] as number), true);
  view.setBigUint64(at + 8, BigInt(args[4] as number), true);
  view.setBigUint64(at + 16, BigInt(filetype(args[1] as number)), true);
  view.setBigUint64(at + 24, BigInt(args[3] as number), true);
  view.setBigUint64(at + 32, BigInt(args[2] as number), true);
  for (let i = 0; i < 3; i++) {
    const time = times[i] as bigint;
    view.setBigUint64(at + 40 + i * 8, time < 0n ? 0n : time, true);
  }
}

/** Stores the `filestat` of a standard stream, of which nothing is known. */
export function putNoFilestat(guest: Guest, at: number): void {
  guest.list(at, 64).fill(0);
}

export function putFdstat(guest: Guest, at: number, type: number, flags: number, rights: bigint, more = rights): void {
  const { view } = guest;
  at >>>= 0;
  view.setUint8(at, type);
  view.setUint16(at + 2, flags, true);
  view.setBigUint64(at + 8, rights, true);
  view.setBigUint64(at + 16, more, true);
}

export const fileRights = (read: boolean, write: boolean): bigint =>
  ALL_RIGHTS & ~(read ? 0n : RIGHT.read | RIGHT.readdir) & ~(write ? 0n : RIGHT.write);
