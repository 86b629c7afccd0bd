/** The part of `localStorage` that the page needs. It may be full or forbidden: what is kept there can be done without. */
export type Shelf = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** `localStorage`, where the browser gives it. */
export function pageShelf(): Shelf | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

export function take(shelf: Shelf | undefined, key: string): string | undefined {
  try {
    return shelf?.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a text; undefined takes it away. */
export function put(shelf: Shelf | undefined, key: string, text: string | undefined): void {
  try {
    if (text === undefined) shelf?.removeItem(key);
    else shelf?.setItem(key, text);
  } catch {
    // It lasts as long as the page then.
  }
}
