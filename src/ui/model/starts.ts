import { put, type Shelf, take } from './shelf.ts';

/** A start that lasts so many milliseconds was a good one. */
export const SURVIVAL_MS = 60_000;
/** After so many starts that did not last the page asks before the next one. */
const DOUBTS = 2;

const keyOf = (world: string) => `sausage.starts.${world}`;

/**
 * Counts the starts of each world that nobody saw to last: those of a tab that crashed, or whose browser did (R8-5). A
 * mark is set before the services start, and goes when the world has lasted a minute or was closed in good order.
 */
export class Starts {
  readonly #shelf: Shelf | undefined;
  #world?: string;
  #timer?: ReturnType<typeof setTimeout>;

  constructor(shelf: Shelf | undefined) {
    this.#shelf = shelf;
  }

  doubtful(world: string): boolean {
    return this.#count(world) >= DOUBTS;
  }

  /** The world is ours and about to start. */
  begin(world: string): void {
    this.settle();
    this.#world = world;
    put(this.#shelf, keyOf(world), String(this.#count(world) + 1));
    this.#timer = setTimeout(() => this.settle(), SURVIVAL_MS);
  }

  /** The world that was started last has lasted, or was closed in good order. */
  settle(): void {
    clearTimeout(this.#timer);
    if (this.#world !== undefined) put(this.#shelf, keyOf(this.#world), undefined);
    this.#world = undefined;
  }

  #count(world: string): number {
    const count = Number(take(this.#shelf, keyOf(world)) ?? 0);
    return Number.isInteger(count) && count > 0 ? count : 0;
  }
}

/** Forgets the starts of a world that was deleted. */
export function forgetStarts(world: string, shelf: Shelf | undefined): void {
  put(shelf, keyOf(world), undefined);
}
