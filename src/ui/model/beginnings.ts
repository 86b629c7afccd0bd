/** What worlds are made of, as `WorldInfo.origin` names it: a word for what this page ships, or an address. */

import type { Beginning } from '../../api.ts';

/** The origin of a world that was made with nothing in it. */
export const EMPTY_ORIGIN = 'empty';
export const PLAYGROUND_ORIGIN = 'playground';

const GALLERY = 'gallery:';

/** A small world to begin with, as `worlds.json` of the page's host names it. */
export interface Sample {
  name: string;
  title: string;
  text: string;
  /** Its zip; without one the world is empty. */
  zip?: URL;
  hash?: string;
}

export class Beginnings {
  readonly #playground: URL;
  /** Those that this page has; empty until they are loaded. */
  gallery: readonly Sample[] = [];

  /** `playground` is the address of the zip that this page ships. */
  constructor(playground: URL) {
    this.#playground = playground;
  }

  get playground(): Beginning {
    return { from: this.#playground, trusted: true, origin: PLAYGROUND_ORIGIN };
  }

  /** A small world of this page's own, which is trusted as the page is. */
  sample({ name, zip, hash }: Sample): Beginning {
    if (!zip) return this.empty;
    return { from: zip, trusted: true, origin: GALLERY + name, ...(hash !== undefined && { hash }) };
  }

  get empty(): Beginning {
    return { origin: EMPTY_ORIGIN };
  }

  /** What the world would be made of anew; undefined where nobody knows, as of a zip that was on this device. */
  of(origin: string | undefined): Beginning | undefined {
    if (origin === PLAYGROUND_ORIGIN) return this.playground;
    if (origin === EMPTY_ORIGIN) return this.empty;
    const sample = this.gallery.find(({ name }) => origin === GALLERY + name);
    if (sample) return this.sample(sample);
    return origin !== undefined && /^https?:/.test(origin) && URL.canParse(origin)
      ? { from: new URL(origin), origin }
      : undefined;
  }
}

/** The worlds that the host of the page names; none where it names none, or what it says cannot be understood. */
export async function loadGallery(base: URL, fetch: typeof globalThis.fetch): Promise<Sample[]> {
  try {
    const response = await fetch(new URL('worlds.json', base));
    const list: unknown = response.ok ? await response.json() : [];
    return Array.isArray(list) ? list.flatMap((each) => readSample(each, base)) : [];
  } catch {
    return [];
  }
}

function readSample(entry: unknown, base: URL): Sample[] {
  const { name, title, text, zip, hash } = (entry ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string' || typeof title !== 'string' || typeof text !== 'string') return [];
  const at = typeof zip === 'string' && URL.canParse(zip, base.href) ? new URL(zip, base) : undefined;
  // only what this host itself serves is trusted as the page is
  if (zip !== undefined && at?.origin !== base.origin) return [];
  return [{ name, title, text, ...(at && { zip: at }), ...(typeof hash === 'string' && { hash }) }];
}

/** The address of a zip as a visitor types it; undefined for what is none. */
export function zipAddress(text: string): URL | undefined {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}
