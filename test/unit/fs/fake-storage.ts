import {
  type StorageDirectory,
  StorageError,
  type StorageFile,
  type StorageHandle,
} from '../../../src/fs/world/storage.ts';

/** What a crash throws at every use of the storage after it. */
export class Crash extends Error {}

export interface FakeOptions {
  /** Bytes in all files together. */
  capacity?: number;
  /** The storage stops at its so many-th step: a write may be done in part, a waiting step may be done or not. */
  crashAt?: number;
  /** Gives numbers from 0 up to 1, for what a crash does by chance. */
  random?: () => number;
  /** Takes `a` and `A` for one name. */
  folds?: boolean;
}

class FakeFile {
  bytes = new Uint8Array(0);
  /** As the disk has it: what a crash of the machine leaves. */
  durable = new Uint8Array(0);
  open = false;
  modified = Date.now();
}

type Entry = FakeFile | Map<string, Entry>;

/**
 * A storage in memory with the manners of OPFS, and with crashes. What it holds can be opened again: after a crash of the
 * browser as it is, after a crash of the machine with what was flushed.
 */
export class FakeStorage {
  readonly root = new Map<string, Entry>();
  options: FakeOptions;
  steps = 0;
  crashed = false;
  opens = 0;
  /** Resolves when the storage has stopped. */
  readonly crash: Promise<void>;
  private stop!: () => void;

  constructor(options: FakeOptions = {}) {
    this.options = options;
    this.crash = new Promise((resolve) => {
      this.stop = resolve;
    });
  }

  get directory(): StorageDirectory {
    return new FakeDirectory(this, this.root);
  }

  /** After a crash: the same bytes, and nothing open. */
  reopen(kind: 'browser' | 'machine', options: FakeOptions = {}): FakeStorage {
    const next = new FakeStorage(options);
    const copy = (from: Map<string, Entry>, to: Map<string, Entry>): void => {
      for (const [name, entry] of from) {
        if (entry instanceof FakeFile) {
          const file = new FakeFile();
          file.bytes = (kind === 'browser' ? entry.bytes : entry.durable).slice();
          file.durable = file.bytes.slice();
          file.modified = entry.modified;
          to.set(name, file);
        } else {
          const folder = new Map<string, Entry>();
          to.set(name, folder);
          copy(entry, folder);
        }
      }
    };
    copy(this.root, next.root);
    return next;
  }

  /** Paths and contents of all files at or below a path, folders with a `/` at their end. */
  tree(path: string): Record<string, string> {
    const found: Record<string, string> = {};
    const visit = (entry: Entry, at: string): void => {
      if (entry instanceof FakeFile) {
        found[at] = new TextDecoder('latin1').decode(entry.bytes);
        return;
      }
      if (at !== '') found[`${at}/`] = '';
      for (const [name, child] of entry) visit(child, at === '' ? name : `${at}/${name}`);
    };
    const start = path === '' ? this.root : this.find(path);
    if (start) visit(start, '');
    return found;
  }

  find(path: string): Entry | undefined {
    let entry: Entry | undefined = this.root;
    for (const name of path.split('/')) entry = entry instanceof Map ? entry.get(name) : undefined;
    return entry;
  }

  bytes(path: string): Uint8Array {
    const file = path === '' ? this.root : this.find(path);
    if (!(file instanceof FakeFile)) throw new Error(`no file ${path}`);
    return file.bytes;
  }

  setBytes(path: string, bytes: Uint8Array<ArrayBuffer>): void {
    const at = path.lastIndexOf('/');
    const folder = at < 0 ? this.root : (this.find(path.slice(0, at)) as Map<string, Entry>);
    const file = new FakeFile();
    file.bytes = bytes;
    file.durable = bytes.slice();
    folder.set(path.slice(at + 1), file);
  }

  remove(path: string): void {
    const at = path.lastIndexOf('/');
    (at < 0 ? this.root : (this.find(path.slice(0, at)) as Map<string, Entry>)).delete(path.slice(at + 1));
  }

  makeDirectory(path: string): void {
    const at = path.lastIndexOf('/');
    const folder = at < 0 ? this.root : (this.find(path.slice(0, at)) as Map<string, Entry>);
    folder.set(path.slice(at + 1), new Map());
  }

  get used(): number {
    const size = (entry: Entry): number =>
      entry instanceof FakeFile ? entry.bytes.length : [...entry.values()].reduce((sum, child) => sum + size(child), 0);
    return size(this.root);
  }

  random(): number {
    return (this.options.random ?? Math.random)();
  }

  /** One step; returns true when the storage stops with it. */
  step(): boolean {
    if (this.crashed) throw new Crash();
    if (++this.steps !== this.options.crashAt) return false;
    this.crashed = true;
    this.stop();
    return true;
  }

  /** A step that waits. */
  async wait<T>(work: () => T): Promise<T> {
    const crash = this.step();
    await Promise.resolve();
    if (this.crashed && !crash) return new Promise(() => {});
    if (!crash) return work();
    if (this.random() < 0.5) {
      try {
        work();
      } catch {
        // The answer is lost with the browser.
      }
    }
    return new Promise(() => {});
  }

  name(name: string): string {
    return this.options.folds ? name.toLowerCase() : name;
  }
}

class FakeDirectory implements StorageDirectory {
  readonly storage: FakeStorage;
  readonly entries: Map<string, Entry>;

  constructor(storage: FakeStorage, entries: Map<string, Entry>) {
    this.storage = storage;
    this.entries = entries;
  }

  directory(name: string, create: boolean): Promise<StorageDirectory> {
    return this.storage.wait(() => {
      let entry = this.get(name);
      if (!entry && create) this.entries.set(name, (entry = new Map()));
      if (!entry) throw new StorageError('not-found', name);
      if (entry instanceof FakeFile) throw new StorageError('wrong-kind', name);
      return new FakeDirectory(this.storage, entry);
    });
  }

