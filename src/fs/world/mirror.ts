import type { TreeNode } from '../tree.ts';
import type { Content } from './content.ts';
import { type StorageDirectory, StorageError, type StorageFile } from './storage.ts';

export type StoredStat = Awaited<ReturnType<StorageFile['stat']>>;

/** Where the content of a file is in the storage. `name` is escaped. */
export interface StoredPlace {
  directory: StoredDirectory;
  name: string;
}

/**
 * A folder as the storage has it, as far as this code made it or saw it. It follows the tree a moment later, and belongs
 * to a path and not to a node: a renamed folder is a new one here, and its files come over one by one.
 */
export class StoredDirectory {
  readonly parent: StoredDirectory | undefined;
  /** Escaped. */
  readonly name: string;
  readonly directories = new Map<string, StoredDirectory>();
  readonly files = new Map<string, TreeNode<Content>>();
  /** Names of folders that are being removed: nothing may be made there before they are gone. */
  readonly removing = new Map<string, Promise<void>>();
  /** The log says that it was to be made, and not whether it was. */
  unmade = false;
  private opened: Promise<StorageDirectory> | undefined;

  constructor(parent: StoredDirectory | undefined, name: string, opened?: StorageDirectory) {
    this.parent = parent;
    this.name = name;
    this.opened = opened && Promise.resolve(opened);
  }

  /** The folder itself, made when it is not there. */
  open(): Promise<StorageDirectory> {
    this.opened ??= this.parent!.open()
      .then((up) => up.directory(this.name, true))
      .then((opened) => {
        this.unmade = false;
        return opened;
      })
      .catch((error) => {
        this.opened = undefined;
        throw error;
      });
    return this.opened;
  }

  /** The folder was not there: it, and those above it, are looked for again. */
  forget(): void {
    if (!this.parent) return;
    this.opened = undefined;
    this.parent.forget();
  }

  get path(): string {
    return this.parent ? `${this.parent.path}/${this.name}` : this.name;
  }

  /** Is still where its parent says. */
  get attached(): boolean {
    return !this.parent || (this.parent.directories.get(this.name) === this && this.parent.attached);
  }

  /** The folder of that name in this one, known from now on. */
  child(name: string): StoredDirectory {
    let child = this.directories.get(name);
    if (!child) {
      child = new StoredDirectory(this, name);
      this.directories.set(name, child);
    }
    return child;
  }
}

/** Both folders in which content is: what visitors see, and what is out of the tree or on its way. */
export class Mirror {
  readonly files: StoredDirectory;
  readonly orphans: StoredDirectory;

  constructor(files: StorageDirectory, orphans: StorageDirectory) {
    this.files = new StoredDirectory(undefined, 'files', files);
    this.orphans = new StoredDirectory(undefined, 'orphans', orphans);
  }

  directory(path: string): StoredDirectory {
    const steps = path.split('/');
    let directory = steps[0] === 'orphans' ? this.orphans : this.files;
    for (let i = 1; i < steps.length; i++) directory = directory.child(steps[i] as string);
    return directory;
  }

  /** The place at a path, when its folder is known. */
  known(path: string): StoredPlace | undefined {
    const steps = path.split('/');
    const name = steps.pop() as string;
    let directory: StoredDirectory | undefined = steps[0] === 'orphans' ? this.orphans : this.files;
    for (let i = 1; i < steps.length; i++) directory = directory?.directories.get(steps[i] as string);
    return directory && { directory, name };
  }

  /** The place that a path of a record names; its folders are known from then on. */
  place(path: string): StoredPlace {
    const slash = path.lastIndexOf('/');
    return { directory: this.directory(path.slice(0, slash)), name: path.slice(slash + 1) };
  }

  /** What the storage says of the file at a path; nothing is made on the way. Undefined when no file is there. */
  async stat(path: string): Promise<StoredStat | undefined> {
    const [top, ...steps] = path.split('/');
    const name = steps.pop()!;
    try {
      let folder = await (top === 'files' ? this.files : this.orphans).open();
      for (const step of steps) folder = await folder.directory(step, false);
      return await (await folder.file(name, false)).stat();
    } catch (error) {
      if (error instanceof StorageError && (error.code === 'not-found' || error.code === 'wrong-kind'))
        return undefined;
      throw error;
    }
  }

  /** Says that the content of a node is at a place from now on, or nowhere. */
  put(node: TreeNode<Content>, place: StoredPlace | undefined): void {
    const content = node.content!;
    if (content.place?.directory.files.get(content.place.name) === node) {
      content.place.directory.files.delete(content.place.name);
    }
    content.place = place;
    place?.directory.files.set(place.name, node);
  }
}
