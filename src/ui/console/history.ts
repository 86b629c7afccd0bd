/** The lines typed into a world's console, kept per world, walked with the arrow keys. */

import { put, type Shelf, take } from '../model/shelf.ts';

const LIMIT = 200;
/** Lines are kept beyond the page up to so many characters each, and so many together: `localStorage` has little room for all. */
const LONGEST = 10_000;
const ROOM = 50_000;

const keyOf = (world: string) => `sausage.history.${world}`;

export class History {
  readonly #shelf: Shelf | undefined;
  readonly #key: string;
  #lines: string[];
  /** Where the walk stands; `#lines.length` is the line that is being typed. */
  #at: number;
  #draft = '';

  constructor(world: string, shelf: Shelf | undefined) {
    this.#shelf = shelf;
    this.#key = keyOf(world);
    this.#lines = load(shelf, this.#key);
    this.#at = this.#lines.length;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Keeps a line that was run, unless it repeats the newest one, and ends the walk. A very long one lasts as long as the page. */
  add(line: string): void {
    if (line !== this.#lines.at(-1)) this.#lines = [...this.#lines, line].slice(-LIMIT);
    this.#at = this.#lines.length;
    this.#draft = '';
    put(this.#shelf, this.#key, JSON.stringify(kept(this.#lines)));
  }

  /** The line before, or undefined at the oldest. `current` is kept while the walk goes on, if it is what was being typed. */
  older(current: string): string | undefined {
    if (this.#at === this.#lines.length) this.#draft = current;
    if (this.#at === 0) return undefined;
    return this.#lines[--this.#at];
  }

  /** The line after; the last step gives back what was being typed, then undefined. The inverse of `older`. */
  newer(): string | undefined {
    if (this.#at === this.#lines.length) return undefined;
    this.#at++;
    return this.#at === this.#lines.length ? this.#draft : this.#lines[this.#at];
  }

  /** A line was edited: it is what is being typed now. */
  leave(): void {
    this.#at = this.#lines.length;
  }
}

/** The history goes along when a world gets another name. */
export function moveHistory(from: string, to: string, shelf: Shelf | undefined): void {
  if (from === to) return;
  put(shelf, keyOf(to), take(shelf, keyOf(from)));
  forgetHistory(from, shelf);
}

/** Forgets the history of a world that was deleted. */
export function forgetHistory(world: string, shelf: Shelf | undefined): void {
  put(shelf, keyOf(world), undefined);
}

/** The newest lines that fit, without those that are too long. */
function kept(lines: string[]): string[] {
  let room = ROOM;
  const short = lines.filter((line) => line.length <= LONGEST);
  const from = short.findLastIndex((line) => {
    room -= line.length;
    return room < 0;
  });
  return short.slice(from + 1);
}

function load(shelf: Shelf | undefined, key: string): string[] {
  try {
    const lines: unknown = JSON.parse(take(shelf, key) ?? '[]');
    return Array.isArray(lines) ? lines.filter((line) => typeof line === 'string').slice(-LIMIT) : [];
  } catch {
    return [];
  }
}
