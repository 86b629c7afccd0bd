import { describe, expect, it } from 'vitest';
import { forgetHistory, History } from '../../../src/ui/console/history.ts';
import { shelfOf } from './sessions.ts';

describe('the history of a console', () => {
  it('goes back to the oldest line and forth to what was being typed', () => {
    const history = new History('w', shelfOf());
    history.add('one');
    history.add('two');
    expect(history.older('dra')).toBe('two');
    expect(history.older('two')).toBe('one');
    expect(history.older('one')).toBeUndefined();
    expect(history.newer()).toBe('two');
    expect(history.newer()).toBe('dra');
    expect(history.newer()).toBeUndefined();
  });

  it('begins at the newest line again once a recalled line was edited', () => {
    const history = new History('w', shelfOf());
    history.add('one');
    history.add('two');
    history.older('');
    history.older('two');
    history.leave();
    expect(history.older('one, edited')).toBe('two');
    expect(history.newer()).toBe('one, edited');
  });

  it('keeps a line that is repeated once', () => {
    const history = new History('w', shelfOf());
    for (const line of ['one', 'one', 'two', 'one']) history.add(line);
    expect(history.lines).toEqual(['one', 'two', 'one']);
  });

  it('is kept per world, and goes with the world', () => {
    const kept = shelfOf();
    new History('a', kept).add('of a');
    new History('b', kept).add('of b');
    expect(new History('a', kept).lines).toEqual(['of a']);
    forgetHistory('a', kept);
    expect(new History('a', kept).lines).toEqual([]);
    expect(new History('b', kept).lines).toEqual(['of b']);
  });

  it('keeps the newest 200 lines', () => {
    const kept = shelfOf();
    const history = new History('w', kept);
    for (let at = 0; at < 250; at++) history.add(`line ${at}`);
    const lines = new History('w', kept).lines;
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([200, 'line 50', 'line 249']);
  });

  it('keeps no line of more than 10,000 characters beyond the page, and not more than 50,000 in all', () => {
    const kept = shelfOf();
    const history = new History('w', kept);
    const long = 'x'.repeat(10_001);
    history.add('first');
    history.add(long);
    expect(history.older('')).toBe(long);
    expect(new History('w', kept).lines).toEqual(['first']);
    for (let at = 0; at < 7; at++) history.add(String(at).repeat(9000));
    expect(new History('w', kept).lines.map((line) => line[0])).toEqual(['2', '3', '4', '5', '6']);
    expect(history.lines).toHaveLength(9);
  });

  it('does no harm where the shelf is full, and gives back what an older page has put there too much', () => {
    const full = new Map<string, string>();
    const shelf = {
      ...shelfOf(),
      getItem: (key: string) => full.get(key) ?? null,
      setItem(key: string, text: string) {
        if (text.length > 60_000) throw new DOMException('full', 'QuotaExceededError');
        full.set(key, text);
      },
    };
    full.set('sausage.history.w', JSON.stringify(['short', 'y'.repeat(1_000_000)]));
    const history = new History('w', shelf);
    history.add('newest');
    expect(new History('w', shelf).lines).toEqual(['short', 'newest']);
  });

  it('lasts as long as the page where nothing can be kept, and reads no nonsense', () => {
    const refuse = () => {
      throw new DOMException('no', 'SecurityError');
    };
    const history = new History('w', { getItem: refuse, setItem: refuse, removeItem: refuse });
    history.add('one');
    expect(history.older('')).toBe('one');
    expect(new History('w', { ...shelfOf(), getItem: () => '{"not": "a list"}' }).lines).toEqual([]);
  });
});
