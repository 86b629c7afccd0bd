import type { Entry, FileSystem, Kind, Node, Stat } from './filesystem.ts';
import { utf8Length } from './names.ts';

/** One name of a node. */
export interface Place {
  directory: TreeNode;
  name: string;
}

/**
 * A node of a tree that is held in memory. The content of files is of no interest here: `content` belongs to the file
 * system that owns the tree.
 */
export class TreeNode<Content = unknown> implements Node {
  readonly fs: FileSystem;
  readonly inode: number;
  readonly kind: Kind;
  /** Names of the node: none for the root and once it is removed, several for hard links, oldest first. */
  readonly places: Place[] = [];
  /** Of a folder: what is in it, in the order in which it came. */
  readonly children: Map<string, TreeNode<Content>> | undefined;
  /** Of a symbolic link. */
  target = '';
  /** Of a file, bytes. */
  size = 0;
  accessed: bigint;
  modified: bigint;
  changed: bigint;
  content: Content | undefined = undefined;
  /** Opens of a file that have not ended, and how many of them have written. */
  opens = 0;
  writers = 0;
  /** The content changed since the last `close` was told. */
  dirty = false;
  /** For the owner of the tree: what it last did with the node. */
  mark = 0;
  /** Folders in this folder: their `..` counts as a link. */
  folders = 0;

  constructor(fs: FileSystem, inode: number, kind: Kind, time: bigint) {
    this.fs = fs;
    this.inode = inode;
    this.kind = kind;
    this.children = kind === 'directory' ? new Map() : undefined;
    this.accessed = this.modified = this.changed = time;
  }

  /** Is in the tree: the root, or has a name. */
  get named(): boolean {
    return this.places.length > 0 || this.fs.root === this;
  }

  get parent(): TreeNode<Content> | undefined {
    return this.places[0]?.directory as TreeNode<Content> | undefined;
  }

  get links(): number {
    if (!this.children) return this.places.length;
    return this.named ? 2 + this.folders : 0;
  }

  stat(): Stat {
    return {
      kind: this.kind,
      size: this.kind === 'link' ? this.size : this.children ? this.children.size : this.size,
      links: this.links,
      inode: this.inode,
      device: this.fs.device,
      accessed: this.accessed,
      modified: this.modified,
      changed: this.changed,
    };
  }

  list(): Entry[] {
    const entries: Entry[] = [];
    for (const [name, child] of this.children ?? []) entries.push({ name, kind: child.kind, inode: child.inode });
    return entries;
  }

  /** The absolute path of the node, by its oldest name; undefined when it, or a folder above, has no name. */
  path(): string | undefined {
    return this.fs.root === this ? '/' : pathOf(this.places[0]);
  }

  /** Gives `child` a name in this folder; the name must be free. The inverse of `detach`. */
  attach(name: string, child: TreeNode<Content>, time: bigint): void {
    this.children!.set(name, child);
    child.places.push({ directory: this, name });
    child.changed = time;
    if (child.children) this.folders++;
    this.modified = this.changed = time;
  }

  /** Takes a name in this folder away and returns the node that had it. */
  detach(name: string, time: bigint): TreeNode<Content> {
    const child = this.children!.get(name)!;
    this.children!.delete(name);
    const at = child.places.findIndex((place) => place.directory === this && place.name === name);
    child.places.splice(at, 1);
    child.changed = time;
    if (child.children) this.folders--;
    this.modified = this.changed = time;
    return child;
  }

  /** Whether this folder is `other` or stands above it. */
  contains(other: TreeNode<Content>): boolean {
    for (let node: TreeNode<Content> | undefined = other; node; node = node.parent) if (node === this) return true;
    return false;
  }
}

/** The absolute path of a name; undefined when a folder above has none. */
export function pathOf(place: Place | undefined): string | undefined {
  let path = '';
  for (; place; place = place.directory.places[0]) {
    path = `/${place.name}${path}`;
    if (place.directory === place.directory.fs.root) return path;
  }
  return undefined;
}

/** Bytes of UTF-8 in the path of a folder from the root of its tree: 0 for the root. */
export function pathBytes(folder: TreeNode): number {
  let bytes = 0;
  for (let place = folder.places[0]; place; place = place.directory.places[0]) bytes += 1 + utf8Length(place.name);
  return bytes;
}

/** Bytes that the longest path below a node adds to that of the node. */
export function bytesBelow(node: TreeNode): number {
  let most = 0;
  for (const [name, child] of node.children ?? []) most = Math.max(most, 1 + utf8Length(name) + bytesBelow(child));
  return most;
}

/** Nanoseconds since 1970: the clock of the files is the wall clock that processes read. */
export const now = (): bigint => BigInt(Date.now()) * 1_000_000n;
