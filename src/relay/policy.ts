/** What the relay opens: public addresses on the ports that are not closed, and what `--allow` names. */

import ipaddr from 'ipaddr.js';
import { type Ip, isPublic, OwnAddresses, parseIp, route } from './addresses.ts';

/** Mail: a relay that reaches these soon sends spam. */
const CLOSED_TCP: ReadonlySet<number> = new Set([0, 25, 465, 587]);
/** Services that answer with more than they were asked, so that a forged sender floods somebody. DNS has RESOLVE. */
const CLOSED_UDP: ReadonlySet<number> = new Set([0, 19, 53, 123, 161, 389, 1900, 11211]);

/** One entry of the allow-list, `ADDRESS[/BITS]:PORT`, where the port may be `*`. */
interface Opening {
  text: string;
  range: [Ip, number];
  port: number | '*';
}

function parseOpening(text: string): Opening {
  const match = /^(?:\[([^\]]+)\]|([^:[\]/]+))(?:\/(\d+))?:(\d+|\*)$/.exec(text);
  const ip = match && parseIp((match[1] ?? match[2]) as string);
  if (!ip) throw new RangeError(`"${text}" is no ADDRESS:PORT such as 127.0.0.1:5432, [::1]:5432 or 10.0.0.0/8:*`);
  const width = ip.kind() === 'ipv4' ? 32 : 128;
  const bits = match[3] === undefined ? width : Number(match[3]);
  const port = match[4] === '*' ? '*' : Number(match[4]);
  if (bits > width) throw new RangeError(`"${text}": ${bits} bits are more than an address has`);
  if (port !== '*' && (port < 1 || port > 65535)) throw new RangeError(`"${text}": there is no port ${port}`);
  return { text, range: [ip, bits], port };
}

export class Policy {
  readonly #allowed: Opening[];
  readonly #own: OwnAddresses;

  /** `allow` are the openings beside the public internet, `own` addresses that lead back to this machine. Throws `RangeError`. */
  constructor({ allow = [], own = [] }: { allow?: readonly string[]; own?: readonly string[] } = {}) {
    this.#allowed = allow.map(parseOpening);
    this.#own = new OwnAddresses(own);
  }

  /** Whether an address may be connected to. */
  allows(kind: 'tcp' | 'udp', address: Ip, port: number): boolean {
    const named = this.#named(address, port);
    if (named === 'port') return true;
    if ((kind === 'tcp' ? CLOSED_TCP : CLOSED_UDP).has(port)) return false;
    return named === 'address' || this.reaches(address);
  }

  /** Whether an address may be told: some port of it may be open. */
  resolves(address: Ip): boolean {
    return this.#allowed.some((opening) => this.#covers(opening, address)) || this.reaches(address);
  }

  /** Whether an address is of the public internet, and not this machine. */
  reaches(address: Ip): boolean {
    return isPublic(address) && !this.#own.has(address);
  }

  /** In a sentence, for whoever starts the relay. */
  describe(): string {
    const more = this.#allowed.map(({ text }) => text);
    return `public addresses${more.length > 0 ? ` and ${more.join(', ')}` : ' only'}`;
  }

  /** `port` when the allow-list names this very port, which opens closed ones too; `address` when it names all ports. */
  #named(address: Ip, port: number): 'port' | 'address' | undefined {
    const covering = this.#allowed.filter((opening) => this.#covers(opening, address));
    if (covering.some((opening) => opening.port === port)) return 'port';
    return covering.some((opening) => opening.port === '*') ? 'address' : undefined;
  }

  #covers({ range: [base, bits] }: Opening, address: Ip): boolean {
    const ip = route(address);
    if (ip.kind() !== base.kind()) return false;
    return ip instanceof ipaddr.IPv4 && base instanceof ipaddr.IPv4
      ? ip.match(base, bits)
      : (ip as ipaddr.IPv6).match(base as ipaddr.IPv6, bits);
  }
}
