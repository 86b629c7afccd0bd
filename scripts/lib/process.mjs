import { spawn } from 'node:child_process';
import { basename, join } from 'node:path';
import { Failure } from './failure.mjs';
import { ROOT } from './paths.mjs';

/**
 * Runs a program in the repository and resolves to its exit code. Output goes to where ours goes, but stdout to stderr
 * when `quiet`, so that our own stdout keeps to what a caller reads.
 */
export function run(command, args, { quiet = false, env = {}, shell = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      shell,
      stdio: ['ignore', quiet ? 2 : 'inherit', 'inherit'],
    });
    child.on('error', (error) =>
      reject(
        error.code === 'ENOENT' ? new Failure(`The program ${command} is missing. Install it and try again.`) : error,
      ),
    );
    child.on('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0)));
  });
}

/** Runs a JavaScript program of an installed package; `tool` is a path in `node_modules`. */
export function runTool(tool, args, options) {
  return run(process.execPath, [join(ROOT, 'node_modules', tool), ...args], options);
}

/** Runs npm: the one that runs us, else the one in the path (a `.cmd` file on Windows, which only a shell can start). */
export function runNpm(args, options) {
  const current = process.env.npm_execpath;
  if (current && /^npm(-cli)?\.[cm]?js$/.test(basename(current))) {
    return run(process.execPath, [current, ...args], options);
  }
  const windows = process.platform === 'win32';
  return run(windows ? 'npm.cmd' : 'npm', args, { ...options, shell: windows });
}
