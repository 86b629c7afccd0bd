import { FsError } from '../fs/errors.ts';
import type { Entry, Node, OpenFile } from '../fs/filesystem.ts';
import { Numbered } from './numbered.ts';

/** What a process has open: a folder is only its node, a file has its content too. */
export interface Descriptor {
  node: Node;
  file?: OpenFile;
}

/** Entries of a folder that did not fit into one answer. */
export interface Listing {
  entries: Entry[];
  next: number;
  /** Some entries may be roots of other file systems, so that their inodes do not tell them apart. */
  mixed: boolean;
}

/** The descriptor table of one process. */
export class Descriptors {
  readonly #open = new Numbered<Descriptor>(0);
  readonly #listings = new Numbered<Listing>(1);
  readonly #limit: number;

  constructor(root: Node, limit: number) {
    this.#limit = limit;
    this.#open.add({ node: root });
  }

  /** Throws `quota` when the process has too many open; ask before the file is opened. */
  checkRoom(): void {
    if (this.#open.count + this.#listings.count >= this.#limit) {
      throw new FsError('quota', `the process has ${this.#limit} files and folders open, which is the limit`);
    }
  }

  add(descriptor: Descriptor): number {
    return this.#open.add(descriptor);
  }

  get(fd: number): Descriptor {
    const descriptor = this.#open.get(fd);
    if (!descriptor) throw new FsError('bad-descriptor', `${fd} is not open`);
    return descriptor;
  }

  directory(fd: number): Node {
    const { node } = this.get(fd);
    if (node.kind !== 'directory') throw new FsError('not-directory', `${fd} is no folder`);
    return node;
  }

  file(fd: number): OpenFile {
    const { file } = this.get(fd);
    if (!file) throw new FsError('is-directory', `${fd} is a folder`);
    return file;
  }

  remove(fd: number): Descriptor {
    const descriptor = this.get(fd);
    this.#open.remove(fd);
    return descriptor;
  }

  addListing(listing: Listing): number {
    return this.#listings.add(listing);
  }

  listing(number: number): Listing {
    const listing = this.#listings.get(number);
    if (!listing) throw new FsError('bad-descriptor', `there is no listing ${number}`);
    return listing;
  }

  removeListing(number: number): void {
    this.#listings.remove(number);
  }

  /** Every file that is open. */
  *files(): IterableIterator<OpenFile> {
    for (const { file } of this.#open.values()) if (file) yield file;
  }
}
