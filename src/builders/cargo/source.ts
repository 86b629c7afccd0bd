/** One copy of what a build reads, made before it begins: what is edited meanwhile counts for the next (R11-1). */

import type { Namespace } from '../../fs/filesystem.ts';
import { find } from '../../fs/find.ts';

export const SDK = '/plugins/cargo/sdk';

/** Bytes: more than that is surely no source, and would have to be sent to the server. */
const LIMIT = 64 * 1024 * 1024;
/** Folders that a build makes, and that nobody builds from. */
const NOT_SOURCE = new Set(['target', '.git']);

export const packageFolder = (plugin: string): string => `/plugins/${plugin}/source`;

/** The source of a plugin, its imports, and the SDK, by their paths. Links are left out. */
export async function readSource(files: Namespace, plugin: string): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  let total = 0;
  const visit = async (path: string): Promise<void> => {
    const node = find(files, path, { follow: false });
    if (node?.kind === 'directory') {
      for (const { name } of files.list(node)) if (!NOT_SOURCE.has(name)) await visit(`${path}/${name}`);
    } else if (node?.kind === 'file') {
      total += files.stat(node).size;
      if (total > LIMIT) throw new RangeError(`the source and the SDK have more than ${LIMIT / 1048576} MiB`);
      found.set(path, await files.readFile(path));
    }
  };
  for (const root of [packageFolder(plugin), `/plugins/${plugin}/imports`, SDK]) await visit(root);
  return found;
}
