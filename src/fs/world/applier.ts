import type { TreeNode } from '../tree.ts';
import { type Content, lock } from './content.ts';
import { applyPending, type Handles } from './handles.ts';
import type { WriteAheadLog } from './log.ts';
import { type Mirror, StoredDirectory, type StoredPlace } from './mirror.ts';
import { nextTurn, Pace } from './pace.ts';
import { StorageError } from './storage.ts';
import { escapeName, unescapeName } from './stored-names.ts';

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
/** A file or folder of the tree whose likeness in the storage is not up to date, or a folder there that may be too much. */
type Item = File | StoredDirectory;

const isMissing = (error: unknown): boolean => error instanceof StorageError && error.code === 'not-found';

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
  /** Something failed for another reason than a full disk. */
  failed(error: unknown): void;
}

/**
 * Brings the folder in the storage up to date in the background. It works on states, not on single changes: an item says
 * that something is to be compared, and what comes out of it depends only on the tree as it is then.
 */
export class Applier {
  private readonly parts: ApplierParts;
  private readonly waiting = new Set<Item>();
  private readonly active = new Set<Item>();
  private readonly barriers = new Set<Barrier>();
  private readonly failures = new Map<Item, number>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private flushing: Promise<void> | undefined;
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

  /** The folder of the storage for a folder of the tree, when it is known by now. */
  knownFolder(node: File): StoredDirectory | undefined {
    if (node === this.parts.root) return this.parts.mirror.files;
    const at = node.places[0];
    return at && this.knownFolder(at.directory as File)?.directories.get(escapeName(at.name, this.parts.folds));
  }

  private checkFolder(node: File, folder: StoredDirectory): void {
    for (const [name, child] of node.children!) {
      if (child.children) {
        const known = folder.directories.get(escapeName(name, this.parts.folds));
        if (!known || known.unmade) this.add(child);
        if (known) this.checkFolder(child, known);
      } else if (child.content) {
        const { pending, unmade, mayHaveTail } = child.content;
        if (pending || unmade || mayHaveTail || !this.inPlace(child)) this.add(child);
      }
    }
    for (const known of folder.directories.values()) if (!this.nodeOf(known)) this.add(known);
  }

  /** Nothing is begun any more. */
  close(): void {
    this.closed = true;
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
      if (item instanceof StoredDirectory) await this.clear(item);
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
    if (!node.named && node.opens === 0) return this.erase(node, content);
    if (!node.named && !content.place) return;
    await this.place(node);
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
    if (!content.place || content.moving) await this.place(node);
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
    const handle = await this.parts.handles.open(node).catch((error: unknown) => {
      if (isMissing(error)) this.missing(node);
      throw error;
    });
    // What a crash left behind the end of the file must not show up when the file grows.
    if (handle.size() > content.baseEnd && (content.mayHaveTail || content.pending || content.baseEnd === 0)) {
      handle.truncate(content.baseEnd);
    }
    content.mayHaveTail = false;
    return handle;
  }

  /** Brings the file to the place that its name asks for. */
  private async place(node: File): Promise<void> {
    const content = node.content!;
    for (;;) {
      const wanted = await this.wanted(node);
      if (!wanted) return;
      const { directory, name } = wanted;
      const occupant = directory.files.get(name);
      if (occupant && occupant !== node) {
        await this.evacuate(occupant, wanted);
        continue;
      }
      const folder = directory.directories.get(name);
      if (folder) {
        await this.evacuateFolder(folder);
        continue;
      }
      const release = await lock(content);
      try {
        if (content.moving) await this.settleMove(node, content);
        if (
          !this.stillWanted(node, wanted) ||
          directory.files.get(name) !== occupant ||
          directory.directories.has(name)
        ) {
          continue;
        }
        const { place } = content;
        if (place?.directory === directory && place.name === name) return;
        if (place && !content.unmade) await this.move(node, content, wanted);
        else await this.put(node, content, wanted);
        return;
      } finally {
        release();
      }
    }
  }

  /** The file is to be made at a place where nothing is. The record comes first: to make it twice does no harm. */
  private async put(node: File, content: Content, wanted: StoredPlace): Promise<void> {
    const old = content.place;
    this.parts.handles.close(node);
    if (old) await this.removeIfThere(old);
    this.note(node, 'there', wanted);
    this.parts.mirror.put(node, wanted);
    content.unmade = true;
    await this.durable();
    if (old) this.leave(node, old.directory);
  }

