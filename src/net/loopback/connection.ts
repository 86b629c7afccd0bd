import type { SocketAddress } from '../address.ts';
import type { Arena } from '../arena.ts';
import { NetError } from '../errors.ts';
import { PipeReader, PipeWriter, type Wake } from '../pipe.ts';

/** The first side opened the connection, the second accepted it. */
export type Side = 0 | 1;

export interface View {
  local: SocketAddress;
  remote: SocketAddress;
}

/** Both directions of a connection, and when its memory is free again: when both sides have let go of it. */
export class Connection {
  /** Its place in the arena, by which a process finds it. */
  readonly at: number;
  /** What each side sees, in its own family of addresses. */
  readonly views: readonly [View, View];
  readonly #arena: Arena;
  readonly #writers: [PipeWriter, PipeWriter];
  readonly #readers: [PipeReader, PipeReader];
  readonly #held: [boolean, boolean] = [true, true];
  #killed = false;

  constructor(arena: Arena, wake: Wake, parties: [number, number], views: [View, View]) {
    const at = arena.takeConnection();
    if (at === undefined) throw new NetError('new-socket-limit', 'the world has too many connections open');
    this.at = at;
    this.views = views;
    this.#arena = arena;
    const { buffer } = arena;
    this.#writers = [new PipeWriter(buffer, at, 0, wake), new PipeWriter(buffer, at, 1, wake)];
    this.#readers = [new PipeReader(buffer, at, 1, wake), new PipeReader(buffer, at, 0, wake)];
    this.#writers[0].assign(parties[1], parties[0]);
    this.#writers[1].assign(parties[0], parties[1]);
  }

  /** What a side writes with; for the core, when it is that side. */
  writer(side: Side): PipeWriter {
    return this.#writers[side];
  }

  reader(side: Side): PipeReader {
    return this.#readers[side];
  }

  /** A side lets go: what it wrote still arrives, what is written to it fails. Safe to call again. */
  release(side: Side): void {
    this.#release(side, false, () => this.#writers[side].close());
  }

  /** A side was killed, or broke: the other one fails in both directions, after the bytes that are on the way (R5-6). */
  reset(side: Side, killed: boolean): void {
    this.#release(side, killed, () => this.#writers[side].reset());
  }

  #release(side: Side, killed: boolean, end: () => void): void {
    if (!this.#held[side]) return;
    this.#held[side] = false;
    this.#killed ||= killed;
    // in this order: whoever reads the end finds that writing fails too
    this.#readers[side].leave();
    end();
    if (!this.#held[1 - side]) this.#arena.freeConnection(this.at, this.#killed);
  }
}
