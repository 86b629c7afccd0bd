import { put, type Shelf, take } from './shelf.ts';
import { Store } from './store.ts';

const KEY = 'sausage.large';
/** How much larger everything is for those who look from the back of a room. */
export const LARGE = 1.5;

/** Large type, for somebody who shows the page to others. It is remembered. */
export class Presenting extends Store {
  readonly #shelf: Shelf | undefined;
  readonly #root: { classList: Pick<DOMTokenList, 'toggle'> } | undefined;
  large: boolean;

  /** `root` has the class `large` while the type is. */
  constructor(shelf: Shelf | undefined, root?: { classList: Pick<DOMTokenList, 'toggle'> }) {
    super();
    this.#shelf = shelf;
    this.#root = root;
    this.large = take(shelf, KEY) === '1';
    this.#root?.classList.toggle('large', this.large);
  }

  toggle(): void {
    this.large = !this.large;
    put(this.#shelf, KEY, this.large ? '1' : undefined);
    this.#root?.classList.toggle('large', this.large);
    this.changed();
  }

  /** So many pixels of ordinary type have room where there are `width`. */
  room(width: number): number {
    return this.large ? width / LARGE : width;
  }
}
