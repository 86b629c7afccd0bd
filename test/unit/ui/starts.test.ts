/** Worlds whose starts do not last, and worlds without their services (R8-5). */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Shelf } from '../../../src/ui/model/shelf.ts';
import { Starts, SURVIVAL_MS } from '../../../src/ui/model/starts.ts';
import { FakeApi } from './fake-api.ts';
import { sessionOn, shelfOf, until } from './sessions.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => vi.useRealTimers());

/** A tab that starts a world and is gone before a minute has passed; no timer of it runs any more. */
function die(shelf: Shelf, world = 'a') {
  new Starts(shelf).begin(world);
  vi.clearAllTimers();
}

describe('starts that nobody saw to last', () => {
  it('R8-5 two of them make a world doubtful, and no other world', () => {
    const shelf = shelfOf();
    for (const doubtful of [false, false, true]) {
      expect(new Starts(shelf).doubtful('a')).toBe(doubtful);
      die(shelf);
    }
    expect(new Starts(shelf).doubtful('b')).toBe(false);
  });

  it('R8-5 one that lasts a minute, or is closed in good order, clears them', () => {
    const shelf = shelfOf();
    die(shelf);
    const starts = new Starts(shelf);
    starts.begin('a');
    vi.advanceTimersByTime(SURVIVAL_MS - 1);
    expect(new Starts(shelf).doubtful('a')).toBe(true);
    vi.advanceTimersByTime(1);
    expect(new Starts(shelf).doubtful('a')).toBe(false);
    die(shelf);
    starts.begin('a');
    starts.settle();
    die(shelf);
    expect(new Starts(shelf).doubtful('a')).toBe(false);
  });

  it('a shelf that is forbidden or holds nonsense makes nothing doubtful', () => {
    const refuse = () => {
      throw new DOMException('', 'SecurityError');
    };
    const starts = new Starts({ getItem: refuse, setItem: refuse, removeItem: refuse });
    starts.begin('a');
    expect(starts.doubtful('a')).toBe(false);
    expect(new Starts(shelfOf(new Map([['sausage.starts.a', 'many']]))).doubtful('a')).toBe(false);
  });
});

describe('a session', () => {
  const doubt = (shelf = shelfOf()) => {
    for (let start = 1; start <= 2; start++) die(shelf, 'playground');
    return shelf;
  };

  it('R8-5 asks before a third start, and opens without services when the visitor says so', async () => {
    const api = new FakeApi();
    const addresses: [string, boolean][] = [];
    const session = sessionOn(api, { shelf: doubt(), onOpening: (...address) => addresses.push(address) });
    await session.open('playground');
    expect([session.phase.kind, api.opened.length]).toEqual(['unstable', 0]);
    await session.open('playground', { safe: true });
    expect([session.safe, session.held]).toEqual([true, true]);
    expect(api.opened[0]).toMatchObject({ name: 'playground', safe: true });
    expect(addresses).toEqual([
      ['playground', false],
      ['playground', true],
    ]);
  });

  it('R8-5 goes back to a start with services, which counts again', async () => {
    const api = new FakeApi();
    const shelf = doubt();
    const session = sessionOn(api, { shelf });
    await session.open('playground', { safe: true });
    await session.open('playground', { anyway: true });
    expect([session.safe, session.held]).toEqual([false, false]);
    expect(api.opened[1]).not.toHaveProperty('safe');
    vi.advanceTimersByTime(SURVIVAL_MS);
    expect(new Starts(shelf).doubtful('playground')).toBe(false);
  });

  it('R8-5 a start without services says nothing about those with them', async () => {
    const shelf = doubt();
    const session = sessionOn(new FakeApi(), { shelf });
    await session.open('playground', { safe: true });
    vi.advanceTimersByTime(SURVIVAL_MS);
    session.leave();
    expect(new Starts(shelf).doubtful('playground')).toBe(true);
  });

  it.each([
    ['is left', (session: ReturnType<typeof sessionOn>) => session.leave()],
    ['is closed for another', (session: ReturnType<typeof sessionOn>) => session.open('other')],
  ])('R8-5 a world that %s has not died', async (_, end) => {
    const shelf = shelfOf();
    for (let visit = 1; visit <= 3; visit++) {
      const session = sessionOn(new FakeApi().add('other'), { shelf });
      await session.open('playground');
      expect(session.phase.kind).toBe('open');
      await end(session);
    }
  });

  it('R8-5 a world that another tab has was not started, and one that failed to open did not die', async () => {
    const shelf = shelfOf();
    const api = new FakeApi({
      onStep: async ({ step }) => {
        if (step === 'ready') throw new Error('The log is damaged.');
      },
    }).add('taken');
    api.elsewhere.set('taken', 'awake');
    for (const name of ['taken', 'playground', 'taken', 'playground', 'taken', 'playground']) {
      const session = sessionOn(api, { shelf });
      await session.open(name);
      expect(session.phase.kind).toBe(name === 'taken' ? 'busy' : 'failed');
    }
  });

  it('R9-2 core.exit starts a world without services again as it was', async () => {
    vi.useRealTimers();
    const api = new FakeApi();
    const session = sessionOn(api);
    await session.open('playground', { safe: true });
    await session.world!.call('core.exit');
    await until(session, 'booting');
    await until(session, 'open');
    expect(api.opened.map(({ safe }) => safe)).toEqual([true, true]);
  });
});