  private async removeIfThere(place: StoredPlace): Promise<void> {
    await (await place.directory.open()).remove(place.name, false).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }

  private async move(node: File, content: Content, wanted: StoredPlace): Promise<void> {
    const old = content.place!;
    this.note(node, 'moving', wanted);
    content.moving = wanted;
    wanted.directory.files.set(wanted.name, node);
    this.parts.handles.close(node);
    await this.durable();
    try {
      const file = await (await old.directory.open()).file(old.name, false);
      await file.move(await wanted.directory.open(), wanted.name);
    } catch (error) {
      if (isMissing(error)) this.missing(node);
      throw error;
    }
    this.moved(node, content, wanted);
  }

  private moved(node: File, content: Content, place: StoredPlace): void {
    const old = content.place;
    this.parts.mirror.put(node, place);
    content.moving = undefined;
    this.note(node, 'there', place);
    if (old) this.leave(node, old.directory);
  }

  /** A move was begun whose end is not known: the file is at one place or the other. */
  private async settleMove(node: File, content: Content): Promise<void> {
    const moving = content.moving!;
    const isAt = async (place: StoredPlace): Promise<boolean> => {
      try {
        await (await place.directory.open()).file(place.name, false);
        return true;
      } catch (error) {
        if (isMissing(error)) return false;
        throw error;
      }
    };
    if (content.place && (await isAt(content.place))) {
      if (moving.directory.files.get(moving.name) === node) moving.directory.files.delete(moving.name);
      content.moving = undefined;
      this.note(node, 'there', content.place);
    } else if (await isAt(moving)) {
      this.moved(node, content, moving);
    } else {
      content.moving = undefined;
      this.missing(node);
    }
  }

  /** A file is to make room: it goes among the orphans, and from there to its own place. */
  private async evacuate(node: File, from: StoredPlace): Promise<void> {
    const content = node.content!;
    if (!node.named && node.opens === 0) return this.erase(node, content);
    const release = await lock(content);
    try {
      if (content.moving) await this.settleMove(node, content);
      if (content.place?.directory !== from.directory || content.place.name !== from.name) {
        // It was on its way already.
        if (from.directory.files.get(from.name) === node) from.directory.files.delete(from.name);
        return;
      }
      const orphan = { directory: this.parts.mirror.orphans, name: String(node.inode) };
      if (content.unmade) await this.put(node, content, orphan);
      else await this.move(node, content, orphan);
    } finally {
      release();
    }
    this.addFrom(node, node);
  }

  private async evacuateFolder(folder: StoredDirectory): Promise<void> {
    for (const child of [...folder.directories.values()]) await this.evacuateFolder(child);
    for (const [name, node] of [...folder.files]) await this.evacuate(node, { directory: folder, name });
    if (folder.files.size === 0 && folder.directories.size === 0) await this.removeFolder(folder);
  }

  /** The content of a file without names and opens goes. */
  private async erase(node: File, content: Content): Promise<void> {
    const release = await lock(content);
    try {
      const places = [content.place, content.moving].filter((place) => place !== undefined);
      this.parts.handles.close(node);
      if (places.length > 0) await this.durable();
      for (const { directory, name } of places) {
        if (directory.files.get(name) !== node) continue;
        await this.removeIfThere({ directory, name });
        if (directory.files.get(name) === node) directory.files.delete(name);
        this.leave(node, directory);
      }
      content.place = content.moving = undefined;
      if (places.length > 0) this.parts.log.append({ type: 'place', inode: node.inode, state: 'gone', path: '' }, true);
    } finally {
      release();
    }
  }

  private async storeDirectory(node: File): Promise<void> {
    if (!node.named) return;
    const folder = await this.folderOf(node);
    if (!folder) return;
    if (folder.unmade) await folder.open();
    for (const child of node.children!.values()) {
      if (child.children || (child.content && !this.inPlace(child))) this.addFrom(node, child);
    }
  }

  /** Removes a folder of the storage that no folder of the tree stands for, when nothing is in it. */
  private async clear(folder: StoredDirectory): Promise<void> {
    if (!folder.attached || folder === this.parts.mirror.files || folder === this.parts.mirror.orphans) return;
    if (this.nodeOf(folder)) return;
    for (const child of [...folder.directories.values()]) await this.clear(child);
    if (folder.files.size > 0 || folder.directories.size > 0 || this.nodeOf(folder)) return;
    await this.removeFolder(folder);
    this.leave(folder, folder.parent!);
  }

