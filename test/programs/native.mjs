/**
 * Runs a core module under Node's own WASI: what the tests compare this host with.
 *
 *   node native.mjs <core module> <folder that becomes the root> [argument …]
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { WASI } from 'node:wasi';

const [path, root, ...args] = process.argv.slice(2);
const wasi = new WASI({
  version: 'preview1',
  args: [basename(path, '.wasm'), ...args],
  env: {},
  preopens: { '/': root },
  returnOnExit: true,
});
const instance = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(path)), wasi.getImportObject());
process.exitCode = wasi.start(instance);
