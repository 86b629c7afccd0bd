import { FsError } from './errors.ts';
import type { Entry, FileSystem, MaybePromise, Node, OpenFile, Stat } from './filesystem.ts';

function refuse(): never {
  throw new FsError('read-only', 'nothing can be changed here');
}

/** A file system in which every change fails with `read-only` (R4-4): who derives from it says what there is to read. */
export abstract class ReadOnlyFileSystem implements FileSystem {
  abstract readonly device: number;
  abstract readonly root: Node;
  readonly readOnly = true;

  abstract lookup(directory: Node, name: string): Node | undefined;
  abstract parent(directory: Node): Node | undefined;
  abstract list(directory: Node): Entry[];
  abstract stat(node: Node): Stat;
  abstract readLink(link: Node): string;
  abstract open(file: Node): MaybePromise<OpenFile>;

  truncate(): never {
    refuse();
  }
  createFile(): never {
    refuse();
  }
  createDirectory(): never {
    refuse();
  }
  createLink(): never {
    refuse();
  }
  link(): never {
    refuse();
  }
  unlink(): never {
    refuse();
  }
  removeDirectory(): never {
    refuse();
  }
  rename(): never {
    refuse();
  }
  setTimes(): never {
    refuse();
  }
}

/** An open of something that does not change any more: a snapshot, or what another open reads. */
export class ReadOnlyFile implements OpenFile {
  readonly node: Node;
  private readonly source: Uint8Array | OpenFile;

  constructor(node: Node, source: Uint8Array | OpenFile) {
    this.node = node;
    this.source = source;
  }

  read(offset: number, into: Uint8Array): MaybePromise<number> {
    if (!(this.source instanceof Uint8Array)) return this.source.read(offset, into);
    const bytes = this.source.subarray(offset, offset + into.length);
    into.set(bytes);
    return bytes.length;
  }

  write(): never {
    refuse();
  }
  append(): never {
    refuse();
  }
  setSize(): never {
    refuse();
  }
  sync(): void {}

  close(): MaybePromise<void> {
    if (!(this.source instanceof Uint8Array)) return this.source.close();
  }
}