  file(name: string, create: boolean): Promise<StorageFile> {
    return this.storage.wait(() => {
      let entry = this.get(name);
      if (!entry && create) {
        this.checkAlive();
        this.entries.set(name, (entry = new FakeFile()));
      }
      if (!entry) throw new StorageError('not-found', name);
      if (!(entry instanceof FakeFile)) throw new StorageError('wrong-kind', name);
      return new FakeStorageFile(this.storage, this, name, entry);
    });
  }

  remove(name: string, recursive: boolean): Promise<void> {
    return this.storage.wait(() => {
      const entry = this.get(name);
      if (!entry) throw new StorageError('not-found', name);
      if (entry instanceof FakeFile ? entry.open : entry.size > 0 && !recursive) {
        throw new StorageError(entry instanceof FakeFile ? 'busy' : 'not-empty', name);
      }
      this.entries.delete(this.key(name));
    });
  }

  list(): Promise<{ name: string; kind: 'file' | 'directory' }[]> {
    return this.storage.wait(() =>
      [...this.entries].map(([name, entry]) => ({ name, kind: entry instanceof FakeFile ? 'file' : 'directory' })),
    );
  }

  get(name: string): Entry | undefined {
    if (name === '' || name === '.' || name === '..' || /[\\/]/.test(name)) throw new TypeError(`bad name ${name}`);
    return this.entries.get(this.key(name));
  }

  key(name: string): string {
    if (!this.storage.options.folds) return name;
    for (const known of this.entries.keys()) if (this.storage.name(known) === this.storage.name(name)) return known;
    return name;
  }

  /** A folder that was removed takes nothing any more. */
  private checkAlive(): void {
    const alive = (folder: Map<string, Entry>): boolean =>
      folder === this.entries || [...folder.values()].some((child) => child instanceof Map && alive(child));
    if (!alive(this.storage.root)) throw new StorageError('not-found', 'the folder was removed');
  }
}

class FakeStorageFile implements StorageFile {
  private readonly storage: FakeStorage;
  private readonly directory: FakeDirectory;
  private readonly name: string;
  private readonly entry: FakeFile;

  constructor(storage: FakeStorage, directory: FakeDirectory, name: string, entry: FakeFile) {
    this.storage = storage;
    this.directory = directory;
    this.name = name;
    this.entry = entry;
  }

  open(): Promise<StorageHandle> {
    return this.storage.wait(() => {
      if (this.directory.get(this.name) !== this.entry) throw new StorageError('not-found', this.name);
      if (this.entry.open) throw new StorageError('busy', this.name);
      return new FakeHandle(this.storage, this.entry);
    });
  }

  stat(): Promise<{ size: number; modified: number }> {
    return this.storage.wait(() => {
      if (this.directory.get(this.name) !== this.entry) throw new StorageError('not-found', this.name);
      return { size: this.entry.bytes.length, modified: this.entry.modified };
    });
  }

  move(to: StorageDirectory, name: string): Promise<void> {
    return this.storage.wait(() => {
      const target = to as FakeDirectory;
      if (this.directory.get(this.name) !== this.entry) throw new StorageError('not-found', this.name);
      if (this.entry.open) throw new StorageError('busy', this.name);
      if (target.get(name)) throw new StorageError('failed', `${name} is taken`);
      this.directory.entries.delete(this.directory.key(this.name));
      target.entries.set(name, this.entry);
    });
  }
}

class FakeHandle implements StorageHandle {
  private readonly storage: FakeStorage;
  private readonly file: FakeFile;

  constructor(storage: FakeStorage, file: FakeFile) {
    this.storage = storage;
    this.file = file;
    file.open = true;
    storage.opens++;
  }

  read(into: Uint8Array, at: number): number {
    if (this.storage.crashed) throw new Crash();
    const bytes = this.file.bytes.subarray(at, at + into.length);
    into.set(bytes);
    return bytes.length;
  }

  write(data: Uint8Array, at: number): number {
    const crash = this.storage.step();
    let length = data.length;
    if (crash) length = Math.floor(this.storage.random() * (length + 1));
    length = Math.min(length, Math.max(0, this.file.bytes.length - at) + this.room(at));
    this.grow(at + length);
    this.file.bytes.set(data.subarray(0, length), at);
    this.file.modified = Date.now();
    if (crash) throw new Crash();
    return length;
  }

  size(): number {
    if (this.storage.crashed) throw new Crash();
    return this.file.bytes.length;
  }

  truncate(size: number): boolean {
    const crash = this.storage.step();
    if (!crash || this.storage.random() < 0.5) {
      if (size - this.file.bytes.length > this.room(this.file.bytes.length)) return false;
      if (size < this.file.bytes.length) this.file.bytes = this.file.bytes.slice(0, size);
      this.grow(size);
    }
    if (crash) throw new Crash();
    return true;
  }

  flush(): void {
    const crash = this.storage.step();
    if (!crash || this.storage.random() < 0.5) this.file.durable = this.file.bytes.slice();
    if (crash) throw new Crash();
  }

  close(): void {
    if (this.storage.crashed) return;
    this.file.open = false;
    this.storage.opens--;
  }

  private room(at: number): number {
    const gap = Math.max(0, at - this.file.bytes.length);
    return Math.max(0, (this.storage.options.capacity ?? Number.POSITIVE_INFINITY) - this.storage.used - gap);
  }

  private grow(size: number): void {
    if (size <= this.file.bytes.length) return;
    const grown = new Uint8Array(size);
    grown.set(this.file.bytes);
    this.file.bytes = grown;
  }
}
