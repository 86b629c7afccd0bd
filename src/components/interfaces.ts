/** Which imports and exports make a component a plugin that this host can run (R3.1-1). */

import { ComponentError } from './errors.ts';
import { type ComponentShape, inspect } from './inspect.ts';

/** The interfaces of WASI 0.2 that link, by package; each in any version `0.2.x`. */
const PACKAGES: Record<string, string> = {
  'wasi:cli':
    'environment exit stdin stdout stderr terminal-input terminal-output terminal-stdin terminal-stdout terminal-stderr',
  'wasi:clocks': 'monotonic-clock timezone wall-clock',
  'wasi:filesystem': 'preopens types',
  'wasi:http': 'outgoing-handler types',
  'wasi:io': 'error poll streams',
  'wasi:random': 'random insecure insecure-seed',
  'wasi:sockets': 'instance-network ip-name-lookup network tcp tcp-create-socket udp udp-create-socket',
};

/** As jco names them in what it generates: `wasi:io/streams`, without a version. */
export const HOST_INTERFACES: ReadonlySet<string> = new Set(
  Object.entries(PACKAGES).flatMap(([name, interfaces]) => interfaces.split(' ').map((each) => `${name}/${each}`)),
);

const VERSIONED = /^(.+)@(\d+)\.(\d+)\.(\d+)$/;

/** Checks that the bytes are a component that exports `wasi:cli/run` and imports only what the host has. */
export function checkPlugin(bytes: Uint8Array): ComponentShape {
  const shape = inspect(bytes);
  for (const name of [...shape.imports, ...shape.exports]) checkVersion(name);
  for (const name of shape.imports) {
    const [, base, major, minor] = VERSIONED.exec(name) ?? [];
    if (!base || major !== '0' || minor !== '2' || !HOST_INTERFACES.has(base)) {
      const next = 'Build the plugin without it: a plugin can import the interfaces of WASI 0.2.';
      throw new ComponentError(
        'unknown-import',
        `The component imports ${name}, which this host does not have. ${next}`,
      );
    }
  }
  if (!shape.exports.some((name) => /^wasi:cli\/run@0\.2\.\d+$/.test(name))) {
    const has = shape.exports.length > 0 ? `only ${shape.exports.join(', ')}` : 'nothing';
    const next = 'Build it as a command, that is as a program with a main function and not as a library.';
    throw new ComponentError('no-run', `The component does not export wasi:cli/run@0.2 (it exports ${has}). ${next}`);
  }
  return shape;
}

function checkVersion(name: string): void {
  const [, base, major, minor] = VERSIONED.exec(name) ?? [];
  if (!base?.startsWith('wasi:') || (major === '0' && minor === '2')) return;
  const built = `The component was built for WASI ${major}.${minor}; this host runs 0.2 (it uses ${name}).`;
  throw new ComponentError('wasi-version', `${built} Build it for wasm32-wasip2.`);
}
