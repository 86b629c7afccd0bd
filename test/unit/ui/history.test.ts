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
