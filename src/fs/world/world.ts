import type { ChangeListener, FileSystem, Node } from '../filesystem.ts';

export interface WorldUsage {
  /** Files, folders and links. */
  nodes: number;
  /** Bytes in all files. */
  bytes: number;
  /** Bytes in the write-ahead log. */
  log: number;
}

/** The file system of a world, whether the browser keeps it or not. */
export interface WorldFileSystem extends FileSystem {
  /** Calls `listener` after each change; the function that is returned ends it. */
  onChange(listener: ChangeListener): () => void;
  /** Whether somebody has the file open and has written to it: its content is not whole yet (R10-8). */
  isBeingWritten(node: Node): boolean;
  /**
   * Does several operations with one write to the log, at the end of `work`. None of them counts as returned before
   * `group` has returned: a core that answers many system calls in one turn does them in a group and answers afterwards.
   */
  group<T>(work: () => T): T;
  /** Resolves when the folder in the origin private file system shows the same tree, with everything up to this call. */
  settled(): Promise<void>;
  /**
   * Resolves when the folder in the storage was once compared with the tree since the world was opened: files that
   * somebody else put there or took away are then part of the world, or gone from it, and named in `repairs`.
   */
  compared(): Promise<void>;
  readonly usage: WorldUsage;
  /** What was found damaged and how it was mended, a sentence each, for the journal. May grow until `settled`. */
  readonly repairs: readonly string[];
  /** Writes what is pending and gives every handle back. No operation may follow. */
  close(): Promise<void>;
}

export interface WorldOptions {
  /** Unique in the namespace; 1 when left out. */
  device?: number;
  /** Called with each sentence that comes to `repairs`. */
  onRepair?: (sentence: string) => void;
  /** Bytes that the two logs may take together before writers wait; 64 MiB when left out. */
  logLimit?: number;
  /** A checkpoint is made when a log has grown to this; 4 MiB when left out. */
  checkpointAt?: number;
  /** Handles that are kept open; 128 when left out. */
  handles?: number;
}
