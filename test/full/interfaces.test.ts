/** The property tests of the compatibility check, on at least 20,000 pairs of schemas (R10-4). */

process.env.INTERFACE_PAIRS ??= '20000';
await import('../unit/interfaces/property.test.ts');
