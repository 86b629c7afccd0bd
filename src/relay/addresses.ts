/**
 * Which addresses the relay may reach: public unicast, and nothing of the network that it stands in. An address is
 * judged by what it leads to, so one that carries another (mapped, NAT64, 6to4, …) is unwrapped first.
 */

import { networkInterfaces } from 'node:os';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';

export type Ip = IPv4 | IPv6;

/** How long the list of the machine's own addresses is believed, in milliseconds. */
const OWN_MS = 5000;

const bytesOf = (ip: Ip): number[] => ip.toByteArray();
const v4 = (bytes: readonly number[]): IPv4 => ipaddr.fromByteArray([...bytes]) as IPv4;

export const fromBytes = (bytes: Uint8Array): Ip => ipaddr.fromByteArray([...bytes]);
export const toBytes = (ip: Ip): Uint8Array => Uint8Array.from(bytesOf(ip));

/**
 * An address in its one usual spelling: four decimal numbers, or IPv6 without a zone. Undefined for all else, `0x7f.1`
 * and `2130706433` too, which some resolvers would take for addresses.
 */
export function parseIp(text: string): Ip | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (text.includes(':') && !text.includes('%') && ipaddr.IPv6.isValid(text)) return ipaddr.IPv6.parse(text);
  return undefined;
}

/** The IPv4 address that an IPv6 address stands for on this machine: `::ffff:a.b.c.d`. Connections go to that. */
export function canonical(ip: Ip): Ip {
  return ip instanceof ipaddr.IPv6 && ip.isIPv4MappedAddress() ? ip.toIPv4Address() : ip;
}

/** The IPv4 address behind one of 64:ff9b::/96, the prefix of NAT64. */
export function translated(ip: Ip): IPv4 | undefined {
  const bytes = bytesOf(ip);
  const wrapped = bytes.length === 16 && startsWith(bytes, 0, 0x64, 0xff, 0x9b) && zeros(bytes, 4, 12);
  return wrapped ? v4(bytes.slice(12)) : undefined;
}

const startsWith = (bytes: readonly number[], ...prefix: number[]) => prefix.every((byte, at) => bytes[at] === byte);
const zeros = (bytes: readonly number[], from: number, to: number) => bytes.slice(from, to).every((byte) => byte === 0);

/**
 * The IPv4 addresses inside of an IPv6 address; packets to it may reach them. `wraps` says that the address is of a kind
 * that is nothing but a wrapping, so that it may be reached when they may.
 */
function embedded(ip: IPv6): { wraps: boolean; inner: IPv4[] } {
  const bytes = bytesOf(ip);
  const behind = translated(ip);
  if (behind) return { wraps: true, inner: [behind] };
  // 2002::/16, 6to4
  if (startsWith(bytes, 0x20, 0x02)) return { wraps: true, inner: [v4(bytes.slice(2, 6)), ...intraSite(bytes)] };
  // 2001::/32, Teredo: its server, and the client with every bit turned
  if (startsWith(bytes, 0x20, 0x01, 0, 0)) {
    return { wraps: true, inner: [v4(bytes.slice(4, 8)), v4(bytes.slice(12).map((byte) => byte ^ 0xff))] };
  }
  return { wraps: false, inner: intraSite(bytes) };
}

/** ISATAP: an interface identifier `[02]00:5efe:a.b.c.d` under any prefix. */
function intraSite(bytes: readonly number[]): IPv4[] {
  const marked = (bytes[8] === 0 || bytes[8] === 2) && startsWith(bytes.slice(9), 0, 0x5e, 0xfe);
  return marked ? [v4(bytes.slice(12))] : [];
}

/** Whether an address is one of the public internet, whatever it is wrapped in. */
export function isPublic(address: Ip): boolean {
  const ip = canonical(address);
  if (!(ip instanceof ipaddr.IPv6)) return ip.range() === 'unicast';
  const { wraps, inner } = embedded(ip);
  if (!inner.every((one) => one.range() === 'unicast')) return false;
  // Only 2000::/3 is given out; the library calls more than that unicast (also ::127.0.0.1).
  return wraps || (ip.range() === 'unicast' && ((bytesOf(ip)[0] as number) & 0xe0) === 0x20);
}

/**
 * Where packets for an address go. What the allow-list opens in the relay's own network has a name of 64:ff9b::/96 too,
 * because programs of a world mean the world itself by 127.0.0.1: there the relay is the translator. Other addresses of
 * that prefix are left to the network.
 */
export function route(ip: Ip): Ip {
  const behind = translated(ip);
  return behind && behind.range() !== 'unicast' ? behind : canonical(ip);
}

/** The addresses of this machine and those that it is known under outside. */
export class OwnAddresses {
  readonly #known: ReadonlySet<string>;
  #read = Number.NEGATIVE_INFINITY;
  #machine = new Set<string>();

  constructor(known: readonly string[] = []) {
    this.#known = new Set(known.flatMap((text) => parseIp(text)?.toNormalizedString() ?? []));
  }

  has(address: Ip): boolean {
    const ip = canonical(address);
    const all = [ip, ...(ip instanceof ipaddr.IPv6 ? embedded(ip).inner : [])].map((one) => one.toNormalizedString());
    const machine = this.#addresses();
    return all.some((text) => this.#known.has(text) || machine.has(text));
  }

  #addresses(): Set<string> {
    const now = performance.now();
    if (now - this.#read > OWN_MS) {
      this.#read = now;
      const list = Object.values(networkInterfaces()).flat();
      this.#machine = new Set(
        list.flatMap((one) => (one && parseIp(one.address.replace(/%.*/, ''))?.toNormalizedString()) || []),
      );
    }
    return this.#machine;
  }
}
