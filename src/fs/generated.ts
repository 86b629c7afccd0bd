import { FsError } from './errors.ts';
import type { Entry, Kind, MaybePromise, Node, OpenFile, Stat } from './filesystem.ts';
import { chain } from './maybe.ts';
import { ReadOnlyFile, ReadOnlyFileSystem } from './read-only.ts';
import { now } from './tree.ts';

/** A file whose content is made when it is opened. */
export interface GeneratedFile {
  /** Bytes that `read` would give now (R4-7). */
  size(): number;
  /** The content at this moment. It must not be changed afterwards. */
  read(): MaybePromise<Uint8Array>;
  /** Nanoseconds since 1970; the time at which the node was first seen when left out. */
  modified?(): bigint;
}

/** A folder whose entries are asked for each time. */
export interface GeneratedDirectory {
  names(): Iterable<string>;
  child(name: string): GeneratedChild | undefined;
}

/** A node of another file system, shown here with all that is in it, to be read only. */
export interface GeneratedView {
  view: Node;
}

export type GeneratedChild = GeneratedFile | GeneratedDirectory | GeneratedView;

function kindOf(source: GeneratedChild): Kind {
  if ('view' in source) return source.view.kind;
  return 'names' in source ? 'directory' : 'file';
}

class GeneratedNode implements Node {
  readonly fs: GeneratedFileSystem;
  readonly inode: number;
  readonly kind: Kind;
  readonly parent: GeneratedNode | undefined;
  readonly seen = now();
  source: GeneratedChild;
  /** The nodes of the children that somebody asked for. */
  readonly children = new Map<string, GeneratedNode>();
  /** So many children are kept before those that are gone are looked for. */
  sweepAt = 64;

  constructor(
    fs: GeneratedFileSystem,
    inode: number,
    source: GeneratedChild,
    kind: Kind,
    parent: GeneratedNode | undefined,
  ) {
    this.fs = fs;
    this.inode = inode;
    this.source = source;
    this.kind = kind;
    this.parent = parent;
  }
}

/**
 * A file system that can only be read and that is made of objects of the core: `/proc`. The node of a name stays the
 * same object for as long as the name leads to a thing of the same kind (for a view: to the same node).
 */
export class GeneratedFileSystem extends ReadOnlyFileSystem {
  override readonly device: number;
  override readonly root: GeneratedNode;
  private nextInode = 1;

  constructor(device: number, root: GeneratedDirectory) {
    super();
    this.device = device;
    this.root = new GeneratedNode(this, this.nextInode++, root, 'directory', undefined);
  }

  override lookup(directory: Node, name: string): GeneratedNode | undefined {
    const folder = this.folder(directory);
    const source = this.sourceOf(folder, name);
    const known = folder.children.get(name);
    if (!source) {
      folder.children.delete(name);
      return undefined;
    }
    const kind = kindOf(source);
    if (known && known.kind === kind && viewOf(known.source) === viewOf(source)) {
      known.source = source;
      return known;
    }
    if (folder.children.size >= folder.sweepAt) this.sweep(folder);
    const made = new GeneratedNode(this, this.nextInode++, source, kind, folder);
    folder.children.set(name, made);
    return made;
  }

  override parent(directory: Node): Node | undefined {
    return (directory as GeneratedNode).parent;
  }

  override list(directory: Node): Entry[] {
    const folder = this.folder(directory);
    const source = folder.source;
    const names =
      'view' in source
        ? source.view.fs.list(source.view).map((entry) => entry.name)
        : [...(source as GeneratedDirectory).names()];
    const entries: Entry[] = [];
    for (const name of names) {
      const child = this.lookup(folder, name);
      if (child) entries.push({ name, kind: child.kind, inode: child.inode });
    }
    return entries;
  }

  override stat(node: Node): Stat {
    const { source, inode, kind, seen } = node as GeneratedNode;
    if ('view' in source) return { ...source.view.fs.stat(source.view), inode, device: this.device };
    const file = 'size' in source ? source : undefined;
    const time = file?.modified?.() ?? seen;
    return {
      kind,
      size: file ? file.size() : 0,
      links: kind === 'directory' ? 2 : 1,
      inode,
      device: this.device,
      accessed: time,
      modified: time,
      changed: time,
    };
  }

  override readLink(link: Node): string {
    const { source } = link as GeneratedNode;
    if ('view' in source) return source.view.fs.readLink(source.view);
    throw new FsError('invalid', 'not a symbolic link');
  }

  override open(file: Node): MaybePromise<OpenFile> {
    const { source, kind } = file as GeneratedNode;
    if (kind === 'directory') throw new FsError('is-directory', 'a folder cannot be opened as a file');
    if (kind === 'link') throw new FsError('loop', 'a symbolic link cannot be opened as a file');
    const content: MaybePromise<Uint8Array | OpenFile> =
      'view' in source ? source.view.fs.open(source.view) : (source as GeneratedFile).read();
    return chain(content, (from) => new ReadOnlyFile(file, from));
  }

  private folder(directory: Node): GeneratedNode {
    if (directory.kind !== 'directory') throw new FsError('not-directory', 'not a folder');
    return directory as GeneratedNode;
  }

  private sourceOf(folder: GeneratedNode, name: string): GeneratedChild | undefined {
    const { source } = folder;
    if (!('view' in source)) return (source as GeneratedDirectory).child(name);
    const view = source.view.fs.lookup(source.view, name);
    return view && { view };
  }

  /** Forgets the nodes of children that are gone: a folder of processes would grow for ever otherwise. */
  private sweep(folder: GeneratedNode): void {
    for (const name of folder.children.keys()) {
      if (!this.sourceOf(folder, name)) folder.children.delete(name);
    }
    folder.sweepAt = Math.max(64, folder.children.size * 2);
  }
}

function viewOf(source: GeneratedChild): Node | undefined {
  return 'view' in source ? source.view : undefined;
}
