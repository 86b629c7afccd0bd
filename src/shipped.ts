/**
 * What a build ships beside its code. The names carry a hash, so a page always loads what it was built with, also when
 * the server has a newer build by now.
 */

import cargoSdk from '#world/cargo-sdk.pack?url';
import pack from '#world/components.pack?url';
import jsSdk from '#world/js-sdk.pack?url';
import world from '#world/playground.world?url';
import programs from '#world/programs.pack?url';
import runner from './builders/runner/runner.wasm?url';

/** The playground world, packed. */
export const PLAYGROUND_WORLD: URL = new URL(world, import.meta.url);

/** The playground's plugins in JavaScript, without the runner. */
export const PROGRAMS_PACK: URL = new URL(programs, import.meta.url);

/** The runner of plugins in JavaScript: 0.9 MB, so it is fetched when the world answers already. */
export const RUNNER: URL = new URL(runner, import.meta.url);

/** The sources of the SDKs. The one for JavaScript is in the playground's world too. */
export const CARGO_SDK_PACK: URL = new URL(cargoSdk, import.meta.url);
export const JS_SDK_PACK: URL = new URL(jsSdk, import.meta.url);

/** Fetches one of these; rejects with a sentence. */
export async function fetchShipped(url: URL): Promise<Response> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} could not be loaded: status ${response.status}`);
  return response;
}

/** As `fetchShipped`, of one that is packed JSON. */
export async function fetchPacked<T>(url: URL): Promise<T> {
  const packed = (await (await fetchShipped(url)).blob()).stream();
  return new Response(packed.pipeThrough(new DecompressionStream('gzip'))).json();
}

/** The components of the playground's plugins, made ready to run at build time. */
export const COMPONENTS_PACK: URL = new URL(pack, import.meta.url);
