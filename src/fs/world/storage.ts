/**
 * What the world's file system needs of the place where it keeps its bytes: types and the one error. Folders and the
 * opening of files wait; what is done through an open handle does not.
 */

export type StorageCode = 'not-found' | 'wrong-kind' | 'busy' | 'not-empty' | 'no-space' | 'failed';

export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageCode;
  constructor(code: StorageCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export interface StorageDirectory {
  /** A folder in this folder, made when asked and not there. */
  directory(name: string, create: boolean): Promise<StorageDirectory>;
  file(name: string, create: boolean): Promise<StorageFile>;
  /** Removes a file or an empty folder, or with `recursive` a folder with all that is in it. */
  remove(name: string, recursive: boolean): Promise<void>;
  list(): Promise<{ name: string; kind: 'file' | 'directory' }[]>;
}

export interface StorageFile {
  /** The one handle that a file can have: `busy` while another is open, here or in another page. */
  open(): Promise<StorageHandle>;
  /** Bytes, and milliseconds since 1970. */
  stat(): Promise<{ size: number; modified: number }>;
  /** The name must be free in the folder, and no handle open. */
  move(to: StorageDirectory, name: string): Promise<void>;
}

/** An open file. Nothing of it waits, and nothing is written later than when it returns, but for `flush`. */
export interface StorageHandle {
  /** Returns the number of bytes, less than asked only at the end. */
  read(into: Uint8Array, at: number): number;
  /** Returns how many bytes were written: fewer than given when the disk is full (R4-12). Never throws for a full disk. */
  write(data: Uint8Array, at: number): number;
  size(): number;
  /** Cuts or extends with zeros; false when the disk is full. */
  truncate(size: number): boolean;
  /** Returns when what was written survives a crash of the machine. */
  flush(): void;
  close(): void;
}
