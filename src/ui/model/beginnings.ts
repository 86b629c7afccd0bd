/** What worlds are made of, as `WorldInfo.origin` names it: a word for what this page ships, or an address. */

import type { Beginning } from '../../api.ts';

/** The origin of a world that was made with nothing in it. */
export const EMPTY_ORIGIN = 'empty';
export const PLAYGROUND_ORIGIN = 'playground';

export class Beginnings {
  readonly #playground: URL;

  /** `playground` is the address of the zip that this page ships. */
  constructor(playground: URL) {
    this.#playground = playground;
  }

  get playground(): Beginning {
    return { from: this.#playground, trusted: true, origin: PLAYGROUND_ORIGIN };
  }

  get empty(): Beginning {
    return { origin: EMPTY_ORIGIN };
  }

  /** What the world would be made of anew; undefined where nobody knows, as of a zip that was on this device. */
  of(origin: string | undefined): Beginning | undefined {
    if (origin === PLAYGROUND_ORIGIN) return this.playground;
    if (origin === EMPTY_ORIGIN) return this.empty;
    return origin !== undefined && /^https?:/.test(origin) && URL.canParse(origin)
      ? { from: new URL(origin), origin }
      : undefined;
  }
}

/** The address of a zip as a visitor types it; undefined for what is none. */
export function zipAddress(text: string): URL | undefined {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}
