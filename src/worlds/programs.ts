/**
 * The plugins in JavaScript that a new playground world comes with. Each is 0.9 MB of the same runner and a few KB of its
 * own, so the world is downloaded without them, and they are put together when it answers.
 */

import { splice } from '../builders/js/splice.ts';
import type { Namespace } from '../fs/filesystem.ts';
import { find } from '../fs/find.ts';
import { fetchPacked, fetchShipped, PROGRAMS_PACK, RUNNER } from '../shipped.ts';

type Programs = Record<string, { source: string; code: string; map: string }>;

/** Writes the plugin.wasm of each shipped program whose source stands in the world and that has none yet. */
export async function addPrograms(files: Namespace): Promise<void> {
  const encoder = new TextEncoder();
  const programs = await fetchPacked<Programs>(PROGRAMS_PACK);
  const missing: [path: string, program: Programs[string]][] = [];
  for (const [name, program] of Object.entries(programs)) {
    const path = `/plugins/${name}/plugin.wasm`;
    const source = await read(files, `/plugins/${name}/source/main.ts`);
    if (source === program.source && !find(files, path)) missing.push([path, program]);
  }
  if (missing.length === 0) return;
  const runner = new Uint8Array(await (await fetchShipped(RUNNER)).arrayBuffer());
  for (const [path, { code, map }] of missing) {
    await files.writeFile(path, splice(runner, { code: encoder.encode(code), map: encoder.encode(map) }));
  }
}

async function read(files: Namespace, path: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await files.readFile(path));
  } catch {
    return undefined;
  }
}
