import { Uint8ArrayReader, ZipWriter } from '@zip.js/zip.js/lib/zip-core-native.js';
import type { Namespace, OpenFile } from '../../fs/filesystem.ts';
import { markOfOwn } from './names.ts';
import { blankTokens, secretRule } from './secrets.ts';
import { listTree, type TreeEntry } from './tree.ts';

export interface ExportOptions {
  /** False leaves out `config/secrets.json` and the token of `config/agent.json`. True when not given. */
  secrets?: boolean;
  /** False leaves out the journal. True when not given. */
  journal?: boolean;
  /** Entries that are in the zip, of how many. */
  onProgress?: (done: number, total: number) => void;
  /** Runs around the copy of each file: whoever writes to that file can hold still meanwhile. `path` is absolute. */
  guard?: (path: string, copy: () => Promise<void>) => Promise<void>;
}

/** What the journal's files begin with: those that SQLite keeps beside it, and damaged ones (R7-7), are among them. */
const JOURNAL = 'state/core/journal.sqlite';
/** Files up to this size are read in one step, so that the copy is of one moment. */
const READ_BYTES = 1024 * 1024;
/** Parts of the zip are given to the browser in pieces of this size, which it may keep on disk. */
const PIECE_BYTES = 4 * 1024 * 1024;
const MODE = { file: 0o100644, directory: 0o040755, link: 0o120777 } as const;

/**
 * The whole world as a zip. Times are kept to the millisecond, symbolic links as Unix writes them; a hard link becomes a
 * file of its own. Files that change meanwhile are as they were when they were read. The inverse of `importWorld`.
 */
export async function exportWorld(world: Namespace, options: ExportOptions = {}): Promise<Blob> {
  const rule = options.secrets === false ? secretRule(world) : () => 'keep' as const;
  const guard = options.guard ?? ((_path, copy) => copy());
  const isOut = (path: string) => options.journal === false && path.startsWith(JOURNAL);
  const entries = listTree(world).filter((entry) => rule(entry) !== 'leave out' && !isOut(entry.path));
  const pieces = new BlobPieces();
  const zip = new ZipWriter(new WritableStream({ write: (chunk: Uint8Array) => pieces.add(chunk) }), {
    useWebWorkers: false,
    keepOrder: true,
    // Without it times are whole seconds.
    ntfsTimestamp: true,
  });
  let done = 0;
  for (const entry of entries) {
    if (entry.kind === 'file') {
      await guard(`/${entry.path}`, () => addFile(zip, entry, rule(entry) === 'blank tokens'));
    } else if (entry.kind === 'directory') {
      await zip.add(`${entry.path}/`, undefined, { ...attributesOf(entry), directory: true });
    } else {
      const target = new TextEncoder().encode(
        containedTarget(entry.path, world.readLink(world.root, `/${entry.path}`)),
      );
      await zip.add(entry.path, new Uint8ArrayReader(target), { ...attributesOf(entry), level: 0 });
    }
    options.onProgress?.(++done, entries.length);
  }
  await zip.close(markOfOwn());
  return pieces.join();
}

type Zip = ZipWriter<unknown>;

async function addFile(zip: Zip, entry: TreeEntry, blank: boolean): Promise<void> {
  const file = await entry.node.fs.open(entry.node);
  try {
    // One byte more than the file should have: a shorter read has reached the end.
    const first = new Uint8Array(Math.min(READ_BYTES, entry.stat.size + 1));
    const count = await file.read(0, first);
    let whole = count < first.length ? first.subarray(0, count) : undefined;
    if (blank) {
      const blanked = blankTokens(new TextDecoder().decode(whole));
      if (blanked === undefined) return;
      whole = new TextEncoder().encode(blanked);
    }
    await zip.add(entry.path, whole ? new Uint8ArrayReader(whole) : streamOf(file, first), attributesOf(entry));
  } finally {
    await file.close();
  }
}

/** The content of a file from its begin, of which `first` is known. */
function streamOf(file: OpenFile, first: Uint8Array): ReadableStream<Uint8Array> {
  let offset = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        let chunk = first;
        if (offset > 0) {
          chunk = new Uint8Array(READ_BYTES);
          chunk = chunk.subarray(0, await file.read(offset, chunk));
        }
        offset += chunk.length;
        if (chunk.length > 0) controller.enqueue(chunk);
        else controller.close();
      },
    },
    { highWaterMark: 1 },
  );
}

/** In a world `..` of the root is the root; where the zip is unpacked it is not, so steps beyond the root are left out. */
function containedTarget(path: string, target: string): string {
  let depth = path.split('/').length - 1;
  const steps = target.split('/').filter((step) => {
    if (step !== '..') {
      if (step !== '' && step !== '.') depth++;
      return true;
    }
    if (depth === 0) return false;
    depth--;
    return true;
  });
  return steps.join('/').replace(/^\/+/, '') || '.';
}

function attributesOf({ kind, stat }: TreeEntry) {
  return { unixMode: MODE[kind], lastModDate: new Date(Number(stat.modified / 1_000_000n)) };
}

/** Collects a blob without ever holding all of it in this thread. */
class BlobPieces {
  private readonly pieces: Blob[] = [];
  private chunks: Uint8Array<ArrayBuffer>[] = [];
  private bytes = 0;

  add(chunk: Uint8Array): void {
    this.chunks.push(chunk.slice());
    this.bytes += chunk.length;
    if (this.bytes >= PIECE_BYTES) this.flush();
  }

  join(): Blob {
    this.flush();
    return new Blob(this.pieces, { type: 'application/zip' });
  }

  private flush(): void {
    this.pieces.push(new Blob(this.chunks));
    this.chunks = [];
    this.bytes = 0;
  }
}
