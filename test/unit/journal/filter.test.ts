import { describe, expect, it } from 'vitest';
import type { JournalFilter } from '../../../src/core/host.ts';
import { compileFilter, JournalFilterError } from '../../../src/core/journal/filter.ts';

describe('filters of core.log', () => {
  it.each([
    [{ plugin: 7 }, 'plugin'],
    [{ pid: null }, 'pid'],
    [{ since: 'yesterday' }, 'since'],
    [{ since: '2026-02-30T10:00:00Z' }, 'since'],
    [{ since: '2026-02-03 10:00' }, 'since'],
    [{ until: '00000000-0000-4000-8000-000000000000' }, 'until'],
    [{ grep: '/(/' }, 'grep'],
    [{ grep: ['a'] }, 'grep'],
    [{ limit: -1 }, 'limit'],
    [{ limit: 1.5 }, 'limit'],
    [{ limit: '10' }, 'limit'],
    [{ limit: 1e9 }, 'limit'],
    [{ plugn: 'notes' }, 'plugn'],
  ])('R7-4 a bad filter is refused by name: %j', async (filter, name) => {
    const error = await compileFilter(filter as JournalFilter).catch((error) => error);
    expect(error).toBeInstanceOf(JournalFilterError);
    expect(error.message).toMatch(new RegExp(`^${name}: `));
  });

  it('R7-4 a time in any zone and with any fraction is a bound', async () => {
    const bounds = async (since: string) => (await compileFilter({ since })).from >> 12n;
    expect(await bounds('2026-11-30T20:00:00Z')).toBe(BigInt(Date.UTC(2026, 10, 30, 20)));
    expect(await bounds('2026-11-30t22:00:00.5+02:00')).toBe(BigInt(Date.UTC(2026, 10, 30, 20)) + 500n);
    expect(await bounds('2026-11-30T20:00:00.1230Z')).toBe(BigInt(Date.UTC(2026, 10, 30, 20)) + 123n);
    expect(await bounds('2026-11-30T20:00:00.1231Z')).toBe(BigInt(Date.UTC(2026, 10, 30, 20)) + 124n);
    expect((await compileFilter({ until: '2026-11-30T20:00:00.1239Z' })).to >> 12n).toBe(
      BigInt(Date.UTC(2026, 10, 30, 20)) + 123n,
    );
  });
});

it('R7-4 R7-6 an expression that would go back and forth for ever is answered at once', async () => {
  const search = await compileFilter({ grep: '/(a+)+$/' });
  const from = performance.now();
  const line = `${'a'.repeat(5000)}!`;
  expect(search.matches({ id: '', time: '', pid: '', plugin: '', stream: 'stderr', line })).toBe(false);
  expect(performance.now() - from).toBeLessThan(2000);
});
