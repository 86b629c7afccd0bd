import { FsError } from '../errors.ts';
import type { TreeNode } from '../tree.ts';
import type { Content } from './content.ts';
import { StorageError, type StorageHandle } from './storage.ts';

/** Neighbouring pieces of pending data are joined up to so many bytes for one write. */
const RUN_BYTES = 1024 * 1024;

export const diskFull = (): FsError => new FsError('insufficient-space', 'no space is left on the disk for this world');

/** The open handles of the files of a world: at most `limit`, the one that was not used for longest goes first. */
export class Handles {
  private readonly limit: number;
  private readonly nodes = new Set<TreeNode<Content>>();
  private clock = 0;
  private opening = 0;
  private readonly leaving: (node: TreeNode<Content>) => void;

  /** `leaving` is called with a file before its handle is closed. */
  constructor(limit: number, leaving: (node: TreeNode<Content>) => void) {
    this.limit = limit;
    this.leaving = leaving;
  }

  /** The handle of a file, when it is open and nobody moves the file. */
  get(content: Content): StorageHandle | undefined {
    if (content.busy) return undefined;
    content.used = ++this.clock;
    return content.handle;
  }

  /** Closes handles that were not used for long, so that `more` can be opened. */
  makeRoom(more = 1): void {
    while (this.nodes.size + this.opening + more > this.limit && this.evict()) {}
  }

  /** Opens the handle of a file that has a place, after `makeRoom`. The content is locked by the caller. */
  async open(node: TreeNode<Content>): Promise<StorageHandle> {
    const content = node.content!;
    content.used = ++this.clock;
    if (content.handle) return content.handle;
    const { directory, name } = content.place!;
    this.opening++;
    try {
      const file = await (await directory.open()).file(name, content.unmade);
      const handle = await file.open();
      content.handle = handle;
      content.unmade = false;
      this.nodes.add(node);
      return handle;
    } finally {
      this.opening--;
    }
  }

  /** Flushes and closes; the content is then only in the storage. */
  close(node: TreeNode<Content>): void {
    const content = node.content!;
    if (!content.handle) return;
    this.leaving(node);
    this.flush(content);
    content.handle.close();
    content.handle = undefined;
    this.nodes.delete(node);
  }

  closeAll(): void {
    for (const node of this.nodes) this.close(node);
  }

  /** What only a handle has is made safe from a crash of the machine: the log may then say what came after. */
  flushUnsafe(): void {
    for (const { content } of this.nodes) if (content!.unsafe) this.flush(content!);
  }

  /** The files that have a handle. */
  get files(): Iterable<TreeNode<Content>> {
    return this.nodes;
  }

  /** Files whose handles have written since their last flush. */
  *unflushed(): Generator<Content> {
    for (const { content } of this.nodes) if (content!.unflushed) yield content!;
  }

  flush(content: Content): void {
    if (content.unflushed) content.handle?.flush();
    content.unflushed = content.unsafe = false;
  }

  private evict(): boolean {
    let oldest: TreeNode<Content> | undefined;
    for (const node of this.nodes) {
      if (!node.content!.busy && (!oldest || node.content!.used < oldest.content!.used)) oldest = node;
    }
    if (oldest) this.close(oldest);
    return oldest !== undefined;
  }
}

/** Brings what is pending of a file into the storage; done twice it does the same. Throws `no-space` with all still pending. */
export function applyPending(node: TreeNode<Content>, handle: StorageHandle): void {
  const content = node.content!;
  if (!content.pending) return;
  content.unflushed = true;
  if (handle.size() > content.baseEnd && !handle.truncate(content.baseEnd)) throw noSpace();
  for (const { start, data } of content.extents.runs(RUN_BYTES)) {
    if (handle.write(data, start) < data.length) throw noSpace();
  }
  if (handle.size() !== node.size && !handle.truncate(node.size)) throw noSpace();
  content.extents.clear();
  content.lengthPending = false;
  content.baseEnd = node.size;
}

function noSpace(): StorageError {
  return new StorageError('no-space', 'the disk is full');
}
