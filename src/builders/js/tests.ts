/** Lists the tests of a test component and runs each in an instance and a world of its own (R11-5). */

import type { Machines } from '../../core/host.ts';
import type { ReadyComponent } from '../../syscall/protocol.ts';
import { type Outcome, runTrial } from './trial.ts';

export interface TestResult {
  passed: number;
  failed: number;
  /** For people: a line for each test, and what the failed ones said. */
  output: string;
}

export interface TestRun {
  machines: Machines;
  plugin: string;
  component: ReadyComponent;
  files: ReadonlyMap<string, Uint8Array>;
  signal: AbortSignal;
  onProgress(done: number, total: number): void;
}

/** Milliseconds for one test. */
const LIMIT = 30_000;
/** Tests that run at once. */
const AT_ONCE = 4;

interface Listed {
  name: string;
  skipped: boolean;
}

export async function runTests(run: TestRun): Promise<TestResult> {
  const listing = await trial(run, ['--test-list']);
  const line = listing.stdout.split('\n').find((text) => text.startsWith('['));
  if (!line) return { passed: 0, failed: 1, output: `the tests could not be listed: ${why(listing)}` };
  const tests: Listed[] = JSON.parse(line);
  const outcomes: (Outcome | undefined)[] = [];
  let [next, done] = [0, 0];
  const work = async (): Promise<void> => {
    while (next < tests.length && !run.signal.aborted) {
      const index = next++;
      if (!tests[index]?.skipped) outcomes[index] = await trial(run, ['--test-exact', String(index)]);
      run.onProgress(++done, tests.length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return report(tests, outcomes);
}

function trial({ machines, plugin, component, files, signal }: TestRun, args: string[]): Promise<Outcome> {
  return runTrial(machines, { plugin, component, args, files, limit: LIMIT, signal });
}

const passed = ({ exit }: Outcome): boolean => exit.kind === 'code' && exit.code === 0;

function report(tests: Listed[], outcomes: (Outcome | undefined)[]): TestResult {
  const result = { passed: 0, failed: 0, output: '' };
  const details: string[] = [];
  tests.forEach(({ name }, index) => {
    const outcome = outcomes[index];
    const word = !outcome ? 'skipped' : passed(outcome) ? 'ok' : 'FAILED';
    if (word === 'ok') result.passed++;
    if (word === 'FAILED') result.failed++;
    result.output += `${name} … ${word}\n`;
    if (outcome && word === 'FAILED') details.push(`\n${name}\n${why(outcome)}\n`);
  });
  result.output += details.join('');
  return result;
}

/** How a test failed, with what it said. */
function why({ exit, late, stderr }: Outcome): string {
  if (late) return `${stderr}it took longer than ${LIMIT / 1000} s`;
  const end = exit.kind === 'code' ? '' : exit.kind === 'trap' ? `trap: ${exit.message}` : exit.kind;
  return `${stderr}${end}`.trimEnd() || 'it said nothing';
}
