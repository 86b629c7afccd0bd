/** R11-7: all programs of the table. */

import { describe } from 'vitest';
import { ensureBuilt } from '../../scripts/build.mjs';
import { PROGRAMS } from '../browser/js-programs.ts';
import { prove } from '../browser/js-programs-run.ts';

await ensureBuilt();

describe('R11-7 programs in TypeScript', () => prove(PROGRAMS));
