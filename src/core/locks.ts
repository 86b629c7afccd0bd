/** Advisory locks on names (chapter 6): one first-in, first-out queue for each exact string. */

/** Who holds or waits: a process or the console. Locks belong to the object, `name` is what locks.json shows. */
export interface Holder {
  readonly name: string;
}

interface Place {
  holder: Holder;
  /** Undefined when the place holds the lock. */
  grant: (() => void) | undefined;
}

export class Locks {
  readonly #queues = new Map<string, Place[]>();

  /** Takes the lock if it is free; with `grant` takes a place in the queue otherwise, and calls it when the lock is held. */
  lock(path: string, holder: Holder, grant?: () => void): boolean {
    const queue = this.#queues.get(path);
    if (!queue) {
      this.#queues.set(path, [{ holder, grant: undefined }]);
      return true;
    }
    if (grant) queue.push({ holder, grant });
    return false;
  }

  /** Releases what the holder holds; false when it holds nothing there (R6-3). */
  unlock(path: string, holder: Holder): boolean {
    const queue = this.#queues.get(path);
    if (queue?.[0]?.holder !== holder) return false;
    this.#next(path, queue);
    return true;
  }

  /** Takes the holder out of every queue, as holder and as waiter (R6-4, R6-5). */
  releaseAll(holder: Holder): void {
    for (const [path, queue] of [...this.#queues]) {
      const rest = queue.filter((place) => place.holder !== holder || !place.grant);
      this.#queues.set(path, rest);
      if (rest[0]!.holder === holder) this.#next(path, rest);
    }
  }

  /** Gives up one place in the queue, known by its `grant`. */
  abandon(path: string, grant: () => void): void {
    const queue = this.#queues.get(path);
    const at = queue?.findIndex((place) => place.grant === grant) ?? -1;
    if (at > 0) queue!.splice(at, 1);
  }

  /** For locks.json: who holds each name, and who waits, in order. */
  toJSON(): { path: string; holder: string; waiting: string[] }[] {
    return [...this.#queues].map(([path, [holder, ...waiting]]) => ({
      path,
      holder: holder!.holder.name,
      waiting: waiting.map((place) => place.holder.name),
    }));
  }

  #next(path: string, queue: Place[]): void {
    queue.shift();
    const next = queue[0];
    if (!next) {
      this.#queues.delete(path);
      return;
    }
    const { grant } = next;
    next.grant = undefined;
    grant?.();
  }
}
