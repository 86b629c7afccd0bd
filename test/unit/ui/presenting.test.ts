import { expect, it } from 'vitest';
import { Presenting } from '../../../src/ui/model/presenting.ts';
import { shelfOf } from './sessions.ts';

it('large type is chosen, remembered, and leaves less room for columns', () => {
  const shelf = shelfOf();
  const classes = new Set<string>();
  const root = {
    classList: { toggle: (name: string, on?: boolean) => (on ? classes.add(name).has(name) : !classes.delete(name)) },
  };
  const presenting = new Presenting(shelf, root);
  expect([presenting.large, presenting.room(1200), classes.size]).toEqual([false, 1200, 0]);
  presenting.toggle();
  expect([presenting.large, presenting.room(1200), [...classes]]).toEqual([true, 800, ['large']]);
  const later = new Presenting(shelf, root);
  expect(later.large).toBe(true);
  later.toggle();
  expect([new Presenting(shelf, root).large, classes.size]).toEqual([false, 0]);
});
