/** Whose pages may use the relay. */

import type { IncomingMessage } from 'node:http';

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

export const isLoopbackHost = (host: string): boolean => /^(?:127(?:\.\d+){3}|::1|localhost)$/.test(host);

/** The origin of an address as browsers write it. Throws `RangeError` for what is none. */
export function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash) {
    throw new RangeError(`"${text}" is no origin such as https://world.school.example`);
  }
  return url.origin;
}

/** The origins of the page that this server itself serves at `url`, under every name of the machine's own. */
export function ownOrigins(url: string, host: string): string[] {
  const { protocol, port, origin } = new URL(url);
  const suffix = port === '' ? '' : `:${port}`;
  return [origin, ...(isLoopbackHost(host) ? LOOPBACK_NAMES.map((name) => `${protocol}//${name}${suffix}`) : [])];
}

/** Whether a request came straight from this machine, and names this machine: what a page elsewhere, or a proxy in front, cannot do. */
export function isLocal(request: IncomingMessage): boolean {
  const { host = '', forwarded, via } = request.headers;
  if (forwarded || via || request.headers['x-forwarded-for'] || request.headers['x-real-ip']) return false;
  return LOOPBACK_NAMES.includes(host.replace(/:\d+$/, ''));
}
