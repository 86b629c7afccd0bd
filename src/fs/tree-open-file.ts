import { FsError } from './errors.ts';
import type { MaybePromise, OpenFile } from './filesystem.ts';
import { chain } from './maybe.ts';
import type { TreeNode } from './tree.ts';
import type { TreeFileSystem } from './tree-filesystem.ts';

/** The largest size of a file: beyond it a number of JavaScript no longer counts bytes. */
const MAX_SIZE = Number.MAX_SAFE_INTEGER;

/** An open of a file of a tree. It is a writer from its first change of the content on. */
export class TreeOpenFile<C> implements OpenFile {
  readonly node: TreeNode<C>;
  private readonly owner: TreeFileSystem<C>;
  private isOpen = true;
  private wrote = false;

  constructor(owner: TreeFileSystem<C>, node: TreeNode<C>) {
    this.owner = owner;
    this.node = node;
    node.opens++;
  }

  read(offset: number, into: Uint8Array): MaybePromise<number> {
    this.check(offset);
    return this.owner.read(this.node, offset, into);
  }

  write(offset: number, data: Uint8Array): MaybePromise<void> {
    this.check(offset, data.length);
    if (data.length === 0) return;
    this.becomeWriter();
    return chain(this.owner.write(this.node, offset, data), () => this.owner.written(this.node));
  }

  append(data: Uint8Array): MaybePromise<number> {
    this.check(0);
    if (data.length === 0) return this.node.size;
    this.becomeWriter();
    return chain(this.owner.append(this.node, data), (offset) => {
      this.owner.written(this.node);
      return offset;
    });
  }

  setSize(size: number): MaybePromise<void> {
    this.check(size);
    this.becomeWriter();
    return chain(this.owner.resize(this.node, size), () => this.owner.written(this.node));
  }

  sync(): MaybePromise<void> {
    this.check(0);
    return this.owner.syncFile(this.node);
  }

  close(): MaybePromise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.owner.closed(this.node, this.wrote);
  }

  private becomeWriter(): void {
    if (this.wrote) return;
    this.wrote = true;
    this.node.writers++;
  }

  private check(offset: number, length = 0): void {
    if (!this.isOpen) throw new FsError('bad-descriptor', 'the file was closed');
    if (!(offset + length <= MAX_SIZE))
      throw new FsError('file-too-large', 'a file cannot be larger than 2^53 - 1 bytes');
    if (!(offset >= 0) || !Number.isInteger(offset))
      throw new FsError('invalid', 'an offset is negative or no integer');
  }
}
