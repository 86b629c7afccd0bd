import { FsError } from './errors.ts';
import { Pages } from './pages.ts';
import { now, type TreeNode } from './tree.ts';
import { type TreeChange, TreeFileSystem } from './tree-filesystem.ts';

/** For each so many bytes of the limit there may be one file, folder or link. */
const BYTES_PER_NODE = 1024;

export interface MemoryOptions {
  /** Unique in the namespace. */
  device: number;
  /** Bytes in all files together; beyond it writes fail with `insufficient-space` (R4-8). No limit when not given. */
  limit?: number;
}

/**
 * A file system in memory: `/run`, `/self`, and a world whose browser keeps no files. Nothing ever waits. What was
 * written is gone with the object.
 */
export class MemoryFileSystem extends TreeFileSystem<Pages> {
  readonly limit: number;
  /** Bytes that the content of all files takes, also of those that were removed while they are open. */
  used = 0;
  /** Files, folders and links, the root among them. */
  nodes = 1;

  constructor(options: MemoryOptions) {
    super(options.device);
    this.limit = options.limit ?? Number.POSITIVE_INFINITY;
  }

  override read(node: TreeNode<Pages>, offset: number, into: Uint8Array): number {
    const length = Math.max(0, Math.min(into.length, node.size - offset));
    if (length > 0) {
      const target = length === into.length ? into : into.subarray(0, length);
      if (node.content) node.content.read(offset, target);
      else target.fill(0);
    }
    if (node.accessed <= node.modified) node.accessed = now();
    return length;
  }

  override write(node: TreeNode<Pages>, offset: number, data: Uint8Array): void {
    const content = node.content ?? new Pages();
    const growth = content.growth(offset, data.length);
    if (growth > 0 && this.used + growth > this.limit) {
      throw new FsError('insufficient-space', `no space is left: ${this.limit} bytes is the limit here`);
    }
    node.content = content;
    content.write(offset, data);
    this.used += growth;
    node.size = Math.max(node.size, offset + data.length);
    node.modified = node.changed = now();
  }

  override append(node: TreeNode<Pages>, data: Uint8Array): number {
    const offset = node.size;
    this.write(node, offset, data);
    return offset;
  }

  override resize(node: TreeNode<Pages>, size: number): void {
    if (size < node.size && node.content) {
      this.used -= node.content.used;
      node.content.cut(size);
      this.used += node.content.used;
    }
    node.size = size;
    node.modified = node.changed = now();
  }

  override syncFile(): void {}

  protected override record(change: TreeChange<Pages>): void {
    if (change.type !== 'create') return;
    if (this.nodes >= this.limit / BYTES_PER_NODE) {
      throw new FsError('insufficient-space', `no more files can be made: ${this.nodes} are here`);
    }
    this.nodes++;
  }

  protected override discard(node: TreeNode<Pages>): void {
    this.nodes--;
    this.used -= node.content?.used ?? 0;
    node.content = undefined;
  }
}
