import { NetError } from '../errors.ts';

/** The first of the ports that are given out for port 0. */
const EPHEMERAL = 49_152;
const LAST = 65_535;

/** Who holds a port. */
export interface Owner {
  pid: string;
  plugin: string;
}

/**
 * The ports of the world's loopback, of TCP or of UDP. All its addresses share them (R5-1), so a port is free or it is
 * not. `H` is what holds one: a socket.
 */
export class Ports<H> {
  readonly #held = new Map<number, H>();
  #next = EPHEMERAL;

  get size(): number {
    return this.#held.size;
  }

  get(port: number): H | undefined {
    return this.#held.get(port);
  }

  [Symbol.iterator](): IterableIterator<[number, H]> {
    return this.#held.entries();
  }

  /** Takes a port, a free one for 0, and returns it. Throws `address-in-use`. The inverse of `release`. */
  take(port: number, holder: H): number {
    const taken = port === 0 ? this.#free() : port;
    if (this.#held.has(taken)) throw new NetError('address-in-use', `port ${taken} is in use`);
    this.#held.set(taken, holder);
    return taken;
  }

  release(port: number, holder: H): void {
    if (this.#held.get(port) === holder) this.#held.delete(port);
  }

  /** One after the other, so that a port which was free a moment ago is not given out again at once. */
  #free(): number {
    for (let tried = EPHEMERAL; tried <= LAST; tried++) {
      const port = this.#next;
      this.#next = port === LAST ? EPHEMERAL : port + 1;
      if (!this.#held.has(port)) return port;
    }
    throw new NetError('address-in-use', 'no port is free');
  }
}
