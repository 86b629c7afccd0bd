import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from './failure.mjs';
import { ROOT } from './paths.mjs';
import { runNpm } from './process.mjs';

async function packages(path) {
  try {
    return JSON.parse(await readFile(join(ROOT, path), 'utf8')).packages ?? {};
  } catch {
    return undefined;
  }
}

/**
 * Whether what npm installed (its own record in `node_modules`) is what the lock file asks for. Content is compared, not
 * times: a checkout gives files any time. Optional packages may be missing: they belong to other systems.
 */
export async function dependenciesAreInstalled() {
  const [wanted, installed] = await Promise.all([
    packages('package-lock.json'),
    packages('node_modules/.package-lock.json'),
  ]);
  if (!wanted || !installed) return false;
  return Object.entries(wanted).every(([path, { version, optional, peer, devOptional }]) => {
    if (path === '') return true;
    const found = installed[path];
    return found ? found.version === version : Boolean(optional || peer || devOptional);
  });
}

/** `npm ci` when it is needed. */
export async function installDependencies() {
  if (await dependenciesAreInstalled()) return;
  console.error('Installing dependencies …');
  const code = await runNpm(['ci', '--no-audit', '--no-fund', '--loglevel=error'], { quiet: true });
  if (code !== 0) {
    throw new Failure(
      'npm could not install the dependencies; the lines above say why. Most often the network is missing, or another program holds a file in node_modules.',
    );
  }
}
