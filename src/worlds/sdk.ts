/**
 * The SDKs of the builders, at `/plugins/<builder>/sdk/` (R11-3). A world that has none gets one with the first call of its
 * builder. Only those who write in Rust need the Rust SDK, so no world is downloaded with it; the playground gets it when
 * it answers.
 */

import type { Namespace } from '../fs/filesystem.ts';
import { find } from '../fs/find.ts';
import { CARGO_SDK_PACK, fetchPacked, JS_SDK_PACK } from '../shipped.ts';

const SDKS = {
  cargo: { pack: CARGO_SDK_PACK, manifest: 'Cargo.toml' },
  js: { pack: JS_SDK_PACK, manifest: 'package.json' },
};

/** Writes the SDK into a world that has none; what is there is never changed. */
export async function addSdk(files: Namespace, builder: keyof typeof SDKS): Promise<void> {
  const { pack, manifest } = SDKS[builder];
  const folder = `/plugins/${builder}/sdk`;
  if (find(files, `${folder}/${manifest}`)) return;
  const sdk = await fetchPacked<Record<string, string>>(pack);
  const encoder = new TextEncoder();
  // the manifest last: it says that the rest is there
  for (const [name, content] of Object.entries(sdk).sort(
    ([a], [b]) => Number(a === manifest) - Number(b === manifest),
  )) {
    const path = `${folder}/${name}`;
    await files.createDirectories(path.slice(0, path.lastIndexOf('/')));
    await files.writeFile(path, encoder.encode(content));
  }
}

/** Whether the world wants the Rust SDK at once: the playground has a page about it. */
export const wantsCargoSdk = (files: Namespace): boolean => find(files, '/plugins/cargo/README.md') !== undefined;
