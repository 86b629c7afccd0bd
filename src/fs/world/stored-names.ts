/**
 * Names as they stand in the storage (R1-5). OPFS refuses a backslash everywhere, so `%5C` stands for it; a percent sign
 * that would read as such an escape becomes `%25`. Where the storage takes `a` and `A` for the same name, capital letters
 * and everything beyond ASCII are escaped too, byte by byte.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });
const ALWAYS = /[\\]|%(?=[0-9A-F]{2})/g;
const FOLDING = /[A-Z\\\u0080-\u{10ffff}]|%(?=[0-9A-Fa-f]{2})/gu;

const hex = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
const escapeText = (text: string): string => Array.from(encoder.encode(text), hex).join('');

export function escapeName(name: string, folds: boolean): string {
  return name.replace(folds ? FOLDING : ALWAYS, escapeText);
}

/** The inverse of `escapeName`. A name that no `escapeName` gives, put there by somebody else, stands for itself. */
export function unescapeName(stored: string, folds: boolean): string {
  let name: string;
  try {
    name = stored.replace(/(?:%[0-9A-F]{2})+/g, (run) => {
      const bytes = Uint8Array.from(run.slice(1).split('%'), (byte) => Number.parseInt(byte, 16));
      return decoder.decode(bytes);
    });
  } catch {
    return stored;
  }
  return escapeName(name, folds) === stored ? name : stored;
}
