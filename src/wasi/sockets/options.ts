import { PIPE_BYTES } from '../../net/arena.ts';
import { BACKLOG } from '../../net/loopback/listener.ts';
import { SocketFailure } from './calls.ts';

/** Two hours, 75 s, 8 probes, 64 hops: what systems begin with. */
const SECOND = 1_000_000_000n;

/**
 * The options of a socket. They are kept, checked and inherited; the loopback has no use for keep-alive or hops, and its
 * buffers have one size, so a set size is only remembered up to that.
 */
export class SocketOptions {
  hopLimit = 64;
  receiveBuffer = PIPE_BYTES;
  sendBuffer = PIPE_BYTES;

  setHopLimit(hops: number): void {
    if ((hops & 255) === 0) throw new SocketFailure('invalid-argument');
    this.hopLimit = hops & 255;
  }

  setBuffer(which: 'receiveBuffer' | 'sendBuffer', bytes: number): void {
    if (bytes === 0) throw new SocketFailure('invalid-argument');
    this[which] = Math.min(bytes, PIPE_BYTES);
  }
}

export class TcpOptions extends SocketOptions {
  backlog = BACKLOG;
  keepAlive = false;
  /** Nanoseconds. */
  keepAliveIdle = 7200n * SECOND;
  keepAliveInterval = 75n * SECOND;
  keepAliveCount = 8;

  setTime(which: 'keepAliveIdle' | 'keepAliveInterval', duration: bigint): void {
    if (duration === 0n) throw new SocketFailure('invalid-argument');
    this[which] = BigInt.asUintN(64, duration);
  }

  setCount(count: number): void {
    if (count === 0) throw new SocketFailure('invalid-argument');
    this.keepAliveCount = count >>> 0;
  }

  /** For an accepted connection. */
  inherited(): TcpOptions {
    return Object.assign(new TcpOptions(), this);
  }
}
