/**
 * The frames of `sausage-relay.1`, which the page's client and the relay speak (docs/RELAY.md). A frame is `u8 op`,
 * `u32 stream`, payload, numbers in network byte order. Both sides import this file; it knows neither of them.
 *
 * `decode` is strict: a frame that is longer, shorter or other than its kind says, or comes from the side that never
 * sends it, is a `ProtocolError`, and the connection that brought it is over.
 */

import { NET_CODES } from '../net/errors.ts';

/** The WebSocket subprotocol. */
export const PROTOCOL = 'sausage-relay.1';
export const VERSION = 1;

export const OP = {
  hello: 1,
  open: 2,
  opened: 3,
  failed: 4,
  data: 5,
  end: 6,
  reset: 7,
  credit: 8,
  openUdp: 9,
  dgram: 10,
  resolve: 11,
  resolved: 12,
  ping: 13,
  pong: 14,
  welcome: 15,
} as const;

/** What FAILED and RESET say, by their number on the wire: the `error-code` of `wasi:sockets/network@0.2`, then TLS. */
export const ERROR_CODES = [...NET_CODES, 'tls-certificate', 'tls-protocol', 'tls-alert'] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export interface Address {
  /** 4 or 16 bytes. */
  ip: Uint8Array;
  port: number;
}

export type Frame =
  /** The client's first frame, with a token or none. */
  | { op: 'hello'; stream: 0; version: number; token: string }
  /**
   * The relay's answer: what each stream may send to it at first, the bytes of the largest frame that it takes, and how
   * many streams there may be at once.
   */
  | { op: 'welcome'; stream: 0; version: number; window: number; largest: number; streams: number }
  /** `credit` is what the relay may send at first. With `tls`, the certificate is checked for `serverName`, or else for `host`. */
  | { op: 'open'; stream: number; credit: number; port: number; host: string; tls?: { serverName: string } }
  | { op: 'opened'; stream: number; local: Address; remote: Address }
  | { op: 'failed'; stream: number; code: ErrorCode; message: string }
  | { op: 'data'; stream: number; data: Uint8Array }
  | { op: 'end'; stream: number }
  /** Of stream 0: the whole connection ends, and why. */
  | { op: 'reset'; stream: number; code: ErrorCode; message: string }
  | { op: 'credit'; stream: number; bytes: number }
  | { op: 'openUdp'; stream: number; family: 4 | 6 }
  | { op: 'dgram'; stream: number; peer: Address; data: Uint8Array }
  | { op: 'resolve'; stream: number; name: string }
  | { op: 'resolved'; stream: number; addresses: Uint8Array[] }
  | { op: 'ping'; stream: 0; data: Uint8Array }
  | { op: 'pong'; stream: 0; data: Uint8Array };

/** Who sent a frame. */
export type Side = 'client' | 'relay';

export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

export const HEAD_BYTES = 5;
/** Bytes of a PING's payload at most. */
const PING_BYTES = 64;
/** Bytes of a sentence, a name or a token at most. */
const TEXT_BYTES = 4096;
/** Credit never adds up to more. */
export const MOST_CREDIT = 2 ** 31 - 1;
const RESOLVED_ADDRESSES = 64;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The sides that send each op; the second is `true` where the frame belongs to the connection (stream 0), `false` where to a stream, `'both'` where either. */
const RULES: Record<number, readonly [name: Frame['op'], sender: Side | 'both', whole: boolean | 'both']> = {
  [OP.hello]: ['hello', 'client', true],
  [OP.open]: ['open', 'client', false],
  [OP.opened]: ['opened', 'relay', false],
  [OP.failed]: ['failed', 'relay', false],
  [OP.data]: ['data', 'both', false],
  [OP.end]: ['end', 'both', false],
  [OP.reset]: ['reset', 'both', 'both'],
  [OP.credit]: ['credit', 'both', false],
  [OP.openUdp]: ['openUdp', 'client', false],
  [OP.dgram]: ['dgram', 'both', false],
  [OP.resolve]: ['resolve', 'client', false],
  [OP.resolved]: ['resolved', 'relay', false],
  [OP.ping]: ['ping', 'both', true],
  [OP.pong]: ['pong', 'both', true],
  [OP.welcome]: ['welcome', 'relay', true],
};

/** A frame of `length` payload bytes with its head written. */
function blank(op: number, stream: number, length: number): { bytes: Uint8Array<ArrayBuffer>; view: DataView } {
  const bytes = new Uint8Array(HEAD_BYTES + length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, op);
  view.setUint32(1, stream);
  return { bytes, view };
}

