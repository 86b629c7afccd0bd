import type { Kind } from '../filesystem.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';

/** Bytes of data in one record at most: more goes to the file itself. */
export const MAX_RECORD_DATA = 16 * 1024;

/** Where the content of a file is kept. `path` is escaped, from the container of the world on. */
export type PlaceState = 'gone' | 'moving' | 'there';

/**
 * One record of the log. Nodes are named by their inodes. The first seven types are what was done to the world, in order; the
 * others say what of it the folder in the storage has, so that a boot can tell.
 */
export type LogRecord =
  | { type: 'create'; inode: number; kind: Kind; directory: number; name: string; target: string; time: bigint }
  | { type: 'link'; inode: number; directory: number; name: string; time: bigint }
  | { type: 'remove'; directory: number; name: string; time: bigint }
  | { type: 'rename'; from: number; oldName: string; to: number; newName: string; time: bigint }
  | { type: 'times'; inode: number; accessed: bigint; modified: bigint; time: bigint }
  | { type: 'write'; inode: number; offset: number; data: Uint8Array; time: bigint }
  | { type: 'size'; inode: number; size: number; time: bigint }
  /** Data that went to the file itself before this record was written. */
  | { type: 'direct'; inode: number; end: number; time: bigint }
  /** As `direct`, and more data may follow there without a record: the file is as long as the storage has it. */
  | { type: 'growing'; inode: number; end: number; time: bigint }
  /** All earlier `write` and `size` records of the file are in the file: they must not be done again. */
  | { type: 'applied'; inode: number; size: number }
  | { type: 'place'; inode: number; state: PlaceState; path: string }
  /** A folder in the storage is about to be made, or was removed. */
  | { type: 'folder'; there: boolean; path: string };

const TYPES = [
  'create',
  'link',
  'remove',
  'rename',
  'times',
  'write',
  'size',
  'direct',
  'applied',
  'place',
  'folder',
  'growing',
] as const satisfies LogRecord['type'][];
const KINDS = ['file', 'directory', 'link'] as const satisfies Kind[];
const STATES = ['gone', 'moving', 'there'] as const satisfies PlaceState[];

const NUMBERS: Record<LogRecord['type'], number> = Object.fromEntries(
  TYPES.map((type, index) => [type, index + 1]),
) as Record<LogRecord['type'], number>;

/** Bytes that a record takes at most. */
export function recordRoom(record: LogRecord): number {
  switch (record.type) {
    case 'create':
      return 48 + 3 * (record.name.length + record.target.length);
    case 'link':
    case 'remove':
      return 48 + 3 * record.name.length;
    case 'rename':
      return 48 + 3 * (record.oldName.length + record.newName.length);
    case 'write':
      return 48 + record.data.length;
    case 'place':
    case 'folder':
      return 48 + 3 * record.path.length;
    default:
      return 64;
  }
}

export function writeRecord(writer: ByteWriter, record: LogRecord): void {
  writer.u8(NUMBERS[record.type]);
  switch (record.type) {
    case 'create':
      writer.number(record.inode);
      writer.u8(KINDS.indexOf(record.kind));
      writer.number(record.directory);
      writer.time(record.time);
      writer.text(record.name);
      writer.text(record.target);
      break;
    case 'link':
      writer.number(record.inode);
      writer.number(record.directory);
      writer.time(record.time);
      writer.text(record.name);
      break;
    case 'remove':
      writer.number(record.directory);
      writer.time(record.time);
      writer.text(record.name);
      break;
    case 'rename':
      writer.number(record.from);
      writer.number(record.to);
      writer.time(record.time);
      writer.text(record.oldName);
      writer.text(record.newName);
      break;
    case 'times':
      writer.number(record.inode);
      writer.time(record.accessed);
      writer.time(record.modified);
      writer.time(record.time);
      break;
    case 'write':
      writer.number(record.inode);
      writer.number(record.offset);
      writer.time(record.time);
      writer.raw(record.data);
      break;
    case 'size':
      writer.number(record.inode);
      writer.number(record.size);
      writer.time(record.time);
      break;
    case 'direct':
    case 'growing':
      writer.number(record.inode);
      writer.number(record.end);
      writer.time(record.time);
      break;
    case 'applied':
      writer.number(record.inode);
      writer.number(record.size);
      break;
    case 'place':
      writer.number(record.inode);
      writer.u8(STATES.indexOf(record.state));
      writer.text(record.path);
      break;
    case 'folder':
      writer.u8(record.there ? 1 : 0);
      writer.text(record.path);
      break;
  }
}

/** The inverse of `writeRecord`. `data` is a view of the buffer that is read. Throws `RangeError` for what is no record. */
export function readRecord(reader: ByteReader): LogRecord {
  const type = TYPES[reader.u8() - 1];
  switch (type) {
    case 'create': {
      const [inode, kind, directory] = [reader.number(), readOneOf(reader, KINDS), reader.number()];
      return { type, inode, kind, directory, time: reader.time(), name: reader.text(), target: reader.text() };
    }
    case 'link':
      return { type, inode: reader.number(), directory: reader.number(), time: reader.time(), name: reader.text() };
    case 'remove':
      return { type, directory: reader.number(), time: reader.time(), name: reader.text() };
    case 'rename': {
      const [from, to, time] = [reader.number(), reader.number(), reader.time()];
      return { type, from, to, time, oldName: reader.text(), newName: reader.text() };
    }
    case 'times':
      return { type, inode: reader.number(), accessed: reader.time(), modified: reader.time(), time: reader.time() };
    case 'write':
      return { type, inode: reader.number(), offset: reader.number(), time: reader.time(), data: reader.rest() };
    case 'size':
      return { type, inode: reader.number(), size: reader.number(), time: reader.time() };
    case 'direct':
    case 'growing':
      return { type, inode: reader.number(), end: reader.number(), time: reader.time() };
    case 'applied':
      return { type, inode: reader.number(), size: reader.number() };
    case 'place':
      return { type, inode: reader.number(), state: readOneOf(reader, STATES), path: reader.text() };
    case 'folder':
      return { type, there: reader.u8() === 1, path: reader.text() };
    default:
      throw new RangeError('a record of an unknown type');
  }
}

export function readOneOf<T>(reader: ByteReader, values: readonly T[]): T {
  const value = values[reader.u8()];
  if (value === undefined) throw new RangeError('a number in a record is out of its range');
  return value;
}
