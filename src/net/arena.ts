/**
 * The memory of a world's network, which the core and all its process workers share: bytes of a local connection go
 * from one process to the other through it, without the core. Only the core gives out pieces of it.
 *
 * First come the cells, one `Int32` for each socket or lookup, in which the core says what there is to fetch; then the
 * connections: a head of control words and a ring of bytes for each direction (`pipe.ts`). The buffer grows when it
 * must and never shrinks; the pages of a ring that nobody has used yet cost nothing.
 */

const CELLS = 16 * 1024;
/** Bytes that one direction of a connection holds: what a writer can be ahead of a reader that never reads. */
export const PIPE_BYTES = 64 * 1024;
/** Control words of one direction; 64 bytes, so that two directions do not share a cache line. */
export const PIPE_WORDS = 16;
const HEAD_BYTES = 2 * PIPE_WORDS * 4;
const CONNECTION_BYTES = HEAD_BYTES + 2 * PIPE_BYTES;
const CONNECTIONS_AT = CELLS * 4;
/** Connections that can be open at once in a world. */
export const CONNECTIONS = 2048;
const MOST_BYTES = CONNECTIONS_AT + CONNECTIONS * CONNECTION_BYTES;
/** Connections that the buffer grows by. */
const STEP = 16;

/**
 * How long the rings of a killed process rest before others get them, in milliseconds. A worker that is ended may run
 * for a moment more, and nobody tells when it has stopped.
 */
const QUARANTINE = 10_000;

/** The two directions of the connection at `at`: 0 is what its first side writes, 1 what its second side writes. */
export function pipeMemory(buffer: SharedArrayBuffer, at: number, direction: 0 | 1) {
  return {
    words: new Int32Array(buffer, at + direction * PIPE_WORDS * 4, PIPE_WORDS),
    bytes: new Uint8Array(buffer, at + HEAD_BYTES + direction * PIPE_BYTES, PIPE_BYTES),
  };
}

/** The cells as a process reads them. */
export const cellsOf = (buffer: SharedArrayBuffer): Int32Array => new Int32Array(buffer, 0, CELLS);

export class Arena {
  readonly buffer: SharedArrayBuffer;
  readonly cells: Int32Array;
  readonly #now: () => number;
  #freeCells: number[] = [];
  #cells = 0;
  #free: number[] = [];
  #resting: { at: number; until: number }[] = [];
  #end = CONNECTIONS_AT;
  #used = 0;

  constructor(now: () => number = () => performance.now()) {
    this.buffer = new SharedArrayBuffer(CONNECTIONS_AT, { maxByteLength: MOST_BYTES });
    this.cells = cellsOf(this.buffer);
    this.#now = now;
  }

  /** Connections in use. */
  get connections(): number {
    return this.#used;
  }

  get cellsInUse(): number {
    return this.#cells - this.#freeCells.length;
  }

  /** A cell with 0 in it, or undefined when all are taken. */
  takeCell(): number | undefined {
    const cell = this.#freeCells.pop() ?? (this.#cells < CELLS ? this.#cells++ : undefined);
    if (cell !== undefined) Atomics.store(this.cells, cell, 0);
    return cell;
  }

  /** Only the core writes cells, so one can be given out again at once. */
  freeCell(cell: number): void {
    this.#freeCells.push(cell);
  }

  /** The place of a connection whose words are 0, or undefined when there are too many. */
  takeConnection(): number | undefined {
    while (this.#resting[0] && this.#resting[0].until <= this.#now()) this.#free.push(this.#resting.shift()!.at);
    const at = this.#free.pop() ?? this.#grow();
    if (at === undefined) return undefined;
    this.#used++;
    const words = new Int32Array(this.buffer, at, 2 * PIPE_WORDS);
    for (let i = 0; i < words.length; i++) Atomics.store(words, i, 0);
    return at;
  }

  /** Gives a connection back; `killed` says that a process which had it may still write into it for a moment. */
  freeConnection(at: number, killed: boolean): void {
    this.#used--;
    if (killed) this.#resting.push({ at, until: this.#now() + QUARANTINE });
    else this.#free.push(at);
  }

  #grow(): number | undefined {
    if (this.#end + CONNECTION_BYTES > MOST_BYTES) return undefined;
    if (this.#end + CONNECTION_BYTES > this.buffer.byteLength) {
      const wanted = Math.min(MOST_BYTES, this.#end + STEP * CONNECTION_BYTES);
      try {
        this.buffer.grow(wanted);
      } catch {
        return undefined; // no memory left: the caller says so
      }
    }
    const at = this.#end;
    this.#end += CONNECTION_BYTES;
    return at;
  }
}