/** A DATA frame, which is most of all frames. The bytes are copied. */
export function dataFrame(stream: number, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const { bytes } = blank(OP.data, stream, data.length);
  bytes.set(data, HEAD_BYTES);
  return bytes;
}

const addressBytes = ({ ip }: Address): number => 3 + ip.length;

function putAddress(bytes: Uint8Array, view: DataView, at: number, { ip, port }: Address): number {
  bytes[at] = ip.length === 4 ? 4 : 6;
  bytes.set(ip, at + 1);
  view.setUint16(at + 1 + ip.length, port);
  return at + 3 + ip.length;
}

/** The bytes of a frame; `decode` is its inverse. */
export function encode(frame: Frame): Uint8Array<ArrayBuffer> {
  switch (frame.op) {
    case 'hello': {
      const token = encoder.encode(frame.token);
      const { bytes, view } = blank(OP.hello, 0, 2 + token.length);
      view.setUint16(5, frame.version);
      bytes.set(token, 7);
      return bytes;
    }
    case 'welcome': {
      const { bytes, view } = blank(OP.welcome, 0, 14);
      view.setUint16(5, frame.version);
      view.setUint32(7, frame.window);
      view.setUint32(11, frame.largest);
      view.setUint32(15, frame.streams);
      return bytes;
    }
    case 'open': {
      const host = encoder.encode(frame.host);
      const serverName = encoder.encode(frame.tls?.serverName ?? '');
      const { bytes, view } = blank(OP.open, frame.stream, 9 + host.length + serverName.length);
      view.setUint8(5, frame.tls ? 1 : 0);
      view.setUint32(6, frame.credit);
      view.setUint16(10, frame.port);
      view.setUint16(12, host.length);
      bytes.set(host, 14);
      bytes.set(serverName, 14 + host.length);
      return bytes;
    }
    case 'opened': {
      const length = addressBytes(frame.local) + addressBytes(frame.remote);
      const { bytes, view } = blank(OP.opened, frame.stream, length);
      putAddress(bytes, view, putAddress(bytes, view, HEAD_BYTES, frame.local), frame.remote);
      return bytes;
    }
    case 'failed':
    case 'reset': {
      const message = encoder.encode(frame.message);
      const { bytes, view } = blank(OP[frame.op], frame.stream, 1 + message.length);
      view.setUint8(5, ERROR_CODES.indexOf(frame.code));
      bytes.set(message, 6);
      return bytes;
    }
    case 'data':
      return dataFrame(frame.stream, frame.data);
    case 'end':
      return blank(OP.end, frame.stream, 0).bytes;
    case 'credit': {
      const { bytes, view } = blank(OP.credit, frame.stream, 4);
      view.setUint32(5, frame.bytes);
      return bytes;
    }
    case 'openUdp': {
      const { bytes } = blank(OP.openUdp, frame.stream, 1);
      bytes[5] = frame.family;
      return bytes;
    }
    case 'dgram': {
      const { bytes, view } = blank(OP.dgram, frame.stream, addressBytes(frame.peer) + frame.data.length);
      bytes.set(frame.data, putAddress(bytes, view, HEAD_BYTES, frame.peer));
      return bytes;
    }
    case 'resolve': {
      const name = encoder.encode(frame.name);
      const { bytes } = blank(OP.resolve, frame.stream, name.length);
      bytes.set(name, HEAD_BYTES);
      return bytes;
    }
    case 'resolved': {
      const length = frame.addresses.reduce((sum, ip) => sum + 1 + ip.length, 0);
      const { bytes } = blank(OP.resolved, frame.stream, length);
      let at = HEAD_BYTES;
      for (const ip of frame.addresses) {
        bytes[at] = ip.length === 4 ? 4 : 6;
        bytes.set(ip, at + 1);
        at += 1 + ip.length;
      }
      return bytes;
    }
    case 'ping':
    case 'pong': {
      const { bytes } = blank(OP[frame.op], 0, frame.data.length);
      bytes.set(frame.data, HEAD_BYTES);
      return bytes;
    }
  }
}

