import type { MemoryLimits } from '../components/limits.ts';

/** A memory that a program made larger than this is not kept: clearing it would cost more than a new one. */
const KEPT_BYTES = 8 * 1024 * 1024;

interface Held {
  memory: WebAssembly.Memory;
  limits: MemoryLimits;
}

/**
 * The memories of a worker, which serve one process after the other. A page has few of them (Chromium 125), and one that
 * is dropped counts until its worker collects garbage (R3.3-12). A process finds a memory as new, filled with zeros; it
 * may be larger than the program asked for, as `memory.grow` of a process before has left it.
 */
export class Memories {
  #taken: Held[] = [];
  /** What the process before had; a program of another size needs others. */
  #free: Held[] = [];

  take(limits: MemoryLimits): WebAssembly.Memory {
    const at = this.#free.findIndex(
      ({ limits: { initial, maximum } }) => initial === limits.initial && maximum === limits.maximum,
    );
    const [held] = at < 0 ? [] : this.#free.splice(at, 1);
    if (held) new Uint8Array(held.memory.buffer).fill(0);
    const memory = held?.memory ?? new WebAssembly.Memory(limits);
    this.#taken.push({ memory, limits });
    return memory;
  }

  /** The instance is gone; what it had is for the next one. */
  release(): void {
    if (this.#taken.length === 0) return;
    this.#free = this.#taken.filter(({ memory }) => memory.buffer.byteLength <= KEPT_BYTES);
    this.#taken = [];
  }
}
