/**
 * The Rust SDK at `/plugins/cargo/sdk/` (R11-3). Only those who write in Rust need it, so no world is downloaded with it:
 * it comes when the playground answers, and at the first `cargo.…` in any other world.
 */

import type { Namespace } from '../fs/filesystem.ts';
import { CARGO_SDK_PACK } from '../shipped.ts';

const FOLDER = '/plugins/cargo';
const SDK = `${FOLDER}/sdk`;

/** Writes the SDK into a world that has none; what is there is never changed. */
export async function addCargoSdk(files: Namespace): Promise<void> {
  if (exists(files, `${SDK}/Cargo.toml`)) return;
  const response = await fetch(CARGO_SDK_PACK);
  if (!response.ok || !response.body) throw new Error(`${CARGO_SDK_PACK} could not be loaded: ${response.status}`);
  const text = response.body.pipeThrough(new DecompressionStream('gzip'));
  const sdk: Record<string, string> = await new Response(text).json();
  const encoder = new TextEncoder();
  // the manifest last: it says that the rest is there
  for (const [name, content] of Object.entries(sdk).sort(
    ([a], [b]) => Number(a === 'Cargo.toml') - Number(b === 'Cargo.toml'),
  )) {
    const path = `${SDK}/${name}`;
    await files.createDirectories(path.slice(0, path.lastIndexOf('/')));
    await files.writeFile(path, encoder.encode(content));
  }
}

/** Whether the world wants the SDK at once: the playground has a page about it. */
export const wantsCargoSdk = (files: Namespace): boolean => exists(files, `${FOLDER}/README.md`);

function exists(files: Namespace, path: string): boolean {
  try {
    files.resolve(files.root, path);
    return true;
  } catch {
    return false;
  }
}
