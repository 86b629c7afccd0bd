import type { TreeNode } from '../tree.ts';
import type { Content } from './content.ts';
import type { WriteAheadLog } from './log.ts';

/**
 * Rows of large blocks, which are written straight to their file. A record costs as much as the write of such a block
 * itself. So the second one in a row says that more may follow, and those have none: the file is then as long as the
 * storage has it, which a boot asks for.
 */

/** Records a block that was just written to the file, which ends at `end` now. */
export function recordInRow(log: WriteAheadLog, node: TreeNode<Content>, end: number, time: bigint): void {
  const content = node.content!;
  if (content.straight === 0) log.append({ type: 'direct', inode: node.inode, end, time });
  else if (content.straight === 1) log.append({ type: 'growing', inode: node.inode, end, time });
  if (log.isCurrent) content.straight++;
}

/** Ends a row: the log says again how long the file is. */
export function settleRow(log: WriteAheadLog, node: TreeNode<Content>): void {
  const content = node.content!;
  if (content.straight > 1 && node.named)
    log.append({ type: 'direct', inode: node.inode, end: node.size, time: node.modified }, true);
  content.straight = 0;
}
