/**
 * The features without which nothing works, each with a test that costs nothing and downloads nothing. Everything in
 * this folder that the gate loads keeps to APIs that have been in browsers for ten years.
 */

import { MINIMUM } from './requirements.ts';

export const VERSIONS = `Chrome or Edge ${MINIMUM.chrome}, Firefox ${MINIMUM.firefox} or Safari ${MINIMUM.safari}`;

/** The options of a `Worker` are read before its address is looked at, and this address is refused: no worker starts. */
function hasModuleWorkers(): boolean {
  let asked = false;
  const options = {
    get type(): WorkerType {
      asked = true;
      return 'module';
    },
  };
  try {
    new Worker('http://[', options).terminate();
  } catch {
    // As intended.
  }
  return asked;
}

const FEATURES: [name: string, test: () => boolean][] = [
  ['WebAssembly', () => typeof WebAssembly === 'object' && typeof WebAssembly.instantiate === 'function'],
  ['isolated pages', () => typeof crossOriginIsolated === 'boolean'],
  ['Atomics.waitAsync', () => typeof Atomics === 'object' && typeof Atomics.waitAsync === 'function'],
  ['Web Locks', () => 'locks' in navigator],
  ['module workers', () => typeof Worker === 'function' && hasModuleWorkers()],
  ['Promise.withResolvers', () => typeof Promise.withResolvers === 'function'],
];

const lacks = (name: string): string =>
  `This browser has no ${name}, which the playground needs. It runs in ${VERSIONS}, or newer.`;

/** A sentence about the first feature that is missing, or undefined. */
export function missingFeature(): string | undefined {
  for (const [name, test] of FEATURES) {
    if (!test()) return lacks(name);
  }
  return undefined;
}

/** As `missingFeature`, for what only shows in an isolated page. */
export function missingSharedMemory(): string | undefined {
  return typeof SharedArrayBuffer === 'function' ? undefined : lacks('shared memory');
}

export function insecure(): string | undefined {
  if (isSecureContext) return undefined;
  return `This page needs https: over plain http a browser gives the playground no shared memory. Ask whoever runs ${location.host} for an address that begins with https://.`;
}
