import type { TreeNode } from '../tree.ts';
import { type Content, lock } from './content.ts';
import { applyPending, type Handles } from './handles.ts';
import { Locations } from './locations.ts';
import type { WriteAheadLog } from './log.ts';
import { type Mirror, StoredDirectory } from './mirror.ts';
import { type Item, isMissing, Mover } from './mover.ts';
import { Pace } from './pace.ts';
import { StorageError } from './storage.ts';

/** Things that the storage does at the same time. */
const PARALLEL = 16;
/** Milliseconds between a change and its way to the storage: a file that is written and renamed goes there once. */
const DELAY = 5;
/**
 * Milliseconds without a change after which the storage is worked on. To open, flush and close a file costs it
 * milliseconds in which no call of a program is answered, so a burst of changes is left to the log until it is over.
 */
const QUIET = 25;
/** What waits so long, in milliseconds, gets there although changes go on. */
const LONGEST = 1000;
/** Milliseconds before something that failed is tried again. */
const RETRY = 1000;
/** Who waits for something that failed so often is told. */
const PATIENCE = 5;

type File = TreeNode<Content>;

/** What is done before some of the items are done. */
interface Barrier {
  readonly items: Set<Item>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface ApplierParts {
  readonly root: File;
  readonly log: WriteAheadLog;
  readonly mirror: Mirror;
  readonly handles: Handles;
  readonly folds: boolean;
  /** The log has grown so much that its records must get into the storage although changes go on. */
  pressed(): boolean;
  /** The storage has no longer what it should have: somebody else removed it. */
  lost(node: File): void;
  /** Somebody else's folder stands where the file is to be. */
  displaced(node: File): void;
  /** Something failed for another reason than a full disk. */
  failed(error: unknown): void;
}

/**
 * Brings the folder in the storage up to date in the background. It works on states, not on single changes: an item says
 * that something is to be compared, and what comes out of it depends only on the tree as it is then.
 */
export class Applier {
  private readonly parts: ApplierParts;
  readonly locations: Locations;
  private readonly mover: Mover;
  private readonly waiting = new Set<Item>();
  private readonly active = new Set<Item>();
  private readonly barriers = new Set<Barrier>();
  private readonly failures = new Map<Item, number>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly pace = new Pace();
  private delay = 0;
  private changed = Number.NEGATIVE_INFINITY;
  /** When the storage was last up to date, or worked on. */
  private since = Number.NEGATIVE_INFINITY;
  /** So many items have waited too long. */
  private overdue = 0;
  private closed = false;
  /** The last try failed because the disk is full. */
  diskFull = false;

  constructor(parts: ApplierParts) {
    this.parts = parts;
    const { root, log, mirror, handles, folds, lost, displaced } = parts;
    this.locations = new Locations(root, mirror, folds);
    const again = (source: Item, item: Item): void => this.addFrom(source, item);
    this.mover = new Mover({ locations: this.locations, log, handles, pace: this.pace, again, lost, displaced });
  }

  get idle(): boolean {
    return this.waiting.size === 0 && this.active.size === 0;
  }

  add(item: Item): void {
    // A symbolic link is in checkpoint and log only.
    if (this.closed || (!(item instanceof StoredDirectory) && item.kind === 'link')) return;
    this.changed = performance.now();
    if (this.idle) this.since = this.changed;
    this.enqueue(item);
  }

  private enqueue(item: Item): void {
    this.waiting.add(item);
    this.schedule(DELAY);
  }

  /** Resolves when all that is waiting now is done, with what comes out of it. */
  barrier(): Promise<void> {
    const items = new Set([...this.waiting, ...this.active]);
    if (items.size === 0) return Promise.resolve();
    const passed = new Promise<void>((resolve, reject) => this.barriers.add({ items, resolve, reject }));
    this.pump();
    return passed;
  }

  /** After a boot: finds what is not in the storage as the tree has it. */
  check(): void {
    this.checkFolder(this.parts.root, this.parts.mirror.files);
  }

  private checkFolder(node: File, folder: StoredDirectory): void {
    for (const [name, child] of node.children!) {
      if (child.children) {
        const known = folder.directories.get(this.locations.stored(name));
        if (!known || known.unmade) this.add(child);
        if (known) this.checkFolder(child, known);
      } else if (child.content) {
        const { pending, unmade, mayHaveTail } = child.content;
        if (pending || unmade || mayHaveTail || !this.locations.inPlace(child)) this.add(child);
      }
    }
    for (const known of folder.directories.values()) if (!this.locations.nodeOf(known)) this.add(known);
  }

  /** Nothing is begun any more. */
  close(): void {
    this.closed = true;
    this.mover.close();
    clearTimeout(this.timer);
  }

  /** Begins what waits, now. */
  pump(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const left = this.rest();
    if (left > 0) {
      this.schedule(left);
      return;
    }
    // On a full disk most of what waits fails again and again; what makes room must not stand behind it.
    if (this.diskFull) this.begin((item) => this.frees(item));
    this.begin(() => true);
  }

  /** Begins what waits and is meant, as much as is done at the same time. */
  private begin(meant: (item: Item) => boolean): void {
    for (const item of this.waiting) {
      if (this.active.size >= PARALLEL || this.closed) return;
      if (this.active.has(item) || !meant(item)) continue;
      this.waiting.delete(item);
      this.active.add(item);
      if (this.overdue > 0) this.overdue--;
      void this.run(item);
    }
  }

