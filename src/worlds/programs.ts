/**
 * Plugins that a new playground world gets when it answers already, since its download would wait for them: those in
 * JavaScript, each 0.9 MB of the same runner and a few KB of its own, and those in Rust that no first visitor calls.
 */

import { splice } from '../builders/js/splice.ts';
import type { Namespace } from '../fs/filesystem.ts';
import { find } from '../fs/find.ts';
import { fetchPacked, fetchShipped, PROGRAMS_PACK, RUNNER } from '../shipped.ts';

/** As `scripts/world.mjs` writes it. */
type Program = { main: string; source: string } & ({ code: string; map: string } | { wasm: string });

/** Writes the plugin.wasm of each shipped program whose source stands in the world and that has none yet. */
export async function addPrograms(files: Namespace): Promise<void> {
  const programs = await fetchPacked<Record<string, Program>>(PROGRAMS_PACK);
  const missing: [path: string, program: Program][] = [];
  for (const [name, program] of Object.entries(programs)) {
    const path = `/plugins/${name}/plugin.wasm`;
    const source = await read(files, `/plugins/${name}/${program.main}`);
    if (source === program.source && !find(files, path)) missing.push([path, program]);
  }
  let runner: Uint8Array<ArrayBuffer> | undefined;
  for (const [path, program] of missing) {
    if ('wasm' in program) await files.writeFile(path, fromBase64(program.wasm));
    else {
      runner ??= new Uint8Array(await (await fetchShipped(RUNNER)).arrayBuffer());
      const [code, map] = [encoder.encode(program.code), encoder.encode(program.map)];
      await files.writeFile(path, splice(runner, { code, map }));
    }
  }
}

const encoder = new TextEncoder();
const fromBase64 = (text: string) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

async function read(files: Namespace, path: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await files.readFile(path));
  } catch {
    return undefined;
  }
}
