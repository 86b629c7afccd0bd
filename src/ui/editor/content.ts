/** What a file is for whoever looks at it. */

import { inspect } from '../../components/inspect.ts';

export type FileContent =
  | { kind: 'text'; text: string }
  | { kind: 'picture'; type: string; bytes: Uint8Array<ArrayBuffer> }
  | { kind: 'component'; size: number; imports: string[]; exports: string[] }
  /** `about` says in a sentence what is known of it. */
  | { kind: 'bytes'; size: number; begin: Uint8Array; about?: string; tooLong: boolean };

/** The longest text that is edited, in bytes. */
export const LONGEST_TEXT = 4 * 1024 * 1024;
const BYTES_SHOWN = 256;

const PICTURES: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  ico: 'image/x-icon',
};

export function readContent(path: string, bytes: Uint8Array<ArrayBuffer>): FileContent {
  const extension = extensionOf(path);
  const size = bytes.length;
  const type = PICTURES[extension];
  if (type && size > 0) return { kind: 'picture', type, bytes };
  let about: string | undefined;
  if (extension === 'wasm') {
    try {
      return { kind: 'component', size, ...inspect(bytes) };
    } catch (error) {
      about = (error as Error).message;
    }
  }
  const tooLong = size > LONGEST_TEXT;
  const text = tooLong ? undefined : readText(bytes);
  if (text !== undefined) return { kind: 'text', text };
  return { kind: 'bytes', size, begin: bytes.slice(0, BYTES_SHOWN), tooLong, ...(about && { about }) };
}

export const extensionOf = (path: string): string => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';

/** Undefined for what is no UTF-8 text. A byte order mark stays, so that what is saved has it too. */
function readText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
