import type { Namespace, Node, OpenFile } from '../../fs/filesystem.ts';
import { encodeRollback, type SavedPage } from './rollback.ts';
import { type Steps, step } from './steps.ts';

/** A write of so many bytes stands in one record of the file system's log: after a crash it is there or not, never half. */
const ATOMIC_BYTES = 16 * 1024;

/** Somebody removed or replaced the file while it was open: what would be written now would reach nobody. */
export class FileReplacedError extends Error {
  override readonly name = 'FileReplacedError';
}

/**
 * The database file as SQLite, which cannot wait, needs it: changes are kept in memory until the transaction is over and
 * are then written in one go (`commit`), protected by a rollback journal. A page that cannot be read without a wait is
 * asked for and the read fails (`fault`): the caller waits and runs the same transaction again.
 */
export class PageFile {
  /** Set by a read that would have had to wait; resolves when the page is here. */
  fault: Promise<void> | undefined;
  /** A rollback journal from before a crash, which SQLite is to play back; undefined once it has. */
  hot: Uint8Array | undefined;
  /** As SQLite sees it, with the changes. */
  size: number;

  private readonly file: OpenFile;
  private readonly world: Namespace;
  private readonly path: string;
  private readonly pageSize: number;
  /** As it is in the file. */
  private written: number;
  private readonly changed = new Map<number, Uint8Array>();
  private readonly fetched = new Map<number, Uint8Array>();
  private hotOnDisk = false;

  private constructor(world: Namespace, path: string, file: OpenFile, size: number, pageSize: number) {
    this.world = world;
    this.path = path;
    this.file = file;
    this.pageSize = pageSize;
    this.size = this.written = size;
  }

  /** Opens the file, which exists. */
  static *open(world: Namespace, path: string, node: Node, pageSize: number): Steps<PageFile> {
    const file = yield* step(node.fs.open(node));
    const pages = new PageFile(world, path, file, world.stat(node).size, pageSize);
    try {
      pages.hot = yield* step(world.readFile(pages.rollbackPath));
      pages.hotOnDisk = true;
    } catch {
      // The usual case: no crash, no rollback journal.
    }
    return pages;
  }

  get rollbackPath(): string {
    return `${this.path}-journal`;
  }

  /** Fills `into` from `offset` on, beyond the end with zeros; false when a page has to be waited for. */
  read(offset: number, into: Uint8Array): boolean {
    let at = 0;
    while (at < into.length) {
      const index = Math.floor((offset + at) / this.pageSize);
      const start = offset + at - index * this.pageSize;
      const page = this.page(index);
      if (!page) return false;
      const part = page.subarray(start, start + into.length - at);
      into.set(part, at);
      at += part.length;
    }
    return true;
  }

  write(offset: number, data: Uint8Array): void {
    let at = 0;
    while (at < data.length) {
      const index = Math.floor((offset + at) / this.pageSize);
      const start = offset + at - index * this.pageSize;
      const length = Math.min(this.pageSize - start, data.length - at);
      let page = this.changed.get(index);
      if (!page) {
        page = new Uint8Array(this.pageSize);
        if (length < this.pageSize) page.set(this.page(index) ?? []);
        this.changed.set(index, page);
      }
      page.set(data.subarray(at, at + length), start);
      at += length;
    }
    this.size = Math.max(this.size, offset + data.length);
  }

  truncate(size: number): void {
    this.size = size;
    for (const index of this.changed.keys()) if (index * this.pageSize >= size) this.changed.delete(index);
  }

  /** Forgets the changes. The inverse of `write`. */
  discard(): void {
    this.changed.clear();
    this.size = this.written;
  }

  /** The transaction ran to its end: pages that were waited for need not be kept. */
  settle(): void {
    this.fetched.clear();
    this.fault = undefined;
  }

  /**
   * Writes the changes: the rollback journal, the pages, then the rollback journal goes (R7-1: all in one turn unless the
   * file system makes us wait). When it throws, the rollback journal may still be there and the file half written: close,
   * open again, and SQLite puts the old state back.
   */
  *commit(): Steps<void> {
    if (this.changed.size === 0 && this.size === this.written) return;
    const changes = [...this.changed].sort(([a], [b]) => a - b);
    yield* this.protect(changes.map(([index]) => index));
    yield* this.put(changes);
  }

