/** Turns a component into JavaScript and core modules with jco. Runs in the build worker and in the build of the page. */

import { repair } from '../wasi/repair.ts';
import { ComponentError } from './errors.ts';
import { checkPlugin } from './interfaces.ts';
import type { Transpiled } from './protocol.ts';

const OPTIONS = {
  name: 'plugin',
  noTypescript: true,
  // The caller gives the compiled core modules, and instances are made in one turn.
  instantiation: { tag: 'sync' },
  // Imported functions work on linear memory themselves (`src/wasi/`), which makes them about 30 times faster.
  importBindings: { tag: 'direct-optimized' },
} as const;

type Jco = Pick<typeof import('@bytecodealliance/jco-transpile/component'), 'generate' | '$init'>;

/**
 * Makes the function that transpiles. `load` imports jco (3.5 MB) and is called at the first component; a load that
 * failed is tried again. The function throws `ComponentError` with a sentence for the author of the plugin.
 */
export function transpiler(load: () => Promise<Jco>): (component: Uint8Array) => Promise<Transpiled> {
  let jco: Promise<Jco> | undefined;
  const loaded = async (): Promise<Jco> => {
    try {
      const module = await (jco ??= load());
      await module.$init;
      return module;
    } catch (error) {
      jco = undefined;
      const message = `The tools that make a component ready to run could not be loaded (${error}). Try again when the page is online.`;
      throw new ComponentError('tools', message, { cause: error });
    }
  };
  return async (component) => {
    checkPlugin(component);
    const { generate } = await loaded();
    const result: Transpiled = { script: '', modules: {} };
    for (const [name, bytes] of attempt(() => generate(component, OPTIONS).files)) {
      if (name.endsWith('.wasm')) result.modules[name] = new Uint8Array(bytes);
      else if (name.endsWith('.js')) result.script = repair(new TextDecoder().decode(bytes));
    }
    return result;
  };
}

/** jco's own words say what it stumbled over, seldom what to do. */
function attempt<T>(generate: () => T): T {
  try {
    return generate();
  } catch (error) {
    const payload = (error as { payload?: unknown }).payload;
    const reason = typeof payload === 'string' ? payload : error instanceof Error ? error.message : String(error);
    const message = `The component cannot be made ready to run: ${reason.trim()}. The file may be damaged: copy it again, or build the plugin again with current tools.`;
    throw new ComponentError('unsupported', message, { cause: error });
  }
}
