import { FsError } from '../errors.ts';
import { UNFINISHED_NAME } from '../namespace.ts';
import type { TreeNode } from '../tree.ts';
import type { Content } from './content.ts';
import type { StoredDirectory } from './mirror.ts';
import { StorageError } from './storage.ts';
import { unescapeName } from './stored-names.ts';
import type { StoredWorld, StoredWorldParts } from './stored-world.ts';

/** Milliseconds after the opening: the world is to answer first. */
const DELAY = 2000;
/** Files that are looked at together. */
const PARALLEL = 8;

type File = TreeNode<Content>;

/** What the storage says to a question, or undefined when the thing is not there. */
async function ifThere<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof StorageError && (error.code === 'not-found' || error.code === 'wrong-kind')) return undefined;
    throw error;
  }
}

/**
 * Compares the folder in the storage with the tree, once after each opening and in the background: another tool of the
 * same origin may have put files there, removed some, or changed their size. A change that keeps the size is not seen
 * here; its content is read all the same.
 */
export class Comparison {
  private readonly world: StoredWorld;
  private readonly parts: StoredWorldParts;
  private running: Promise<void> | undefined;
  private stopped = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(world: StoredWorld, parts: StoredWorldParts) {
    this.world = world;
    this.parts = parts;
  }

  /** Begins after a while. */
  schedule(): void {
    this.timer = setTimeout(() => void this.run().catch(() => {}), DELAY);
  }

  run(): Promise<void> {
    clearTimeout(this.timer);
    this.running ??= this.compareFolder(this.world.root, this.parts.mirror.files);
    return this.running;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running?.catch(() => {});
  }

  private async compareFolder(node: File, folder: StoredDirectory): Promise<void> {
    await this.world.settled();
    if (this.stopped || !node.named || !folder.attached) return;
    const storage = await folder.open();
    const entries = new Map((await storage.list()).map(({ name, kind }) => [name, kind]));
    for (const [name, kind] of entries) {
      if (this.stopped) return;
      if (folder.files.has(name) || folder.directories.has(name)) continue;
      try {
        if (kind === 'file') await this.findFile(node, folder, name);
        else if (await ifThere(() => storage.directory(name, false))) await this.findFolder(node, folder, name);
      } catch (error) {
        // A name that no world has, or a path that is too long for one: it is left where it is.
        if (!(error instanceof FsError)) throw error;
        this.world.repaired(
          `${folder.path}/${name} was put there from outside and cannot be in a world: ${error.message}`,
        );
      }
    }
    for (const [name, known] of [...folder.directories]) {
      const child = node.children!.get(unescapeName(name, this.parts.folds));
      if (!child?.children || this.stopped) continue;
      if (entries.get(name) === 'directory') await this.compareFolder(child, known);
      else await this.missFolder(child, known);
    }
    const files = [...folder.files];
    for (let i = 0; i < files.length && !this.stopped; i += PARALLEL) {
      await Promise.all(files.slice(i, i + PARALLEL).map(([name, file]) => this.compareFile(file, folder, name)));
    }
  }

  /** A folder was not in the listing: either it came later, or somebody took it away. */
  private async missFolder(node: File, folder: StoredDirectory): Promise<void> {
    await this.world.settled();
    const up = await folder.parent!.open();
    if (await ifThere(() => up.directory(folder.name, false))) return;
    if (!this.world.applier.idle || !folder.attached || !node.named) return;
    this.forgetFolder(folder);
    this.world.outside.lost(node);
  }

  private async findFile(node: File, folder: StoredDirectory, stored: string): Promise<void> {
    let name = unescapeName(stored, this.parts.folds);
    // Under its own name it would be removed at the next opening; it is here because damage took the record of it.
    if (UNFINISHED_NAME.test(name)) name = `recovered${name}`;
    if (node.children!.has(name)) return;
    const stat = await ifThere(async () => (await (await folder.open()).file(stored, false)).stat());
    if (stat) await this.world.outside.adoptFile(node, { directory: folder, name: stored }, name, stat);
  }

  private async findFolder(node: File, folder: StoredDirectory, stored: string): Promise<void> {
    const name = unescapeName(stored, this.parts.folds);
    if (node.children!.has(name)) return;
    const made = await this.world.outside.adoptFolder(node, name);
    if (!made) return;
    this.world.repaired(`${made.path()} was put into the world from outside`);
    // Known from now on: its turn comes with those of the other folders.
    folder.child(stored);
  }

  private async compareFile(node: File, folder: StoredDirectory, name: string): Promise<void> {
    const content = node.content!;
    const quiet = (): boolean =>
      content.place?.directory === folder &&
      content.place.name === name &&
      !content.busy &&
      !content.pending &&
      !content.unmade &&
      !content.handle;
    if (!quiet()) return;
    const { size } = node;
    const stat = await ifThere(async () => (await (await folder.open()).file(name, false)).stat());
    if (this.stopped || !quiet() || node.size !== size) return;
    if (!stat) {
      this.parts.mirror.put(node, undefined);
      this.world.outside.lost(node);
    } else if (stat.size > size && content.mayHaveTail) {
      // A crash cut a large write: what it left behind the end goes when the file is opened.
      await this.world.applier.ready(node);
    } else if (stat.size !== size) {
      this.world.outside.adoptSize(node, stat);
      this.world.repaired(
        `${node.path()} was changed from outside of the world: it has ${stat.size} bytes, not ${size}`,
      );
    }
  }

  private forgetFolder(folder: StoredDirectory): void {
    for (const child of folder.directories.values()) this.forgetFolder(child);
    for (const file of [...folder.files.values()]) this.parts.mirror.put(file, undefined);
    folder.parent?.directories.delete(folder.name);
  }
}
