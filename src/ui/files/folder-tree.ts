import type { Stat, WorldFiles } from '../../api.ts';
import { Store } from '../model/store.ts';

/** A line of the tree as it is drawn. */
export interface Row {
  path: string;
  name: string;
  /** Folders above it; 0 stands at the root of the world. */
  depth: number;
  kind: Stat['kind'];
  /** Its place among the children of its folder, from 1 on, and how many they are. */
  position: number;
  siblings: number;
}

interface Entry {
  name: string;
  kind: Stat['kind'];
}

/** Milliseconds that changes are gathered for before folders are read again. */
const GATHER = 100;

/**
 * The folders of a world as far as they are unfolded. What is unfolded stays true: a folder is read again after each
 * change in it, whoever made it.
 */
export class FolderTree extends Store {
  readonly #files: WorldFiles;
  readonly #unfolded = new Set<string>();
  readonly #entries = new Map<string, Entry[]>();
  readonly #stale = new Set<string>();
  readonly #stop: () => void;
  #timer?: ReturnType<typeof setTimeout>;
  #rows?: Row[];
  /** The line that keys act on; it may be of a file that is gone. */
  chosen?: string;

  constructor(files: WorldFiles) {
    super();
    this.#files = files;
    this.#stop = files.watch('/', (path) => this.touch(folderOf(path)));
    this.#unfolded.add('/');
    void this.#read('/');
  }

  /** All lines, in their order. */
  get rows(): readonly Row[] {
    if (!this.#rows) {
      this.#rows = [];
      this.#gather('/', 0, this.#rows);
    }
    return this.#rows;
  }

  isUnfolded(path: string): boolean {
    return this.#unfolded.has(path);
  }

  async unfold(path: string): Promise<void> {
    if (this.#unfolded.has(path)) return;
    this.#unfolded.add(path);
    await this.#read(path);
  }

  fold(path: string): void {
    if (!this.#unfolded.delete(path)) return;
    this.#changed();
  }

  choose(path: string | undefined): void {
    this.chosen = path;
    this.changed();
  }

  /** Unfolds what is above a file or folder, and chooses it. */
  async reveal(path: string): Promise<void> {
    const names = path.split('/').slice(1, -1);
    for (let depth = 1; depth <= names.length; depth++) await this.unfold(`/${names.slice(0, depth).join('/')}`);
    this.choose(path);
  }

  /** A folder may be another now. `/proc` is written when it is looked at, so nothing but this tells of its changes. */
  touch(folder: string): void {
    this.#stale.add(folder);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const stale = [...this.#stale];
      this.#stale.clear();
      for (const path of stale) if (this.#unfolded.has(path)) void this.#read(path);
    }, GATHER);
  }

  /** `touch` for each unfolded folder at or below `path`. */
  touchBelow(path: string): void {
    for (const each of this.#unfolded) if (each === path || each.startsWith(`${path}/`)) this.touch(each);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#stop();
  }

  async #read(path: string): Promise<void> {
    try {
      const entries = await this.#files.readDir(path);
      this.#entries.set(path, entries.sort(inOrder));
    } catch {
      // It is gone, or its world is.
      this.#entries.delete(path);
      if (path !== '/') this.#unfolded.delete(path);
    }
    this.#changed();
  }

  #changed(): void {
    this.#rows = undefined;
    this.changed();
  }

  #gather(folder: string, depth: number, rows: Row[]): void {
    const entries = this.#entries.get(folder) ?? [];
    for (const [at, { name, kind }] of entries.entries()) {
      const path = folder === '/' ? `/${name}` : `${folder}/${name}`;
      rows.push({ path, name, depth, kind, position: at + 1, siblings: entries.length });
      if (kind === 'directory' && this.#unfolded.has(path)) this.#gather(path, depth + 1, rows);
    }
  }
}

/** The folder that something is in. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';

const names = new Intl.Collator('en', { numeric: true });

/** Folders come first. */
function inOrder(a: Entry, b: Entry): number {
  const [first, second] = [a, b].map(({ kind }) => (kind === 'directory' ? 0 : 1)) as [number, number];
  return first - second || names.compare(a.name, b.name);
}
