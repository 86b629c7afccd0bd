import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');

/** Where results of a build go; `SAUSAGE_OUT` moves all of them, so that two builds can stand side by side. */
const OUT = process.env.SAUSAGE_OUT ? resolve(process.env.SAUSAGE_OUT) : ROOT;

/** The static site. */
export const DIST = join(OUT, 'dist');

/** Everything else that is built: the server, the packed world, stamps, test results. */
export const BUILD = join(OUT, 'build');
