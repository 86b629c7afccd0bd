import { FacadeVFS } from 'wa-sqlite/src/FacadeVFS.js';
import * as SQLITE from 'wa-sqlite/src/sqlite-constants.js';
import type { PageFile } from './pages.ts';

/** Bytes in the memory of SQLite: `subarray` gives the array itself, good until SQLite runs again. */
interface Bytes {
  readonly byteLength: number;
  subarray(): Uint8Array;
}

const NAME = 'journal';

/**
 * The file system that SQLite sees: one database, `journal`, over a `PageFile`; and `journal-journal`, a rollback journal
 * from before a crash, which it may read and delete. Locks are not needed: only this connection exists.
 */
export class JournalVfs extends FacadeVFS {
  static readonly database = NAME;
  private current: PageFile | undefined;
  private readonly open = new Map<number, 'database' | 'rollback'>();

  /** The file that the next `open` of the database gives. */
  set pages(pages: PageFile) {
    this.current = pages;
  }
  get pages(): PageFile {
    return this.current!;
  }

  close(): void {}
  isReady(): boolean {
    return true;
  }

  jOpen(filename: string | null, file: number, flags: number, outFlags: DataView): number {
    if (flags & SQLITE.SQLITE_OPEN_MAIN_DB) this.open.set(file, 'database');
    else if (flags & SQLITE.SQLITE_OPEN_MAIN_JOURNAL && filename && this.pages.hot) this.open.set(file, 'rollback');
    else return SQLITE.SQLITE_CANTOPEN;
    outFlags.setInt32(0, flags, true);
    return SQLITE.SQLITE_OK;
  }

  jClose(file: number): number {
    this.open.delete(file);
    return SQLITE.SQLITE_OK;
  }

  jRead(file: number, data: Bytes, offset: number): number {
    const into = data.subarray();
    const size = this.sizeOf(file);
    if (this.open.get(file) === 'rollback') {
      into.fill(0);
      into.set(this.pages.hot!.subarray(offset, offset + into.length));
    } else if (!this.pages.read(offset, into)) {
      return SQLITE.SQLITE_IOERR_READ;
    }
    return offset + into.length > size ? SQLITE.SQLITE_IOERR_SHORT_READ : SQLITE.SQLITE_OK;
  }

  jWrite(file: number, data: Bytes, offset: number): number {
    if (this.open.get(file) === 'database') this.pages.write(offset, data.subarray());
    return SQLITE.SQLITE_OK;
  }

  jTruncate(file: number, size: number): number {
    if (this.open.get(file) === 'database') this.pages.truncate(size);
    return SQLITE.SQLITE_OK;
  }

  jSync(): number {
    return SQLITE.SQLITE_OK;
  }

  jFileSize(file: number, out: DataView): number {
    out.setBigInt64(0, BigInt(this.sizeOf(file)), true);
    return SQLITE.SQLITE_OK;
  }

  jAccess(filename: string, _flags: number, out: DataView): number {
    const there = filename.endsWith('-journal') ? this.pages.hot !== undefined : !filename.endsWith('-wal');
    out.setInt32(0, there ? 1 : 0, true);
    return SQLITE.SQLITE_OK;
  }

  jDelete(filename: string): number {
    if (filename.endsWith('-journal')) this.pages.hot = undefined;
    return SQLITE.SQLITE_OK;
  }

  private sizeOf(file: number): number {
    return this.open.get(file) === 'rollback' ? (this.pages.hot?.length ?? 0) : this.pages.size;
  }
}
