/** The process's side of the shared memory: it may block, and does so only in `Atomics.wait`. */

import { LookOut } from './look-out.ts';
import {
  ARGS,
  ARGS_AT,
  EVENTS_AT,
  PAYLOAD_AT,
  PAYLOAD_BYTES,
  RING_BYTES,
  SLOTS,
  STDERR_AT,
  STDIN_AT,
  STDOUT_AT,
  WORD,
  WORDS_AT,
} from './protocol.ts';
import { RingReader, RingWriter } from './ring.ts';

const encoder = new TextEncoder();

/** How long a process looks for the answer of a call before it sleeps, in milliseconds. */
const PATIENCE = 0.06;

/**
 * A call with so many bytes is a write that goes to the storage, and with each of those the browser has as much to do in
 * threads of its own. Where there are only two processors, looking out would take theirs.
 */
const LARGE = 16 * 1024;
const FEW_PROCESSORS = (globalThis.navigator?.hardwareConcurrency ?? 4) <= 2;

/** An instance that is made ready ahead of its process asked for something that only a process has. */
export class NoProcess extends Error {
  override readonly name = 'NoProcess';
}

/** stdout or stderr: a ring with the wait for room and the ring of the doorbell added. */
export class OutputRing extends RingWriter {
  readonly #client: Client;

  constructor(client: Client, read: number, written: number, bytes: Uint8Array) {
    super(client.words, read, written, bytes);
    this.#client = client;
  }

  /** Puts all of `data` in, and waits for room as often as it takes. */
  writeAll(data: Uint8Array): void {
    this.#client.needProcess();
    let done = 0;
    while (done < data.length) {
      const read = Atomics.load(this.words, this.read);
      const count = this.write(data, done);
      if (count > 0) {
        done += count;
        this.#client.ring();
      } else Atomics.wait(this.words, this.read, read);
    }
  }
}

export class Client {
  readonly words: Int32Array;
  readonly args: Float64Array;
  readonly payload: Uint8Array;
  readonly network: SharedArrayBuffer | undefined;
  /** The start of the payload as int64. */
  readonly times: BigInt64Array;
  readonly stdin: RingReader;
  readonly stdout: OutputRing;
  readonly stderr: OutputRing;
  /** Grows whenever the process learns something from outside: an answer, input, the time. */
  looks = 0;
  readonly #bell: Int32Array;
  readonly #marks: Uint8Array;
  readonly #events: Int32Array;
  readonly #slot: number;
  readonly #lookOut = new LookOut(PATIENCE);
  #running = false;

  /** `network` is the memory of the world's network; a process without one has no sockets. */
  constructor(channel: SharedArrayBuffer, doorbell: SharedArrayBuffer, slot: number, network?: SharedArrayBuffer) {
    this.network = network;
    this.words = new Int32Array(channel, WORDS_AT, (ARGS_AT - WORDS_AT) / 4);
    this.args = new Float64Array(channel, ARGS_AT, ARGS);
    this.payload = new Uint8Array(channel, PAYLOAD_AT, PAYLOAD_BYTES);
    this.times = new BigInt64Array(channel, PAYLOAD_AT, 3);
    this.#bell = new Int32Array(doorbell, 0, 1);
    this.#marks = new Uint8Array(doorbell, 4, SLOTS);
    this.#events = new Int32Array(doorbell, EVENTS_AT, SLOTS);
    this.#slot = slot;
    const bytes = (at: number, length: number) => new Uint8Array(channel, at, length);
    this.stdin = new RingReader(this.words, WORD.stdinRead, WORD.stdinWritten, bytes(STDIN_AT, RING_BYTES.stdin));
    this.stdout = new OutputRing(this, WORD.stdoutRead, WORD.stdoutWritten, bytes(STDOUT_AT, RING_BYTES.stdout));
    this.stderr = new OutputRing(this, WORD.stderrRead, WORD.stderrWritten, bytes(STDERR_AT, RING_BYTES.stderr));
  }

