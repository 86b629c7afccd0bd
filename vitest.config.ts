import { defineConfig } from 'vitest/config';

/**
 * Four projects: `unit` runs in Node and is parallel, `browser` drives real browsers against the built page, one file
 * at a time, `full` holds what is too slow for every `npm test` (`npm run test:all` runs it), `bench` measures
 * (`npm run bench`).
 */
export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/{unit,contract}/**/*.test.ts'],
          environment: 'node',
          testTimeout: 20_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          environment: 'node',
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          teardownTimeout: 20_000,
          globalSetup: 'test/browser/setup.ts',
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'full',
          include: ['test/full/**/*.test.ts'],
          environment: 'node',
          fileParallelism: false,
          testTimeout: 600_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'bench',
          include: ['test/bench/**/*.test.ts'],
          environment: 'node',
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 120_000,
          // A ratio that whatever else ran has spoilt is measured once more; both figures are printed.
          retry: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
