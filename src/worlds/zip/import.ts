import {
  BlobReader,
  type Entry,
  ERR_AMBIGUOUS_ARCHIVE,
  ERR_BAD_FORMAT,
  ERR_EOCDR_NOT_FOUND,
  ERR_INVALID_COMPRESSED_DATA,
  ERR_INVALID_CRC32,
  ERR_INVALID_UNCOMPRESSED_SIZE,
  ERR_OVERLAPPING_ENTRY,
  type FileEntry,
  Uint8ArrayReader,
  ZipReader,
} from '@zip.js/zip.js/lib/zip-core-native.js';
import { FsError } from '../../fs/errors.ts';
import type { Namespace } from '../../fs/filesystem.ts';
import { MAX_PATH_BYTES } from '../../fs/names.ts';
import { ZipError } from './error.ts';
import { checkTarget, isMarkOfOwn, MARK_BYTES, type Planned, planEntry, refuseConflicts, unwrap } from './names.ts';

export interface ImportLimits {
  entries: number;
  /** Bytes of all files together. */
  bytes: number;
}

export const DEFAULT_LIMITS: ImportLimits = { entries: 100_000, bytes: 2 * 1024 ** 3 };

export interface ImportOptions {
  limits?: Partial<ImportLimits>;
  /** Bytes that are free, where it is known: a larger world is refused before anything is written. */
  available?: number;
  /** Bytes that are written, of how many. */
  onProgress?: (done: number, total: number) => void;
}

/** A zip up to this size is read as a whole: each part read from a blob costs a message to the browser and back. */
const IN_MEMORY = 32 * 1024 * 1024;
const STORED = 0;
const DEFLATED = 8;

/**
 * Fills an empty world from a zip. All that the directory of the zip says is checked before anything is written, and its
 * content against the directory while it is. When it rejects (`ZipError`) the world is half full: delete it. The inverse
 * of `exportWorld`.
 */
export async function importWorld(zip: Blob, world: Namespace, options: ImportOptions = {}): Promise<void> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const source =
    zip.size > IN_MEMORY ? new BlobReader(zip) : new Uint8ArrayReader(new Uint8Array(await zip.arrayBuffer()));
  const reader = new ZipReader(source, { useWebWorkers: false, ...STRICT });
  try {
    const entries = await plan(reader, zip, limits);
    const total = checkSizes(entries, limits, options.available);
    const filler = new Filler(world, (done) => options.onProgress?.(done, total));
    for (const entry of entries) if (entry.kind === 'directory') await filler.directory(entry);
    for (const entry of entries) if (entry.kind === 'file') await filler.file(entry);
    // Last, so that nothing is ever written through a link.
    for (const entry of entries) if (entry.kind === 'link') await filler.link(entry);
    for (const entry of entries.reverse()) if (entry.kind === 'directory') await filler.time(entry);
  } finally {
    await reader.close();
  }
}

/** Two programs must not see two things in one zip; names are checked here, in words of our own. */
const STRICT = {
  strictness: 'strict',
  filenameValidation: 'tolerant',
  checkCrc32: true,
  checkOverlappingEntry: true,
} as const;

/** The last record of a zip, without its comment. */
const END_BYTES = 22;
const END_SIGNATURE = 0x06054b50;

async function plan(reader: ZipReader<unknown>, zip: Blob, limits: ImportLimits): Promise<Planned[]> {
  const found: Entry[] = [];
  const names = new Set<string>();
  let count = 0;
  // Called with each entry; how many there are to be is known at the first.
  const onprogress = async (_done: number, total: number) => {
    count = total;
  };
  try {
    for await (const entry of reader.getEntriesGenerator({ onprogress })) {
      if (count > limits.entries || found.length >= limits.entries) {
        throw new ZipError(`there are more than ${limits.entries} entries`, entry.filename);
      }
      if (entry.encrypted) throw new ZipError('it is encrypted', entry.filename);
      if (!entry.directory && entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) {
        throw new ZipError(
          `it is packed in a way that is not known (method ${entry.compressionMethod})`,
          entry.filename,
        );
      }
      if (names.has(entry.filename)) throw new ZipError('the name is there twice', entry.filename);
      names.add(entry.filename);
      found.push(entry);
    }
  } catch (error) {
    throw error instanceof ZipError ? error : await explain(error, zip);
  }
  if (await isCutInComment(zip)) throw new ZipError('the zip archive is damaged or cut off: its end is missing');
  // The comment is known after the last entry.
  const own = isMarkOfOwn(reader.comment);
  const planned = found.map((entry) => planEntry(entry, own));
  const entries = unwrap(planned, own);
  refuseConflicts(entries);
  return entries;
}

/** The library takes a comment that is shorter than it says. */
async function isCutInComment(zip: Blob): Promise<boolean> {
  const tail = new DataView(await zip.slice(-(END_BYTES + MARK_BYTES)).arrayBuffer());
  for (let left = 0; left < MARK_BYTES; left++) {
    const at = tail.byteLength - END_BYTES - left;
    if (at >= 0 && tail.getUint32(at, true) === END_SIGNATURE) return tail.getUint16(at + 20, true) > left;
  }
  return false;
}

