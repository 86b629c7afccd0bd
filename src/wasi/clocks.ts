/** `wasi:clocks`: all clocks are the browser's, at the resolution that it gives. */

import type { Interfaces } from './bind.ts';
import type { Host } from './host.ts';
import type { Guest } from './memory.ts';
import { Pollable } from './streams.ts';

let anchorDate = 0;
let anchorPerformance = 0;

/**
 * The time of day since 1970, as milliseconds and the nanoseconds beyond them. It is `Date.now()`, so that it agrees with the times of files and follows
 * the system's clock, with the part of a millisecond taken from the monotonic clock.
 */
export function wallNow(): { milliseconds: number; nanoseconds: number } {
  const milliseconds = Date.now();
  const now = performance.now();
  const fraction = now - anchorPerformance - (milliseconds - anchorDate);
  if (fraction >= 0 && fraction < 1) return { milliseconds, nanoseconds: Math.floor(fraction * 1e6) };
  anchorDate = milliseconds;
  anchorPerformance = now;
  return { milliseconds, nanoseconds: 0 };
}

/** Stores a `datetime`: seconds as u64, nanoseconds as u32. It begins in 1970, and so does what is earlier. */
export function putDatetime(guest: Guest, at: number, nanoseconds: bigint): void {
  if (nanoseconds < 0n) nanoseconds = 0n;
  const seconds = nanoseconds / 1_000_000_000n;
  const { view } = guest;
  view.setBigUint64(at, seconds, true);
  view.setUint32(at + 8, Number(nanoseconds - seconds * 1_000_000_000n), true);
}

function putWallNow(guest: Guest, at: number): void {
  const { milliseconds, nanoseconds } = wallNow();
  const seconds = Math.floor(milliseconds / 1000);
  const { view } = guest;
  view.setUint32(at, seconds, true);
  view.setUint32(at + 4, Math.floor(seconds / 2 ** 32), true);
  view.setUint32(at + 8, (milliseconds - seconds * 1000) * 1_000_000 + nanoseconds, true);
}

export class Timer extends Pollable {
  readonly #deadline: number;
  constructor(deadline: number) {
    super();
    this.#deadline = deadline;
  }
  override get deadline(): number {
    return this.#deadline;
  }
  ready(): boolean {
    return performance.now() >= this.#deadline;
  }
}

export function milliseconds(nanoseconds: bigint): number {
  return Number(BigInt.asUintN(64, nanoseconds)) / 1e6;
}

/** Nanoseconds between two ticks: 5 µs in an isolated page, 100 µs and more elsewhere. */
export const RESOLUTION = globalThis.crossOriginIsolated ? 5_000n : 100_000n;

/** Seconds that the visitor's clock is before UTC at that time. */
function utcOffset(seconds: bigint): number {
  const offset = -new Date(Number(BigInt.asIntN(64, seconds)) * 1000).getTimezoneOffset() * 60;
  return Number.isNaN(offset) ? 0 : offset;
}

export function clocks(host: Host): Interfaces {
  return {
    'wasi:clocks/monotonic-clock': {
      now: () => () => {
        host.client.looks++;
        return BigInt(Math.round(performance.now() * 1e6));
      },
      resolution: () => () => RESOLUTION,
      subscribeInstant: () => (when: bigint) => host.resources.add(new Timer(milliseconds(when))),
      subscribeDuration: () => (duration: bigint) =>
        host.resources.add(new Timer(performance.now() + milliseconds(duration))),
    },
    'wasi:clocks/wall-clock': {
      now: (guest) => (result: number) => {
        host.client.looks++;
        putWallNow(guest, result);
      },
      resolution: (guest) => (result: number) => putDatetime(guest, result, RESOLUTION),
    },
    'wasi:clocks/timezone': {
      display: (guest) => (seconds: bigint, _nanoseconds: number, result: number) => {
        const offset = utcOffset(seconds);
        const winter = Math.min(
          ...[0, 6].map((month) => -new Date(new Date().getFullYear(), month, 1).getTimezoneOffset() * 60),
        );
        guest.putString(result + 4, Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC');
        const { view } = guest;
        view.setInt32(result, offset, true);
        view.setUint8(result + 12, offset > winter ? 1 : 0);
      },
      utcOffset: () => (seconds: bigint) => utcOffset(seconds),
    },
  };
}
