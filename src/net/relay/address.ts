/** Where the relay of a page is: an address from the settings, or what the page's own host says in `relay.json`. */

/** The address of a relay cannot be used from this page; the message says why. */
export class RelayAddressError extends Error {
  override readonly name = 'RelayAddressError';
}

/**
 * The address as `http:` or `https:`. Browsers let an https page talk to https only, and so does this; a page over plain
 * http, which is one on the visitor's own machine, may also use its own host.
 */
export function checkRelayAddress(address: string | URL, page: URL): URL {
  let url: URL;
  try {
    url = new URL(address, page);
  } catch (cause) {
    throw new RelayAddressError(`"${address}" is no address of a relay. One looks like wss://relay.example/relay.`, {
      cause,
    });
  }
  const protocol = { 'ws:': 'http:', 'wss:': 'https:' }[url.protocol] ?? url.protocol;
  url = new URL(url.href.replace(/^[a-z]+:/i, protocol));
  url.hash = url.search = '';
  if (protocol === 'https:') return url;
  if (protocol !== 'http:') throw new RelayAddressError(`A relay has an address with wss, not ${url.protocol}`);
  if (url.origin === page.origin) return url;
  throw new RelayAddressError(
    `The relay ${url.host} must be reached with wss: browsers and this page allow plain ws for the page's own host only.`,
  );
}

/** Where `npm start` has its relay. */
const USUAL_PATH = '/relay';

/**
 * An address as a visitor types it: without a scheme it is that of a host (wss), without a path that of `npm start`'s
 * relay there, and one that begins with `/` is on the page's own host. Throws `RelayAddressError`.
 */
export function readRelayAddress(text: string, page: URL): URL {
  const typed = text.trim();
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed);
  const url = checkRelayAddress(hasScheme || typed.startsWith('/') ? typed : `wss://${typed}`, page);
  if (url.username || url.password) {
    throw new RelayAddressError('A relay has no name and password in its address; a token has a field of its own.');
  }
  if (url.pathname === '/') url.pathname = USUAL_PATH;
  return url;
}

/** What the host of the page says, if it says anything: the address of a relay, or that there is none. */
export async function discoverRelay(base: URL, fetch: typeof globalThis.fetch): Promise<URL | undefined> {
  const response = await fetch(new URL('relay.json', base), { cache: 'no-store' });
  if (!response.ok || !response.headers.get('content-type')?.startsWith('application/json')) return undefined;
  const { relay } = ((await response.json()) ?? {}) as { relay?: unknown };
  return typeof relay === 'string' ? checkRelayAddress(new URL(relay, base), base) : undefined;
}