  private async removeFolder(folder: StoredDirectory): Promise<void> {
    const parent = folder.parent!;
    if (!folder.attached) return;
    parent.directories.delete(folder.name);
    const removed = this.durable()
      .then(() => parent.open())
      .then((up) => up.remove(folder.name, false))
      .catch((error: unknown) => {
        // Somebody else's file in it keeps it; the next comparison with the tree finds it.
        if (!isMissing(error) && !(error instanceof StorageError && error.code === 'not-empty')) throw error;
      })
      .finally(() => parent.removing.delete(folder.name));
    parent.removing.set(folder.name, removed);
    await removed;
    this.parts.log.append({ type: 'folder', there: false, path: folder.path }, true);
  }

  /** Something went out of a folder of the storage, which may now be too much. */
  private leave(source: Item, folder: StoredDirectory): void {
    if (folder.files.size === 0 && folder.directories.size === 0 && folder.parent) this.addFrom(source, folder);
  }

  /** The folder of the storage for a folder of the tree; undefined when the node went away meanwhile. */
  private async folderOf(node: File): Promise<StoredDirectory | undefined> {
    if (node === this.parts.root) return this.parts.mirror.files;
    for (;;) {
      const at = node.places[0];
      if (!at) return undefined;
      const up = await this.folderOf(at.directory as File);
      if (!up) return undefined;
      if (node.places[0] !== at || !up.attached) continue;
      const name = escapeName(at.name, this.parts.folds);
      const removing = up.removing.get(name);
      if (removing) {
        await removing;
        continue;
      }
      const known = up.directories.get(name);
      if (known) return known;
      const occupant = up.files.get(name);
      if (occupant) {
        await this.evacuate(occupant, { directory: up, name });
        continue;
      }
      const made = up.child(name);
      this.parts.log.append({ type: 'folder', there: true, path: made.path }, true);
      await this.durable();
      await made.open();
      return made;
    }
  }

  private async wanted(node: File): Promise<StoredPlace | undefined> {
    const at = node.places[0];
    if (!at) return node.opens > 0 ? { directory: this.parts.mirror.orphans, name: String(node.inode) } : undefined;
    const directory = await this.folderOf(at.directory as File);
    return directory && { directory, name: escapeName(at.name, this.parts.folds) };
  }

  /** Whether the node still asks for this place, after a wait. */
  private stillWanted(node: File, place: StoredPlace): boolean {
    const at = node.places[0];
    if (!at) return node.opens > 0 && place.directory === this.parts.mirror.orphans;
    return (
      place.directory.attached &&
      escapeName(at.name, this.parts.folds) === place.name &&
      this.nodeOf(place.directory) === at.directory
    );
  }

  private inPlace(node: File): boolean {
    const place = node.content?.place;
    return place !== undefined && !node.content!.moving && this.stillWanted(node, place);
  }

  /** The folder of the tree that stands where a folder of the storage does. */
  private nodeOf(folder: StoredDirectory): File | undefined {
    if (folder === this.parts.mirror.files) return this.parts.root;
    const up = folder.parent && this.nodeOf(folder.parent);
    if (!up) return undefined;
    const node = up.children!.get(unescapeName(folder.name, this.parts.folds));
    return node?.children && node;
  }

  /**
   * Resolves when the log survives a crash of the machine. The storage may keep what is done to names at once, so the
   * change that led to it must not be lost after it. Who asks in one turn shares one flush.
   */
  private durable(): Promise<void> {
    if (this.parts.log.durable) return Promise.resolve();
    this.flushing ??= nextTurn().then(() => {
      this.flushing = undefined;
      if (!this.closed) return this.pace.run(() => this.parts.log.flush());
    });
    return this.flushing;
  }

  private note(node: File, state: 'moving' | 'there', place: StoredPlace): void {
    const path = `${place.directory.path}/${place.name}`;
    this.parts.log.append({ type: 'place', inode: node.inode, state, path }, true);
  }

  /** The stored file is not where it should be. When the log has all of it, it is made again; else it is lost. */
  private missing(node: File): void {
    const content = node.content!;
    content.place?.directory.forget();
    if (content.baseEnd === 0) content.unmade = true;
    else this.parts.lost(node);
  }
}
