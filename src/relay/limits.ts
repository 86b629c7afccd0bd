/**
 * How much one visitor may take. Each limit is counted for the token, and again, looser, for the address it comes from:
 * a whole school may sit behind one. Rates can be shared by several relays (Redis); what is open is counted by each.
 */

import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { RelayFailure } from './failures.ts';

/** 0 is "as many as there are". */
export interface Limits {
  /** Connections to the relay at once. */
  connections: number;
  /** TCP streams, UDP sockets and look-ups at once, over all connections. */
  streams: number;
  /** Opens a second, counted over ten seconds. */
  opens: number;
  /** Bytes a second, both directions together, counted over a second. */
  bytes: number;
  /** Datagrams a second that are sent out. */
  datagrams: number;
}

export type LimitsPer = { token: Limits; address: Limits };

/** For a relay that strangers with a token can reach. */
export const SHARED_LIMITS: LimitsPer = {
  token: { connections: 8, streams: 1000, opens: 50, bytes: 20_000_000, datagrams: 200 },
  address: { connections: 400, streams: 20_000, opens: 1000, bytes: 200_000_000, datagrams: 4000 },
};

/** For a relay on the visitor's own machine: only what keeps a runaway program from taking the machine down. */
export const OWN_LIMITS: LimitsPer = {
  token: { connections: 64, streams: 2000, opens: 500, bytes: 0, datagrams: 10_000 },
  address: { connections: 64, streams: 2000, opens: 500, bytes: 0, datagrams: 10_000 },
};

/** Attempts to connect that one address may make, a second, before anything is known about it. */
const HANDSHAKES = 20;
/** Rates are counted over so many seconds. */
const OPENS_SECONDS = 10;

interface Rate {
  /** Milliseconds to wait; 0 when there is room. */
  take(key: string, points: number): Promise<number>;
}

const UNLIMITED: Rate = { take: async () => 0 };

/** Who is counted: the two keys. */
export interface Visitor {
  token: string;
  address: string;
}

/** How many of something each key has now. */
class Counter {
  readonly #counts = new Map<string, number>();

  count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string, by: 1 | -1): void {
    const count = this.count(key) + by;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}

export class Limiter {
  readonly #limits: LimitsPer;
  readonly #rates: Record<'opens' | 'bytes' | 'datagrams', [token: Rate, address: Rate]>;
  readonly #handshakes: Rate;
  readonly #counters = { connections: new Counter(), streams: new Counter() };
  /** Whether bytes are counted at all. */
  readonly countsBytes: boolean;

  /** `redis` is a connected client of the packages `ioredis` or `redis`. While it is away, each relay counts for itself. */
  constructor(limits: LimitsPer, redis?: object) {
    this.#limits = limits;
    const rate = (name: string, points: number, duration: number): Rate => {
      if (points === 0) return UNLIMITED;
      const options = { keyPrefix: `sausage-relay:${name}`, points, duration };
      const memory = new RateLimiterMemory(options);
      const limiter = redis
        ? new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: memory })
        : memory;
      return {
        take: (key, count) =>
          limiter.consume(key, count).then(
            () => 0,
            (reason: unknown) => {
              if (reason instanceof RateLimiterRes) return Math.max(1, reason.msBeforeNext);
              throw reason;
            },
          ),
      };
    };
    const both = (name: 'opens' | 'bytes' | 'datagrams', seconds: number): [Rate, Rate] => [
      rate(`${name}:token`, limits.token[name] * seconds, seconds),
      rate(`${name}:address`, limits.address[name] * seconds, seconds),
    ];
    this.#rates = { opens: both('opens', OPENS_SECONDS), bytes: both('bytes', 1), datagrams: both('datagrams', 1) };
    this.#handshakes = rate('handshakes', Math.max(HANDSHAKES, limits.address.connections), 1);
    this.countsBytes = limits.token.bytes > 0 || limits.address.bytes > 0;
  }

  /** Before a connection is looked at. Throws `RelayFailure`. */
  async knock(address: string): Promise<void> {
    if ((await this.#handshakes.take(address, 1)) > 0) {
      throw new RelayFailure('access-denied', 'Too many connections a second come from this address. Wait a moment.');
    }
  }

  /** Counts one more connection or stream; the function that it returns counts it off, once. Throws `RelayFailure`. */
  enter(what: 'connections' | 'streams', { token, address }: Visitor): () => void {
    const counter = this.#counters[what];
    const keys = [`token ${token}`, `address ${address}`];
    const most = [this.#limits.token[what], this.#limits.address[what]];
    keys.forEach((key, at) => {
      const limit = most[at] as number;
      if (limit > 0 && counter.count(key) >= limit) {
        const per = at === 0 ? 'visitor' : 'network';
        throw new RelayFailure('new-socket-limit', `The relay allows ${limit} ${what} at once for one ${per}.`);
      }
    });
    for (const key of keys) counter.add(key, 1);
    let entered = true;
    return () => {
      if (!entered) return;
      entered = false;
      for (const key of keys) counter.add(key, -1);
    };
  }

  /** Before a stream, a socket or a look-up. Throws `RelayFailure`. */
  async open(visitor: Visitor): Promise<void> {
    if ((await this.#take('opens', visitor, 1)) > 0) {
      throw new RelayFailure(
        'new-socket-limit',
        'Too many connections a second: the relay opens no more for a moment.',
      );
    }
  }

  /** After bytes were carried; returns for how many milliseconds no more should be. */
  spend(visitor: Visitor, bytes: number): Promise<number> {
    return this.#take('bytes', visitor, bytes);
  }

  /** Whether a datagram may be sent out now. */
  async datagram(visitor: Visitor): Promise<boolean> {
    return (await this.#take('datagrams', visitor, 1)) === 0;
  }

  async #take(name: 'opens' | 'bytes' | 'datagrams', { token, address }: Visitor, points: number): Promise<number> {
    const [perToken, perAddress] = this.#rates[name];
    const waits = await Promise.all([perToken.take(token, points), perAddress.take(address, points)]);
    return Math.max(...waits);
  }
}
