/** The tables of `journal.sqlite`; docs/PROTOCOL.md describes them for readers. A change of them is a new version. */
export const SCHEMA_VERSION = 1;
export const PAGE_BYTES = 4096;

/**
 * `seq` is the ID's time and count as one number (48 and 12 bits), so that the table is in time order by itself and needs
 * no index for IDs. `tally` spares counting: the lines and bytes that are there of each plugin and stream.
 */
export const SCHEMA = `
  CREATE TABLE entry (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    pid TEXT NOT NULL,
    plugin TEXT NOT NULL,
    stream TEXT NOT NULL,
    line TEXT NOT NULL
  );
  CREATE INDEX entry_by_source ON entry (plugin, stream);
  CREATE TABLE tally (
    plugin TEXT NOT NULL,
    stream TEXT NOT NULL,
    lines INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (plugin, stream)
  ) WITHOUT ROWID;
  CREATE VIEW log AS
    SELECT id, strftime('%Y-%m-%dT%H:%M:%fZ', (seq >> 12) / 1000.0, 'unixepoch') AS time, pid, plugin, stream, line
    FROM entry ORDER BY seq;
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** What the first bytes of a file say that SQLite would open. */
export type Header =
  | { kind: 'empty' }
  | { kind: 'ours'; pageSize: number }
  | { kind: 'other'; version: number }
  | { kind: 'damaged' };

export const HEADER_BYTES = 100;

export function readHeader(bytes: Uint8Array, length: number): Header {
  if (length === 0) return { kind: 'empty' };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (length < HEADER_BYTES || new TextDecoder().decode(bytes.subarray(0, 16)) !== 'SQLite format 3\0') {
    return { kind: 'damaged' };
  }
  const pageSize = view.getUint16(16) === 1 ? 65536 : view.getUint16(16);
  if (pageSize < 512 || (pageSize & (pageSize - 1)) !== 0) return { kind: 'damaged' };
  const version = view.getUint32(60);
  // Whoever switched the file to a write-ahead log of its own made another kind of file of it.
  const rollback = bytes[18] === 1 && bytes[19] === 1;
  return version === SCHEMA_VERSION && rollback ? { kind: 'ours', pageSize } : { kind: 'other', version };
}
