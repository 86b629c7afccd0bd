/** Makes a component of a core module, with the adapter that jco brings along. For builds, in Node. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
/** The tools stand in files that the package does not export, beside the one that it does. */
const vendor = dirname(require.resolve('@bytecodealliance/jco-transpile/component'));

/** `module` is a command for `wasm32-wasip1`; the result exports `wasi:cli/run@0.2`. */
export async function componentFromModule(module) {
  const { $init, tools } = await import(pathToFileURL(join(vendor, 'wasm-tools.js')).href);
  await $init;
  const adapter = join(vendor, '..', '..', 'jco', 'lib', 'wasi_snapshot_preview1.command.wasm');
  return Buffer.from(tools.componentNew(module, [['wasi_snapshot_preview1', await readFile(adapter)]]));
}
