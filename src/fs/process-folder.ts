import { FsError } from './errors.ts';
import type { Entry, MaybePromise, Node } from './filesystem.ts';
import { type GeneratedFile, GeneratedFileSystem } from './generated.ts';
import { MemoryFileSystem } from './memory.ts';
import type { Pages } from './pages.ts';
import type { TreeNode } from './tree.ts';

/** Bytes that the files of one process may take (R4-8). */
export const PROCESS_FOLDER_BYTES = 64 * 1024 * 1024;

/** A name that exists in no process folder and cannot be made there (R4-5). */
const RESERVED = 'fs';

export interface ProcessFolderOptions {
  /** Two device numbers: `device` for what the process writes and `device + 1` for the generated files. */
  device: number;
  info: GeneratedFile;
  log: GeneratedFile;
}

/**
 * `/self` of one process: its files in memory and, at the top, `info.json` and `log`, which the core writes (R4-5). To
 * show it at `/proc/<pid>/`, give `{ view: folder.root }` to the generated file system. It goes with the object.
 */
export class ProcessFolder extends MemoryFileSystem {
  private readonly generated: GeneratedFileSystem;

  constructor(options: ProcessFolderOptions) {
    super({ device: options.device, limit: PROCESS_FOLDER_BYTES });
    const files = new Map<string, GeneratedFile>([
      ['info.json', options.info],
      ['log', options.log],
    ]);
    this.generated = new GeneratedFileSystem(options.device + 1, {
      names: () => files.keys(),
      child: (name) => files.get(name),
    });
  }

  /** The generated files are nodes of their own, read-only file system: to open one for writing fails with `read-only`. */
  override lookup(directory: Node, name: string): Node | undefined {
    const own = super.lookup(directory, name);
    if (own || directory !== this.root) return own;
    return this.generated.lookup(this.generated.root, name);
  }

  override list(directory: Node): Entry[] {
    const own = super.list(directory);
    return directory === this.root ? [...this.generated.list(this.generated.root), ...own] : own;
  }

  override createFile(directory: Node, name: string): MaybePromise<TreeNode<Pages>> {
    this.refusePinned(directory, name);
    return super.createFile(directory, name);
  }

  override createDirectory(directory: Node, name: string): MaybePromise<TreeNode<Pages>> {
    this.refusePinned(directory, name);
    return super.createDirectory(directory, name);
  }

  override createLink(directory: Node, name: string, target: string): MaybePromise<TreeNode<Pages>> {
    this.refusePinned(directory, name);
    return super.createLink(directory, name, target);
  }

  override link(node: Node, directory: Node, name: string): MaybePromise<void> {
    this.refusePinned(directory, name);
    return super.link(node, directory, name);
  }

  override unlink(directory: Node, name: string): MaybePromise<void> {
    this.refusePinned(directory, name);
    return super.unlink(directory, name);
  }

  override removeDirectory(directory: Node, name: string): MaybePromise<void> {
    this.refusePinned(directory, name);
    return super.removeDirectory(directory, name);
  }

  override rename(from: Node, oldName: string, to: Node, newName: string): MaybePromise<void> {
    this.refusePinned(from, oldName);
    this.refusePinned(to, newName);
    return super.rename(from, oldName, to, newName);
  }

  private refusePinned(directory: Node, name: string): void {
    if (directory !== this.root) return;
    if (name === RESERVED || this.generated.lookup(this.generated.root, name)) {
      throw new FsError('access', `/self/${name} belongs to the core (R4-5)`);
    }
  }
}
