/**
 * One direction of a connection in shared memory: a ring of bytes with the words around it. The writer may be in one
 * process and the reader in another, or either of them the core; both sides use these classes, and nothing in here
 * blocks.
 *
 * Who finds nothing to read, or no room to write, says so in a word and looks once more; the other side, which touches
 * the ring before it looks at that word, then wakes it. So whoever comes second sees the other, and nobody is woken
 * who does not wait.
 */

import { RingReader, RingWriter } from '../syscall/ring.ts';
import { pipeMemory } from './arena.ts';

/** Indexes of the words of a pipe; the first two are those of the ring. */
const WORD = {
  read: 0,
  written: 1,
  /** What the writer said last, from `END`. */
  end: 2,
  /** What the reader said last, from `EAR`. */
  ear: 3,
  readerWaits: 4,
  writerWaits: 5,
  /** Parties: 0 is the core, any other number 1 + the slot of a process. */
  reader: 6,
  writer: 7,
} as const;

const END = { open: 0, ended: 1, reset: 2 } as const;
const EAR = { listens: 0, discards: 1, gone: 2 } as const;

/** Wakes a party of a pipe. */
export type Wake = (party: number) => void;

/** A writer that waits for room is woken when so much of the ring is free; one byte at a time would be a wake each. */
const ROOM = 4;

/** What a reader comes to after the bytes that are there: the end that the writer made, or a break. */
export type PipeEnd = 'open' | 'ended' | 'reset';

export class PipeReader {
  readonly #words: Int32Array;
  readonly #ring: RingReader;
  readonly #wake: Wake;

  constructor(buffer: SharedArrayBuffer, at: number, direction: 0 | 1, wake: Wake) {
    const { words, bytes } = pipeMemory(buffer, at, direction);
    this.#words = words;
    this.#ring = new RingReader(words, WORD.read, WORD.written, bytes);
    this.#wake = wake;
  }

  /** Bytes that can be read now. Ask for `end` before this: what was written before the end is then counted. */
  get held(): number {
    return this.#ring.held;
  }

  get end(): PipeEnd {
    const end = Atomics.load(this.#words, WORD.end);
    return end === END.open ? 'open' : end === END.ended ? 'ended' : 'reset';
  }

  /** Whether there is something to read, or an end. When not, the writer will wake this side. */
  ready(): boolean {
    if (this.#ring.held > 0 || Atomics.load(this.#words, WORD.end) !== END.open) return true;
    Atomics.store(this.#words, WORD.readerWaits, 1);
    return this.#ring.held > 0 || Atomics.load(this.#words, WORD.end) !== END.open;
  }

  /** Moves bytes out, as many as there are and fit; returns how many. */
  readInto(into: Uint8Array): number {
    const count = this.#ring.readInto(into);
    this.#taken();
    return count;
  }

  /** Takes bytes out unseen; they must be there. */
  skip(count: number): void {
    this.#ring.skip(count);
    this.#taken();
  }

  #taken(): void {
    const words = this.#words;
    if (Atomics.load(words, WORD.writerWaits) === 0) return;
    const { capacity, held } = this.#ring;
    if (capacity - held >= capacity / ROOM) this.#wakeWriter();
  }

  #wakeWriter(): void {
    if (Atomics.exchange(this.#words, WORD.writerWaits, 0) !== 0) this.#wake(Atomics.load(this.#words, WORD.writer));
  }

  /** Reads no more; what is still written goes nowhere, and the writer does not notice. */
  discard(): void {
    if (Atomics.compareExchange(this.#words, WORD.ear, EAR.listens, EAR.discards) !== EAR.listens) return;
    this.#wakeWriter();
  }

  /** The reader is gone for good: a writer gets an error. */
  leave(): void {
    Atomics.store(this.#words, WORD.ear, EAR.gone);
    this.#wakeWriter();
  }
}

export class PipeWriter {
  readonly #words: Int32Array;
  readonly #ring: RingWriter;
  readonly #wake: Wake;

  constructor(buffer: SharedArrayBuffer, at: number, direction: 0 | 1, wake: Wake) {
    const { words, bytes } = pipeMemory(buffer, at, direction);
    this.#words = words;
    this.#ring = new RingWriter(words, WORD.read, WORD.written, bytes);
    this.#wake = wake;
  }

  /** Says who reads and who writes, once, before anybody does. */
  assign(reader: number, writer: number): void {
    Atomics.store(this.#words, WORD.reader, reader);
    Atomics.store(this.#words, WORD.writer, writer);
  }

  /** This side has said that it writes no more. */
  get ended(): boolean {
    return Atomics.load(this.#words, WORD.end) !== END.open;
  }

  /** The reader is gone, or the connection was broken: writing fails. */
  get broken(): boolean {
    return Atomics.load(this.#words, WORD.ear) === EAR.gone || Atomics.load(this.#words, WORD.end) === END.reset;
  }

  /** Bytes that can be written now; for a reader that discards, as many as the ring has. */
  get free(): number {
    return Atomics.load(this.#words, WORD.ear) === EAR.listens ? this.#ring.free : this.#ring.capacity;
  }

  /**
   * Whether there is room for so many bytes, or no sense in waiting for any. When not, the reader will wake this side.
   * At most what a reader makes free before it wakes anybody: a quarter of the ring.
   */
  ready(bytes = 1): boolean {
    if (this.free >= bytes || this.ended) return true;
    Atomics.store(this.#words, WORD.writerWaits, 1);
    return this.free >= bytes || this.ended;
  }

  /** Writes as much of `data` from `offset` on as there is room for, and returns how much. */
  write(data: Uint8Array, offset = 0): number {
    if (Atomics.load(this.#words, WORD.ear) !== EAR.listens) return data.length - offset;
    const count = this.#ring.write(data, offset);
    if (count > 0) this.#wakeReader();
    return count;
  }

  #wakeReader(): void {
    if (Atomics.exchange(this.#words, WORD.readerWaits, 0) !== 0) this.#wake(Atomics.load(this.#words, WORD.reader));
  }

  /** Writes no more: the reader comes to an end after what was written. The half-close. */
  close(): void {
    if (Atomics.compareExchange(this.#words, WORD.end, END.open, END.ended) === END.open) this.#wakeReader();
  }

  /** Breaks this direction: the reader fails after what was written, the writer at once. An end that was said stays. */
  reset(): void {
    if (Atomics.compareExchange(this.#words, WORD.end, END.open, END.reset) !== END.open) return;
    this.#wakeReader();
    if (Atomics.exchange(this.#words, WORD.writerWaits, 0) !== 0) this.#wake(Atomics.load(this.#words, WORD.writer));
  }
}
