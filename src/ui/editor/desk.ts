import type { World } from '../../api.ts';
import { FolderTree, folderOf } from '../files/folder-tree.ts';
import { Store } from '../model/store.ts';
import { OpenFile, type Unsaved } from './open-file.ts';
import { Runner } from './runner.ts';
import { Versions, type VersionsStore } from './versions.ts';

/** What the visitor works at in one open world: its folders, the files that are open, and what is built of them. */
export class Desk extends Store {
  readonly folders: FolderTree;
  readonly runner: Runner;
  readonly versions: Versions;
  readonly #world: World;
  #open: OpenFile[] = [];
  current?: OpenFile;

  /** `before` is what the visitor worked at when the same world was open last: its files are open again. */
  constructor(world: World, before?: Desk, versions?: VersionsStore) {
    super();
    this.#world = world;
    this.versions = new Versions(world.name, versions);
    this.folders = new FolderTree(world.fs);
    this.runner = new Runner(world);
    for (const { path, unsaved } of before?.open ?? []) this.#open.push(this.#file(path, unsaved));
    this.current = this.#open.find(({ path }) => path === before?.current?.path);
  }

  get open(): readonly OpenFile[] {
    return this.#open;
  }

  /** Opens a file, or shows it when it is open already. */
  show(path: string): OpenFile {
    let file = this.#open.find((each) => each.path === path);
    if (!file) {
      file = this.#file(path);
      this.#open = [...this.#open, file];
    }
    this.current = file;
    this.changed();
    return file;
  }

  /** Puts a text into a file of the world, which need not be there yet. What was typed in it before is saved first. */
  async write(path: string, text: string): Promise<void> {
    await this.#open.find((each) => each.path === path)?.save();
    const { fs } = this.#world;
    const before = await fs.readTextFile(path).catch(() => undefined);
    if (before !== undefined && before !== text) await this.versions.keep(path, before, true);
    await fs.mkdir(folderOf(path), { recursive: true });
    await fs.writeFile(path, text);
  }

  /** Saves a file as far as that is possible, and closes it; false when it stays, because something would be lost. */
  async close(file: OpenFile, anyway = false): Promise<boolean> {
    if (!anyway && file.isUnsaved && !(await file.save())) return false;
    const at = this.#open.indexOf(file);
    if (at < 0) return true;
    file.close();
    this.#open = this.#open.filter((each) => each !== file);
    if (this.current === file) this.current = this.#open[Math.min(at, this.#open.length - 1)];
    this.changed();
    return true;
  }

  /** Saves all that was changed; returns the paths of what could not be saved. */
  async saveAll(): Promise<string[]> {
    const files = this.#open;
    const saved = await Promise.all(files.map((file) => file.save()));
    return files.filter((_, at) => !saved[at]).map(({ path }) => path);
  }

  /** Something that was typed is not in the world yet. */
  get isUnsaved(): boolean {
    return this.#open.some((file) => file.isUnsaved);
  }

  /** Gives a file or folder another name; what is open of it goes along, with what was typed. */
  async rename(from: string, to: string): Promise<void> {
    const moves = ({ path }: OpenFile): boolean => path === from || path.startsWith(`${from}/`);
    await Promise.all(this.#open.filter(moves).map((file) => file.save()));
    await this.#world.fs.rename(from, to);
    await this.versions.move(from, to);
    const moved = (file: OpenFile): OpenFile => {
      if (!moves(file)) return file;
      file.close();
      const there = this.#file(to + file.path.slice(from.length), file.unsaved);
      if (this.current === file) this.current = there;
      return there;
    };
    this.#open = this.#open.map(moved);
    this.changed();
  }

  #file(path: string, unsaved?: Unsaved): OpenFile {
    return new OpenFile(path, this.#world.fs, { ...(unsaved && { unsaved }), versions: this.versions });
  }

  /** The world is no longer there; what was not saved is kept for a `Desk` that comes after this. */
  leave(): void {
    this.folders.close();
    for (const file of this.#open) file.close();
  }
}
