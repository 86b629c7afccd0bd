/** Where the cache keeps its files: a folder of the origin private file system, or memory. */

export interface CacheDirectory {
  /** The content of a file and when it was last written (milliseconds since 1970); undefined when it is not there. */
  read(name: string): Promise<{ bytes: Uint8Array<ArrayBuffer>; written: number } | undefined>;
  /** Makes or replaces a file. A crash in the middle may leave a part of it. */
  write(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** A file that is not there is no error. */
  remove(name: string): Promise<void>;
  list(): Promise<{ name: string; size: number; written: number }[]>;
}

/** For pages without a file system of their own, and for tests. `now` is a clock in milliseconds. */
export class MemoryDirectory implements CacheDirectory {
  #files = new Map<string, { bytes: Uint8Array<ArrayBuffer>; written: number }>();
  #now: () => number;
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  async read(name: string) {
    const file = this.#files.get(name);
    return file && { bytes: file.bytes.slice(), written: file.written };
  }

  async write(name: string, bytes: Uint8Array<ArrayBuffer>) {
    this.#files.set(name, { bytes: bytes.slice(), written: this.#now() });
  }

  async remove(name: string) {
    this.#files.delete(name);
  }

  async list() {
    return Array.from(this.#files, ([name, { bytes, written }]) => ({ name, size: bytes.length, written }));
  }
}

/** The part of a sync handle that is used here; TypeScript knows these handles only in its worker library. */
interface SyncFileHandle extends FileSystemFileHandle {
  createSyncAccessHandle(): Promise<{
    truncate(size: number): void;
    write(bytes: Uint8Array, options: { at: number }): number;
    close(): void;
  }>;
}

const isMissing = (error: unknown): boolean => error instanceof DOMException && error.name === 'NotFoundError';

/** A folder of the origin private file system; works in dedicated workers, because it writes through sync handles. */
export class OpfsDirectory implements CacheDirectory {
  readonly #folder: FileSystemDirectoryHandle;
  private constructor(folder: FileSystemDirectoryHandle) {
    this.#folder = folder;
  }

  static async open(...path: string[]): Promise<OpfsDirectory> {
    let folder = await navigator.storage.getDirectory();
    for (const name of path) folder = await folder.getDirectoryHandle(name, { create: true });
    return new OpfsDirectory(folder);
  }

  async read(name: string) {
    try {
      const file = await (await this.#folder.getFileHandle(name)).getFile();
      return { bytes: new Uint8Array(await file.arrayBuffer()), written: file.lastModified };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async write(name: string, bytes: Uint8Array<ArrayBuffer>) {
    const handle = await this.#folder.getFileHandle(name, { create: true });
    const file = await (handle as SyncFileHandle).createSyncAccessHandle();
    try {
      file.truncate(0);
      // A full disk shows as another number than that of the bytes.
      if (file.write(bytes, { at: 0 }) !== bytes.length) throw new Error('the storage of this page is full');
    } finally {
      file.close();
    }
  }

  async remove(name: string) {
    try {
      await this.#folder.removeEntry(name);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  async list() {
    const files: { name: string; size: number; written: number }[] = [];
    for await (const [name, handle] of this.#folder.entries()) {
      if (handle.kind !== 'file') continue;
      const { size, lastModified } = await (handle as FileSystemFileHandle).getFile();
      files.push({ name, size, written: lastModified });
    }
    return files;
  }
}

/** The folder of all worlds of this origin; memory where the browser keeps nothing. */
export async function openCacheDirectory(): Promise<CacheDirectory> {
  try {
    return await OpfsDirectory.open('sausage', 'components');
  } catch {
    return new MemoryDirectory();
  }
}
