/**
 * SQLite's rollback journal, written by us: the pages of the file as they were before a transaction. Whoever opens the
 * file and finds this beside it (we after a crash, or the `sqlite3` tool) puts them back and has the state before.
 */

const MAGIC = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
/** The header takes one whole sector. */
const SECTOR = 512;

export interface SavedPage {
  /** The first page is 0 here; SQLite counts from 1. */
  index: number;
  bytes: Uint8Array;
}

/** `pagesBefore` is the size of the file, in pages, before the transaction: it is cut back to that. */
export function encodeRollback(
  pages: SavedPage[],
  pagesBefore: number,
  pageSize: number,
  nonce: number,
): Uint8Array<ArrayBuffer> {
  const recordBytes = 4 + pageSize + 4;
  const bytes = new Uint8Array(SECTOR + pages.length * recordBytes);
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC);
  view.setUint32(8, pages.length);
  view.setUint32(12, nonce);
  view.setUint32(16, pagesBefore);
  view.setUint32(20, SECTOR);
  view.setUint32(24, pageSize);
  let at = SECTOR;
  for (const page of pages) {
    view.setUint32(at, page.index + 1);
    bytes.set(page.bytes, at + 4);
    view.setUint32(at + 4 + pageSize, checksum(page.bytes, nonce));
    at += recordBytes;
  }
  return bytes;
}

/** Every 200th byte from the end of the page, added to the nonce: SQLite's own measure against a torn record. */
function checksum(page: Uint8Array, nonce: number): number {
  let sum = nonce;
  for (let i = page.length - 200; i > 0; i -= 200) sum += page[i]!;
  return sum >>> 0;
}
