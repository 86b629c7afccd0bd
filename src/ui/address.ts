/** What the address of the page says: `?world=NAME`, and `?safe=1` to open it without its services (R8-5). */

import { PLAYGROUND } from './model/session.ts';

const WORLD = 'world';
const SAFE = 'safe';

export interface Addressed {
  name: string;
  safe: boolean;
}

export function readAddress(href: string): Addressed {
  const { searchParams } = new URL(href);
  return { name: searchParams.get(WORLD)?.trim() || PLAYGROUND, safe: searchParams.get(SAFE) === '1' };
}

/** The address with another world in it, all else as it was; the playground needs no name. The inverse of `readAddress`. */
export function addressOf({ name, safe }: Addressed, href: string): string {
  const url = new URL(href);
  if (name === PLAYGROUND) url.searchParams.delete(WORLD);
  else url.searchParams.set(WORLD, name);
  if (safe) url.searchParams.set(SAFE, '1');
  else url.searchParams.delete(SAFE);
  return url.href;
}
