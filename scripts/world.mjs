/**
 * Packs what the page ships beside its code:
 *
 *   playground.world   the folder `public/world/` as a zip
 *   cargo-sdk.pack     the sources of the Rust SDK, which come into a world when it is there (`src/worlds/sdk.ts`)
 *   js-sdk.pack        those of the SDK for JavaScript, for worlds that are not made of the playground
 *   programs.pack      its plugins that are not in the zip: those in JavaScript without the runner, which is the same for
 *                      all of them, and those in Rust that nobody calls in the first moments
 *   components.pack    its plugins, transpiled and minified, so that a first visit does not load jco
 *
 * The bytes depend on the sources alone: no time stamps, entries in the order of their names.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync, zipSync } from 'fflate';
import { minifySync } from 'vite';
import { loadModule } from './lib/bundles.mjs';
import { sha256 } from './plugins.mjs';

const RUNNER = resolve(fileURLToPath(import.meta.url), '..', '..', 'src', 'builders', 'runner', 'runner.wasm');
const WORLD = resolve(fileURLToPath(import.meta.url), '..', '..', 'public', 'world');

const CARGO_SDK = 'plugins/cargo/sdk/';
const JS_SDK = 'plugins/js/sdk/';

/** The zip is downloaded before the world answers, so of the programs only the one that a first visitor calls is in it. */
const FIRST = ['notes'];
const isLate = (path) => {
  const [, plugin] = path.match(/^plugins\/([^/]+)\/plugin\.wasm$/) ?? [];
  return plugin !== undefined && !FIRST.includes(plugin);
};

/** What stands in the folder for the repository's sake and is no part of the world. */
const notOfTheWorld = (name) => name === 'target' || name === 'plugin.wasm.json' || name.startsWith('.');

/** The files of the world: paths with `/`, in order, and contents, with line ends as git stores them. */
export async function worldFiles(folder = WORLD, prefix = '') {
  const entries = (await readdir(folder, { withFileTypes: true })).filter(({ name }) => !notOfTheWorld(name));
  const files = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return worldFiles(path, `${prefix}${entry.name}/`);
      const content = await readFile(path);
      const bytes = entry.name.endsWith('.wasm') ? content : Buffer.from(content.toString().replaceAll('\r\n', '\n'));
      return [[`${prefix}${entry.name}`, new Uint8Array(bytes)]];
    }),
  );
  return files.flat().sort(([a], [b]) => (a < b ? -1 : 1));
}

/** jco's script, made a third as long. */
function minify(script) {
  const { code, errors } = minifySync('plugin.js', script, {
    module: true,
    compress: { target: 'es2022' },
    mangle: { toplevel: true },
  });
  if (errors.length > 0) throw new Error(`jco's script cannot be minified: ${errors[0].message}`);
  return code;
}

/** The frames of components, as the cache of the page would keep them. */
async function framesOf(components) {
  const { transpiler } = await loadModule('src/components/transpile.ts');
  const { encode } = await loadModule('src/components/frame.ts');
  const transpile = transpiler(() => import('@bytecodealliance/jco-transpile/component'));
  return Promise.all(
    components.map(async (component) => {
      const { script, modules } = await transpile(component);
      return encode(sha256(component), { script: minify(script), modules }, component);
    }),
  );
}

/**
 * The programs of plugins, `{name: {main, source, …}}`, where `source` is the text of the file `main` where the plugin begins:
 * in JavaScript with `code` and `map` as the page would build them, in Rust with `wasm` in base64. They become components in
 * the visitor's page (`src/worlds/programs.ts`).
 */
async function programsOf(files) {
  const { buildJs } = await loadModule('src/builders/js/build.ts');
  const { unsplice } = await loadModule('src/builders/js/splice.ts');
  const esbuild = await import('esbuild-wasm');
  const runner = await readFile(RUNNER);
  const all = new Map(files.map(([path, content]) => [`/${path}`, content]));
  const text = (bytes) => new TextDecoder().decode(bytes);
  const programs = {};
  for (const [, plugin] of files.flatMap(([path]) => [path.match(/^plugins\/([^/]+)\/source\/main\.ts$/) ?? []])) {
    if (!plugin) continue;
    const own = [...all].filter(
      ([path]) => path.startsWith(`/plugins/${plugin}/`) || path.startsWith('/plugins/js/sdk/'),
    );
    const tools = { esbuild: async () => esbuild, runner: async () => runner };
    const result = await buildJs({ plugin, files: new Map(own) }, tools);
    if (result.step) throw new Error(`${plugin} cannot be built: ${result.output}`);
    const { code, map } = unsplice(result.component).program;
    const main = 'source/main.ts';
    const source = text(all.get(`/plugins/${plugin}/${main}`));
    programs[plugin] = { main, source, code: text(code), map: text(map) };
  }
  await esbuild.stop();
  for (const [path, wasm] of files.filter(([path]) => isLate(path))) {
    const plugin = path.split('/')[1];
    const main = 'source/src/main.rs';
    const source = text(all.get(`/plugins/${plugin}/${main}`));
    programs[plugin] = { main, source, wasm: Buffer.from(wasm).toString('base64') };
  }
  return programs;
}

/** A world as a zip. The format has no time zone, and its earliest time is this one in whatever zone. */
export const packWorld = (files) => zipSync(Object.fromEntries(files), { level: 9, mtime: new Date(1980, 0, 1) });

/** The text files below a folder, by their paths there. */
function packTexts(files, folder) {
  const below = files.flatMap(([path, bytes]) =>
    path.startsWith(folder) ? [[path.slice(folder.length), Buffer.from(bytes).toString()]] : [],
  );
  return gzipSync(Buffer.from(JSON.stringify(Object.fromEntries(below))), { level: 9, mtime: 0 });
}

/** Writes the files into `outDir`, which exists, and returns their sizes. */
export async function buildWorld({ outDir }) {
  const all = await worldFiles();
  const files = all.filter(([path]) => !path.startsWith(CARGO_SDK));
  const world = packWorld(files.filter(([path]) => !isLate(path)));
  const plugins = files.filter(([path]) => /^plugins\/[^/]+\/plugin\.wasm$/.test(path));
  // plugins in JavaScript are all made of the runner, so it stands for them
  const runner = await readFile(RUNNER);
  const frames = await framesOf([...plugins.map(([, component]) => component), runner]);
  // plugins that only worlds of the gallery have
  const { galleryWorlds } = await import('./gallery.mjs');
  const known = new Set(files.map(([path]) => path));
  const gallery = (await galleryWorlds()).flatMap((each) =>
    each.files.filter(([path]) => path.startsWith('plugins/') && !known.has(path)),
  );
  const { packFrames } = await loadModule('src/components/pack.ts');
  const pack = packFrames(frames, (bytes) => gzipSync(bytes, { level: 9, mtime: 0 }));
  const programs = gzipSync(Buffer.from(JSON.stringify(await programsOf([...files, ...gallery]))), {
    level: 9,
    mtime: 0,
  });
  await writeFile(join(outDir, 'playground.world'), world);
  await writeFile(join(outDir, 'cargo-sdk.pack'), packTexts(all, CARGO_SDK));
  await writeFile(join(outDir, 'js-sdk.pack'), packTexts(all, JS_SDK));
  await writeFile(join(outDir, 'programs.pack'), programs);
  await writeFile(join(outDir, 'components.pack'), pack);
  return { world: world.length, pack: pack.length, programs: programs.length };
}
