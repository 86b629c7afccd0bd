import type { Client } from '../syscall/client.ts';
import { ENTRY_HEAD, KIND, OP, PAYLOAD_BYTES, ROOT_FD } from '../syscall/protocol.ts';
import { answeredNode } from './calls.ts';
import { Glance } from './glance.ts';
import type { Identity } from './hint.ts';
import { AlwaysReady, CLOSED, InputStream, IoError, OutputStream, type Pollable } from './streams.ts';

/** Bits of `descriptor-flags`. */
export const FLAG = { read: 1, write: 2, fileSync: 4, dataSync: 8, mutateDirectory: 32 } as const;

/** A resource `descriptor`. What never changes of an open file is known here, so that asking costs no call. */
export class Descriptor {
  readonly client: Client;
  readonly fd: number;
  readonly kind: number;
  readonly flags: number;
  /** How much the last `writeParts` wrote, and where in the file that ended. */
  written = 0;
  end = 0;
  #identity: Identity | undefined;
  readonly #glance: Glance | undefined;
  /** The handle of the guest and each stream that was made of it: the last one closes it. */
  #uses = 1;

  constructor(client: Client, fd: number, kind: number, flags: number, glance?: Glance) {
    this.client = client;
    this.fd = fd;
    this.kind = kind;
    this.flags = flags;
    this.#glance = glance;
  }

  /** Of the answer of an open that the client has just got; `flags` says what a file or folder is usable for. */
  static opened(client: Client, flags: (isDirectory: boolean) => number): Descriptor {
    const { args } = client;
    const kind = args[1] as number;
    const opened = new Descriptor(client, args[0] as number, kind, flags(kind === KIND.directory), new Glance(client));
    opened.#identity = answeredNode(client);
    return opened;
  }

  /** The preopened folder, which is open in each process from the start and stays open. */
  static root(client: Client): Descriptor {
    return new Descriptor(client, ROOT_FD, KIND.directory, FLAG.read | FLAG.mutateDirectory);
  }

  /** What tells this node from all others of the namespace. */
  get identity(): Identity {
    if (!this.#identity) {
      this.stat();
      this.#identity = answeredNode(this.client);
    }
    return this.#identity;
  }

  use(): this {
    this.#uses++;
    return this;
  }

