/**
 * The core's side of the doorbell: how it learns which processes have something to say without ever blocking.
 *
 * The order is always the same: `marked()` reads the word and takes the marks, the caller drains the rings of those
 * processes, `wait()` sleeps on the word with what was read. A process that rings in between has changed the word, so
 * the sleep ends at once and nothing is missed.
 */

import { LookOut } from './look-out.ts';
import { DOORBELL_BYTES, EVENTS_AT, SLOTS } from './protocol.ts';

/** Milliseconds that the core may go on without a turn of its event loop, which messages and promises of files need. */
const TURN = 1;
/** How long the core looks for the next ring before it sleeps, when one is to be expected, in milliseconds. */
const LOOKOUT = 0.06;
/** Where its turns are longer than that, calls get as much time as they took, up to this. */
const LONGEST_TURN = 8;
export class Doorbell {
  readonly buffer: SharedArrayBuffer;
  readonly #word: Int32Array;
  readonly #marks: Uint8Array;
  readonly #events: Int32Array;
  #seen = 0;
  #turnBegan = performance.now();
  #turn = TURN;
  readonly #lookOut = new LookOut(LOOKOUT);

  constructor(buffer = new SharedArrayBuffer(DOORBELL_BYTES)) {
    this.buffer = buffer;
    this.#word = new Int32Array(buffer, 0, 1);
    this.#marks = new Uint8Array(buffer, 4, SLOTS);
    this.#events = new Int32Array(buffer, EVENTS_AT, SLOTS);
  }

  /** The slots that rang since the last time, in their order; their marks are taken away. */
  marked(): number[] {
    this.#seen = Atomics.load(this.#word, 0);
    const slots: number[] = [];
    for (let slot = 0; slot < SLOTS; slot++) {
      if (this.#marks[slot] !== 0 && Atomics.exchange(this.#marks, slot, 0) !== 0) slots.push(slot);
    }
    return slots;
  }

  /** Resolves when somebody rang after the last `marked()`. `soon` says that this is to be expected within microseconds. */
  async wait(soon = false): Promise<void> {
    // A program that works on files calls again within microseconds, and to sleep and be woken costs both sides more.
    const rang = soon && this.#lookOut.changes(this.#word, 0, this.#seen);
    const now = performance.now();
    if (rang && now - this.#turnBegan < this.#turn) return;
    const waiting = rang ? undefined : Atomics.waitAsync(this.#word, 0, this.#seen);
    if (waiting?.async) await waiting.value;
    else await nextTurn();
    this.#turnBegan = performance.now();
    // What else the core does, such as work on the storage, is not to leave a busy program a small rest of the time.
    this.#turn = waiting?.async ? TURN : Math.min(Math.max(TURN, this.#turnBegan - now), LONGEST_TURN);
  }

  /** Wakes the process in a slot when it sleeps for an event (data, a socket, the end of stdin). */
  notify(slot: number): void {
    Atomics.add(this.#events, slot, 1);
    Atomics.notify(this.#events, slot);
  }

  /** Ends the wait from within the core; no slot is marked. */
  wake(): void {
    Atomics.add(this.#word, 0, 1);
    Atomics.notify(this.#word, 0);
  }
}

/** A turn of the event loop without the 4 ms that browsers put on repeated timers. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
