/**
 * The counts of a vitest run, from its JSON report and its exit code. A file that could not be loaded, an error outside
 * of every test, and a run that ran nothing are failures too.
 */
export function count(report, exitCode) {
  if (!report) return { passed: 0, failed: 1, skipped: 0 };
  const brokenFiles = report.testResults.filter(({ status, assertionResults }) => {
    return status === 'failed' && !assertionResults.some((test) => test.status === 'failed');
  }).length;
  const results = {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles,
    skipped: report.numPendingTests + report.numTodoTests,
  };
  if (results.failed === 0 && (exitCode !== 0 || results.passed === 0)) results.failed = 1;
  return results;
}

/** The closing line of a run. */
export function summary({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`;
}
