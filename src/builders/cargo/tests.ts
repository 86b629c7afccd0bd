/** Runs the tests of a package: each in an instance of its own, in an empty temporary world (R11-5). */

import type { Components, Machines } from '../../core/host.ts';
import { sha256 } from '../../core/plugins.ts';
import { buildFailure } from '../failure.ts';
import { type Outcome, runTrial } from '../js/trial.ts';

export interface TestBinary {
  /** `notes`, or the name of a file in `tests/`. */
  name: string;
  component: Uint8Array<ArrayBuffer>;
}

export interface TestOptions {
  plugin: string;
  /** The package at its paths. */
  files: ReadonlyMap<string, Uint8Array>;
  /** Only tests whose names contain this. */
  filter?: string;
  /** Only those that are marked `#[ignore]`. */
  ignored?: boolean;
  signal: AbortSignal;
  onLine(line: string): void;
}

export interface TestCount {
  passed: number;
  failed: number;
  /** What a terminal would show: a line for each test, and what those that failed said. */
  output: string;
  warnings: string[];
}

/** Milliseconds for one test. */
const LIMIT = 60_000;
const TOGETHER = 4;

/** How one test ended, by what it said and how it left. */
type Verdict = 'ok' | 'ignored' | 'FAILED';

interface TestResult {
  name: string;
  verdict: Verdict;
  said: string;
  shouldPanic: boolean;
}

export class TestRun {
  readonly #host: { components: Components; machines: Machines };
  readonly #options: TestOptions;
  #ignored = 0;
  readonly count: TestCount = { passed: 0, failed: 0, output: '', warnings: [] };

  constructor(host: { components: Components; machines: Machines }, options: TestOptions) {
    this.#host = host;
    this.#options = options;
  }

  /** Runs the tests of one binary. */
  async run({ name, component }: TestBinary): Promise<void> {
    const { filter, ignored, signal } = this.#options;
    const ready = await this.#host.components.load(await sha256(component), component);
    const run = async (args: string[]): Promise<Outcome> => {
      const { plugin, files } = this.#options;
      const outcome = await runTrial(this.#host.machines, {
        plugin,
        component: ready,
        args,
        files,
        limit: LIMIT,
        signal,
      });
      signal.throwIfAborted();
      return outcome;
    };
    const names = await listed(run, [...(filter ? [filter] : []), ...(ignored ? ['--ignored'] : [])]);
    const marked = ignored ? new Set<string>() : new Set(await listed(run, [...(filter ? [filter] : []), '--ignored']));
    this.#say(`running ${names.length} test${names.length === 1 ? '' : 's'} of ${name}`);
    const results: TestResult[] = [];
    const waiting = [...names];
    const work = async () => {
      for (let test = waiting.shift(); test !== undefined; test = waiting.shift()) {
        const result = marked.has(test)
          ? { name: test, verdict: 'ignored' as const, said: '', shouldPanic: false }
          : judge(test, await run([...(ignored ? ['--ignored'] : []), '--exact', '--nocapture', test]));
        results.push(result);
        this.#say(`test ${result.name} ... ${result.verdict}`);
      }
    };
    await Promise.all(Array.from({ length: Math.min(TOGETHER, names.length) }, work));
    results.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
    for (const { name: test, verdict, said, shouldPanic } of results) {
      if (verdict === 'ok') this.count.passed++;
      else if (verdict === 'ignored') this.#ignored++;
      else this.count.failed++;
      if (verdict === 'FAILED') this.#say(`\n---- ${test} ----\n${said.trimEnd()}\n`);
      if (shouldPanic) {
        this.count.warnings.push(`${test} is marked #[should_panic] and was not run: WASI cannot catch a panic`);
      }
    }
  }

  /** The line that ends the output. */
  finish(): TestCount {
    const { passed, failed } = this.count;
    const verdict = failed > 0 ? 'FAILED' : 'ok';
    this.#say(`test result: ${verdict}. ${passed} passed; ${failed} failed; ${this.#ignored} ignored`);
    return this.count;
  }

  #say(line: string): void {
    this.count.output += `${line}\n`;
    this.#options.onLine(line);
  }
}

async function listed(run: (args: string[]) => Promise<Outcome>, args: string[]): Promise<string[]> {
  const { stdout, stderr, exit } = await run([...args, '--list', '--format', 'terse']);
  if (exit.kind !== 'code' || exit.code !== 0)
    throw buildFailure('test', `the tests cannot be listed: ${stderr || stdout}`);
  return stdout.split('\n').flatMap((line) => (line.endsWith(': test') ? [line.slice(0, -': test'.length)] : []));
}

/** A test that ends the process itself has not passed, with whatever code: the harness did not say so. */
function judge(name: string, outcome: Outcome): TestResult {
  const { exit, stdout, stderr } = outcome;
  const ended = exit.kind === 'code' && exit.code === 0;
  const passed = ended && /^test result: ok\. 1 passed;/m.test(stdout);
  const ignored = ended && /^test result: ok\. 0 passed; 0 failed; 1 ignored;/m.test(stdout);
  return {
    name,
    verdict: passed ? 'ok' : ignored ? 'ignored' : 'FAILED',
    said: `${own(stdout)}${stderr}${why(outcome)}`,
    shouldPanic: ignored,
  };
}

/** What neither the test nor a panic said. */
function why({ exit, late, stdout, stderr }: Outcome): string {
  if (late) return `it did not end within ${LIMIT / 1000} s\n`;
  if (exit.kind === 'trap') return stderr.includes('panicked') ? '' : `${exit.message}\n`;
  if (exit.kind === 'code' && !stdout.includes('\ntest result: ')) return `it ended its process with ${exit.code}\n`;
  return exit.kind === 'link' || exit.kind === 'no-memory' ? `${exit.message}\n` : '';
}

/** What the test itself printed: without the lines of the harness. */
const own = (stdout: string): string =>
  stdout.replace(/^(?:running \d+ tests?\n|test \S+ \.\.\. |(?:ok|FAILED)\n|test result: .*\n|failures:\n|\n)/gm, '');
