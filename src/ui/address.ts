/** Which world the address of the page names: `?world=NAME`. */

import { PLAYGROUND } from './model/session.ts';

const KEY = 'world';

export function worldInAddress(href: string): string {
  return new URL(href).searchParams.get(KEY)?.trim() || PLAYGROUND;
}

/** The address with another world in it, all else as it was; the playground needs no name. */
export function addressOf(name: string, href: string): string {
  const url = new URL(href);
  if (name === PLAYGROUND) url.searchParams.delete(KEY);
  else url.searchParams.set(KEY, name);
  return url.href;
}
