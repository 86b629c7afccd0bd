/** The core's side of the memory that it shares with one process worker. Nothing in here blocks. */

import type { Doorbell } from './doorbell.ts';
import type { Call } from './operations.ts';
import {
  ARGS,
  ARGS_AT,
  CHANNEL_BYTES,
  EXIT,
  type Exit,
  PAYLOAD_AT,
  PAYLOAD_BYTES,
  RING_BYTES,
  STDERR_AT,
  STDIN_AT,
  STDOUT_AT,
  WORD,
  WORDS_AT,
} from './protocol.ts';
import { RingReader, RingWriter } from './ring.ts';

const WORDS = (ARGS_AT - WORDS_AT) / 4;

export class ProcessChannel {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #args: Float64Array;
  readonly #payload: Uint8Array;
  readonly #stdin: RingWriter;
  readonly #stdout: RingReader;
  readonly #stderr: RingReader;
  readonly #doorbell: Doorbell;
  readonly #slot: number;
  #serving = false;

  /** `slot` is the place of the worker at the doorbell, where its event word stands. */
  constructor(doorbell: Doorbell, slot: number, buffer = new SharedArrayBuffer(CHANNEL_BYTES)) {
    this.buffer = buffer;
    this.#doorbell = doorbell;
    this.#slot = slot;
    this.#words = new Int32Array(buffer, WORDS_AT, WORDS);
    this.#args = new Float64Array(buffer, ARGS_AT, ARGS);
    this.#payload = new Uint8Array(buffer, PAYLOAD_AT, PAYLOAD_BYTES);
    this.#stdin = new RingWriter(
      this.#words,
      WORD.stdinRead,
      WORD.stdinWritten,
      new Uint8Array(buffer, STDIN_AT, RING_BYTES.stdin),
    );
    this.#stdout = new RingReader(
      this.#words,
      WORD.stdoutRead,
      WORD.stdoutWritten,
      new Uint8Array(buffer, STDOUT_AT, RING_BYTES.stdout),
    );
    this.#stderr = new RingReader(
      this.#words,
      WORD.stderrRead,
      WORD.stderrWritten,
      new Uint8Array(buffer, STDERR_AT, RING_BYTES.stderr),
    );
  }

  /** Makes the channel ready for the next process. The worker must be idle. */
  reset(): void {
    for (let word = 0; word < WORDS; word++) Atomics.store(this.#words, word, 0);
    this.#serving = false;
  }

  /**
   * Puts as much of `bytes` from `offset` on into stdin as there is room for, and returns how much. When that is not
   * all, the process rings as soon as it has read some.
   */
  writeStdin(bytes: Uint8Array, offset: number): number {
    let taken = this.#stdin.write(bytes, offset);
    if (offset + taken < bytes.length) {
      Atomics.store(this.#words, WORD.stdinWaits, 1);
      // The process may have read, and looked at the word, before it was set.
      taken += this.#stdin.write(bytes, offset + taken);
    }
    if (taken > 0) this.notifyEvent();
    return taken;
  }

  /** The process reads the end of stdin after what was written before. */
  closeStdin(): void {
    Atomics.store(this.#words, WORD.stdinClosed, 1);
    this.notifyEvent();
  }

  /** What a program that never began to run was given on stdin. */
  unread(): Uint8Array<ArrayBuffer> | undefined {
    const written = Atomics.load(this.#words, WORD.stdinWritten) >>> 0;
    return written === 0 ? undefined : new Uint8Array(this.buffer, STDIN_AT, written).slice();
  }

  /** A copy of all that stdout holds; the ring is free again and a writer that waits for it goes on. */
  readStdout(): Uint8Array<ArrayBuffer> | undefined {
    return this.#drain(this.#stdout, WORD.stdoutRead);
  }

  /** As `readStdout`, of stderr, and at most so many bytes. */
  readStderr(most?: number): Uint8Array<ArrayBuffer> | undefined {
    return this.#drain(this.#stderr, WORD.stderrRead, most);
  }

  #drain(ring: RingReader, readWord: number, most = Number.POSITIVE_INFINITY): Uint8Array<ArrayBuffer> | undefined {
    const held = Math.min(ring.held, most);
    if (held === 0) return undefined;
    const bytes = new Uint8Array(held);
    ring.readInto(bytes);
    Atomics.notify(this.#words, readWord);
    // A process that found the ring full may sleep on its event word, in `poll`. It filled the ring before it looked,
    // so whoever looks second, here or there, sees the other.
    if (ring.held + held >= ring.capacity) this.notifyEvent();
    return bytes;
  }

  /** How the process ended. What it wrote before is in the rings when this is set: read them once more after it. */
  exit(): Exit | undefined {
    if (Atomics.load(this.#words, WORD.state) !== 2) return undefined;
    const kind = Atomics.load(this.#words, WORD.exitKind);
    if (kind === EXIT.code) return { kind: 'code', code: Atomics.load(this.#words, WORD.exitCode) };
    const message = new TextDecoder().decode(this.#payload.slice(0, Atomics.load(this.#words, WORD.length)));
    if (kind === EXIT.noMemory) return { kind: 'no-memory', message };
    return { kind: kind === EXIT.link ? 'link' : 'trap', message };
  }

  /** The process waits for the answer of a call that nobody serves yet. */
  hasCall(): boolean {
    return !this.#serving && Atomics.load(this.#words, WORD.call) === 1;
  }

  /** The descriptor that the process gave back last, or 0. */
  takeUnused(): number {
    return Atomics.exchange(this.#words, WORD.unused, 0);
  }

  /** Wakes the process when it sleeps for an event (data, a socket, the end of stdin). */
  notifyEvent(): void {
    this.#doorbell.notify(this.#slot);
  }

  /** What follows is for `Kernel`: takes the pending call; `args` and `payload` are its own until `answer`. */
  take(): Call & { op: number } {
    this.#serving = true;
    const length = Math.min(Atomics.load(this.#words, WORD.length) >>> 0, PAYLOAD_BYTES);
    return { op: Atomics.load(this.#words, WORD.op), length, args: this.#args, payload: this.#payload };
  }

  /** Answers the call: `error` is 0, or 1 + the position in the list of its codes; `length` is what the payload holds. */
  answer(error: number, length: number): void {
    this.#serving = false;
    Atomics.store(this.#words, WORD.error, error);
    Atomics.store(this.#words, WORD.length, length);
    Atomics.store(this.#words, WORD.call, 2);
    Atomics.notify(this.#words, WORD.call);
  }
}
