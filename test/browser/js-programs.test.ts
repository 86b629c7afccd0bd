/** R11-7: what JavaScript authors expect of the language, of waiting, of the platform and of errors; the rest is in test/full. */

import { describe, expect, test } from 'vitest';
import { PROGRAMS } from './js-programs.ts';
import { prove } from './js-programs-run.ts';

describe('R11-7 programs in TypeScript, every fourth', () => {
  prove(PROGRAMS.filter((_, index) => index % 4 === 0));

  test('there are at least 60 of them', () => {
    expect(PROGRAMS.length).toBeGreaterThanOrEqual(60);
    expect(new Set(PROGRAMS.map(({ name }) => name)).size).toBe(PROGRAMS.length);
  });
});
