/**
 * What the address of the page says: `?world=NAME`, `?safe=1` to open it without its services (R8-5), and `?preview=PORT` for
 * a page that shows the preview of a port and nothing else. A link to the zip of a world is its fragment: `#world=ADDRESS`, and
 * with `&sha256=DIGITS` that zip and no other.
 */

import { PLAYGROUND } from './model/session.ts';
import { unescaped } from './model/unescaped.ts';

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

/** The zip that a link means. */
export interface WorldLink {
  zip: URL;
  hash?: string;
}

/** What the fragment says, relative to the page; `problem` for one that means a zip and names none that can be fetched. */
export function readLink(href: string): WorldLink | { problem: string } | undefined {
  const url = new URL(href);
  // An address is often pasted as it is, with its own `&` and `?`: only what is known at the end is taken off.
  const found = /^#world=(.*?)(?:&sha256=([0-9a-f]{32,64}))?$/i.exec(url.hash);
  if (!found) return undefined;
  const [, text = '', hash] = found;
  const typed = /^[a-z]+%3A/i.test(text) ? unescaped(text) : text;
  const page = new URL(url.pathname, url.origin);
  const zip = typed && URL.canParse(typed, page.href) ? new URL(typed, page) : undefined;
  if (!zip || !/^https?:$/.test(zip.protocol)) return { problem: typed };
  return { zip, ...(hash !== undefined && { hash: hash.toLowerCase() }) };
}

/** Opens the preview of a port in a tab. The new page asks this one for the world, so it has to know who opened it. */
export function openPreviewTab(name: string, preview: number): void {
  window.open(addressOf({ name, safe: false, preview }, location.href), '_blank');
}

/**
 * The address with another world in it, all else as it was but a link, which has been followed then; the playground needs no
 * name. The inverse of `readAddress`.
 */
export function addressOf({ name, safe, preview }: Addressed, href: string): string {
  const url = new URL(href);
  if (name === PLAYGROUND) url.searchParams.delete(WORLD);
  else url.searchParams.set(WORLD, name);
  if (safe) url.searchParams.set(SAFE, '1');
  else url.searchParams.delete(SAFE);
  if (preview === undefined) url.searchParams.delete(PREVIEW);
  else url.searchParams.set(PREVIEW, String(preview));
  if (readLink(href)) url.hash = '';
  return url.href;
}
