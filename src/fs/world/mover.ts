import type { TreeNode } from '../tree.ts';
import { type Content, lock } from './content.ts';
import type { Handles } from './handles.ts';
import type { Locations } from './locations.ts';
import type { WriteAheadLog } from './log.ts';
import type { StoredDirectory, StoredPlace } from './mirror.ts';
import { nextTurn, type Pace } from './pace.ts';
import { StorageError } from './storage.ts';

type File = TreeNode<Content>;
/** A file or folder of the tree whose likeness in the storage is not up to date, or a folder there that may be too much. */
export type Item = File | StoredDirectory;

export const isMissing = (error: unknown): boolean => error instanceof StorageError && error.code === 'not-found';

export interface MoverParts {
  readonly locations: Locations;
  readonly log: WriteAheadLog;
  readonly handles: Handles;
  readonly pace: Pace;
  /** Out of the work on `source` came something else to do. */
  again(source: Item, item: Item): void;
  /** The storage has no longer what it should have: somebody else removed it. */
  lost(node: File): void;
  /** Somebody else's folder stands where the file is to be: it gets another name. */
  displaced(node: File): void;
}

/**
 * Makes, moves and removes what is in the storage, so that each file and folder gets where its name asks for it. A step
 * is in the log before it is done, and is found out about when a crash comes between.
 */
export class Mover {
  private readonly parts: MoverParts;
  private readonly locations: Locations;
  private flushing: Promise<void> | undefined;
  private closed = false;

  constructor(parts: MoverParts) {
    this.parts = parts;
    this.locations = parts.locations;
  }

  /** Nothing is flushed any more. */
  close(): void {
    this.closed = true;
  }

  /** Brings the file to the place that its name asks for. */
  async place(node: File): Promise<void> {
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
          !this.locations.stillWanted(node, wanted) ||
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
    this.locations.mirror.put(node, wanted);
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
      await this.obstructed(node, wanted);
      throw error;
    }
    this.moved(node, content, wanted);
  }

  private moved(node: File, content: Content, place: StoredPlace): void {
    const old = content.place;
    this.locations.mirror.put(node, place);
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
      const orphan = { directory: this.locations.mirror.orphans, name: String(node.inode) };
      if (content.unmade) await this.put(node, content, orphan);
      else await this.move(node, content, orphan);
    } finally {
      release();
    }
    this.parts.again(node, node);
  }

  private async evacuateFolder(folder: StoredDirectory): Promise<void> {
    for (const child of [...folder.directories.values()]) await this.evacuateFolder(child);
    for (const [name, node] of [...folder.files]) await this.evacuate(node, { directory: folder, name });
    if (folder.files.size === 0 && folder.directories.size === 0) await this.removeFolder(folder);
  }

  /** The content of a file without names and opens goes. */
  async erase(node: File, content: Content): Promise<void> {
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

  /** Removes a folder of the storage that no folder of the tree stands for, when nothing is in it. */
  async clear(folder: StoredDirectory): Promise<void> {
    if (!folder.attached || folder === this.locations.mirror.files || folder === this.locations.mirror.orphans) return;
    if (this.locations.nodeOf(folder)) return;
    for (const child of [...folder.directories.values()]) await this.clear(child);
    if (folder.files.size > 0 || folder.directories.size > 0 || this.locations.nodeOf(folder)) return;
    await this.removeFolder(folder);
    this.leave(folder, folder.parent!);
  }

  private async removeFolder(folder: StoredDirectory): Promise<void> {
    const parent = folder.parent!;
    if (!folder.attached) return;
    parent.directories.delete(folder.name);
    // What is in it may still be on its way out of the storage.
    const removed = Promise.all([this.durable(), ...folder.removing.values()])
      .then(() => parent.open())
      .then((up) => up.remove(folder.name, false))
      .catch((error: unknown) => {
        // Somebody else's file in it keeps it; the next comparison with the tree finds it.
        if (isMissing(error) || (error instanceof StorageError && error.code === 'not-empty')) return;
        parent.directories.set(folder.name, folder);
        throw error;
      })
      .finally(() => parent.removing.delete(folder.name));
    parent.removing.set(folder.name, removed);
    await removed;
    this.parts.log.append({ type: 'folder', there: false, path: folder.path }, true);
  }

  /** Something went out of a folder of the storage, which may now be too much. */
  private leave(source: Item, folder: StoredDirectory): void {
    if (folder.files.size === 0 && folder.directories.size === 0 && folder.parent) this.parts.again(source, folder);
  }

  /** The folder of the storage for a folder of the tree; undefined when the node went away meanwhile. */
  async folderOf(node: File): Promise<StoredDirectory | undefined> {
    if (node === this.locations.root) return this.locations.mirror.files;
    for (;;) {
      const at = node.places[0];
      if (!at) return undefined;
      const up = await this.folderOf(at.directory as File);
      if (!up) return undefined;
      if (node.places[0] !== at || !up.attached) continue;
      const name = this.locations.stored(at.name);
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
    if (!at) return node.opens > 0 ? { directory: this.locations.mirror.orphans, name: String(node.inode) } : undefined;
    const directory = await this.folderOf(at.directory as File);
    return directory && { directory, name: this.locations.stored(at.name) };
  }

  /**
   * Resolves when the log survives a crash of the machine. The storage may keep what is done to names at once, so the
   * change that led to it must not be lost after it. Who asks in one turn shares one flush.
   */
  private durable(): Promise<void> {
    if (this.parts.log.durable) return Promise.resolve();
    this.flushing ??= nextTurn().then(() => {
      this.flushing = undefined;
      if (!this.closed) return this.parts.pace.run(() => this.parts.log.flush());
    });
    return this.flushing;
  }

  private note(node: File, state: 'moving' | 'there', place: StoredPlace): void {
    const path = `${place.directory.path}/${place.name}`;
    this.parts.log.append({ type: 'place', inode: node.inode, state, path }, true);
  }

  /**
   * Something failed at a place of a file. A folder may be there of which nothing was known: when it is empty the next try
   * makes room, else it is somebody else's and stays, and trying again would never end.
   */
  async obstructed(node: File, place: StoredPlace): Promise<void> {
    const { directory, name } = place;
    const folder = await directory
      .open()
      .then((up) => up.directory(name, false))
      .catch(() => undefined);
    if (!folder) return;
    if ((await folder.list()).length === 0 || directory === this.locations.mirror.orphans) {
      directory.child(name);
      return;
    }
    if (!this.locations.stillWanted(node, place)) return;
    const content = node.content!;
    if (content.place?.directory !== directory || content.place.name !== name) {
      this.parts.displaced(node);
    } else if (content.baseEnd > 0) {
      // It stood there and was replaced.
      this.parts.lost(node);
    } else {
      this.parts.log.append({ type: 'place', inode: node.inode, state: 'gone', path: '' }, true);
      this.locations.mirror.put(node, undefined);
      content.unmade = false;
      this.parts.displaced(node);
    }
  }

  /** The stored file is not where it should be. When the log has all of it, it is made again; else it is lost. */
  missing(node: File): void {
    const content = node.content!;
    content.place?.directory.forget();
    if (content.baseEnd === 0) content.unmade = true;
    else this.parts.lost(node);
  }
}
