/** Tells the processor that a loop only looks at memory; it does nothing where the engine cannot. */
const pause = (Atomics as { pause?: () => void }).pause ?? (() => {});

/** After so many vain looks in a row the next ones are left out, but for one in `RETRY`. */
const TRIES = 4;
const RETRY = 16;

/**
 * Looks out for a change of a word in shared memory before somebody sleeps on it. To sleep and be woken takes 20 to 30 µs
 * of both sides, and core and process usually answer one another within two; where the other side is slow, or waits for a
 * processor, looking out only takes time from it, and is given up.
 */
export class LookOut {
  readonly #milliseconds: number;
  #vain = 0;

  /** It looks so long; longer than it takes to wake the other side, or both would take turns at sleeping. */
  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** Whether the word is no longer `value`, at once or soon. */
  changes(words: Int32Array, index: number, value: number): boolean {
    if (Atomics.load(words, index) !== value) return true;
    if (this.#vain >= TRIES && ++this.#vain % RETRY !== 0) return false;
    const end = performance.now() + this.#milliseconds;
    do {
      for (let look = 0; look < 25; look++) {
        if (Atomics.load(words, index) !== value) {
          this.#vain = 0;
          return true;
        }
        pause();
      }
    } while (performance.now() < end);
    this.#vain++;
    return false;
  }
}
