/** Addresses as bytes: how they travel between a process, the core and the outside, and how they are written. */

/** An address: 4 or 16 bytes in network order. */
export interface IpAddress {
  family: 4 | 6;
  bytes: Uint8Array;
}

/** `flow` and `scope` belong to IPv6 and are 0 when they are not given. */
export interface SocketAddress extends IpAddress {
  port: number;
  flow?: number;
  scope?: number;
}

/** Bytes of an address in a payload: u8 family, u8 0, u16 port, u32 flow, u32 scope, 16 bytes; little endian. */
export const ADDRESS_BYTES = 28;

export function putAddress(into: Uint8Array, at: number, { family, bytes, port, flow = 0, scope = 0 }: SocketAddress) {
  const view = new DataView(into.buffer, into.byteOffset + at, ADDRESS_BYTES);
  view.setUint8(0, family);
  view.setUint8(1, 0);
  view.setUint16(2, port, true);
  view.setUint32(4, flow, true);
  view.setUint32(8, scope, true);
  for (let i = 0; i < 16; i++) view.setUint8(12 + i, bytes[i] ?? 0);
}

/** The inverse of `putAddress`. */
export function takeAddress(from: Uint8Array, at: number): SocketAddress {
  const view = new DataView(from.buffer, from.byteOffset + at, ADDRESS_BYTES);
  const family = view.getUint8(0) === 6 ? 6 : 4;
  const bytes = from.slice(at + 12, at + 12 + (family === 6 ? 16 : 4));
  const port = view.getUint16(2, true);
  return { family, bytes, port, flow: view.getUint32(4, true), scope: view.getUint32(8, true) };
}

export function loopback(family: 4 | 6): IpAddress {
  return { family, bytes: family === 4 ? Uint8Array.of(127, 0, 0, 1) : Uint8Array.from([...Array(15).fill(0), 1]) };
}

export const isUnspecified = ({ bytes }: IpAddress): boolean => bytes.every((byte) => byte === 0);

/** 127.0.0.0/8 or ::1. */
export function isLoopback({ family, bytes }: IpAddress): boolean {
  return family === 4 ? bytes[0] === 127 : bytes[15] === 1 && bytes.subarray(0, 15).every((byte) => byte === 0);
}

/** Of the world itself: the loopback, also by the name 0.0.0.0 or :: (R5-1). */
export const isOwn = (address: IpAddress): boolean => isLoopback(address) || isUnspecified(address);

/** An IPv4 address in the clothes of IPv6 (::ffff:0:0/96), which `wasi:sockets` refuses everywhere. */
export function isMapped({ family, bytes }: IpAddress): boolean {
  return family === 6 && bytes[10] === 255 && bytes[11] === 255 && bytes.subarray(0, 10).every((byte) => byte === 0);
}

/** The usual text: `127.0.0.1`, `::1`. */
export function ipText({ family, bytes }: IpAddress): string {
  if (family === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[i * 2]! << 8) | bytes[i * 2 + 1]!).toString(16));
  const longest = `:${groups.join(':')}:`.match(/:(?:0:){2,}/g)?.reduce((a, b) => (b.length > a.length ? b : a));
  if (!longest) return groups.join(':');
  const [before, ...after] = `:${groups.join(':')}:`.split(longest);
  return `${before?.slice(1) ?? ''}::${after.join(longest).slice(0, -1)}`;
}

export const addressText = (address: SocketAddress): string =>
  address.family === 4 ? `${ipText(address)}:${address.port}` : `[${ipText(address)}]:${address.port}`;

/** The address that a text is, or undefined for a name. Only the usual spellings: no octal, no single number. */
export function parseIp(text: string): IpAddress | undefined {
  const plain = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  return plain.includes(':') ? parseIp6(plain) : parseIp4(plain);
}

function parseIp4(text: string): IpAddress | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) return;
  return { family: 4, bytes: Uint8Array.from(parts, Number) };
}

function parseIp6(text: string): IpAddress | undefined {
  let rest = text;
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  if (tail) {
    const four = parseIp4(tail[2]!);
    if (!four) return;
    const [a, b, c, d] = four.bytes as unknown as [number, number, number, number];
    rest = `${tail[1]}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  }
  const halves = rest.split('::');
  if (halves.length > 2) return;
  const [head = [], back = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - back.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return;
  const groups = [...head, ...Array<string>(halves.length === 1 ? 0 : missing).fill('0'), ...back];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return;
  return {
    family: 6,
    bytes: Uint8Array.from(groups.flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255])),
  };
}
