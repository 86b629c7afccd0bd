/**
 * JSON with exact integers. `JSON.parse` rounds what lies beyond 2^53, and with it the bounds of 64-bit integers; a check
 * that must be sound cannot work on rounded bounds. Here such an integer becomes a `bigint`, everything else is as usual.
 */

export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;
export interface JsonObject {
  [name: string]: Json;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The own property of an object: names such as `constructor` are names like any other. */
export function property(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets an own property, `__proto__` included. */
export function setProperty(object: JsonObject, name: string, value: Json): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** One step deeper in a JSON pointer (RFC 6901). */
export function step(pointer: string, token: string | number): string {
  return `${pointer}/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** More digits than any schema needs, few enough that no text can make the core compute with gigantic numbers. */
const MAX_DIGITS = 400;

/** The integer that a JSON number text stands for when a double cannot hold it for certain; undefined for all others. */
function largeInteger(text: string): bigint | undefined {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)!;
  const digits = (whole! + fraction).replace(/^0+(?=\d)/, '');
  const shift = Number(exponent) - fraction.length;
  if (digits === '0' || digits.length + shift < 16) return undefined;
  if (digits.length + shift > MAX_DIGITS) throw new SyntaxError(`the number ${text.slice(0, 40)} is too large`);
  const rest = shift < 0 ? digits.slice(shift) : '';
  if (/[1-9]/.test(rest)) return undefined;
  const value = BigInt(shift < 0 ? digits.slice(0, shift) : digits + '0'.repeat(shift));
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? undefined : sign ? -value : value;
}

/** Parses a JSON text; integers beyond ±(2^53 − 1) become `bigint`. Throws `SyntaxError`. Its inverse is `writeJson`. */
export function parseJson(text: string): Json {
  const plain: Json = JSON.parse(text);
  if (!/\d{16}|\d[eE]/.test(text)) return plain;
  // The large integers are parsed as strings that begin with a mark which the text has nowhere else.
  let mark = '\u{e000}';
  while (text.includes(mark)) mark += '\u{e000}';
  const marked = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) => {
    const value = token.startsWith('"') ? undefined : largeInteger(token);
    return value === undefined ? token : `"${mark}${value}"`;
  });
  return JSON.parse(marked, (_name, value) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}

/** The JSON text of a value, `bigint` as its digits. `undefined` properties are left out, as `JSON.stringify` does. */
export function writeJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map((item) => writeJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`).join(',')}}`;
}

/** Whether no value lies deeper than `limit` levels. Walks without recursion, so any depth can be asked about. */
export function isWithinDepth(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return false;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return true;
}