/** Reads a payload from its start; what it cannot give is a `ProtocolError`. */
class Reader {
  readonly #view: DataView;
  readonly #bytes: Uint8Array;
  #at = HEAD_BYTES;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  #take(length: number): number {
    if (this.left < length) throw new ProtocolError('a frame is too short');
    const at = this.#at;
    this.#at += length;
    return at;
  }

  u8 = (): number => this.#view.getUint8(this.#take(1));
  u16 = (): number => this.#view.getUint16(this.#take(2));
  u32 = (): number => this.#view.getUint32(this.#take(4));

  /** The rest, as a piece of the frame. */
  rest(most = Number.POSITIVE_INFINITY): Uint8Array {
    if (this.left > most) throw new ProtocolError('a frame is too long');
    return this.#bytes.subarray(this.#take(this.left));
  }

  /** A text of so many bytes, or the rest. */
  text(length = this.left): string {
    if (length > TEXT_BYTES) throw new ProtocolError('a text is too long');
    const at = this.#take(length);
    const bytes = this.#bytes.slice(at, at + length);
    try {
      return decoder.decode(bytes);
    } catch (cause) {
      throw new ProtocolError('a text is not UTF-8', { cause });
    }
  }

  ip(): Uint8Array {
    const family = this.u8();
    if (family !== 4 && family !== 6) throw new ProtocolError(`there is no address family ${family}`);
    const length = family === 4 ? 4 : 16;
    const at = this.#take(length);
    return this.#bytes.slice(at, at + length);
  }

  address(): Address {
    return { ip: this.ip(), port: this.u16() };
  }

  code(): ErrorCode {
    const number = this.u8();
    const code = ERROR_CODES[number];
    if (!code) throw new ProtocolError(`there is no error ${number}`);
    return code;
  }

  end(): void {
    if (this.left > 0) throw new ProtocolError('a frame is too long');
  }
}

/** The frame that `sender` wrote; throws `ProtocolError`. Data are pieces of `bytes`, not copies. */
export function decode(bytes: Uint8Array, sender: Side): Frame {
  if (bytes.length < HEAD_BYTES) throw new ProtocolError('a frame is shorter than its head');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const rule = RULES[view.getUint8(0)];
  if (!rule) throw new ProtocolError(`there is no operation ${view.getUint8(0)}`);
  const [op, by, whole] = rule;
  const stream = view.getUint32(1);
  if (by !== 'both' && by !== sender) throw new ProtocolError(`${op} never comes from the ${sender}`);
  if (whole !== 'both' && whole !== (stream === 0)) throw new ProtocolError(`${op} with stream ${stream}`);
  const reader = new Reader(bytes);
  const frame = read(op, stream, reader);
  reader.end();
  return frame;
}

function read(op: Frame['op'], stream: number, reader: Reader): Frame {
  switch (op) {
    case 'hello':
      return { op, stream: 0, version: reader.u16(), token: reader.text() };
    case 'welcome': {
      const [version, window, largest, streams] = [reader.u16(), reader.u32(), reader.u32(), reader.u32()];
      if (window === 0 || window > MOST_CREDIT || largest < HEAD_BYTES * 2) {
        throw new ProtocolError('welcome with impossible sizes');
      }
      return { op, stream: 0, version, window, largest, streams };
    }
    case 'open': {
      const flags = reader.u8();
      if (flags > 1) throw new ProtocolError('open with unknown flags');
      const [credit, port] = [reader.u32(), reader.u16()];
      if (credit > MOST_CREDIT) throw new ProtocolError(`a credit of ${credit}`);
      const host = reader.text(reader.u16());
      const serverName = reader.text();
      if (flags === 0 && serverName !== '') throw new ProtocolError('a name for TLS, but no TLS');
      return { op, stream, credit, port, host, ...(flags === 1 && { tls: { serverName } }) };
    }
    case 'opened':
      return { op, stream, local: reader.address(), remote: reader.address() };
    case 'failed':
    case 'reset':
      return { op, stream, code: reader.code(), message: reader.text() };
    case 'data': {
      if (reader.left === 0) throw new ProtocolError('data without bytes');
      return { op, stream, data: reader.rest() };
    }
    case 'end':
      return { op, stream };
    case 'credit': {
      const credit = reader.u32();
      if (credit === 0 || credit > MOST_CREDIT) throw new ProtocolError(`a credit of ${credit}`);
      return { op, stream, bytes: credit };
    }
    case 'openUdp': {
      const family = reader.u8();
      if (family !== 4 && family !== 6) throw new ProtocolError(`there is no address family ${family}`);
      return { op, stream, family };
    }
    case 'dgram':
      return { op, stream, peer: reader.address(), data: reader.rest() };
    case 'resolve':
      return { op, stream, name: reader.text() };
    case 'resolved': {
      const addresses: Uint8Array[] = [];
      while (reader.left > 0) addresses.push(reader.ip());
      if (addresses.length === 0 || addresses.length > RESOLVED_ADDRESSES) {
        throw new ProtocolError(`${addresses.length} addresses of a name`);
      }
      return { op, stream, addresses };
    }
    case 'ping':
    case 'pong':
      return { op, stream: 0, data: reader.rest(PING_BYTES) };
  }
}
