/** Makes a component of a core module, with the adapter that jco brings along. For builds, in Node. */
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
/** The tools stand in files that the package does not export, beside the one that it does. */
const vendor = dirname(require.resolve('@bytecodealliance/jco-transpile/component'));

/** The interfaces of WASI of the version that the adapter has, as jco brings them along. */
const WIT = join(vendor, '..', '..', 'jco', 'lib', 'wit', 'builtin', '0.2.12');

/** The module with a section that says what it imports beside preview 1; `wit` has that as the world of that name. */
export async function embedWit(module, wit, world) {
  const { $init, tools } = await import(pathToFileURL(join(vendor, 'wasm-tools.js')).href);
  await $init;
  const packages = (await readdir(WIT)).sort().map(async (name) => {
    const text = await readFile(join(WIT, name, 'package.wit'), 'utf8');
    return `${text.replace(/^package (.*);/m, 'package $1 {')}}\n`;
  });
  const witSource = [wit, ...(await Promise.all(packages))].join('\n');
  return tools.componentEmbed({ binary: module, witSource, world, stringEncoding: 'utf8' });
}

/** `module` is a command for `wasm32-wasip1`; the result exports `wasi:cli/run@0.2`. */
export async function componentFromModule(module) {
  const { $init, tools } = await import(pathToFileURL(join(vendor, 'wasm-tools.js')).href);
  await $init;
  const adapter = join(vendor, '..', '..', 'jco', 'lib', 'wasi_snapshot_preview1.command.wasm');
  return Buffer.from(tools.componentNew(module, [['wasi_snapshot_preview1', await readFile(adapter)]]));
}
