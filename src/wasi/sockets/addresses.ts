/** `ip-address` and `ip-socket-address` of `wasi:sockets/network`, as they lie in a guest's memory or come as arguments. */

import { type IpAddress, isMapped, type SocketAddress } from '../../net/address.ts';
import type { Guest } from '../memory.ts';

/** `ip-address-family` and the cases of both variants: ipv4 is 0, ipv6 is 1. */
export const familyOf = (number: number): 4 | 6 => (number === 0 ? 4 : 6);
export const familyNumber = (family: 4 | 6): number => (family === 4 ? 0 : 1);

/** Bytes of an `ip-socket-address`, which is aligned to 4. */
export const SOCKET_ADDRESS = 32;
/** Core arguments that one takes. */
export const FLAT_ADDRESS = 12;

const wide = (groups: number[]): Uint8Array =>
  Uint8Array.from(groups.flatMap((group) => [(group >> 8) & 255, group & 255]));

/** From the arguments of a call. */
export function flatAddress(flat: number[]): SocketAddress {
  const port = (flat[1] as number) & 0xffff;
  if (flat[0] === 0) return { family: 4, bytes: Uint8Array.from(flat.slice(2, 6)), port };
  return { family: 6, bytes: wide(flat.slice(3, 11)), port, flow: flat[2]! >>> 0, scope: flat[11]! >>> 0 };
}

export function takeSocketAddress({ view }: Guest, at: number): SocketAddress {
  const port = view.getUint16(at + 4, true);
  if (view.getUint8(at) === 0) {
    return { family: 4, bytes: Uint8Array.from({ length: 4 }, (_, i) => view.getUint8(at + 6 + i)), port };
  }
  const groups = Array.from({ length: 8 }, (_, i) => view.getUint16(at + 12 + i * 2, true));
  const [flow, scope] = [view.getUint32(at + 8, true), view.getUint32(at + 28, true)];
  return { family: 6, bytes: wide(groups), port, flow, scope };
}

function putBytes(view: DataView, at: number, { family, bytes }: IpAddress): void {
  for (let i = 0; i < bytes.length; i += family === 4 ? 1 : 2) {
    if (family === 4) view.setUint8(at + i, bytes[i]!);
    else view.setUint16(at + i, (bytes[i]! << 8) | bytes[i + 1]!, true);
  }
}

export function putSocketAddress({ view }: Guest, at: number, address: SocketAddress): void {
  const { family, port, flow = 0, scope = 0 } = address;
  view.setUint8(at, familyNumber(family));
  view.setUint16(at + 4, port, true);
  putBytes(view, at + (family === 4 ? 6 : 12), address);
  if (family === 4) return;
  view.setUint32(at + 8, flow, true);
  view.setUint32(at + 28, scope, true);
}

/** Stores an `ip-address`. */
export function putIp({ view }: Guest, at: number, address: IpAddress): void {
  view.setUint8(at, familyNumber(address.family));
  putBytes(view, at + 2, address);
}

/** One host, of this family: no multicast, no broadcast, no IPv4 address in the clothes of IPv6. */
export function isUnicast(address: IpAddress, family: 4 | 6): boolean {
  if (address.family !== family || isMapped(address)) return false;
  const first = address.bytes[0]!;
  return family === 4 ? first < 224 || (first >= 240 && !address.bytes.every((byte) => byte === 255)) : first !== 255;
}
