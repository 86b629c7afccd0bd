/** The exclusive Web Locks of one browser, as far as the worlds use them. Each page has its own view of the same locks. */

interface Wait {
  page: PageLocks;
  grant: () => void;
}

type Held = Map<string, { page: PageLocks; release: () => void; waiting: Wait[] }>;

export class PageLocks {
  private readonly held: Held;

  constructor(held: Held = new Map()) {
    this.held = held;
  }

  /** Another page of the same browser. */
  newPage(): PageLocks {
    return new PageLocks(this.held);
  }

  /** The page goes away: what it holds is free. */
  close(): void {
    for (const lock of [...this.held.values()]) if (lock.page === this) lock.release();
  }

  async request(
    name: string,
    options: { ifAvailable?: boolean; signal?: AbortSignal } | (() => unknown),
    callback: (lock: { name: string } | null) => unknown = options as () => unknown,
  ): Promise<unknown> {
    const { ifAvailable, signal } = typeof options === 'function' ? {} : options;
    if (this.held.has(name)) {
      if (ifAvailable) return callback(null);
      await new Promise<void>((grant, reject) => {
        const wait = { page: this, grant };
        this.held.get(name)!.waiting.push(wait);
        signal?.addEventListener('abort', () => {
          const queue = this.held.get(name)?.waiting;
          if (queue?.includes(wait)) queue.splice(queue.indexOf(wait), 1);
          reject(signal.reason);
        });
      });
    }
    const waiting = this.held.get(name)?.waiting ?? [];
    let released = false;
    const release = () => {
      if (released) return;
      released = true;
      const next = waiting.shift();
      if (!next) this.held.delete(name);
      next?.grant();
    };
    this.held.set(name, { page: this, release, waiting });
    try {
      return await callback({ name });
    } finally {
      release();
    }
  }
}
