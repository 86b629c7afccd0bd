import { expect, test } from 'vitest';
import { Limiter, SHARED_LIMITS } from '../../../src/relay/limits.ts';

const who = (token: string) => ({ token, address: '192.0.2.1' });

/** What the limiter uses of `ioredis`: one script that counts under a key which ends by itself. */
function fakeRedis() {
  const counts = new Map<string, { count: number; until: number }>();
  const redis = {
    away: false,
    defineCommand() {},
    async rlflxIncr([key, points, seconds]: [string, string, string]): Promise<[number, number]> {
      if (redis.away) throw new Error('the connection is closed');
      const now = Date.now();
      const known = counts.get(key);
      const entry = known && known.until > now ? known : { count: 0, until: now + Number(seconds) * 1000 };
      entry.count += Number(points);
      counts.set(key, entry);
      return [entry.count, entry.until - now];
    },
  };
  return redis;
}

const limits = (opens: number) => ({ ...SHARED_LIMITS, token: { ...SHARED_LIMITS.token, opens } });
const opens = async (limiter: Limiter, times: number, token = 'ada'): Promise<number> => {
  let open = 0;
  for (let i = 0; i < times; i++) {
    await limiter.open(who(token)).then(
      () => open++,
      () => {},
    );
  }
  return open;
};

test('relay 6: relays that share a Redis share their rates', async () => {
  const redis = fakeRedis();
  const [one, two] = [new Limiter(limits(1), redis), new Limiter(limits(1), redis)];
  expect(await opens(one, 6)).toBe(6);
  expect(await opens(two, 6)).toBe(4);
  expect(await opens(two, 6, 'bob')).toBe(6);
});

test('relay 6: while the Redis is away each relay counts for itself', async () => {
  const redis = fakeRedis();
  const limiter = new Limiter(limits(1), redis);
  redis.away = true;
  expect(await opens(limiter, 12)).toBe(10);
});

test('relay 6: what is open is counted off once', () => {
  const limiter = new Limiter({ ...SHARED_LIMITS, token: { ...SHARED_LIMITS.token, streams: 2 } });
  const [first] = [limiter.enter('streams', who('ada')), limiter.enter('streams', who('ada'))];
  expect(() => limiter.enter('streams', who('ada'))).toThrow(/2 streams at once for one visitor/);
  first();
  first();
  limiter.enter('streams', who('ada'));
  expect(() => limiter.enter('streams', who('ada'))).toThrow();
});
