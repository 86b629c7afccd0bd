/** Keeps transpiled components between visits: at most 64 MiB, least recently used out, damaged ones forgotten. */

import type { CacheDirectory } from './directory.ts';
import { decode, encode } from './frame.ts';
import type { Transpiled } from './protocol.ts';
import { GENERATOR } from './version.ts';

const BUDGET = 64 * 1024 * 1024;
const DAY = 24 * 60 * 60 * 1000;

const nameOf = (key: string): string => `${key}.${GENERATOR}`;

export class ComponentCache {
  readonly #directory: CacheDirectory;
  readonly #budget: number;
  readonly #now: () => number;

  /** `budget` in bytes; `now` is the clock of the directory. */
  constructor(directory: CacheDirectory, budget = BUDGET, now: () => number = Date.now) {
    this.#directory = directory;
    this.#budget = budget;
    this.#now = now;
  }

  /** `key` is the SHA-256 of `component`. */
  async get(key: string, component: Uint8Array): Promise<Transpiled | undefined> {
    const file = await this.#directory.read(nameOf(key));
    if (!file) return undefined;
    const found = await decode(key, file.bytes, component);
    if (!found) await this.#directory.remove(nameOf(key));
    // The time of the last write stands for the last use, to the day: so a use costs a write once a day.
    else if (this.#now() - file.written > DAY) await this.#directory.write(nameOf(key), file.bytes);
    return found;
  }

  async put(key: string, transpiled: Transpiled, component: Uint8Array): Promise<void> {
    const frame = await encode(key, transpiled, component);
    if (frame.length > this.#budget) return;
    const files = await this.#directory.list();
    const others = files.filter(({ name }) => name !== nameOf(key)).sort((a, b) => b.written - a.written);
    let total = frame.length;
    for (const { name, size } of others) {
      const current = name.endsWith(`.${GENERATOR}`);
      // What other generators made is in nobody's use any more.
      if (current && total + size <= this.#budget) total += size;
      else await this.#directory.remove(name);
    }
    await this.#directory.write(nameOf(key), frame);
  }
}