function checkSizes(entries: Planned[], limits: ImportLimits, available = Number.POSITIVE_INFINITY): number {
  let total = 0;
  for (const { kind, entry } of entries) {
    if (kind === 'directory') continue;
    total += entry.uncompressedSize;
    if (total > limits.bytes) {
      throw new ZipError(
        `with it the world has more than ${megabytes(limits.bytes)}, which is the limit`,
        entry.filename,
      );
    }
    if (total > available) {
      throw new ZipError(`with it the world has more than the ${megabytes(available)} that are free`, entry.filename);
    }
  }
  return total;
}

/** Writes entries into the world. */
class Filler {
  private readonly world: Namespace;
  private readonly onProgress: (done: number) => void;
  private readonly made = new Set<string>(['']);
  private done = 0;

  constructor(world: Namespace, onProgress: (done: number) => void) {
    this.world = world;
    this.onProgress = onProgress;
  }

  directory({ path, entry }: Planned): Promise<void> {
    return naming(entry.filename, () => this.makeDirectory(path));
  }

  async file(planned: Planned): Promise<void> {
    const { path, entry } = planned;
    await naming(entry.filename, async () => {
      await this.makeDirectory(parentOf(path));
      const { world } = this;
      const node = await world.open(world.root, `/${path}`, { create: true, exclusive: true, write: true });
      const file = await node.fs.open(node);
      try {
        let offset = 0;
        await unpack(entry, async (chunk) => {
          await file.write(offset, chunk);
          offset += chunk.length;
          this.onProgress((this.done += chunk.length));
        });
      } finally {
        await file.close();
      }
    });
    await this.time(planned);
  }

  link(planned: Planned): Promise<void> {
    const { path, entry } = planned;
    return naming(entry.filename, async () => {
      if (entry.uncompressedSize > MAX_PATH_BYTES)
        throw new ZipError('the target of the link is too long', entry.filename);
      const chunks: Uint8Array<ArrayBuffer>[] = [];
      await unpack(entry, (chunk) => chunks.push(chunk));
      const target = await new Blob(chunks).text();
      checkTarget(planned, target);
      await this.makeDirectory(parentOf(path));
      await this.world.createLink(target, this.world.root, `/${path}`);
      this.onProgress((this.done += entry.uncompressedSize));
      await this.time(planned);
    });
  }

  time({ path, entry }: Planned): Promise<void> {
    return naming(entry.filename, async () => {
      const modified = BigInt(entry.lastModDate.getTime()) * 1_000_000n;
      await this.world.setTimes(this.world.root, `/${path}`, { modified }, { follow: false });
    });
  }

  private async makeDirectory(path: string): Promise<void> {
    if (this.made.has(path)) return;
    await this.world.createDirectories(`/${path}`);
    for (let part = path; part !== ''; part = parentOf(part)) this.made.add(part);
  }
}

/** Hands the content of an entry on; throws when it is not what the directory of the zip says. */
async function unpack(entry: Entry, write: (chunk: Uint8Array<ArrayBuffer>) => unknown): Promise<void> {
  let size = 0;
  const sink = new WritableStream<Uint8Array<ArrayBuffer>>({
    async write(chunk) {
      size += chunk.length;
      // Before it is written: a bomb ends here.
      if (size > entry.uncompressedSize) throw new Error(ERR_INVALID_UNCOMPRESSED_SIZE);
      await write(chunk);
    },
  });
  await (entry as FileEntry).getData(sink);
  if (size !== entry.uncompressedSize) throw new Error(ERR_INVALID_UNCOMPRESSED_SIZE);
}

const SENTENCES: Record<string, string> = {
  [ERR_AMBIGUOUS_ARCHIVE]: 'the zip says two different things about it',
  [ERR_INVALID_CRC32]: 'its content is damaged (the checksum differs)',
  [ERR_INVALID_COMPRESSED_DATA]: 'its content is damaged',
  [ERR_INVALID_UNCOMPRESSED_SIZE]: 'it is not as large as the zip says',
  [ERR_OVERLAPPING_ENTRY]: 'it shares its bytes with another entry',
};

/** Runs a step for one entry; its errors name the entry. */
async function naming(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof ZipError) throw error;
    const { message } = error as Error;
    const sentence = error instanceof FsError ? message : (SENTENCES[message] ?? `it cannot be read: ${message}`);
    throw new ZipError(sentence, name, { cause: error });
  }
}

/** What is wrong with a zip whose directory cannot be read. */
async function explain(error: unknown, zip: Blob): Promise<ZipError> {
  const { message, reason } = error as Error & { reason?: string };
  const start = await zip.slice(0, 60).text();
  const unknown = message === ERR_EOCDR_NOT_FOUND || message === ERR_BAD_FORMAT;
  if (!unknown || start.startsWith('PK')) {
    const what = unknown ? 'its end is missing' : (reason ?? message);
    return new ZipError(`the zip archive is damaged or cut off: ${what}`, undefined, { cause: error });
  }
  const begin = zip.size === 0 ? 'it is empty' : `it begins with ${JSON.stringify(start.slice(0, 40))}`;
  return new ZipError(`this is not a zip archive: ${begin}`, undefined, { cause: error });
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 ** 2)} MiB`;
}
