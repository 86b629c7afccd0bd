/**
 * Tests: functions in files that end in `.test.ts`, which `js.build` runs, each in a process and an empty temporary world
 * of its own (R11-5). The locks, notifications and the journal of the core work there; other plugins are not there.
 */

import { args, end, write } from 'sausage:host';
export { expect } from './expect.ts';
export { invoke } from './serve.ts';

interface Test {
  name: string;
  skipped: boolean;
  run: () => unknown;
}

const tests: Test[] = [];
let file = '';

/** Whose tests come next; for the build. */
export function inFile(name: string): void {
  file = name;
}

export function test(name: string, run: () => unknown): void {
  tests.push({ name: `${file}: ${name}`, skipped: false, run });
}

/** A test that does not run; it counts neither as passed nor as failed. */
test.skip = (name: string, run: () => unknown): void => {
  tests.push({ name: `${file}: ${name}`, skipped: true, run });
};

/** What the entry point of the tests does, which the build writes: lists them, or runs the one of a number. */
export async function main(): Promise<void> {
  const [, command, number] = args();
  if (command === '--test-list') {
    write(`${JSON.stringify(tests.map(({ name, skipped }) => ({ name, skipped })))}\n`);
  } else {
    await (tests[Number(number)] as Test).run();
  }
  end();
}
