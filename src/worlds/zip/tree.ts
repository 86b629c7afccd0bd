import type { Kind, Namespace, Node, Stat } from '../../fs/filesystem.ts';
import { UNFINISHED_NAME } from '../../fs/namespace.ts';

/** What is never in a zip: the mounts, which a host makes anew (R1-2 says that a world has no such entries). */
export const MOUNTS: ReadonlySet<string> = new Set(['proc', 'run', 'self']);

export interface TreeEntry {
  /** From the root of the world, without a slash at its begin. */
  path: string;
  kind: Kind;
  node: Node;
  stat: Stat;
}

/** Everything in a world, folders before what is in them, names in the order of their characters: always the same order. */
export function listTree(world: Namespace): TreeEntry[] {
  const entries: TreeEntry[] = [];
  const visit = (directory: Node, prefix: string) => {
    const list = world.list(directory).filter(({ name }) => !UNFINISHED_NAME.test(name));
    for (const { name } of list.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (prefix === '' && MOUNTS.has(name)) continue;
      const path = prefix + name;
      const node = world.resolve(world.root, `/${path}`, { follow: false });
      entries.push({ path, kind: node.kind, node, stat: world.stat(node) });
      if (node.kind === 'directory') visit(node, `${path}/`);
    }
  };
  visit(world.root, '');
  return entries;
}
