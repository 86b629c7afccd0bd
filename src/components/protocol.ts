/**
 * The boundary between the core and the build worker (`workers/build.ts`): jco's tools, which are large and slow to
 * load, so they are loaded only when a component comes that was never seen. Types and nothing else.
 */

/** What jco makes of a component; the form in which the cache and the shipped plugins keep it. */
export interface Transpiled {
  /** Source text of an ES module, as in `ReadyComponent`. */
  script: string;
  modules: Record<string, Uint8Array<ArrayBuffer>>;
}

export interface BuildApi {
  /** Throws `ComponentError`-shaped errors (see `errors.ts`), with a sentence that names what is wrong. */
  transpile(component: Uint8Array): Promise<Transpiled>;
}
