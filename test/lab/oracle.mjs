/**
 * Runs a component with jco's default bindings and its preview2-shim on real files, with this process's stdin and stdout:
 * what the tests compare this project's host with.
 *
 *   node oracle.mjs <component> <folder that becomes the root> [argument …]
 */
import { readFileSync } from 'node:fs';
import { $init, generate } from '@bytecodealliance/jco-transpile/component';
import { WASIShim } from '@bytecodealliance/preview2-shim/instantiation';

const [component, root, ...args] = process.argv.slice(2);
await $init;
const generated = generate(readFileSync(component), {
  name: 'plugin',
  noTypescript: true,
  instantiation: { tag: 'sync' },
  importBindings: { tag: 'js' },
});
const files = Object.fromEntries(generated.files);
const script = Buffer.from(files['plugin.js']).toString('base64');
const { instantiate } = await import(`data:text/javascript;base64,${script}`);
const shim = new WASIShim({
  sandbox: { preopens: { '/': root }, args: ['exercise', ...args] },
});
const imports = Object.entries(shim.getImportObject()).map(([name, value]) => [name.replace(/@.*/, ''), value]);
const instance = instantiate((name) => new WebAssembly.Module(files[name]), Object.fromEntries(imports));
instance.run.run();
