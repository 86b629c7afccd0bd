/** Builds wait for their turn: so many at once, and never two of one token, which share their folder. */

interface Waiting {
  key: string;
  start(): void;
  moved(place: number): void;
}

export class BuildQueue {
  readonly #together: number;
  readonly #most: number;
  readonly #running = new Set<string>();
  readonly #waiting: Waiting[] = [];

  /** `together` builds at once; `most` may wait. */
  constructor(together: number, most: number) {
    this.#together = together;
    this.#most = most;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get isFull(): boolean {
    return this.#waiting.length >= this.#most;
  }

  /**
   * Runs `work` when it is its turn. `moved` hears how many are before it, whenever that changes while it waits. A signal
   * that is aborted takes it out of the queue, and the promise rejects with its reason.
   */
  async run<T>(key: string, signal: AbortSignal, moved: (place: number) => void, work: () => Promise<T>): Promise<T> {
    await this.#turn(key, signal, moved);
    try {
      return await work();
    } finally {
      this.#running.delete(key);
      this.#next();
    }
  }

  #turn(key: string, signal: AbortSignal, moved: (place: number) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        this.#tellPlaces();
        reject(signal.reason);
      };
      const waiting: Waiting = {
        key,
        moved,
        start() {
          signal.removeEventListener('abort', abort);
          resolve();
        },
      };
      signal.throwIfAborted();
      signal.addEventListener('abort', abort);
      this.#waiting.push(waiting);
      this.#next();
      const place = this.#waiting.indexOf(waiting);
      if (place >= 0) moved(place);
    });
  }

  /** Starts those whose turn it is. */
  #next(): void {
    let started = false;
    for (let at = 0; at < this.#waiting.length && this.#running.size < this.#together; ) {
      const { key, start } = this.#waiting[at]!;
      if (this.#running.has(key)) {
        at++;
        continue;
      }
      this.#waiting.splice(at, 1);
      this.#running.add(key);
      started = true;
      start();
    }
    if (started) this.#tellPlaces();
  }

  #tellPlaces(): void {
    for (const [place, { moved }] of this.#waiting.entries()) moved(place);
  }
}
