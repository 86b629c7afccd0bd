import type { TreeNode } from '../tree.ts';
import type { Content } from './content.ts';
import type { Mirror } from './mirror.ts';

type File = TreeNode<Content>;

/**
 * At a boot: files that a program was writing large blocks to when the browser ended, whose last record says that the
 * storage knows their length. There are never more of them than there were open handles. Returns those that are there.
 */
export async function measureGrown(nodes: Iterable<File>, mirror: Mirror): Promise<File[]> {
  const growing = [...nodes].filter(({ content }) => content?.grows);
  const measured = await Promise.all(growing.map((node) => measure(node, mirror)));
  return growing.filter((_, index) => measured[index]);
}

async function measure(node: File, mirror: Mirror): Promise<boolean> {
  const content = node.content!;
  content.grows = false;
  const { place } = content;
  const stat = place && (await mirror.stat(`${place.directory.path}/${place.name}`));
  // What was removed from outside is found by the comparison.
  if (!stat) return false;
  if (stat.size > node.size) node.size = content.baseEnd = stat.size;
  const time = BigInt(Math.floor(stat.modified)) * 1_000_000n;
  if (time > node.modified) node.modified = node.changed = time;
  return true;
}
