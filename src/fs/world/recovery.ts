import { ByteReader } from './bytes.ts';
import { xxHash32 } from './checksum.ts';
import { align, FRAME_BYTES, HEADER_BYTES, readRun } from './frames.ts';

/** A body is never longer: what claims to be is no frame. */
const LONGEST = 128 * 1024;
/** The first byte of a body is its type. */
const TYPES = 32;
/** Bytes that one search takes checksums of at most: it ends, whatever the file is filled with. */
const EFFORT = 512 * 1024 * 1024;
/** What a file system writes at once. Where it never did, the log has the zeros with which it was made longer. */
const PAGE = 4096;

/** What `readFrames` found. */
export interface ReadFrames {
  /** Where the last whole frame ends, and its checksum: from there a writer can go on. */
  end: number;
  seed: number;
  /** Something other than zeros stands behind it: so many bytes. */
  torn: number;
  /** Damaged places with whole frames behind them. */
  holes: number;
  /** The file ends within a frame, or right behind one. */
  cut: boolean;
}

/**
 * Calls `visit` with the body of each whole frame from `from` on, in order, those behind damage too; `seed` is the checksum
 * before the first. `onHole` is called before what stands behind damage.
 */
export function readFrames(
  bytes: Uint8Array<ArrayBuffer>,
  seed: number,
  visit: (body: ByteReader) => void,
  from = HEADER_BYTES,
  onHole: () => void = () => {},
): ReadFrames {
  let run = readRun(bytes, seed, visit, from);
  for (let holes = 0; ; holes++) {
    const torn = bytes.subarray(run.end).findLastIndex((byte) => byte !== 0) + 1;
    // Where nothing was read, bytes may be missing before.
    const low = holes === 0 && run.end === from ? HEADER_BYTES : run.end + 1;
    const next = torn > 0 ? findNext(bytes, run.end, run.seed, low) : undefined;
    if (!next || neverWritten(bytes, run.end, next.at)) return { ...run, torn, holes, cut: isCut(bytes, run.end) };
    onHole();
    run = next.unchecked ? readUnchecked(bytes, visit, next.at) : { end: next.at, seed: next.seed };
    run = readRun(bytes, run.seed, visit, run.end);
  }
}

function isCut(bytes: Uint8Array<ArrayBuffer>, at: number): boolean {
  if (at + FRAME_BYTES > bytes.length) return true;
  const length = new ByteReader(bytes, at).u32();
  return length > 0 && length <= LONGEST && at + FRAME_BYTES + align(length) > bytes.length;
}

function readUnchecked(
  bytes: Uint8Array<ArrayBuffer>,
  visit: (body: ByteReader) => void,
  at: number,
): { end: number; seed: number } {
  const head = new ByteReader(bytes, at);
  const length = head.u32();
  const seed = head.u32();
  visit(new ByteReader(bytes, at + FRAME_BYTES, at + FRAME_BYTES + length));
  return { end: at + FRAME_BYTES + align(length), seed };
}

/** A frame behind a damaged place, and the checksum before it. */
interface Resumed {
  at: number;
  seed: number;
  /** Nothing is left with which it could be checked; the frame behind it proves its length and its checksum. */
  unchecked: boolean;
}

interface Candidate {
  at: number;
  length: number;
  checksum: number;
  end: number;
}

/** Looks for frames in bytes of which some were changed, taken out or put in. */
class Search {
  private readonly bytes: Uint8Array<ArrayBuffer>;
  private readonly view: DataView;
  private effort = EFFORT;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get exhausted(): boolean {
    return this.effort <= 0;
  }

  /** What stands at a place, when it can be a frame at all. */
  at(at: number): Candidate | undefined {
    if (at + FRAME_BYTES >= this.bytes.length) return undefined;
    const length = this.view.getUint32(at, true);
    const end = at + FRAME_BYTES + align(length);
    const type = this.bytes[at + FRAME_BYTES] as number;
    if (length === 0 || length > LONGEST || end > this.bytes.length || type === 0 || type >= TYPES) return undefined;
    return { at, length, checksum: this.view.getUint32(at + 4, true), end };
  }

  checksum({ at, length, end }: Candidate, seeds: Iterable<number>): number[] {
    // Damage may have moved it to a place where its words cannot be read.
    const words = new Uint32Array(this.bytes.slice(at + FRAME_BYTES, end).buffer);
    this.effort -= end - at;
    return Array.from(seeds, (seed) => xxHash32(words, 0, words.length, seed ^ length));
  }
}

/**
 * Where frames go on that stand behind a damaged one at `hole`, from `low` on; undefined when there are none. Each
 * checksum is the seed of the next: as the file has it, or, when it was hit itself, as its frame gives it.
 */
function findNext(bytes: Uint8Array<ArrayBuffer>, hole: number, seed: number, low: number): Resumed | undefined {
  const search = new Search(bytes);
  const seeds = new Set([seed]);
  if (hole + FRAME_BYTES <= bytes.length)
    seeds.add(new DataView(bytes.buffer, bytes.byteOffset).getUint32(hole + 4, true));
  const broken = search.at(hole);
  if (broken) for (const checksum of search.checksum(broken, [seed])) seeds.add(checksum);
  const known = [...seeds];
  for (let at = low; at < bytes.length && !search.exhausted; at++) {
    const frame = search.at(at);
    if (!frame) continue;
    const found = search.checksum(frame, known).indexOf(frame.checksum);
    if (found >= 0) return { at, seed: known[found] as number, unchecked: false };
  }
  // What is within a frame that was cut is no frame, whatever it looks like.
  for (let at = broken?.end ?? hole + 1; at < bytes.length && !search.exhausted; at++) {
    const frame = search.at(at);
    const next = frame && search.at(frame.end);
    if (next && search.checksum(next, [frame.checksum])[0] === next.checksum) return { at, seed, unchecked: true };
  }
  return undefined;
}

/** Whether a page between two places was never written: it is no damage, but what a crash of the machine leaves. */
function neverWritten(bytes: Uint8Array, from: number, to: number): boolean {
  for (let end = from - (from % PAGE) + PAGE; end <= to; end += PAGE) {
    if (bytes.subarray(Math.max(from, end - PAGE), end).every((byte) => byte === 0)) return true;
  }
  return false;
}

/** What a damaged header still says: its checksum is the seed of the first frame, which proves it. */
export function readDamagedHeader(bytes: Uint8Array<ArrayBuffer>): { generation: number; seed: number } | undefined {
  if (bytes.length <= HEADER_BYTES) return undefined;
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, HEADER_BYTES / 4);
  const seeds = [words[7] as number, xxHash32(words, 0, 7, 0)];
  const search = new Search(bytes);
  const first = search.at(HEADER_BYTES);
  const proved = first ? search.checksum(first, seeds).indexOf(first.checksum) : -1;
  const generation = new DataView(bytes.buffer, bytes.byteOffset).getFloat64(16, true);
  const seed = seeds[Math.max(0, proved)] as number;
  if (proved < 0 && !findNext(bytes, 0, seed, 1)) return undefined;
  return { generation: Number.isSafeInteger(generation) && generation > 0 ? generation : 0, seed };
}
