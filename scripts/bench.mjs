/**
 * `npm run bench`: measures, and prints one JSON object a line on stdout: the figure, the raw floor that was measured in
 * the same run, their ratio, and the aim on the reference machine. Fails when a ratio is above its bound; absolute
 * figures are told and not checked. Other arguments are handed to vitest (names of files, for example).
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { installDependencies } from './lib/dependencies.mjs';
import { BUILD } from './lib/paths.mjs';
import { runTool } from './lib/process.mjs';

export async function main(args) {
  await installDependencies();
  await ensureBuilt();
  const file = join(BUILD, 'figures.jsonl');
  await mkdir(BUILD, { recursive: true });
  await rm(file, { force: true });
  process.env.SAUSAGE_FIGURES = file;
  const options = args.filter((argument) => argument !== '--check');
  const code = await runTool('vitest/vitest.mjs', ['run', '--project=bench', '--reporter=dot', ...options], {
    quiet: true,
  });
  process.stdout.write(await readFile(file, 'utf8').catch(() => ''));
  process.exitCode = code;
}
