/**
 * Files of the world. All functions work at once and throw an `Error` with `code` (`ENOENT`, `EEXIST`, …) and `path`.
 * Paths are absolute, or relative to `/`.
 */

import * as host from 'sausage:host';

export type Kind = host.Kind;

export interface Stat {
  kind: Kind;
  /** Bytes. */
  size: number;
  links: number;
  modified: Date;
}

export interface Entry {
  name: string;
  kind: Kind;
}

/** What `open` may do: `read`, `write` (the file is there), `create`, `exclusive` (it must be new), `truncate`, `append`. */
export interface OpenFlags {
  read?: boolean;
  write?: boolean;
  create?: boolean;
  exclusive?: boolean;
  truncate?: boolean;
  append?: boolean;
}

/** An open file. `using file = open(path)` closes it at the end of the block. */
export class File {
  readonly #fd: number;

  constructor(fd: number) {
    this.#fd = fd;
  }

  get size(): number {
    return host.size(this.#fd);
  }

  /** Fills `into` from `offset`, or from the current place; returns the bytes read, less than asked for only at the end. */
  read(into: Uint8Array, offset = -1): number {
    return host.read(this.#fd, into, offset);
  }

  write(data: Uint8Array | string, offset = -1): void {
    host.writeFile(this.#fd, bytes(data), offset);
  }

  truncate(size: number): void {
    host.setSize(this.#fd, size);
  }

  /** Returns when what was written survives a crash of the machine. */
  sync(): void {
    host.sync(this.#fd);
  }

  close(): void {
    host.close(this.#fd);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

const bytes = (data: Uint8Array | string): Uint8Array => (typeof data === 'string' ? host.encodeUtf8(data) : data);

export function open(path: string, flags: OpenFlags = { read: true }): File {
  const { read, write, create, exclusive, truncate, append } = flags;
  const letters = [read && 'r', write && 'w', create && 'c', exclusive && 'x', truncate && 't', append && 'a'];
  return new File(host.open(path, letters.filter(Boolean).join('')));
}

function within<T>(file: File, task: (file: File) => T): T {
  try {
    return task(file);
  } finally {
    file.close();
  }
}

export function readFile(path: string): Uint8Array {
  return within(open(path), (file) => {
    const content = new Uint8Array(file.size);
    const length = file.read(content, 0);
    return length === content.length ? content : content.slice(0, length);
  });
}

export function readText(path: string): string {
  return host.decodeUtf8(readFile(path), false, false)[0];
}

// biome-ignore lint/suspicious/noExplicitAny: JSON is anything
export function readJson<T = any>(path: string): T {
  return JSON.parse(readText(path));
}

/** Writes a file anew. A reader may see a part of it meanwhile: `replaceFile` is for files that others read. */
export function writeFile(path: string, data: Uint8Array | string): void {
  within(open(path, { write: true, create: true, truncate: true }), (file) => file.write(data));
}

/** Writes a file anew in one step: everybody sees the old content or the new, also after a crash. */
export function replaceFile(path: string, data: Uint8Array | string): void {
  const unfinished = `${path}.${crypto.randomUUID().slice(0, 8)}.new`;
  try {
    writeFile(unfinished, data);
    rename(unfinished, path);
  } catch (error) {
    if (exists(unfinished)) host.unlink(unfinished);
    throw error;
  }
}

export function appendFile(path: string, data: Uint8Array | string): void {
  within(open(path, { append: true, create: true }), (file) => file.write(data));
}

/** The entries of a folder, in the order of their names. */
export function readDir(path: string): Entry[] {
  const list = host.readDir(path);
  const entries: Entry[] = [];
  for (let i = 0; i < list.length; i += 2) entries.push({ name: list[i] as string, kind: list[i + 1] as Kind });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Follows a symbolic link at the end unless `follow` is false. */
export function stat(path: string, { follow = true } = {}): Stat {
  const found = host.stat(path, follow);
  return { ...found, modified: new Date(found.modified) };
}

/** True for files, folders, and links that lead nowhere. */
export function exists(path: string): boolean {
  try {
    host.stat(path, false);
    return true;
  } catch {
    return false;
  }
}

/** With `recursive`, also the folders above it, and it may be there already. */
export function mkdir(path: string, { recursive = false } = {}): void {
  if (!recursive) return host.mkdir(path);
  const steps = path.split('/').filter((step) => step !== '');
  let at = path.startsWith('/') ? '' : '.';
  for (const step of steps) {
    at = `${at}/${step}`;
    try {
      host.mkdir(at);
    } catch (error) {
      if (!exists(at) || stat(at).kind !== 'directory') throw error;
    }
  }
}

export function rename(from: string, to: string): void {
  host.rename(from, to);
}

/** A file, a link or an empty folder; with `recursive` a folder with all that is in it, and it may be absent. */
export function remove(path: string, { recursive = false } = {}): void {
  if (recursive && !exists(path)) return;
  if (stat(path, { follow: false }).kind !== 'directory') return host.unlink(path);
  if (recursive) for (const { name } of readDir(path)) remove(`${path}/${name}`, { recursive });
  host.rmdir(path);
}

export function copyFile(from: string, to: string): void {
  writeFile(to, readFile(from));
}

/** A second name for a file. */
export function link(path: string, to: string): void {
  host.link(path, to);
}

/** A symbolic link at `path`; its target is relative. */
export function symlink(target: string, path: string): void {
  host.symlink(target, path);
}

export function readLink(path: string): string {
  return host.readLink(path);
}
