/** A form for the params of a method: its fields, and the line that comes of what was filled in. */

import type { Method, Param } from './interface.ts';
import { parseLine } from './parse.ts';

export type FieldKind = 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'json';

export interface Field extends Param {
  kind: FieldKind;
}

/** What was filled in, by the name of the param, as text; an empty one is left out. */
export type Filled = ReadonlyMap<string, string>;

/** Why a field cannot be taken as it is. */
export type Mistake = 'missing' | 'integer' | 'number' | 'json';

const KINDS: Record<string, FieldKind> = { string: 'text', number: 'number', integer: 'integer', boolean: 'boolean' };

export const fieldsOf = ({ params }: Method): Field[] =>
  params.map((param) => ({ ...param, kind: param.choices ? 'choice' : (KINDS[param.type ?? ''] ?? 'json') }));

/** The line as one would type it, or what is wrong with it, by the names of the fields. */
export function composeLine(
  method: string,
  fields: readonly Field[],
  filled: Filled,
): { line: string } | { mistakes: Map<string, Mistake> } {
  const mistakes = new Map<string, Mistake>();
  const members: string[] = [];
  for (const field of fields) {
    const { name, kind, required } = field;
    const text = filled.get(name) ?? '';
    // a text that is needed may be an empty one
    if (text === '' && !(required && kind === 'text')) {
      if (required) mistakes.set(name, 'missing');
      continue;
    }
    const value = jsonOf(field, text);
    if (typeof value === 'string') members.push(`${JSON.stringify(name)}: ${value}`);
    else mistakes.set(name, value.mistake);
  }
  if (mistakes.size > 0) return { mistakes };
  return { line: members.length > 0 ? `${method} {${members.join(', ')}}` : method };
}

/** As JSON, numbers with all their digits. */
function jsonOf({ kind }: Field, text: string): string | { mistake: Mistake } {
  switch (kind) {
    case 'text':
      return JSON.stringify(text);
    case 'integer':
      return /^-?(0|[1-9]\d*)$/.test(text.trim()) ? text.trim() : { mistake: 'integer' };
    case 'number':
      return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text.trim()) ? text.trim() : { mistake: 'number' };
    case 'boolean':
    case 'choice':
      return text;
    case 'json': {
      // the console reads it, so curly quotes and bare names are as good here
      const command = parseLine(`a.b {"value": ${text}}`);
      if (command.kind !== 'call') return { mistake: 'json' };
      const [, value] = /^\{"value":(.*)\}$/s.exec(command.params) ?? [];
      return value !== undefined && isOneValue(value) ? value : { mistake: 'json' };
    }
  }
}

/** Not what ends the object around it and goes on. */
function isOneValue(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
