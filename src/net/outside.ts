/**
 * The boundary between the network of a world and whatever carries it to the outside (the relay). Types and nothing
 * else. All of it lives in the core worker; nothing in it blocks. Failures are `NetError`s with a `wasi:sockets` code.
 *
 * Bytes are credited in both directions: each side may send only as many bytes as the other has granted, so that a
 * reader that never reads stops the writer after a bounded amount.
 */

import type { IpAddress, SocketAddress } from './address.ts';
import type { NetError } from './errors.ts';

/** Where a stream goes. A name is resolved once, by the other side, which connects to the address that it checked. */
export interface OutsideTarget {
  host: IpAddress | { name: string };
  /** 1 to 65535. */
  port: number;
  /** Speak TLS and verify the certificate for this name; without it the stream carries what is written. */
  tls?: { serverName: string };
}

/**
 * What comes of a stream. First `opened` or `closed`; after `opened` any number of `data` and `room`, at most one
 * `end`, and at last `closed`, once. Nothing is told from within a call of the stream's methods or of `connect`.
 */
export interface OutsideStreamEvents {
  opened(addresses: { local: SocketAddress; remote: SocketAddress }): void;
  /** The bytes belong to the receiver. Never more in all than was granted. */
  data(bytes: Uint8Array): void;
  /** The other side sends no more; it may still receive. */
  end(): void;
  /** So many more bytes may be sent. */
  room(bytes: number): void;
  /**
   * The stream is gone: with an error when it could not be opened or broke, without one after both sides have ended it.
   * What was sent before `end()` arrived whole then.
   */
  closed(error?: NetError): void;
}

export interface OutsideStream {
  /** Sends bytes, of which there are at most as many as there is room for (`room` was told minus what was sent). */
  send(bytes: Uint8Array): void;
  /** Sends no more after what was sent: the half-close. */
  end(): void;
  /** Grants so many more bytes to the other side. Nothing is granted at the start but `initialCredit` of `connect`. */
  grant(bytes: number): void;
  /** Gives the stream up at once; `closed` is not told any more. Also calls off an opening that is under way. */
  reset(): void;
}

export interface OutsideDatagramsEvents {
  /** The bytes belong to the receiver. A receiver that is slow drops what it cannot hold. */
  datagram(bytes: Uint8Array, from: SocketAddress): void;
  /** The socket is gone, with the reason. */
  closed(error: NetError): void;
}

export interface OutsideDatagrams {
  /** Sends one datagram, or drops it where a network would: errors of one datagram are not told. */
  send(bytes: Uint8Array, to: SocketAddress): void;
  close(): void;
}

export interface Outside {
  /** Begins to open a stream; the other side may send `initialCredit` bytes before anything is granted. */
  connect(target: OutsideTarget, initialCredit: number, events: OutsideStreamEvents): OutsideStream;
  /** A socket that is not bound to a port anybody could know; it hears only from peers that it wrote to. */
  openDatagrams(family: 4 | 6, events: OutsideDatagramsEvents): OutsideDatagrams;
  /** The addresses of a name, as the resolver orders them. Rejects with `NetError`. */
  resolve(name: string, signal: AbortSignal): Promise<IpAddress[]>;
}
