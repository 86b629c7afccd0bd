/** One copy of all that a build may read, made before it begins: what is edited meanwhile counts for the next (R11-1). */

import type { Namespace, Node } from '../../fs/filesystem.ts';
import { find } from '../../fs/find.ts';
import { LIBRARY, pluginFolder, SDK } from './paths.ts';

/** Bytes: more than that is surely no source, and would have to be copied to another thread. */
const LIMIT = 64 * 1024 * 1024;

export async function snapshot(files: Namespace, plugin: string): Promise<Map<string, Uint8Array>> {
  const result = new Map<string, Uint8Array>();
  let total = 0;
  const visit = async (path: string, node: Node): Promise<void> => {
    if (node.kind === 'directory') {
      for (const { name } of files.list(node)) {
        const child = findNoLink(files, `${path}/${name}`);
        if (child) await visit(`${path}/${name}`, child);
      }
      return;
    }
    total += files.stat(node).size;
    if (total > LIMIT) throw new Error(`the source and what it can import have more than ${LIMIT / 1048576} MiB`);
    result.set(path, await files.readFile(path));
  };
  const own = pluginFolder(plugin);
  for (const root of [`${own}/source`, `${own}/imports`, SDK, LIBRARY]) {
    const node = findNoLink(files, root);
    if (node) await visit(root, node);
  }
  return result;
}

/** The node at a path; undefined for links too, so that no circle of links is ever followed. */
function findNoLink(files: Namespace, path: string): Node | undefined {
  const node = find(files, path, { follow: false });
  return node?.kind === 'link' ? undefined : node;
}