  /** There is more room in the storage when the item is done. */
  private frees(item: Item): boolean {
    if (item instanceof StoredDirectory) return true;
    if (!item.named) return item.opens === 0;
    const { content, size } = item;
    return content?.lengthPending === true && content.extents.empty && content.baseEnd === size;
  }

  /** Milliseconds for which the changes of a moment ago are still to be left to the log. */
  private rest(): number {
    if (this.barriers.size > 0 || this.overdue > 0 || this.parts.pressed()) return 0;
    const now = performance.now();
    if (now - this.since >= LONGEST) {
      this.since = now;
      this.overdue = this.waiting.size;
      return 0;
    }
    return Math.max(0, this.changed + QUIET - now);
  }

  private schedule(delay: number): void {
    if (this.timer !== undefined && delay >= this.delay) return;
    clearTimeout(this.timer);
    this.delay = delay;
    this.timer = setTimeout(() => this.pump(), delay);
  }

  private async run(item: Item): Promise<void> {
    try {
      if (item instanceof StoredDirectory) await this.mover.clear(item);
      else if (item.kind === 'file') await this.store(item);
      else if (item.children) await this.storeDirectory(item);
      this.diskFull = false;
      this.failures.delete(item);
      this.active.delete(item);
      this.pass(item);
    } catch (error) {
      this.active.delete(item);
      if (this.closed) return;
      this.waiting.add(item);
      this.waitAgain(item, error);
      return;
    }
    if (this.waiting.size > 0) this.pump();
  }

  private waitAgain(item: Item, error: unknown): void {
    const failures = (this.failures.get(item) ?? 0) + 1;
    this.failures.set(item, failures);
    this.diskFull = error instanceof StorageError && error.code === 'no-space';
    if (!this.diskFull && failures > 1) this.parts.failed(error);
    if (this.diskFull || failures >= PATIENCE) {
      for (const barrier of this.barriers) {
        if (!barrier.items.has(item)) continue;
        this.barriers.delete(barrier);
        barrier.reject(error);
      }
    }
    this.schedule(failures > 1 || this.diskFull ? RETRY : DELAY);
  }

  /** An item is done: it holds no barrier any more, unless it waits again. */
  private pass(item: Item): void {
    for (const barrier of this.barriers) {
      if (this.waiting.has(item) || !barrier.items.delete(item) || barrier.items.size > 0) continue;
      this.barriers.delete(barrier);
      barrier.resolve();
    }
  }

  /** Something came out of an item: who waits for that one waits for this too. */
  private addFrom(source: Item, item: Item): void {
    for (const barrier of this.barriers) if (barrier.items.has(source)) barrier.items.add(item);
    // A symbolic link is in checkpoint and log only.
    if (!this.closed && (item instanceof StoredDirectory || item.kind !== 'link')) this.enqueue(item);
  }

  private async store(node: File): Promise<void> {
    const content = node.content;
    if (!content) return;
    if (!node.named && node.opens === 0) return this.mover.erase(node, content);
    if (!node.named && !content.place) return;
    await this.mover.place(node);
    if (content.pending || content.unmade || content.mayHaveTail) await this.apply(node);
  }

  /** Opens the file and writes what is pending. Without data the file is only made. */
  private async apply(node: File): Promise<void> {
    const content = node.content!;
    const release = await lock(content);
    try {
      if (!content.place) return;
      const handle = await this.open(node);
      await this.pace.run(() => applyPending(node, handle));
    } finally {
      release();
    }
  }

  /**
   * Makes sure that a file is in the storage and open. A file without a name gets its place among the orphans. Who waits
   * for it then looks for the handle; would each lock the file for itself, they would find it locked by one another for ever.
   */
  ready(node: File): Promise<void> {
    const content = node.content!;
    content.readying ??= this.makeReady(node).finally(() => {
      content.readying = undefined;
    });
    return content.readying;
  }

  private async makeReady(node: File): Promise<void> {
    const content = node.content!;
    if (!content.place || content.moving) await this.mover.place(node);
    const release = await lock(content);
    try {
      if (content.place) await this.open(node);
    } finally {
      release();
    }
  }

  private async open(node: File): Promise<NonNullable<Content['handle']>> {
    const content = node.content!;
    if (!content.handle) await this.pace.run(() => this.parts.handles.makeRoom());
    const handle = await this.parts.handles.open(node).catch(async (error: unknown) => {
      if (isMissing(error)) this.mover.missing(node);
      if (content.place) await this.mover.obstructed(node, content.place);
      throw error;
    });
    // What a crash left behind the end of the file must not show up when the file grows.
    if (handle.size() > content.baseEnd && (content.mayHaveTail || content.pending || content.baseEnd === 0)) {
      handle.truncate(content.baseEnd);
    }
    content.mayHaveTail = false;
    return handle;
  }

  private async storeDirectory(node: File): Promise<void> {
    if (!node.named) return;
    const folder = await this.mover.folderOf(node);
    if (!folder) return;
    if (folder.unmade) await folder.open();
    for (const child of node.children!.values()) {
      if (child.children || (child.content && !this.locations.inPlace(child))) this.addFrom(node, child);
    }
  }
}
