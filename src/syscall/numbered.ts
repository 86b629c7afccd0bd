/** A numbered table; the smallest free number is given out first. */
export class Numbered<T> {
  readonly #items: (T | undefined)[] = [];
  readonly #first: number;
  #count = 0;
  /** No smaller index is free. */
  #lowest = 0;

  constructor(first: number) {
    this.#first = first;
  }

  get count(): number {
    return this.#count;
  }

  add(item: T): number {
    let index = this.#lowest;
    while (this.#items[index] !== undefined) index++;
    this.#items[index] = item;
    this.#lowest = index + 1;
    this.#count++;
    return this.#first + index;
  }

  get(number: number): T | undefined {
    return this.#items[number - this.#first];
  }

  remove(number: number): T | undefined {
    const item = this.get(number);
    if (item !== undefined) {
      const index = number - this.#first;
      this.#items[index] = undefined;
      this.#lowest = Math.min(this.#lowest, index);
      this.#count--;
    }
    return item;
  }

  clear(): void {
    this.#items.length = 0;
    this.#lowest = 0;
    this.#count = 0;
  }

  *values(): IterableIterator<T> {
    for (const item of this.#items) if (item !== undefined) yield item;
  }
}
