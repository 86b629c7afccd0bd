/**
 * The Rust SDK at `/plugins/cargo/sdk/` (R11-3). Only those who write in Rust need it, so no world is downloaded with it:
 * it comes when the playground answers, and at the first `cargo.…` in any other world.
 */

import type { Namespace } from '../fs/filesystem.ts';
import { find } from '../fs/find.ts';
import { CARGO_SDK_PACK, fetchPacked } from '../shipped.ts';

const FOLDER = '/plugins/cargo';
const SDK = `${FOLDER}/sdk`;

/** Writes the SDK into a world that has none; what is there is never changed. */
export async function addCargoSdk(files: Namespace): Promise<void> {
  if (find(files, `${SDK}/Cargo.toml`)) return;
  const sdk = await fetchPacked<Record<string, string>>(CARGO_SDK_PACK);
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
export const wantsCargoSdk = (files: Namespace): boolean => find(files, `${FOLDER}/README.md`) !== undefined;
