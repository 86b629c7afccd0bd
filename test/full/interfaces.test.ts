/** The property tests of the compatibility check, on at least 20,000 pairs of schemas (R10-4). */

import { vi } from 'vitest';

vi.stubEnv('INTERFACE_PAIRS', process.env.INTERFACE_PAIRS ?? '20000');
await import('../unit/interfaces/property.test.ts');
