import { FsError } from './errors.ts';

/** Bytes of UTF-8 in one step of a path, as on every POSIX system. */
export const MAX_NAME_BYTES = 255;
/** Bytes of UTF-8 in a whole path, in the target of a symbolic link, and in the path of any node from its root (R4-10). */
export const MAX_PATH_BYTES = 4096;
/** Symbolic links on the way to one node. */
export const MAX_LINKS_FOLLOWED = 40;

/** The length of a text in UTF-8, without making it. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    // A surrogate pair is two units and four bytes, so each half adds one; any other unit from 0x800 on adds two.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

function tooLong(text: string, limit: number): boolean {
  return text.length > limit || (text.length * 3 > limit && utf8Length(text) > limit);
}

/** Throws unless `name` can be one step of a path (R4-10: 255 bytes, any characters but `/` and NUL). */
export function checkName(name: string): void {
  if (tooLong(name, MAX_NAME_BYTES)) {
    throw new FsError('name-too-long', `a name is longer than ${MAX_NAME_BYTES} bytes: ${name.slice(0, 40)}…`);
  }
  if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0')) {
    throw new FsError('invalid', `not a name of a file: ${JSON.stringify(name)}`);
  }
  if (!name.isWellFormed()) throw new FsError('illegal-byte-sequence', 'a name is not well-formed Unicode');
}

/** Throws unless `path` can be a path at all: not empty, at most 4096 bytes, no NUL, and well-formed Unicode. */
export function checkPath(path: string): void {
  if (path === '') throw new FsError('no-entry', 'the path is empty');
  if (tooLong(path, MAX_PATH_BYTES)) {
    throw new FsError('name-too-long', `a path is longer than ${MAX_PATH_BYTES} bytes: ${path.slice(0, 40)}…`);
  }
  if (path.includes('\0')) throw new FsError('invalid', 'a path has a NUL character in it');
  if (!path.isWellFormed()) throw new FsError('illegal-byte-sequence', 'a path is not well-formed Unicode');
}
