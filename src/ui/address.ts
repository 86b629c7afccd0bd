/**
 * What the address of the page says: `?world=NAME`, `?safe=1` to open it without its services (R8-5), and `?preview=PORT` for
 * a page that shows the preview of a port and nothing else.
 */

import { PLAYGROUND } from './model/session.ts';

const WORLD = 'world';
const SAFE = 'safe';
const PREVIEW = 'preview';

export interface Addressed {
  name: string;
  safe: boolean;
  preview?: number;
}

export function readAddress(href: string): Addressed {
  const { searchParams } = new URL(href);
  const port = Number(searchParams.get(PREVIEW));
  return {
    name: searchParams.get(WORLD)?.trim() || PLAYGROUND,
    safe: searchParams.get(SAFE) === '1',
    ...(Number.isInteger(port) && port > 0 && port < 65_536 && { preview: port }),
  };
}

/** Opens the preview of a port in a tab. The new page asks this one for the world, so it has to know who opened it. */
export function openPreviewTab(name: string, preview: number): void {
  window.open(addressOf({ name, safe: false, preview }, location.href), '_blank');
}

/** The address with another world in it, all else as it was; the playground needs no name. The inverse of `readAddress`. */
export function addressOf({ name, safe, preview }: Addressed, href: string): string {
  const url = new URL(href);
  if (name === PLAYGROUND) url.searchParams.delete(WORLD);
  else url.searchParams.set(WORLD, name);
  if (safe) url.searchParams.set(SAFE, '1');
  else url.searchParams.delete(SAFE);
  if (preview === undefined) url.searchParams.delete(PREVIEW);
  else url.searchParams.set(PREVIEW, String(preview));
  return url.href;
}
