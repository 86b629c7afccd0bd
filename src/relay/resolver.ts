/** Names to addresses, once for each request: what is checked is what is connected to, there is no second look-up. */

import { Resolver as DnsResolver } from 'node:dns/promises';
import { domainToASCII } from 'node:url';
import { type Ip, parseIp } from './addresses.ts';
import { RelayFailure, refused } from './failures.ts';

/** How long one try of a look-up may take, in milliseconds, and how often it is tried. */
const TRY_MS = 2500;
const TRIES = 2;
/** Names of the machine itself, which no server is asked for (RFC 6761). */
const LOCALHOST = /^(?:.*\.)?localhost$/;
const LOOPBACK: Ip[] = [parseIp('127.0.0.1') as Ip, parseIp('::1') as Ip];
/** The machine of the relay, as programs of a world can name it: see `route`. */
const RELAY = 'relay.internal';
const RELAY_ADDRESS: Ip[] = [parseIp('64:ff9b::7f00:1') as Ip];
const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
/** Addresses of one name that are looked at. */
const MOST_ADDRESSES = 32;

/** The name as DNS writes it. Throws a `RelayFailure` for what is no name, an address in disguise among them. */
function asciiName(text: string): string {
  const ascii = /[%/\\@?#[\]]/.test(text) ? '' : domainToASCII(text).toLowerCase().replace(/\.$/, '');
  // "0x7f.1", "2130706433" or full-width digits: parsers of addresses make one of them, so they are none here.
  if (parseIp(ascii) || /(?:^|\.)(?:\d+|0x[\da-f]*)$/.test(ascii)) throw refused();
  if (ascii.length === 0 || ascii.length > 253 || !ascii.split('.').every((label) => LABEL.test(label))) {
    throw new RelayFailure('name-unresolvable', 'This is no name that DNS could have.');
  }
  return ascii;
}

/** What a failed look-up says about a name. */
function resolverFailure(error: unknown): RelayFailure {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOTFOUND':
    case 'ENODATA':
    case 'EBADNAME':
    case 'EBADQUERY':
      return new RelayFailure('name-unresolvable', 'There is no such name.', { cause: error });
    case 'EREFUSED':
    case 'EFORMERR':
    case 'ENOTIMP':
      return new RelayFailure('permanent-resolver-failure', 'The name server refused the question.', { cause: error });
    default:
      return new RelayFailure('temporary-resolver-failure', 'The name server did not answer.', { cause: error });
  }
}

export class Resolver {
  readonly #dns = new DnsResolver({ timeout: TRY_MS, tries: TRIES });

  /** `servers` are `ADDRESS` or `ADDRESS:PORT`; without them, those of the machine. */
  constructor(servers?: readonly string[]) {
    if (servers && servers.length > 0) this.#dns.setServers(servers);
  }

  /** The addresses of a host, those of IPv4 first; an address in its usual spelling is its own. Throws `RelayFailure`. */
  async resolve(host: string): Promise<Ip[]> {
    const literal = parseIp(host);
    if (literal) return [literal];
    if (host.includes(':')) throw refused();
    const name = asciiName(host);
    if (LOCALHOST.test(name)) return LOOPBACK;
    if (name === RELAY) return RELAY_ADDRESS;
    const answers = await Promise.allSettled([this.#dns.resolve4(name), this.#dns.resolve6(name)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const parsed = addresses.slice(0, MOST_ADDRESSES).flatMap((text) => parseIp(text) ?? []);
    if (parsed.length > 0) return parsed;
    // "No such name" is believed only when both look-ups say it.
    const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? resolverFailure(answer.reason) : []));
    throw (
      failures.find(({ code }) => code !== 'name-unresolvable') ?? failures[0] ?? resolverFailure({ code: 'ENODATA' })
    );
  }

  /** Ends the look-ups that are under way. */
  close(): void {
    this.#dns.cancel();
  }
}
