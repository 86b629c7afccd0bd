/** What a line of the console means. Params are read as JSON5, so that quotes around keys, and a last comma, do not matter. */

import JSON5 from 'json5';
import { toJson } from './json5.ts';
import { straightenQuotes } from './quotes.ts';

export const BUILTINS = ['help', 'ls', 'cat', 'edit', 'clear'] as const;
export type Builtin = (typeof BUILTINS)[number];

export type Command =
  | { kind: 'empty' }
  | { kind: 'builtin'; name: Builtin; argument: string }
  /** `params` is JSON text. */
  | { kind: 'call'; method: string; params: string }
  /** One word that is no command and has no dot. */
  | { kind: 'word'; word: string }
  /** The params cannot be read. `rest` is the text from the first unreadable character on, empty at the end. */
  | { kind: 'params'; method: string; problem: 'syntax' | 'not-object' | 'not-json'; rest: string };

export function parseLine(line: string): Command {
  const text = line.trim();
  if (text === '') return { kind: 'empty' };
  const [, word = '', rest = ''] = /^([^\s{]+)\s*([\s\S]*)$/.exec(text) ?? [];
  if ((BUILTINS as readonly string[]).includes(word)) {
    return { kind: 'builtin', name: word as Builtin, argument: unquote(rest) };
  }
  if (!/^[^.]+\../.test(word)) return { kind: 'word', word: word || text };
  return parseParams(word, rest);
}

function parseParams(method: string, text: string): Command {
  if (text === '') return { kind: 'call', method, params: '{}' };
  // Braces may be left out: `notes.add text: "milk"`.
  const source = /^(\w+|"[^"]*"|“[^”]*”)\s*:/.test(text) ? `{${text}}` : text;
  const read = readJson(source);
  if (!read.ok) return { kind: 'params', method, problem: 'syntax', rest: read.rest.replace(/}$/, '') };
  if (typeof read.value !== 'object' || read.value === null || Array.isArray(read.value)) {
    return { kind: 'params', method, problem: 'not-object', rest: text };
  }
  const params = toJson(read.text);
  if (params === undefined) return { kind: 'params', method, problem: 'not-json', rest: text };
  return { kind: 'call', method, params };
}

type Read = { ok: true; text: string; value: unknown } | { ok: false; rest: string };

/** Text that is good as it stands is taken as it stands; only otherwise are its curly quotes straightened. */
function readJson(text: string): Read {
  try {
    return { ok: true, text, value: JSON5.parse(text) };
  } catch {
    const straight = straightenQuotes(text);
    try {
      return { ok: true, text: straight, value: JSON5.parse(straight) };
    } catch (error) {
      return { ok: false, rest: restAfter(straight, error) };
    }
  }
}

/** JSON5 reports the place of an error as a line and a column, both from 1. */
function restAfter(text: string, error: unknown): string {
  const { lineNumber, columnNumber } = error as { lineNumber?: number; columnNumber?: number };
  if (lineNumber === undefined || columnNumber === undefined) return text;
  const lines = text.split('\n').slice(lineNumber - 1);
  return [(lines[0] ?? '').slice(columnNumber - 1), ...lines.slice(1)].join('\n').trim();
}

/** The argument of `ls` and `cat`, which may stand in quotes of any kind. */
function unquote(text: string): string {
  const match = /^["“”'‘’]([\s\S]*)["“”'‘’]$/.exec(text.trim());
  return match ? match[1]! : text.trim();
}
