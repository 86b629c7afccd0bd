import { Extents } from './extents.ts';
import type { StoredPlace } from './mirror.ts';
import type { StorageHandle } from './storage.ts';

/** Where the bytes of one file are: up to `baseEnd` in the storage, with what is pending over them; the rest is zeros. */
export class Content {
  /** Where the storage has the file; undefined before it is made there. */
  place: StoredPlace | undefined;
  handle: StorageHandle | undefined;
  /** The turn of use of the handle: the least is closed first. */
  used = 0;
  /** Something that waits works on the file in the storage: the handle and the place must be left alone until it is done. */
  busy: Promise<void> | undefined;
  /** Somebody is making the file ready for reading or writing: whoever else wants that waits for the same. */
  readying: Promise<void> | undefined;
  /** Data that is in the log and not yet in the file. */
  readonly extents = new Extents();
  /** Bytes of the stored file that count. */
  baseEnd = 0;
  /** The stored file may have another length than the file. */
  lengthPending = false;
  /** The log says that no record before this moment is to be done again: data may go to the file directly. */
  applied = false;
  /** Writes straight to the file since the last other record of it: from the second on they have no records of their own. */
  straight = 0;
  /** At a boot: the length is what the storage says, since the last record of the file is `growing`. */
  grows = false;
  /** The handle wrote since its last flush; with `unsafe`, data that is nowhere else. */
  unflushed = false;
  unsafe = false;
  /** The place was recorded, but the file there may not have been made. */
  unmade = false;
  /** A move was begun to this place and its end is not in the log. */
  moving: StoredPlace | undefined;
  /** A large write may have been cut by a crash: what lies beyond `baseEnd` in the stored file is not from outside. */
  mayHaveTail = false;

  get pending(): boolean {
    return this.lengthPending || !this.extents.empty;
  }
}

/** Waits until nobody else works on the file in the storage, and keeps others off until the function that is returned is called. */
export async function lock(content: Content): Promise<() => void> {
  while (content.busy) await content.busy;
  let release!: () => void;
  content.busy = new Promise((resolve) => {
    release = resolve;
  });
  return () => {
    content.busy = undefined;
    release();
  };
}
