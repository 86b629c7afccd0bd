/** What may stand in a message of HTTP/1.1 (RFC 9110 and 9112). */

/** A name and its value as bytes: values are mostly, but not always, text. */
export type Field = [name: string, value: Uint8Array];

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

export const isToken = (text: string): boolean => TOKEN.test(text);

/** Visible letters, spaces, tabs, and everything beyond ASCII; no line ends, which would begin another header. */
export const isFieldValue = (value: Uint8Array): boolean =>
  value.every((byte) => byte === 9 || (byte >= 32 && byte !== 127));

/** A path with its query, as it stands in the first line. */
export const isTarget = (text: string): boolean => text === '*' || /^\/[\x21-\x7e\x80-\u{10ffff}]*$/u.test(text);

/** `host`, `host:port`, `[::1]:port`; without a user. */
const AUTHORITY = /^(\[[0-9a-fA-F:.]+\]|[^\s:/?#@[\]\\]+)(?::(\d{0,5}))?$/;

export function parseAuthority(text: string): { host: string; port: number | undefined } | undefined {
  const match = AUTHORITY.exec(text);
  if (!match) return undefined;
  const port = match[2] ? Number(match[2]) : undefined;
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  return { host: match[1]!.replace(/^\[|\]$/g, ''), port };
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

export const valueText = (value: Uint8Array): string => decoder.decode(value);
export const fieldOf = (name: string, value: string): Field => [name, encoder.encode(value)];

/** The values of a header as texts, of all lines of that name. */
export const valuesOf = (fields: readonly Field[], name: string): string[] =>
  fields.filter(([other]) => other.toLowerCase() === name).map(([, value]) => valueText(value));

/** The number in `Content-Length`; undefined when there is none, NaN when it is no number or there are several. */
export function contentLength(fields: readonly Field[]): number | undefined {
  const values = valuesOf(fields, 'content-length').flatMap((value) => value.split(',').map((one) => one.trim()));
  if (values.length === 0) return undefined;
  const [first] = values;
  return values.every((value) => value === first && /^\d{1,15}$/.test(value)) ? Number(first) : Number.NaN;
}
