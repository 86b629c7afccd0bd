/**
 * The boundary between a file system and those who use it: types and nothing else.
 *
 * A file system knows nodes, not paths. Paths, symbolic links, `..` and mounts are the business of `Namespace`
 * (`namespace.ts`), which routes each step of a path to the file system that owns the node.
 */

/** A value now, or later. Callers that can go on at once test with `instanceof Promise`. */
export type MaybePromise<T> = T | Promise<T>;

export type Kind = 'file' | 'directory' | 'link';

/** Times are nanoseconds since 1970 (UTC); sizes are bytes and at most 2^53 - 1. */
export interface Stat {
  kind: Kind;
  size: number;
  /** The number of hard links. */
  links: number;
  /** Unique in the file system for as long as the node exists, and never used again for another node. */
  inode: number;
  /** Unique in the namespace: which file system the inode belongs to. */
  device: number;
  accessed: bigint;
  modified: bigint;
  changed: bigint;
}

export interface Entry {
  name: string;
  kind: Kind;
  inode: number;
}

/** One file, folder or link. Two nodes are the same object exactly when they are the same JavaScript object. */
export interface Node {
  readonly fs: FileSystem;
  readonly inode: number;
  readonly kind: Kind;
}

export type Times = { accessed?: bigint | 'now'; modified?: bigint | 'now' };

/** An open file: its content stays reachable after the last name of the node has gone, until `close`. */
export interface OpenFile {
  readonly node: Node;
  /** Fills `into` from `offset` on and returns the number of bytes; 0 at or beyond the end. May be short only at the end. */
  read(offset: number, into: Uint8Array): MaybePromise<number>;
  /** Writes all of `data` (or throws `insufficient-space`, having written nothing that a reader would see as whole). A gap before `offset` reads as zeros. */
  write(offset: number, data: Uint8Array): MaybePromise<void>;
  /** As `write` at the end of the file; the end is found and written in one step. Returns the offset at which it began. */
  append(data: Uint8Array): MaybePromise<number>;
  setSize(size: number): MaybePromise<void>;
  /** Returns when everything written so far survives a crash of the machine. */
  sync(): MaybePromise<void>;
  close(): MaybePromise<void>;
}

/**
 * Everything throws `FsError`. Changes may have to wait (a full log), so they may return promises; what only looks
 * never waits. `name` is one path step: never empty, `.`, `..`, nor with a `/` or NUL in it, at most 255 bytes of UTF-8.
 */
export interface FileSystem {
  readonly device: number;
  readonly readOnly: boolean;
  readonly root: Node;
  lookup(directory: Node, name: string): Node | undefined;
  /** The folder that holds a folder: its `..`. Undefined for the root and for a folder that was removed. */
  parent(directory: Node): Node | undefined;
  /** A snapshot: later changes of the folder do not change it. */
  list(directory: Node): Entry[];
  stat(node: Node): Stat;
  readLink(link: Node): string;
  open(file: Node): MaybePromise<OpenFile>;
  /** Cuts a file to nothing, as an open with the flag `truncate` does before the opener has its `OpenFile`. */
  truncate(file: Node): MaybePromise<void>;
  createFile(directory: Node, name: string): MaybePromise<Node>;
  createDirectory(directory: Node, name: string): MaybePromise<Node>;
  createLink(directory: Node, name: string, target: string): MaybePromise<Node>;
  /** A hard link: `node` gets a second name. */
  link(node: Node, directory: Node, name: string): MaybePromise<void>;
  /** Takes away a name of a file or link. */
  unlink(directory: Node, name: string): MaybePromise<void>;
  removeDirectory(directory: Node, name: string): MaybePromise<void>;
  /** Replaces a file, or an empty folder by a folder, in one step. Both folders are of this file system. */
  rename(from: Node, oldName: string, to: Node, newName: string): MaybePromise<void>;
  setTimes(node: Node, times: Times): MaybePromise<void>;
  /** As `OpenFile.sync`, for names: what a program means that syncs a folder. Left out where nothing can be lost. */
  sync?(): MaybePromise<void>;
}

/**
 * Called soon after a change of the tree, never within the operation itself; `path` is absolute in the world. The writes
 * of one turn to one file come as one. `close` comes when the last open that wrote has ended (R10-8).
 */
export type ChangeListener = (change: { path: string; kind: 'create' | 'write' | 'remove' | 'close' }) => void;

export interface OpenFlags {
  create?: boolean;
  /** With `create`: fails with `exist` when the name is taken, even by a dangling link. */
  exclusive?: boolean;
  truncate?: boolean;
  /** Fails with `not-directory` when the node is no folder. */
  directory?: boolean;
  /** The content is to be changed: fails with `read-only` or `is-directory` where it cannot. */
  write?: boolean;
  /** Follow a symbolic link at the last step. */
  follow?: boolean;
}

/**
 * What one process sees: the world with its mounts, addressed by paths as POSIX resolves them. `at` is the folder
 * from which a relative path starts; a path with a leading `/` starts at `root`; `..` of the root is the root.
 */
export interface Namespace {
  readonly root: Node;
  /**
   * The node at a path; throws `no-entry`, `not-directory`, `loop`, `name-too-long`. A symbolic link at its end is followed
   * unless `follow` is false. (`setTimes` does the same; `link` follows only where `follow` is true.)
   */
  resolve(at: Node, path: string, options?: { follow?: boolean }): Node;
  /** The node at a path, made or cut to nothing as the flags say. Content is then opened with `node.fs.open(node)`. */
  open(at: Node, path: string, flags: OpenFlags): MaybePromise<Node>;
  stat(node: Node): Stat;
  /** As `FileSystem.list`, with the mount points of the namespace among the entries. */
  list(directory: Node): Entry[];
  readLink(at: Node, path: string): string;
  createDirectory(at: Node, path: string): MaybePromise<void>;
  createLink(target: string, at: Node, path: string): MaybePromise<void>;
  link(at: Node, path: string, toAt: Node, toPath: string, options?: { follow?: boolean }): MaybePromise<void>;
  rename(at: Node, path: string, toAt: Node, toPath: string): MaybePromise<void>;
  unlink(at: Node, path: string): MaybePromise<void>;
  removeDirectory(at: Node, path: string): MaybePromise<void>;
  setTimes(at: Node, path: string, times: Times, options?: { follow?: boolean }): MaybePromise<void>;

  /** The content of a file by its absolute path, whole. */
  readFile(path: string): MaybePromise<Uint8Array<ArrayBuffer>>;
  /** Makes or replaces a file in one step: an observer, also after a crash, sees the old content or the new. */
  writeFile(path: string, data: Uint8Array): MaybePromise<void>;
  /** `mkdir -p`. */
  createDirectories(path: string): MaybePromise<void>;
  /** `rm -r`; a path that does not exist is no error. */
  removeAll(path: string): MaybePromise<void>;
}
