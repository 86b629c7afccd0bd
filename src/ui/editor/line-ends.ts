/** Lines end with LF in the editor; a file whose lines all end with CR LF keeps that. */

export type LineEnd = '\n' | '\r\n';

export function lineEnd(text: string): LineEnd {
  return text.includes('\n') && !/(^|[^\r])\n/.test(text) ? '\r\n' : '\n';
}

/** What the editor shows of a text whose lines end so. The inverse of `toFile`. */
export const toEditor = (text: string, end: LineEnd): string => (end === '\n' ? text : text.replaceAll(end, '\n'));

export const toFile = (text: string, end: LineEnd): string => (end === '\n' ? text : text.replaceAll('\n', end));
