/**
 * Host names of previews. Each port of each world has its own, so that its pages have an origin, a process and a storage of
 * their own. The name also says which page it belongs to: it is a hash of that page's origin and of the ID of the world,
 * which the boot frame computes anew for whoever speaks to it. So nobody else's page can put its own pages there.
 */

/** What the host of a page says about previews: an origin whose first label is `*`, e.g. `https://*.preview.example`. */
const WILDCARD = /^https?:\/\/\*(\.[a-z0-9-]+)+(:\d{1,5})?$/;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
/** Letters of the hash: 130 bits. */
const LETTERS = 26;

/** The files of a preview's host; everything else there is the server's. */
export const BOOT_PATH = '/sausage-preview.html';
export const BOOT_SCRIPT = '/sausage-preview.js';
export const SERVICE_PATH = '/sausage-preview-service.js';
export const OWN_PATHS: ReadonlySet<string> = new Set([BOOT_PATH, BOOT_SCRIPT, SERVICE_PATH]);

export const isWildcard = (text: unknown): text is string => typeof text === 'string' && WILDCARD.test(text);

/** The first label of the host name for a port. `page` is the origin of the page that has the world. */
export async function labelOf(page: string, world: string, port: number): Promise<string> {
  const text = new TextEncoder().encode(`${page}\n${world}`);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
  let letters = '';
  for (let bit = 0; letters.length < LETTERS; bit += 5) {
    const two = ((hash[bit >> 3] as number) << 8) | (hash[(bit >> 3) + 1] as number);
    letters += ALPHABET[(two >> (11 - (bit & 7))) & 31];
  }
  return `p${port}-${letters}`;
}

/** The origin of the preview of a port. */
export async function placeOf(wildcard: string, page: string, world: string, port: number): Promise<string> {
  return wildcard.replace('*', await labelOf(page, world, port));
}

/** Whether a host name (with or without its port) is one of a preview under a wildcard. */
export function isPlace(host: string, wildcard: string): boolean {
  const [, rest] = wildcard.split('*') as [string, string];
  const at = host.toLowerCase().indexOf('.');
  return (
    at > 0 && host.slice(at).toLowerCase() === rest && /^p\d{1,5}-[a-z2-7]{26}$/.test(host.slice(0, at).toLowerCase())
  );
}
