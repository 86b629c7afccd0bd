export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}
export interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: { status: string; assertionResults: { status: string }[] }[];
}
export function count(report: VitestReport | undefined, exitCode: number): Counts;
export function summary(counts: Counts): string;
