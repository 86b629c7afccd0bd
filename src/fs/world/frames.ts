import { FsError } from '../errors.ts';
import { ByteReader, type ByteWriter } from './bytes.ts';
import { xxHash32 } from './checksum.ts';

/**
 * The form that log and checkpoint share: a header, then frames. A frame is the length of its body and a checksum
 * (four bytes each), then the body, filled up with zeros to a multiple of eight. The seed of each checksum is the
 * checksum before it, so a frame counts only after the very frames with which it was written: what an earlier use of
 * the file left behind can never be taken for a part of it. Behind a damaged frame they are found again by that seed.
 */

/** The version of store, log and checkpoint that this code writes. Older ones are migrated, newer ones refused. */
export const FORMAT_VERSION = 2;
export const HEADER_BYTES = 32;
export const FRAME_BYTES = 8;

/** `SAUSAGEW` in ASCII, as two little-endian words. */
const MAGIC = [0x53554153, 0x57454741] as const;

export type FileKind = 'log' | 'checkpoint';
const KINDS: Record<FileKind, number> = { log: 1, checkpoint: 2 };

export interface Header {
  kind: FileKind;
  /** Counts the checkpoints: the log of a generation continues the checkpoint of the same. */
  generation: number;
  version: number;
}

export const align = (length: number): number => (length + 7) & ~7;

/** Writes a header at the start of the buffer; returns the seed of the first frame. */
export function writeHeader(writer: ByteWriter, header: Omit<Header, 'version'>): number {
  writer.at = 0;
  writer.ensure(HEADER_BYTES);
  for (const word of MAGIC) writer.u32(word);
  writer.u32(KINDS[header.kind]);
  writer.u32(FORMAT_VERSION);
  writer.number(header.generation);
  writer.u32(Math.floor(Math.random() * 2 ** 32));
  const checksum = xxHash32(writer.words, 0, 7, 0);
  writer.u32(checksum);
  return checksum;
}

/** Begins a frame; the body follows and `endFrame` closes it. Returns where the frame begins. */
export function beginFrame(writer: ByteWriter, room: number): number {
  writer.ensure(room + FRAME_BYTES + 8);
  const start = writer.at;
  writer.at = start + FRAME_BYTES;
  return start;
}

/** Closes the frame that began at `start`; `seed` is the checksum of the frame before. Returns its own. */
export function endFrame(writer: ByteWriter, start: number, seed: number): number {
  const length = writer.at - start - FRAME_BYTES;
  const end = start + FRAME_BYTES + align(length);
  writer.bytes.fill(0, writer.at, end);
  const words = writer.words;
  words[start / 4] = length;
  const checksum = xxHash32(words, start / 4 + 2, end / 4, seed ^ length);
  words[start / 4 + 1] = checksum;
  writer.at = end;
  return checksum;
}

export type ReadHeader = (Header & { seed: number }) | 'empty' | 'damaged';

/** Reads the header; throws `unsupported` when a newer version of the page wrote the file. `bytes` start at a multiple of eight. */
export function readHeader(bytes: Uint8Array<ArrayBuffer>, kind: FileKind): ReadHeader {
  if (bytes.length < HEADER_BYTES) return bytes.length === 0 ? 'empty' : 'damaged';
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, HEADER_BYTES / 4);
  if (words.every((word) => word === 0)) return 'empty';
  if (words[7] !== xxHash32(words, 0, 7, 0) || words[0] !== MAGIC[0] || words[1] !== MAGIC[1]) return 'damaged';
  if (words[2] !== KINDS[kind]) return 'damaged';
  if ((words[3] as number) > FORMAT_VERSION) {
    throw new FsError(
      'unsupported',
      `this world was last opened by a newer version of this page (its files have format ${words[3]}, this page knows ${FORMAT_VERSION}): reload the page to get the new version`,
    );
  }
  return {
    kind,
    generation: new ByteReader(bytes, 16).number(),
    version: words[3] as number,
    seed: words[7] as number,
  };
}

/**
 * Calls `visit` with the body of each frame from `from` on, in order, as long as they are whole; `seed` is the checksum
 * before the first. Returns where the last of them ends, and its checksum, from which a writer can go on.
 */
export function readRun(
  bytes: Uint8Array<ArrayBuffer>,
  seed: number,
  visit: (body: ByteReader) => void,
  from: number,
): { end: number; seed: number } {
  // Words can be read where damage has not moved them.
  const moved = from % 4 === 0 ? 0 : from;
  const frames = moved === 0 ? bytes : bytes.slice(moved);
  const words = new Uint32Array(frames.buffer, frames.byteOffset, frames.length >>> 2);
  let at = from - moved;
  for (;;) {
    if (at + FRAME_BYTES > frames.length) break;
    const length = words[at / 4] as number;
    const end = at + FRAME_BYTES + align(length);
    if (length === 0 || end > frames.length) break;
    const checksum = xxHash32(words, at / 4 + 2, end / 4, seed ^ length);
    if (checksum !== words[at / 4 + 1]) break;
    visit(new ByteReader(frames, at + FRAME_BYTES, at + FRAME_BYTES + length));
    seed = checksum;
    at = end;
  }
  return { end: at + moved, seed };
}
