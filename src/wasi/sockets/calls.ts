/** How sockets make their calls to the core, and how their failures come back. */

import { ADDRESS_BYTES, putAddress, type SocketAddress, takeAddress } from '../../net/address.ts';
import { cellsOf } from '../../net/arena.ts';
import { NET_CODES, type NetCode } from '../../net/errors.ts';
import { PipeReader, PipeWriter } from '../../net/pipe.ts';
import type { Client } from '../../syscall/client.ts';
import { OP } from '../../syscall/protocol.ts';
import type { CoreFunction } from '../bind.ts';
import type { Guest } from '../memory.ts';

export const codeNumber = (code: NetCode): number => NET_CODES.indexOf(code);

/** What an operation of a socket failed with; becomes the `err` of its result. */
export class SocketFailure extends Error {
  override readonly name = 'SocketFailure';
  readonly code: NetCode;
  constructor(code: NetCode) {
    super(code);
    this.code = code;
  }
}

/** Runs the rest of a function; its failure is stored as the `err` of the result, whose payload begins at `payload`. */
export function attempt(guest: Guest, result: number, payload: number, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof SocketFailure)) throw error;
    guest.fail(result, codeNumber(error.code), payload);
  }
}

/** A function of `(self, result)` whose ok `work` stores. */
export const answering =
  (payload: number, work: (guest: Guest, self: number, result: number) => void) =>
  (guest: Guest): CoreFunction =>
  (self: number, result: number) =>
    attempt(guest, result, payload, () => work(guest, self, result));

/** The network of the world as one process uses it. */
export class NetworkCalls {
  readonly client: Client;
  readonly #cells: Int32Array | undefined;

  constructor(client: Client) {
    this.client = client;
    this.#cells = client.network && cellsOf(client.network);
  }

  /** Throws `not-supported` where there is no network at all. */
  needNetwork(): void {
    if (!this.#cells) throw new SocketFailure('not-supported');
  }

  /** Makes a call with what is in `args` and the payload; returns the bytes of the answer. */
  call(op: number, length = 0): number {
    const outcome = this.client.call(op, length);
    if (outcome < 0) throw new SocketFailure(NET_CODES[~outcome] ?? 'unknown');
    return outcome;
  }

  withAddress(op: number, id: number, more: number, address: SocketAddress): void {
    const { args, payload } = this.client;
    args[0] = id;
    args[1] = more;
    putAddress(payload, 0, address);
    this.call(op, ADDRESS_BYTES);
  }

  addressOf(op: number, id: number, kind: number): SocketAddress {
    const { args, payload } = this.client;
    args[0] = id;
    args[1] = kind;
    this.call(op);
    return takeAddress(payload, 0);
  }

  close(id: number): void {
    this.client.args[0] = id;
    this.client.call(OP.closeSocket);
  }

  /** What the core says in a cell. */
  cell(index: number): number {
    this.client.looks++;
    return this.#cells ? Atomics.load(this.#cells, index) : 0;
  }

  /** Both ends of a connection that the core gave to this process. */
  pipes(at: number, side: number): { reader: PipeReader; writer: PipeWriter } {
    const { network, wake } = this.client;
    if (!network) throw new SocketFailure('not-supported');
    const [out, back] = side === 0 ? ([0, 1] as const) : ([1, 0] as const);
    return { reader: new PipeReader(network, at, back, wake), writer: new PipeWriter(network, at, out, wake) };
  }
}