  drop(): void {
    if (--this.#uses > 0 || this.fd === ROOT_FD) return;
    // the end of a writer is what others wait for (R10-8)
    if (!(this.flags & FLAG.write) && this.client.giveBack(this.fd)) return;
    this.client.args[0] = this.fd;
    this.client.call(OP.close);
  }

  get isDirectory(): boolean {
    return this.kind === KIND.directory;
  }

  /** Asks for the metadata; returns 0 or more, or `~code`. */
  stat(): number {
    if (this.#glance?.stat()) return 0;
    this.client.args[0] = this.fd;
    return this.client.call(OP.stat);
  }

  /** Reads into the payload; returns the bytes, or `~code`. */
  read(offset: number, most: number): number {
    const known = this.#glance?.read(offset, most);
    if (known !== undefined) return known;
    const { args } = this.client;
    args[0] = this.fd;
    args[1] = offset;
    args[2] = Math.min(most, PAYLOAD_BYTES);
    return this.client.call(OP.read);
  }

  /**
   * Writes at `offset`, or at the end when there is none. What fits into one call (128 KiB) is written in one step, so
   * an append of that size is never torn by another writer. Returns 0, or `~code`.
   */
  write(bytes: Uint8Array, offset: number | undefined): number {
    const outcome = this.writeParts([bytes], offset);
    return Math.min(outcome, 0);
  }

  /** As `write`, of several pieces of memory one behind the other. */
  writeParts(parts: Uint8Array[], offset: number | undefined): number {
    const { args, payload } = this.client;
    this.written = 0;
    let filled = 0;
    const flush = (): number => {
      args[0] = this.fd;
      if (offset !== undefined) args[1] = offset + this.written;
      const outcome = this.client.call(offset === undefined ? OP.append : OP.write, filled);
      if (outcome < 0) return outcome;
      this.end = (offset === undefined ? (args[0] as number) : offset + this.written) + filled;
      this.written += filled;
      return (filled = 0);
    };
    for (const part of parts) {
      for (let done = 0; done < part.length; ) {
        const piece = part.subarray(done, done + PAYLOAD_BYTES - filled);
        payload.set(piece, filled);
        done += piece.length;
        filled += piece.length;
        if (filled < PAYLOAD_BYTES) continue;
        const outcome = flush();
        if (outcome < 0) return outcome;
      }
    }
    const outcome = filled > 0 ? flush() : 0;
    if (outcome < 0) return outcome;
    return this.flags & (FLAG.fileSync | FLAG.dataSync) ? this.sync() : 0;
  }

  sync(): number {
    this.client.args[0] = this.fd;
    return this.client.call(OP.sync);
  }
}

/** A file read from an offset on. Its end is not for ever: a later read sees what was appended meanwhile. */
export class FileInput extends InputStream {
  readonly #file: Descriptor;
  #offset: number;
  #failed = false;
  #prepared = 0;

  constructor(file: Descriptor, offset: number) {
    super();
    this.#file = file.use();
    this.#offset = offset;
  }

  ready(): boolean {
    return true;
  }

  override subscribe(): Pollable {
    return new AlwaysReady();
  }

  prepare(most: number): number {
    if (this.#failed) return CLOSED;
    if (most === 0) return (this.#prepared = 0);
    const count = this.#file.read(this.#offset, most);
    if (count < 0) {
      this.#failed = true;
      throw IoError.filesystem(~count);
    }
    return count === 0 ? CLOSED : (this.#prepared = count);
  }

  take(into: Uint8Array): void {
    into.set(this.#file.client.payload.subarray(0, this.#prepared));
    this.#offset += this.#prepared;
  }

  skip(count: number): void {
    this.#offset += count;
  }

  override drop(): void {
    this.#file.drop();
  }
}

/** A file written from an offset on, or at its end. */
export class FileOutput extends OutputStream {
  readonly #file: Descriptor;
  #offset: number | undefined;
  #failed = false;

  constructor(file: Descriptor, offset: number | undefined) {
    super();
    this.#file = file.use();
    this.#offset = offset;
  }

  ready(): boolean {
    return true;
  }

  override subscribe(): Pollable {
    return new AlwaysReady();
  }

  /** As much as goes through one call, so that a write of a guest is one write of the file. */
  permit(): number {
    return this.#failed ? CLOSED : PAYLOAD_BYTES;
  }

  write(bytes: Uint8Array): void {
    const outcome = this.#file.write(bytes, this.#offset);
    if (outcome < 0) {
      this.#failed = true;
      throw IoError.filesystem(~outcome);
    }
    if (this.#offset !== undefined) this.#offset += bytes.length;
  }

  wait(): void {}

  override drop(): void {
    this.#file.drop();
  }
}

/** A resource `directory-entry-stream`: a snapshot of a folder, which comes in batches. */
export class Entries {
  readonly folder: Descriptor;
  readonly #client: Client;
  #batch: Uint8Array<ArrayBufferLike>;
  #at = 0;
  #list: number;

  /** Takes over the first batch, which stands in the payload. */
  constructor(folder: Descriptor, length: number) {
    const { client } = folder;
    this.folder = folder;
    this.#client = client;
    this.#batch = client.payload.slice(0, length);
    this.#list = client.args[0] as number;
  }

  /** The next entry; undefined after the last. `inode` is 0 when it is not known. */
  next(): { kind: number; inode: number; name: Uint8Array } | undefined {
    if (this.#at === this.#batch.length && !this.#more()) return undefined;
    const head = new DataView(this.#batch.buffer, this.#batch.byteOffset + this.#at, ENTRY_HEAD);
    const from = this.#at + ENTRY_HEAD;
    this.#at = from + head.getUint16(1, true);
    return {
      kind: head.getUint8(0),
      inode: head.getFloat64(3, true),
      name: this.#batch.subarray(from, this.#at),
    };
  }

  #more(): boolean {
    if (this.#list === 0) return false;
    this.#client.args[0] = this.#list;
    const length = this.#client.call(OP.nextEntries);
    if (length < 0) throw IoError.filesystem(~length);
    this.#list = this.#client.args[0] as number;
    this.#batch = this.#client.payload.slice(0, length);
    this.#at = 0;
    return length > 0;
  }

  drop(): void {
    if (this.#list === 0) return;
    this.#client.args[0] = this.#list;
    this.#client.call(OP.closeEntries);
  }
}