  /** Tells the core that this process has something to say. Free while the core has not yet taken the last mark. */
  ring(): void {
    if (Atomics.exchange(this.#marks, this.#slot, 1) !== 0) return;
    Atomics.add(this.#bell, 0, 1);
    Atomics.notify(this.#bell, 0);
  }

  /**
   * Makes a call, whose arguments are in `args` and in the first `length` bytes of the payload, and waits for the
   * answer. Returns the bytes of the result in the payload, or, when the call failed, `~code` (which is negative), where
   * `code` is the position in `ERROR_CODES` or, of a socket, in `NET_CODES`: an exception would cost as much as the call.
   */
  call(op: number, length = 0): number {
    const { words } = this;
    this.needProcess();
    this.looks++;
    Atomics.store(words, WORD.op, op);
    Atomics.store(words, WORD.length, length);
    Atomics.store(words, WORD.call, 1);
    this.ring();
    // Most answers come within a moment, and to sleep and be woken costs more than they take.
    const sleeps = FEW_PROCESSORS && length > LARGE;
    if (sleeps || !this.#lookOut.changes(words, WORD.call, 1))
      while (Atomics.load(words, WORD.call) === 1) Atomics.wait(words, WORD.call, 1);
    Atomics.store(words, WORD.call, 0);
    const error = Atomics.load(words, WORD.error);
    return error === 0 ? Atomics.load(words, WORD.length) : -error;
  }

  /**
   * Gives a descriptor back that wrote nothing. Nobody waits for that, so it costs nothing: the core takes it before the
   * next call, or when the process is about to sleep. `WORD.unused` holds one; false says that there is one already.
   */
  giveBack(fd: number): boolean {
    return Atomics.compareExchange(this.words, WORD.unused, 0, fd) === 0;
  }

  /** What the event word says now. Look for events after this, then sleep with it: none is missed. */
  event(): number {
    this.needProcess();
    this.looks++;
    if (Atomics.load(this.words, WORD.unused) !== 0) this.ring();
    return Atomics.load(this.#events, this.#slot);
  }

  /** Sleeps until an event comes after `seen` was read, or for so many milliseconds. */
  sleep(seen: number, milliseconds = Number.POSITIVE_INFINITY): void {
    Atomics.wait(this.#events, this.#slot, seen, milliseconds);
  }

  /** Wakes a party of a pipe (`src/net/pipe.ts`): the core, or the process in slot `party - 1`, without the core. */
  readonly wake = (party: number): void => {
    if (party === 0) {
      this.ring();
      return;
    }
    Atomics.add(this.#events, party - 1, 1);
    Atomics.notify(this.#events, party - 1);
  };

  /** The core will write no more to stdin; what it wrote before may still be in the ring. */
  get stdinClosed(): boolean {
    return Atomics.load(this.words, WORD.stdinClosed) !== 0;
  }

  /** To be called after bytes were taken out of stdin: rings when the core waits for room and there is enough again. */
  stdinTaken(): void {
    if (Atomics.load(this.words, WORD.stdinWaits) === 0 || this.stdin.held > this.stdin.capacity / 2) return;
    if (Atomics.exchange(this.words, WORD.stdinWaits, 0) !== 0) this.ring();
  }

  /** A text at `at` of the payload; returns the bytes that it takes there. */
  putText(text: string, at = 0): number {
    const bytes = encoder.encode(text).subarray(0, PAYLOAD_BYTES - at);
    this.payload.set(bytes, at);
    return bytes.length;
  }

  /** Throws while no process runs: what is done then would be done for the next one. */
  needProcess(): void {
    if (!this.#running) throw new NoProcess('no process runs yet');
  }

  /** The process has started. */
  begin(): void {
    this.#running = true;
    Atomics.store(this.words, WORD.state, 1);
  }

  /** The process has ended, and everything that it wrote is in the rings: the last thing that is said (R3.3-5). */
  end(kind: number, code: number, message: string): void {
    this.#running = false;
    Atomics.store(this.words, WORD.exitKind, kind);
    Atomics.store(this.words, WORD.exitCode, code);
    Atomics.store(this.words, WORD.length, this.putText(message));
    Atomics.store(this.words, WORD.state, 2);
    this.ring();
  }
}
