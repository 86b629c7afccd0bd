import { describe, expect, it } from 'vitest';
import { count, summary, type VitestReport } from '../../../scripts/lib/results.mjs';

const report = (counts: Partial<VitestReport>): VitestReport => ({
  numPassedTests: 0,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [],
  ...counts,
});

describe('the closing line of npm test', () => {
  it('counts what vitest counted', () => {
    const counts = count(report({ numPassedTests: 7, numFailedTests: 2, numPendingTests: 1, numTodoTests: 1 }), 1);
    expect(summary(counts)).toBe('7 passed, 2 failed, 2 skipped');
  });

  it('leaves out what was not skipped', () => {
    expect(summary(count(report({ numPassedTests: 7 }), 0))).toBe('7 passed, 0 failed');
  });

  it('counts a test file that could not be loaded', () => {
    const broken = { status: 'failed', assertionResults: [] };
    expect(count(report({ numPassedTests: 7, testResults: [broken] }), 1).failed).toBe(1);
  });

  it('counts a file with a failed test once', () => {
    const file = { status: 'failed', assertionResults: [{ status: 'failed' }] };
    expect(count(report({ numPassedTests: 7, numFailedTests: 1, testResults: [file] }), 1).failed).toBe(1);
  });

  it.each([
    ['an error outside of every test', report({ numPassedTests: 7 }), 1],
    ['a run that ran nothing', report({}), 0],
    ['a run that left no report', undefined, 0],
  ])('is no success after %s', (_, given, exitCode) => {
    expect(count(given, exitCode).failed).toBe(1);
  });
});
