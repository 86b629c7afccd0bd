/** Writes JSON5 as JSON, token by token, so that what JSON can say arrives as it was typed: numbers with all their digits. */

import JSON5 from 'json5';

/** Strings, comments, white space, punctuation, and words: names and numbers. */
const TOKEN =
  /"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\/|\s+|[{}[\],:]|[^\s{}[\],:"'/]+/g;
const BLANK = /^(?:\s|\/[/*])/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The JSON text of good JSON5, on one line; undefined where it holds NaN or Infinity, which JSON does not know. */
export function toJson(json5: string): string | undefined {
  const tokens = (json5.match(TOKEN) ?? []).filter((token) => !BLANK.test(token));
  const parts: string[] = [];
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1];
    if (token === ',' && (next === '}' || next === ']')) continue;
    const part = next === ':' ? writeKey(token) : writeToken(token);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts.join('');
}

const isString = (token: string): boolean => token[0] === '"' || token[0] === "'";

const writeKey = (token: string): string =>
  JSON.stringify(isString(token) ? JSON5.parse(token) : Object.keys(JSON5.parse(`{${token}:0}`))[0]);

function writeToken(token: string): string | undefined {
  if (/^[{}[\],:]$|^(?:true|false|null)$/.test(token)) return token;
  return isString(token) ? JSON.stringify(JSON5.parse(token)) : writeNumber(token);
}

/** JSON5 also has signs of plus, numbers that begin or end with a point, and hexadecimal ones. */
function writeNumber(token: string): string | undefined {
  const [, sign, digits] = /^\+?(-?)(.*)$/s.exec(token)!;
  if (/^0x/i.test(digits!)) return `${sign}${BigInt(digits!)}`;
  const number = sign + digits!.replace(/^\./, '0.').replace(/\.(?=[eE]|$)/, '');
  return NUMBER.test(number) ? number : undefined;
}
