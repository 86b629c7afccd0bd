/** `wasi:io`: errors, polls and streams. */

import { type CoreFunction, type Interfaces, resource } from './bind.ts';
import type { Host } from './host.ts';
import { type Guest, u64 } from './memory.ts';
import { CLOSED, InputStream, IoError, OutputStream, Pollable } from './streams.ts';

/** Stores `err(stream-error)` of a result whose payload begins at `payload`. */
function failStream(host: Host, guest: Guest, result: number, payload: number, error: IoError | undefined): void {
  const handle = error && host.resources.add(error);
  const { view } = guest;
  view.setUint8(result, 1);
  view.setUint8(result + payload, handle === undefined ? 1 : 0);
  if (handle !== undefined) view.setUint32(result + payload + 4, handle, true);
}

/** Runs an operation of a stream and stores its failure, if it has one, as a `stream-error`. */
function stream(host: Host, guest: Guest, result: number, payload: number, operation: () => void): void {
  try {
    operation();
  } catch (error) {
    if (!(error instanceof IoError)) throw error;
    failStream(host, guest, result, payload, error);
  }
}

/**
 * Waits until at least one of `pollables` is ready, and returns the positions of those that are. The event word is read
 * before they are asked: what happens after that ends the sleep at once.
 */
export function waitFor(host: Host, pollables: Pollable[]): number[] {
  const { client } = host;
  for (;;) {
    const seen = client.event();
    const ready: number[] = [];
    let deadline = Number.POSITIVE_INFINITY;
    for (let i = 0; i < pollables.length; i++) {
      const pollable = pollables[i] as Pollable;
      if (pollable.ready()) ready.push(i);
      else if (pollable.deadline < deadline) deadline = pollable.deadline;
    }
    if (ready.length > 0) return ready;
    client.sleep(seen, Math.max(0, deadline - performance.now()));
  }
}

export function io(host: Host): Interfaces {
  const input = (handle: number): InputStream => host.resources.get(handle, InputStream);
  const output = (handle: number): OutputStream => host.resources.get(handle, OutputStream);

  const read =
    (wait: boolean) =>
    (guest: Guest): CoreFunction =>
    (self: number, length: bigint, result: number) =>
      stream(host, guest, result, 4, () => {
        const source = input(self);
        const count = source.prepare(u64(length), wait);
        if (count === CLOSED) return failStream(host, guest, result, 4, undefined);
        const at = guest.allocate(1, count);
        if (count > 0) source.take(guest.bytes.subarray(at, at + count));
        guest.ok(result);
        guest.setList(result + 4, at, count);
      });

  const skip =
    (wait: boolean) =>
    (guest: Guest): CoreFunction =>
    (self: number, length: bigint, result: number) =>
      stream(host, guest, result, 8, () => {
        const source = input(self);
        const count = source.prepare(u64(length), wait);
        if (count === CLOSED) return failStream(host, guest, result, 8, undefined);
        if (count > 0) source.skip(count);
        guest.ok64(result, count);
      });

  const write =
    (guest: Guest): CoreFunction =>
    (self: number, at: number, length: number, result: number) =>
      stream(host, guest, result, 4, () => {
        const target = output(self);
        if (target.permit() === CLOSED) return failStream(host, guest, result, 4, undefined);
        target.write(guest.list(at, length));
        guest.ok(result);
      });

  const writeZeroes =
    (guest: Guest): CoreFunction =>
    (self: number, length: bigint, result: number) =>
      stream(host, guest, result, 4, () => {
        const target = output(self);
        if (target.permit() === CLOSED) return failStream(host, guest, result, 4, undefined);
        const zeroes = new Uint8Array(Math.min(u64(length), 65536));
        for (let left = u64(length); left > 0; left -= zeroes.length) {
          target.write(left < zeroes.length ? zeroes.subarray(0, left) : zeroes);
        }
        guest.ok(result);
      });

  const flush =
    (guest: Guest): CoreFunction =>
    (self: number, result: number) =>
      stream(host, guest, result, 4, () => {
        if (output(self).permit() === CLOSED) return failStream(host, guest, result, 4, undefined);
        guest.ok(result);
      });

  const splice =
    (wait: boolean) =>
    (guest: Guest): CoreFunction =>
    (self: number, from: number, length: bigint, result: number) =>
      stream(host, guest, result, 8, () => {
        const [source, target] = [input(from), output(self)];
        if (wait) target.wait();
        const permit = target.permit();
        if (permit === CLOSED) return failStream(host, guest, result, 8, undefined);
        const count = source.prepare(Math.min(permit, u64(length)), wait);
        if (count === CLOSED) return failStream(host, guest, result, 8, undefined);
        if (count > 0) {
          const bytes = new Uint8Array(count);
          source.take(bytes);
          target.write(bytes);
        }
        guest.ok64(result, count);
      });

  return {
    'wasi:io/error': {
      Error: resource({
        toDebugString: (guest) => (self: number, result: number) =>
          guest.putString(result, host.resources.get(self, IoError).message),
      }),
    },
    'wasi:io/poll': {
      Pollable: resource({
        ready: () => (self: number) => (host.resources.get(self, Pollable).ready() ? 1 : 0),
        block: () => (self: number) => {
          waitFor(host, [host.resources.get(self, Pollable)]);
        },
      }),
      poll: (guest) => (at: number, count: number, result: number) => {
        if (count === 0) throw new WebAssembly.RuntimeError('a poll of nothing would never return');
        const handles = new Uint32Array(guest.list(at, count * 4).slice().buffer);
        const ready = waitFor(
          host,
          Array.from(handles, (handle) => host.resources.get(handle, Pollable)),
        );
        const list = guest.allocate(4, ready.length * 4);
        const { view } = guest;
        ready.forEach((index, i) => {
          view.setUint32(list + i * 4, index, true);
        });
        guest.setList(result, list, ready.length);
      },
    },
    'wasi:io/streams': {
      InputStream: resource({
        read: read(false),
        blockingRead: read(true),
        skip: skip(false),
        blockingSkip: skip(true),
        subscribe: () => (self: number) => host.resources.add(input(self).subscribe()),
      }),
      OutputStream: resource({
        checkWrite: (guest) => (self: number, result: number) =>
          stream(host, guest, result, 8, () => {
            const permit = output(self).permit();
            if (permit === CLOSED) return failStream(host, guest, result, 8, undefined);
            guest.ok64(result, permit);
          }),
        write,
        blockingWriteAndFlush: write,
        flush,
        blockingFlush: flush,
        subscribe: () => (self: number) => host.resources.add(output(self).subscribe()),
        writeZeroes,
        blockingWriteZeroesAndFlush: writeZeroes,
        splice: splice(false),
        blockingSplice: splice(true),
      }),
    },
  };
}
