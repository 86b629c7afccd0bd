/**
 * The boundary between the core and the build worker (`workers/build.ts`): jco and the bundler, which are
 * large and slow to load, so each is loaded when it is needed first. Types and nothing else.
 */

import type { JsBuildRequest, JsBuildResult } from '../builders/js/protocol.ts';

/** What jco makes of a component; the form in which the cache and the shipped plugins keep it. */
export interface Transpiled {
  /** Source text of an ES module, as in `ReadyComponent`. */
  script: string;
  modules: Record<string, Uint8Array<ArrayBuffer>>;
}

export interface BuildApi {
  /** Throws `ComponentError`-shaped errors (see `errors.ts`), with a sentence that names what is wrong. */
  transpile(component: Uint8Array): Promise<Transpiled>;
  /** Bundles a plugin in JavaScript and puts it into the runner (R11-7). */
  buildJs(request: JsBuildRequest): Promise<JsBuildResult>;
}
