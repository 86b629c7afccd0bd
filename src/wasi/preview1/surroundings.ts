/** Preview 1 functions of what is around a program: arguments, environment, clocks, random bytes, polls, the exit. */

import type { CoreFunction } from '../bind.ts';
import { milliseconds, RESOLUTION, Timer, wallNow } from '../clocks.ts';
import { waitFor } from '../io.ts';
import type { Guest } from '../memory.ts';
import { fillRandom } from '../random.ts';
import type { Pollable } from '../streams.ts';
import { ERRNO, errnoOf } from './errno.ts';
import type { Instance } from './instance.ts';
import { EVENT_BYTES, SUBSCRIPTION_BYTES } from './layout.ts';
import { OpenNode, Standard } from './table.ts';

const CLOCK = { realtime: 0, monotonic: 1 } as const;
const EVENT = { clock: 0, read: 1, write: 2 } as const;
const ABSOLUTE = 1;
/** The other side of a stream is gone, or a file is at its end. */
const HANGUP = 1;

const encoder = new TextEncoder();

function wallNanoseconds(): bigint {
  const { milliseconds, nanoseconds } = wallNow();
  return BigInt(milliseconds) * 1_000_000n + BigInt(nanoseconds);
}

/** Stores strings that end in a zero one after the other, and the address of each. */
function putStrings(guest: Guest, addresses: number, text: number, strings: string[]): number {
  let at = text >>> 0;
  strings.forEach((string, i) => {
    const bytes = encoder.encode(`${string}\0`);
    guest.list(at, bytes.length).set(bytes);
    guest.view.setUint32((addresses >>> 0) + i * 4, at, true);
    at += bytes.length;
  });
  return ERRNO.success;
}

function putSizes(guest: Guest, count: number, bytes: number, strings: string[]): number {
  guest.view.setUint32(count >>> 0, strings.length, true);
  const sizes = strings.map((string) => encoder.encode(string).length + 1);
  guest.view.setUint32(
    bytes >>> 0,
    sizes.reduce((sum, size) => sum + size, 0),
    true,
  );
  return ERRNO.success;
}

export function surroundings({ host, guest, table }: Instance): Record<string, CoreFunction> {
  const { client } = host;
  const args = (): string[] => {
    client.needProcess();
    return host.args;
  };
  const environment = (): string[] => {
    client.needProcess();
    return host.env.map(([name, value]) => `${name}=${value}`);
  };

  function timer(at: number): Pollable | number {
    const { view } = guest;
    const clock = view.getUint32(at, true);
    const timeout = view.getBigUint64(at + 8, true);
    const absolute = (view.getUint16(at + 24, true) & ABSOLUTE) !== 0;
    if (clock !== CLOCK.realtime && clock !== CLOCK.monotonic) return ERRNO.inval;
    if (!absolute) return new Timer(performance.now() + milliseconds(timeout));
    if (clock === CLOCK.monotonic) return new Timer(milliseconds(timeout));
    const left = timeout - wallNanoseconds();
    return new Timer(performance.now() + (left > 0n ? milliseconds(left) : 0));
  }

  /** What a subscription waits for, or an error number. */
  function subscribed(at: number): Pollable | number {
    const type = guest.view.getUint8(at + 8);
    if (type === EVENT.clock) return timer(at + 16);
    if (type !== EVENT.read && type !== EVENT.write) return ERRNO.inval;
    const open = table.get(guest.view.getUint32(at + 16, true));
    if (!open) return ERRNO.badf;
    if (open instanceof Standard && !(type === EVENT.read ? open.input : open.output)) return ERRNO.badf;
    return open.subscribe();
  }

  function putEvent(at: number, subscription: number): void {
    const { view } = guest;
    const type = view.getUint8(subscription + 8);
    const open = type === EVENT.clock ? undefined : table.get(view.getUint32(subscription + 16, true));
    let [error, bytes, flags] = [0, open ? 1 : 0, 0];
    if (type === EVENT.read && open instanceof OpenNode) {
      error = errnoOf(open.descriptor.stat());
      bytes = error ? 1 : Math.max(0, (client.args[2] as number) - open.position);
      if (bytes === 0) flags = HANGUP;
    }
    view.setBigUint64(at, view.getBigUint64(subscription, true), true);
    view.setUint16(at + 8, error, true);
    view.setUint8(at + 10, type);
    view.setBigUint64(at + 16, BigInt(bytes), true);
    view.setUint16(at + 24, flags, true);
  }

  return {
    args_get: (addresses: number, text: number) => putStrings(guest, addresses, text, args()),
    args_sizes_get: (count: number, bytes: number) => putSizes(guest, count, bytes, args()),
    environ_get: (addresses: number, text: number) => putStrings(guest, addresses, text, environment()),
    environ_sizes_get: (count: number, bytes: number) => putSizes(guest, count, bytes, environment()),

    clock_res_get: (clock: number, result: number) => {
      if (clock !== CLOCK.realtime && clock !== CLOCK.monotonic) return ERRNO.badf;
      guest.view.setBigUint64(result >>> 0, RESOLUTION, true);
      return ERRNO.success;
    },

    clock_time_get: (clock: number, _precision: bigint, result: number) => {
      client.looks++;
      if (clock === CLOCK.monotonic) {
        guest.view.setBigUint64(result >>> 0, BigInt(Math.round(performance.now() * 1e6)), true);
      } else if (clock === CLOCK.realtime) {
        guest.view.setBigUint64(result >>> 0, wallNanoseconds(), true);
      } else return ERRNO.badf;
      return ERRNO.success;
    },

    poll_oneoff: (subscriptions: number, events: number, count: number, result: number) => {
      if (count === 0) return ERRNO.inval;
      const from = subscriptions >>> 0;
      const pollables: Pollable[] = [];
      for (let i = 0; i < count; i++) {
        const pollable = subscribed(from + i * SUBSCRIPTION_BYTES);
        if (typeof pollable === 'number') return pollable;
        pollables.push(pollable);
      }
      const ready = waitFor(host, pollables);
      ready.forEach((index, i) => {
        putEvent((events >>> 0) + i * EVENT_BYTES, from + index * SUBSCRIPTION_BYTES);
      });
      guest.view.setUint32(result >>> 0, ready.length, true);
      return ERRNO.success;
    },

    // R3.3-6: an exit knows only ok and error, as that of the interface which a component has it from.
    proc_exit: (code: number) => host.exit(code === 0 ? 0 : 1),
    proc_raise: () => ERRNO.nosys,

    random_get: (at: number, length: number) => {
      fillRandom(guest.list(at, length));
      return ERRNO.success;
    },

    sched_yield: () => ERRNO.success,

    // No socket is ever open here: those of WASI 0.2 are made by other interfaces.
    sock_accept: (fd: number) => (table.get(fd) ? ERRNO.notsock : ERRNO.badf),
    sock_recv: (fd: number) => (table.get(fd) ? ERRNO.notsock : ERRNO.badf),
    sock_send: (fd: number) => (table.get(fd) ? ERRNO.notsock : ERRNO.badf),
    sock_shutdown: (fd: number) => (table.get(fd) ? ERRNO.notsock : ERRNO.badf),
  };
}
