import type { Entry } from '@zip.js/zip.js/lib/zip-core-native.js';
import type { Kind } from '../../fs/filesystem.ts';
import { ZipError } from './error.ts';
import { MOUNTS } from './tree.ts';

/** An entry that may become part of a world. */
export interface Planned {
  /** From the root of the world, without a slash at either end. */
  path: string;
  kind: Kind;
  entry: Entry;
}

/** The comment of the zips that this host makes: their names mean what they say, and nobody added anything. */
const MARK = 'Sausage world';
export const MARK_BYTES = MARK.length;
export const markOfOwn = (): Uint8Array => new TextEncoder().encode(MARK);
export const isMarkOfOwn = (comment: Uint8Array | undefined): boolean =>
  comment?.length === MARK.length && new TextDecoder().decode(comment) === MARK;

const UNIX = 3;
const TYPE_MASK = 0o170000;
const TYPES: ReadonlySet<number> = new Set([0, 0o040000, 0o100000, 0o120000]);

/**
 * The path and kind of an entry; throws `ZipError` for what is no path inside of a folder. In an `own` zip a backslash and a
 * colon are letters like others.
 */
export function planEntry(entry: Entry, own: boolean): Planned {
  const name = entry.filename;
  const refuse = (problem: string): never => {
    throw new ZipError(problem, name);
  };
  if (name.includes('\0')) refuse('there is a NUL character in the name');
  if (!own && /^[A-Za-z]:($|[\\/])/.test(name)) refuse('the name begins with the letter of a drive');
  if (name.startsWith('/') || (!own && name.startsWith('\\'))) refuse('the name is absolute');
  const steps = name
    .replace(/^(\.\/)+/, '')
    .replace(/\/$/, '')
    .split('/');
  if (name.split(own ? '/' : /[\\/]/).includes('..')) refuse('the name leads out of the world');
  // On Unix a backslash is a character like others; elsewhere it parts folders, and what it means here is not certain.
  if (!own && name.includes('\\') && entry.versionMadeBy >> 8 !== UNIX) refuse('there is a backslash in the name');
  if (name !== './' && steps.some((step) => step === '' || step === '.')) refuse('a step of the name is empty');
  if (entry.unixMode !== undefined && entry.versionMadeBy >> 8 === UNIX && !TYPES.has(entry.unixMode & TYPE_MASK)) {
    refuse('neither a file, a folder nor a symbolic link');
  }
  return { path: steps.join('/'), kind: entry.symlink ? 'link' : entry.directory ? 'directory' : 'file', entry };
}

/** The names by which a folder is known to be a world. */
const WORLD_FOLDERS: ReadonlySet<string> = new Set(['plugins', 'config', 'state']);

/**
 * Takes away what a packing tool added: the `__MACOSX` folder, and one folder around everything when there is a world in
 * it (as in the zips that code hosts make). An `own` zip is the world as it is.
 */
export function unwrap(planned: Planned[], own: boolean): Planned[] {
  const entries = own ? planned : withoutWrapping(planned);
  // R1-4
  for (const { path, entry } of entries) {
    if (MOUNTS.has(topOf(path))) {
      throw new ZipError(`a world has no ${topOf(path)} at its top: the host makes that`, entry.filename);
    }
  }
  return entries;
}

function withoutWrapping(planned: Planned[]): Planned[] {
  const entries = planned.filter(({ path }) => path !== '' && topOf(path) !== '__MACOSX');
  const tops = new Set(entries.map(({ path }) => topOf(path)));
  const [top] = tops;
  if (tops.size === 1 && !WORLD_FOLDERS.has(top!)) {
    const inside = entries
      .filter(({ path }) => path !== top)
      .map((one) => ({ ...one, path: one.path.slice(top!.length + 1) }));
    if (
      inside.some(({ path, kind }) => WORLD_FOLDERS.has(topOf(path)) && (path.includes('/') || kind === 'directory'))
    ) {
      return inside;
    }
  }
  return entries;
}

function topOf(path: string): string {
  const slash = path.indexOf('/');
  return slash < 0 ? path : path.slice(0, slash);
}

/** Throws when two entries have one name, or one is a file where another needs a folder. */
export function refuseConflicts(entries: Planned[]): void {
  const kinds = new Map<string, Kind>();
  for (const { path, kind, entry } of entries) {
    if (kinds.has(path)) throw new ZipError('the name is there twice', entry.filename);
    kinds.set(path, kind);
  }
  for (const { path, entry } of entries) {
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      const kind = kinds.get(path.slice(0, slash));
      if (kind !== undefined && kind !== 'directory') {
        throw new ZipError(`${path.slice(0, slash)} is a ${kind} and cannot have something in it`, entry.filename);
      }
    }
  }
}

/** Throws unless the target of a symbolic link is relative and stays in the world. */
export function checkTarget({ path, entry }: Planned, target: string): void {
  if (target === '' || target.includes('\0')) throw new ZipError('the link leads nowhere', entry.filename);
  if (target.startsWith('/')) throw new ZipError(`the link leads out of the world: ${target}`, entry.filename);
  let depth = path.split('/').length - 1;
  for (const step of target.split('/')) {
    if (step === '..') depth--;
    else if (step !== '' && step !== '.') depth++;
    if (depth < 0) throw new ZipError(`the link leads out of the world: ${target}`, entry.filename);
  }
}
