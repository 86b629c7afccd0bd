/**
 * `npm test`: installs what is missing, finds a Chromium, then types, lint, build and every test. `--all` adds what is
 * slow or needs more tools (a Rust toolchain, a quiet machine), `--slow` does that alone. Other arguments are handed to vitest.
 *
 * The last line is `N passed, N failed`, with `, N skipped` where that is not 0. A step that fails before or after the
 * tests counts as one failed test.
 */
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { installDependencies } from './lib/dependencies.mjs';
import { Failure } from './lib/failure.mjs';
import { BUILD, ROOT } from './lib/paths.mjs';
import { run, runTool } from './lib/process.mjs';
import { count, summary } from './lib/results.mjs';

/** Runs a step; false when it failed, which has been told by then. */
async function step(name, work) {
  console.error(`\n— ${name}`);
  try {
    const code = await work();
    if (!code) return true;
    console.error(`${name}: failed with exit code ${code}.`);
  } catch (error) {
    console.error(error instanceof Failure ? error.message : error);
  }
  return false;
}

async function runVitest(args) {
  const file = join(BUILD, 'test-results.json');
  await rm(file, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const code = await runTool('vitest/vitest.mjs', ['run', ...reporters, ...args]);
  const report = await readFile(file, 'utf8').then(JSON.parse, () => undefined);
  return count(report, code);
}

/** What `--all` adds after the tests. A script of the list that does not exist yet is passed over. */
const EXTRA = [
  ['plugins are what their sources build', 'scripts/plugins.mjs', '--check'],
  ['the runner is what its sources build', 'scripts/runner.mjs', '--check'],
  ['speed', 'scripts/run.cjs', 'bench'],
];

export async function main(args) {
  const slow = args.includes('--slow');
  const all = slow || args.includes('--all');
  const rest = args.filter((argument) => argument !== '--all' && argument !== '--slow');
  const total = { passed: 0, failed: 0, skipped: 0 };
  const check = async (name, work) => {
    const fine = await step(name, work);
    if (!fine) total.failed += 1;
    return fine;
  };

  if (await check('dependencies', installDependencies)) {
    const { needChromium } = await import('./lib/browsers.mjs');
    const { ensureBuilt } = await import('./build.mjs');
    await check('types', () => runTool('typescript/bin/tsc', ['-p', '.', '--noEmit']));
    await check('lint', () => runTool('@biomejs/biome/bin/biome', ['check', '--diagnostic-level=error', '.']));
    const browser = await check('browser', async () => console.error(await needChromium()));
    const built = await check('build', ensureBuilt);
    if (browser && built) {
      const projects = [...(slow ? [] : ['unit', 'browser']), ...(all ? ['full'] : [])].map(
        (name) => `--project=${name}`,
      );
      console.error('\n— tests');
      const results = await runVitest([...projects, ...rest]);
      for (const key of Object.keys(total)) total[key] += results[key];
      if (all) {
        for (const [name, script, ...options] of EXTRA) {
          if (existsSync(join(ROOT, script))) await check(name, () => run(process.execPath, [script, ...options]));
        }
      }
    }
  }
  if (total.failed > 0) process.exitCode = 1;
  console.log(summary(total));
}
