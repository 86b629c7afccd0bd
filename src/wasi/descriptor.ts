import type { Client } from '../syscall/client.ts';
import { KIND, OP, PAYLOAD_BYTES } from '../syscall/protocol.ts';
import { AlwaysReady, CLOSED, InputStream, IoError, OutputStream, type Pollable } from './streams.ts';

/** Bits of `descriptor-flags`. */
export const FLAG = { read: 1, write: 2, fileSync: 4, dataSync: 8, mutateDirectory: 32 } as const;

/** A resource `descriptor`. What never changes of an open file is known here, so that asking costs no call. */
export class Descriptor {
  readonly client: Client;
  readonly fd: number;
  readonly kind: number;
  readonly flags: number;
  readonly inode: number;
  readonly device: number;
  /** The handle of the guest and each stream that was made of it: the last one closes it. */
  #uses = 1;

  constructor(client: Client, fd: number, kind: number, flags: number, inode: number, device: number) {
    this.client = client;
    this.fd = fd;
    this.kind = kind;
    this.flags = flags;
    this.inode = inode;
    this.device = device;
  }

  use(): this {
    this.#uses++;
    return this;
  }

  drop(): void {
    if (--this.#uses > 0) return;
    this.client.args[0] = this.fd;
    this.client.call(OP.close);
  }

  get isDirectory(): boolean {
    return this.kind === KIND.directory;
  }

  /** Reads into the payload; returns the bytes, or `~code`. */
  read(offset: number, most: number): number {
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
    const { args, payload } = this.client;
    for (let done = 0; done < bytes.length; done += PAYLOAD_BYTES) {
      const part = bytes.subarray(done, done + PAYLOAD_BYTES);
      payload.set(part);
      args[0] = this.fd;
      if (offset !== undefined) args[1] = offset + done;
      const outcome = this.client.call(offset === undefined ? OP.append : OP.write, part.length);
      if (outcome < 0) return outcome;
    }
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
  readonly #client: Client;
  #batch: Uint8Array;
  #at = 0;
  #list: number;

  /** Takes over the first batch, which stands in the payload. */
  constructor(client: Client, length: number) {
    this.#client = client;
    this.#batch = client.payload.slice(0, length);
    this.#list = client.args[0] as number;
  }

  /** The kind and the name of the next entry; undefined after the last. */
  next(): { kind: number; name: Uint8Array } | undefined {
    if (this.#at === this.#batch.length && !this.#more()) return undefined;
    const [kind = 0, low = 0, high = 0] = this.#batch.subarray(this.#at, this.#at + 3);
    const from = this.#at + 3;
    this.#at = from + (low | (high << 8));
    return { kind, name: this.#batch.subarray(from, this.#at) };
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