  /**
   * To be called when SQLite has read the file for the first time: writes what it put back from a rollback journal that
   * a crash left behind. That one protects this step too.
   */
  *recover(): Steps<void> {
    if (!this.hotOnDisk) return;
    this.hot = undefined;
    yield* this.put([...this.changed]);
  }

  *close(): Steps<void> {
    yield this.file.close();
  }

  /** Returns when all that was committed survives a crash of the machine. */
  *sync(): Steps<void> {
    yield this.file.sync();
  }

  private *put(changes: [index: number, bytes: Uint8Array][]): Steps<void> {
    for (const run of joinRuns(changes, this.pageSize)) yield this.file.write(run.offset, run.bytes);
    if (this.size < this.written) yield this.file.setSize(this.size);
    yield this.world.unlink(this.world.root, this.rollbackPath);
    this.hotOnDisk = false;
    this.written = this.size;
    this.changed.clear();
  }

  private *protect(indexes: number[]): Steps<void> {
    const saved: SavedPage[] = [];
    for (const index of indexes) {
      const offset = index * this.pageSize;
      if (offset >= this.written) continue;
      const bytes = new Uint8Array(this.pageSize);
      yield this.file.read(offset, bytes);
      saved.push({ index, bytes });
    }
    // Pages that a shrinking file loses are not among the changes, and are needed to go back.
    for (let offset = this.size; offset < this.written; offset += this.pageSize) {
      const bytes = new Uint8Array(this.pageSize);
      yield this.file.read(offset, bytes);
      saved.push({ index: offset / this.pageSize, bytes });
    }
    if (this.replaced()) throw new FileReplacedError(`${this.path} was replaced while it was in use`);
    const nonce = crypto.getRandomValues(new Uint32Array(1))[0]!;
    const bytes = encodeRollback(saved, this.written / this.pageSize, this.pageSize, nonce);
    const node = yield* step(
      this.world.open(this.world.root, this.rollbackPath, { create: true, truncate: true, write: true }),
    );
    const journal = yield* step(node.fs.open(node));
    try {
      for (let at = 0; at < bytes.length; at += ATOMIC_BYTES) {
        yield journal.write(at, bytes.subarray(at, at + ATOMIC_BYTES));
      }
    } finally {
      yield journal.close();
    }
  }

  private replaced(): boolean {
    try {
      return this.world.resolve(this.world.root, this.path, { follow: false }) !== this.file.node;
    } catch {
      return true;
    }
  }

  private page(index: number): Uint8Array | undefined {
    const known = this.changed.get(index) ?? this.fetched.get(index);
    if (known) return known;
    const bytes = new Uint8Array(this.pageSize);
    const offset = index * this.pageSize;
    if (offset >= Math.min(this.size, this.written)) return bytes;
    const count = this.file.read(offset, bytes);
    if (!(count instanceof Promise)) return bytes;
    this.fault = count.then(() => {
      this.fetched.set(index, bytes);
    });
    // Who waits for the fault sees its error; if nobody does, it is no unhandled one.
    this.fault.catch(() => {});
    return undefined;
  }
}

/** Puts neighbouring pages together, as far as one record of the log takes them. */
function joinRuns(changes: [index: number, bytes: Uint8Array][], pageSize: number) {
  const runs: { offset: number; bytes: Uint8Array }[] = [];
  const most = Math.max(1, Math.floor(ATOMIC_BYTES / pageSize));
  for (let i = 0; i < changes.length; ) {
    const first = changes[i]![0];
    let count = 1;
    while (count < most && changes[i + count]?.[0] === first + count) count++;
    const bytes = new Uint8Array(count * pageSize);
    for (let k = 0; k < count; k++) bytes.set(changes[i + k]![1], k * pageSize);
    runs.push({ offset: first * pageSize, bytes });
    i += count;
  }
  return runs;
}
