import type { TreeNode } from '../tree.ts';
import type { TreeChange } from '../tree-filesystem.ts';
import type { Content } from './content.ts';
import type { WriteAheadLog } from './log.ts';

type Change = TreeChange<Content>;
type Item = TreeNode<Content>;

/** Changes of names and times as the log has them. All of this looks at the tree as it is before the change. */
export function recordChange(log: WriteAheadLog, change: Change): void {
  const { time } = change;
  switch (change.type) {
    case 'create': {
      const { inode, kind, target } = change.node;
      log.append({ type: 'create', inode, kind, directory: change.directory.inode, name: change.name, target, time });
      break;
    }
    case 'link': {
      const { node, directory, name } = change;
      log.append({ type: 'link', inode: node.inode, directory: directory.inode, name, time });
      break;
    }
    case 'remove':
      log.append({ type: 'remove', directory: change.directory.inode, name: change.name, time }, true);
      break;
    case 'rename': {
      const { from, oldName, to, newName } = change;
      const replaces = to.children!.has(newName);
      log.append({ type: 'rename', from: from.inode, oldName, to: to.inode, newName, time }, replaces);
      break;
    }
    case 'times': {
      const { node, accessed, modified } = change;
      if (node.named) log.append({ type: 'times', inode: node.inode, accessed, modified, time });
      break;
    }
  }
}

/** The nodes that a change makes other than a checkpoint that has begun may have them. A new node is not among them. */
export function touchedBy(change: Change): Item[] {
  switch (change.type) {
    case 'create':
      return [change.directory];
    case 'link':
      return [change.node, change.directory];
    case 'remove':
      return [change.directory.children!.get(change.name)!, change.directory];
    case 'rename': {
      const [node, replaced] = subjects(change);
      return [node!, change.from, change.to, ...(replaced ? [replaced] : [])];
    }
    case 'times':
      return [change.node];
  }
}

/** The nodes whose names a change is about: the one that is meant, and the one that it replaces. */
export function subjects(change: Change): [Item | undefined, Item | undefined] {
  switch (change.type) {
    case 'remove':
      return [change.directory.children!.get(change.name), undefined];
    case 'rename':
      return [change.from.children!.get(change.oldName), change.to.children!.get(change.newName)];
    default:
      return [change.node, undefined];
  }
}
