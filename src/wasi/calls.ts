/** How the arguments of a file's calls get from the guest's memory into the payload, and their results back. */

import { ERROR_CODES, type ErrorCode } from '../fs/errors.ts';
import type { Client } from '../syscall/client.ts';
import { OP, PAYLOAD_BYTES, SET_TIME } from '../syscall/protocol.ts';
import { putDatetime } from './clocks.ts';
import type { Identity } from './hint.ts';
import type { Guest } from './memory.ts';

export const errorNumber = (name: ErrorCode): number => ERROR_CODES.indexOf(name);

const NAME_TOO_LONG = errorNumber('name-too-long');
const INVALID = errorNumber('invalid');

/** A folder and the string of the guest that is a path in it. */
export type Place = [fd: number, at: number, length: number];

/** A case of `new-timestamp` and its `datetime`. */
export type NewTimestamp = [how: number, seconds: bigint, nanoseconds: number];

/** Copies a path of the guest into the payload; returns the bytes up to its end, or `~code`. */
export function putPath(client: Client, guest: Guest, at: number, length: number, offset = 0): number {
  const path = guest.list(at, length);
  if (offset + path.length > PAYLOAD_BYTES) return ~NAME_TOO_LONG;
  client.payload.set(path, offset);
  return offset + path.length;
}

/** A call whose arguments are a path and at most one number. Returns what `Client.call` does. */
export function callPath(client: Client, op: number, guest: Guest, [fd, at, length]: Place, number = 0): number {
  const end = putPath(client, guest, at, length);
  client.args[0] = fd;
  client.args[1] = number;
  return end < 0 ? end : client.call(op, end);
}

/** A call with two paths in two folders: a rename or a link. */
export function callPaths(client: Client, op: number, guest: Guest, from: Place, to: Place, follow = 0): number {
  const middle = putPath(client, guest, from[1], from[2]);
  const end = middle < 0 ? middle : putPath(client, guest, to[1], to[2], middle);
  const { args } = client;
  args[0] = from[0];
  args[1] = to[0];
  args[2] = middle;
  args[3] = follow;
  return end < 0 ? end : client.call(op, end);
}

/** Puts two times into the arguments of `setTimes` or `setTimesAt`; returns 0, or `~code`. */
export function putTimes({ args, times }: Client, stamps: [accessed: NewTimestamp, modified: NewTimestamp]): number {
  for (const [i, [how, seconds, nanoseconds]] of stamps.entries()) {
    args[1 + i] = how;
    times[i] = 0n;
    if (how !== SET_TIME.timestamp) continue;
    const time = BigInt.asUintN(64, seconds) * 1_000_000_000n + BigInt(nanoseconds >>> 0);
    if (nanoseconds >>> 0 >= 1_000_000_000 || time >= 2n ** 63n) return ~INVALID;
    times[i] = time;
  }
  return 0;
}

/** The node that an answer names. */
export function answeredNode({ args }: Client): Identity {
  return { inode: args[4] as number, device: args[5] as number };
}

/** Stores the ok of a `result<descriptor-stat, error-code>` from the answer of `stat` or `statAt`. */
export function putStat({ args, times }: Client, guest: Guest, result: number): void {
  const { view } = guest;
  view.setUint8(result, 0);
  view.setUint8(result + 8, args[1] as number);
  view.setBigUint64(result + 16, BigInt(args[3] as number), true);
  view.setBigUint64(result + 24, BigInt(args[2] as number), true);
  for (let i = 0; i < 3; i++) {
    const option = result + 32 + i * 24;
    view.setUint8(option, 1);
    putDatetime(guest, option + 8, times[i] as bigint);
  }
}

/** Stores the ok of a `result<metadata-hash-value, error-code>`: 128 bits whose halves, also by xor, name the node. */
export function putHash(guest: Guest, result: number, { inode, device }: Identity): void {
  const { view } = guest;
  view.setUint8(result, 0);
  view.setBigUint64(result + 8, BigInt(inode), true);
  view.setBigUint64(result + 16, BigInt.asUintN(64, BigInt(device) * 0x9e37_79b9_7f4a_7c15n), true);
}

/** Stores `result<_, error-code>` of a call that was made, or of arguments that made none. */
export function finish(guest: Guest, result: number, outcome: number): void {
  if (outcome < 0) guest.fail(result, ~outcome);
  else guest.ok(result);
}

export const statAt = (client: Client, guest: Guest, place: Place, follow: number): number =>
  callPath(client, OP.statAt, guest, place, follow);
