import {
  type StorageCode,
  type StorageDirectory,
  StorageError,
  type StorageFile,
  type StorageHandle,
} from './storage.ts';

/** The parts of OPFS that TypeScript's library of the DOM does not know (they exist in dedicated workers only). */
interface SyncAccessHandle {
  read(into: ArrayBufferView, options: { at: number }): number;
  write(data: ArrayBufferView, options: { at: number }): number;
  getSize(): number;
  truncate(size: number): void;
  flush(): void;
  close(): void;
}
type OpfsFile = FileSystemFileHandle & {
  createSyncAccessHandle(): Promise<SyncAccessHandle>;
  move(to: FileSystemDirectoryHandle, name: string): Promise<void>;
};

const CODES: Record<string, StorageCode> = {
  NotFoundError: 'not-found',
  TypeMismatchError: 'wrong-kind',
  NoModificationAllowedError: 'busy',
  InvalidModificationError: 'not-empty',
  QuotaExceededError: 'no-space',
};

function translate(error: unknown): StorageError {
  const name = error instanceof Error ? error.name : '';
  const message = error instanceof Error ? error.message : String(error);
  return new StorageError(CODES[name] ?? 'failed', `${name || 'error'}: ${message}`, { cause: error });
}

async function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translate(error);
  }
}

/** A folder of the origin private file system. */
export class OpfsDirectory implements StorageDirectory {
  readonly handle: FileSystemDirectoryHandle;
  constructor(handle: FileSystemDirectoryHandle) {
    this.handle = handle;
  }

  directory(name: string, create: boolean): Promise<StorageDirectory> {
    return attempt(async () => new OpfsDirectory(await this.handle.getDirectoryHandle(name, { create })));
  }

  file(name: string, create: boolean): Promise<StorageFile> {
    return attempt(async () => new OpfsStorageFile((await this.handle.getFileHandle(name, { create })) as OpfsFile));
  }

  remove(name: string, recursive: boolean): Promise<void> {
    return attempt(() => this.handle.removeEntry(name, { recursive }));
  }

  list(): Promise<{ name: string; kind: 'file' | 'directory' }[]> {
    return attempt(async () => {
      const entries: { name: string; kind: 'file' | 'directory' }[] = [];
      for await (const [name, { kind }] of this.handle.entries()) entries.push({ name, kind });
      return entries;
    });
  }
}

class OpfsStorageFile implements StorageFile {
  private readonly handle: OpfsFile;
  constructor(handle: OpfsFile) {
    this.handle = handle;
  }

  open(): Promise<StorageHandle> {
    return attempt(async () => new OpfsHandle(await this.handle.createSyncAccessHandle()));
  }

  stat(): Promise<{ size: number; modified: number }> {
    return attempt(async () => {
      const { size, lastModified } = await this.handle.getFile();
      return { size, modified: lastModified };
    });
  }

  move(to: StorageDirectory, name: string): Promise<void> {
    return attempt(() => this.handle.move((to as OpfsDirectory).handle, name));
  }
}

/** Whether the handles of this browser take shared memory. Not all do; it is found out when they are first given some. */
let takesShared = true;

/** Calls `use` with the bytes of a process's memory, or, where handles refuse those, with `copy` of them. */
function withBytes<B extends Uint8Array>(bytes: B, copy: () => B, use: (bytes: B) => number): number {
  if (typeof SharedArrayBuffer === 'undefined' || !(bytes.buffer instanceof SharedArrayBuffer)) return use(bytes);
  if (takesShared) {
    try {
      return use(bytes);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      takesShared = false;
    }
  }
  return use(copy());
}

class OpfsHandle implements StorageHandle {
  private readonly handle: SyncAccessHandle;
  constructor(handle: SyncAccessHandle) {
    this.handle = handle;
  }

  read(into: Uint8Array, at: number): number {
    let own: Uint8Array | undefined;
    const count = withBytes(
      into,
      () => (own = new Uint8Array(into.length)),
      (bytes) => this.handle.read(bytes, { at }),
    );
    if (own) into.set(own.subarray(0, count));
    return count;
  }

  write(data: Uint8Array, at: number): number {
    try {
      const written = withBytes(
        data,
        () => data.slice(),
        (bytes) => this.handle.write(bytes, { at }),
      );
      // Chromium gives a negative count as an unsigned number when the disk is full, Firefox a short one.
      return written <= data.length ? written : 0;
    } catch (error) {
      if (translate(error).code === 'no-space') return 0;
      throw translate(error);
    }
  }

  size(): number {
    return this.handle.getSize();
  }

  truncate(size: number): boolean {
    try {
      this.handle.truncate(size);
      return true;
    } catch (error) {
      if (size > this.handle.getSize()) return false;
      throw translate(error);
    }
  }

  flush(): void {
    this.handle.flush();
  }

  close(): void {
    this.handle.close();
  }
}
