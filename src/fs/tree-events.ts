import type { ChangeListener } from './filesystem.ts';
import { pathOf, type TreeNode } from './tree.ts';

type Change = Parameters<ChangeListener>[0];

/** Tells listeners what changed in a tree, in order, at the end of the turn in which it changed. */
export class TreeEvents {
  private readonly listeners = new Set<ChangeListener>();
  private queue: Change[] = [];
  /** Files whose writes of this turn are in the queue already. */
  private readonly writes = new Set<TreeNode>();

  get active(): boolean {
    return this.listeners.size > 0;
  }

  listen(listener: ChangeListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** The newest name of the node was made. */
  create(node: TreeNode): void {
    if (this.active) this.add('create', pathOf(node.places.at(-1)));
  }

  remove(path: string | undefined): void {
    if (this.active) this.add('remove', path);
  }

  write(node: TreeNode): void {
    if (!this.active || this.writes.has(node)) return;
    this.writes.add(node);
    for (const place of node.places) this.add('write', pathOf(place));
  }

  close(node: TreeNode): void {
    if (!this.active) return;
    for (const place of node.places) this.add('close', pathOf(place));
    this.writes.delete(node);
  }

  private add(kind: Change['kind'], path: string | undefined): void {
    if (path === undefined) return;
    if (this.queue.length === 0) queueMicrotask(() => this.flush());
    this.queue.push({ path, kind });
  }

  private flush(): void {
    const changes = this.queue;
    this.queue = [];
    this.writes.clear();
    for (const change of changes) for (const listener of this.listeners) listener(change);
  }
}
