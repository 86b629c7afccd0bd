/**
 * Credit in bytes, both sides of it, for the relay and its client alike: nobody sends more than the receiver has room
 * for. A stream begins with a small window, which grows while its reader keeps up, so that a thousand streams that nobody
 * reads cost little and one that is read gets the speed of the line.
 */

import { MOST_CREDIT, ProtocolError } from './protocol.ts';

/** What may still be sent. */
export class Allowance {
  #available: number;

  constructor(window: number) {
    this.#available = window;
  }

  get available(): number {
    return this.#available;
  }

  spend(bytes: number): void {
    this.#available -= bytes;
  }

  /** Throws `ProtocolError` when the other side gives more than the protocol can mean. */
  add(bytes: number): void {
    if (this.#available + bytes > MOST_CREDIT) throw new ProtocolError('more credit than there can be');
    this.#available += bytes;
  }
}

/** Memory that the streams of one connection share beyond their first windows. */
export class Budget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Takes at most `bytes`; returns how many. */
  take(bytes: number): number {
    const taken = Math.max(0, Math.min(bytes, this.#left));
    this.#left -= taken;
    return taken;
  }

  give(bytes: number): void {
    this.#left += bytes;
  }
}

/** What the other side was allowed to send, and what of it was used up here. */
export class Grants {
  readonly #first: number;
  readonly #most: number;
  readonly #budget: Budget;
  #window: number;
  /** Received and not used up, plus what may still come, is never more than the window. */
  #open: number;
  #used = 0;

  constructor(window: number, most: number, budget: Budget) {
    this.#first = window;
    this.#window = window;
    this.#open = window;
    this.#most = most;
    this.#budget = budget;
  }

  /** Bytes have arrived. Throws `ProtocolError` when they are more than was allowed. */
  received(bytes: number): void {
    if (bytes > this.#open) throw new ProtocolError('more data than the credit allows');
    this.#open -= bytes;
  }

  /** Bytes were used up; returns the credit to give now, 0 when it is not worth a frame yet. */
  used(bytes: number): number {
    this.#used += bytes;
    if (this.#used < this.#window / 2) return 0;
    const growth = this.#budget.take(Math.min(this.#window, this.#most - this.#window));
    this.#window += growth;
    const credit = this.#used + growth;
    this.#used = 0;
    this.#open += credit;
    return credit;
  }

  /** The stream is over: what it took of the budget goes back. Once. */
  release(): void {
    this.#budget.give(this.#window - this.#first);
    this.#window = this.#first;
  }
}
