import { SET_TIME } from '../../syscall/protocol.ts';
import type { NewTimestamp } from '../calls.ts';

/** `fstflags`: which time is set, and to what. */
const SET = { accessed: 1, accessedNow: 2, modified: 4, modifiedNow: 8 } as const;

function one(stamp: bigint, set: boolean, now: boolean): NewTimestamp | undefined {
  if (set && now) return undefined;
  if (now) return [SET_TIME.now, 0n, 0];
  if (!set) return [SET_TIME.noChange, 0n, 0];
  const nanoseconds = BigInt.asUintN(64, stamp);
  return [SET_TIME.timestamp, nanoseconds / 1_000_000_000n, Number(nanoseconds % 1_000_000_000n)];
}

/** The two times of a call that sets times; undefined when one is to be both a time and now. */
export function timestamps(
  accessed: bigint,
  modified: bigint,
  flags: number,
): [accessed: NewTimestamp, modified: NewTimestamp] | undefined {
  const a = one(accessed, (flags & SET.accessed) !== 0, (flags & SET.accessedNow) !== 0);
  const m = one(modified, (flags & SET.modified) !== 0, (flags & SET.modifiedNow) !== 0);
  return a && m && [a, m];
}
