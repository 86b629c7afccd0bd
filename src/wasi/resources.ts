/**
 * The handles of one process: small numbers that stand for what the host holds for it. All types share one table, so
 * that a handle of the wrong type is noticed.
 */
export class Resources {
  #items: unknown[] = [undefined];
  #free: number[] = [];

  add(item: object): number {
    const handle = this.#free.pop() ?? this.#items.length;
    this.#items[handle] = item;
    return handle;
  }

  /** Traps for a handle that the guest does not have, or of another type. */
  get<T>(handle: number, type: abstract new (...args: never[]) => T): T {
    const item = this.#items[handle];
    if (item instanceof type) return item;
    throw new WebAssembly.RuntimeError(`unknown handle ${handle}: it is no ${type.name}`);
  }

  /** Takes a handle out of the table and lets go of what it stood for. */
  drop(handle: number): void {
    (this.take(handle) as { drop?(): void }).drop?.();
  }

  /** Takes a handle out of the table, as a move to the host does: what it stood for is the host's now. */
  take(handle: number): unknown {
    const item = this.#items[handle];
    if (item === undefined) throw new WebAssembly.RuntimeError(`unknown handle ${handle}`);
    this.#items[handle] = undefined;
    this.#free.push(handle);
    return item;
  }

  /** Forgets all handles. Nothing is let go of one by one: the core closes what an ended process had open. */
  clear(): void {
    this.#items = [undefined];
    this.#free = [];
  }
}
