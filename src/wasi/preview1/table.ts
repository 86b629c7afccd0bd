import type { Client } from '../../syscall/client.ts';
import { Descriptor, type Entries } from '../descriptor.ts';
import { StandardOutput, Stdin } from '../stdio.ts';
import { AlwaysReady, type Pollable } from '../streams.ts';
import { ERRNO } from './errno.ts';

/** One entry of a listing, as `fd_readdir` tells it. */
interface Listed {
  kind: number;
  inode: number;
  name: Uint8Array;
}

/** A snapshot of a folder whose entries are kept, since a program asks for them by their position. */
export class Listing {
  readonly #entries: Entries;
  readonly #seen: Listed[] = [];

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  /** The entry at a position, from 0 on; undefined behind the last. Throws `IoError`. */
  at(position: number): Listed | undefined {
    while (this.#seen.length <= position) {
      const next = this.#entries.next();
      if (!next) return undefined;
      this.#seen.push(next);
    }
    return this.#seen[position];
  }

  close(): void {
    this.#entries.drop();
  }
}

/** An open file or folder. */
export class OpenNode {
  readonly descriptor: Descriptor;
  /** The name of a folder that is open from the start. */
  readonly preopened: string | undefined;
  position = 0;
  append = false;
  nonblocking = false;
  listing: Listing | undefined;

  constructor(descriptor: Descriptor, preopened?: string) {
    this.descriptor = descriptor;
    this.preopened = preopened;
  }

  subscribe(): Pollable {
    return new AlwaysReady();
  }

  close(): void {
    this.listing?.close();
    this.descriptor.drop();
  }
}

/** A standard stream. */
export class Standard {
  readonly input: Stdin | undefined;
  readonly output: StandardOutput | undefined;

  constructor(stream: Stdin | StandardOutput) {
    this.input = stream instanceof Stdin ? stream : undefined;
    this.output = stream instanceof StandardOutput ? stream : undefined;
  }

  subscribe(): Pollable {
    return (this.input ?? this.output)!.subscribe();
  }

  close(): void {}
}

export type Open = OpenNode | Standard;

/** The file descriptors of an instance: the standard streams, the folder `/`, and what it opens. */
export class Table {
  readonly #open: (Open | undefined)[];

  constructor(client: Client) {
    this.#open = [
      new Standard(new Stdin(client)),
      new Standard(new StandardOutput(client, client.stdout)),
      new Standard(new StandardOutput(client, client.stderr)),
      new OpenNode(Descriptor.root(client), '/'),
    ];
  }

  get(fd: number): Open | undefined {
    return this.#open[fd];
  }

  /** A file, or an error number for what is none. */
  file(fd: number): OpenNode | number {
    const open = this.#open[fd];
    return open instanceof OpenNode && !open.descriptor.isDirectory ? open : ERRNO.badf;
  }

  /** As `file`, for what has a position. */
  seekable(fd: number): OpenNode | number {
    return this.#open[fd] instanceof Standard ? ERRNO.spipe : this.file(fd);
  }

  folder(fd: number): OpenNode | number {
    const open = this.#open[fd];
    if (!(open instanceof OpenNode)) return ERRNO.badf;
    return open.descriptor.isDirectory ? open : ERRNO.notdir;
  }

  node(fd: number): OpenNode | number {
    const open = this.#open[fd];
    return open instanceof OpenNode ? open : ERRNO.badf;
  }

  /** The lowest free number, as POSIX wants it. */
  add(open: Open): number {
    let fd = this.#open.indexOf(undefined);
    if (fd < 0) fd = this.#open.length;
    this.#open[fd] = open;
    return fd;
  }

  close(fd: number): number {
    const open = this.#open[fd];
    if (!open) return ERRNO.badf;
    this.#open[fd] = undefined;
    open.close();
    return ERRNO.success;
  }

  /** `fd` becomes `to`, and what was open there is closed. */
  renumber(fd: number, to: number): number {
    const open = this.#open[fd];
    if (!open || !this.#open[to]) return ERRNO.badf;
    if (fd === to) return ERRNO.success;
    this.close(to);
    this.#open[to] = open;
    this.#open[fd] = undefined;
    return ERRNO.success;
  }
}
