/**
 * `npm run build`: makes `dist/` (a static site for any host) and `build/` (the server). Options: `--force` builds even
 * if no source changed, `--debug` keeps the code readable.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { buildCheck, buildGate, buildPage, buildPreview, buildRelay, buildService } from './lib/bundles.mjs';
import { compressAll } from './lib/compress.mjs';
import { fileFailure } from './lib/failure.mjs';
import { withLock } from './lib/lock.mjs';
import { BUILD, DIST, ROOT } from './lib/paths.mjs';
import { finishPage, finishShell } from './lib/shell.mjs';

const SOURCES = [
  'src',
  'workers',
  'public',
  'scripts',
  'index.html',
  'vite.config.ts',
  'tsconfig.json',
  'package-lock.json',
  'docs/PROTOCOL.md',
  'LICENSE',
  'NOTICE',
];

/** The files below a folder, or the file itself, as paths from `base` with `/`, in order. */
async function filesOf(base, path = '') {
  const entries = await readdir(join(base, path), { withFileTypes: true }).catch((error) => {
    if (error.code === 'ENOTDIR') return undefined;
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (!entries) return [path];
  const lists = await Promise.all(
    entries.filter(({ name }) => name !== 'target').map(({ name }) => filesOf(base, path ? `${path}/${name}` : name)),
  );
  return lists.flat().sort();
}

/** One hash over all sources and the options: what is built is current exactly when it was made from this hash. */
async function sourceHash(options) {
  const hash = createHash('sha256').update(JSON.stringify([options, process.versions.node]));
  for (const source of SOURCES) {
    for (const file of await filesOf(ROOT, source)) {
      const content = createHash('sha256').update(await readFile(join(ROOT, file)));
      hash.update(`${file}\0${content.digest('hex')}\n`);
    }
  }
  return hash.digest('hex');
}

const stampFile = join(BUILD, 'stamp');
const isCurrent = async (hash) =>
  (await readFile(stampFile, 'utf8').catch(() => '')) === hash && existsSync(join(DIST, 'index.html'));

/** The playground world and its ready-made components, as two files that the page's build picks up. */
async function buildShippedWorld() {
  const outDir = join(BUILD, 'world');
  await mkdir(outDir, { recursive: true });
  if (existsSync(join(ROOT, 'scripts/world.mjs'))) {
    const { buildWorld } = await import('./world.mjs');
    await buildWorld({ outDir });
  }
  for (const name of ['playground.world', 'programs.pack', 'cargo-sdk.pack', 'js-sdk.pack', 'components.pack']) {
    if (!existsSync(join(outDir, name))) await writeFile(join(outDir, name), '');
  }
}

/** What is built is for visitors, also when a test runner (which says `test` here) asks for it. */
async function inProduction(work) {
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = 'production';
  try {
    await work();
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
}

async function buildAll(debug) {
  const staged = join(BUILD, 'dist.new');
  await rm(staged, { recursive: true, force: true });
  await buildShippedWorld();
  await buildPage(staged, debug);
  const { buildGallery } = await import('./gallery.mjs');
  await buildGallery(staged);
  const gate = await buildGate(staged, debug);
  await buildCheck(staged, debug);
  for (const name of ['LICENSE', 'NOTICE']) {
    if (existsSync(join(ROOT, name))) await cp(join(ROOT, name), join(staged, `${name}.txt`));
  }
  const files = (await filesOf(staged)).filter((file) => file !== 'index.html');
  const id = await finishShell(join(staged, 'index.html'), gate, files);
  await finishPage(join(staged, 'check/index.html'), id);
  await buildService(staged, { id, files }, debug);
  // After the list of the page's own files: it is for another host.
  await buildPreview(staged, debug);
  await buildRelay(join(BUILD, 'relay'), debug);
  await compressAll(staged, await filesOf(staged));
  await rm(DIST, { recursive: true, force: true });
  await rename(staged, DIST);
}

/** Builds when a source changed since the last build. Two builds of one folder wait for each other. */
export async function ensureBuilt({ force = false, debug = false } = {}) {
  try {
    if (!force && (await isCurrent(await sourceHash({ debug })))) return;
    await mkdir(BUILD, { recursive: true });
    await withLock(join(BUILD, 'lock'), async () => {
      // Another build may have ended meanwhile.
      const hash = await sourceHash({ debug });
      if (!force && (await isCurrent(hash))) return;
      console.error('Building …');
      const started = performance.now();
      await rm(stampFile, { force: true });
      await inProduction(() => buildAll(debug));
      await writeFile(stampFile, hash);
      const where = relative(ROOT, DIST).split(sep).join('/');
      console.error(`Built ${where}/ in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
    });
  } catch (error) {
    throw fileFailure(error) ?? error;
  }
}

export async function main(args) {
  const { installDependencies } = await import('./lib/dependencies.mjs');
  await installDependencies();
  await ensureBuilt({ force: args.includes('--force'), debug: args.includes('--debug') });
}
