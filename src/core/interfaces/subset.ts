/** The keywords of R10-3: which JSON Schema the check reads, and what it says about the rest. */

import { isObject, type Json, type JsonObject, property, step } from './json.ts';
import type { Remark } from './problem.ts';

export const KINDS = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const;
export type Kind = (typeof KINDS)[number];
export const RANGES = ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum'] as const;
export const UNIONS = ['anyOf', 'oneOf'] as const;

const READ = new Set<string>(['type', 'properties', 'required', 'items', 'enum', '$ref', 'additionalProperties']);
for (const keyword of [...RANGES, ...UNIONS]) READ.add(keyword);

const IGNORED = new Set(
  'title description default examples $comment $schema $id format readOnly writeOnly deprecated'.split(' '),
);

export function isIgnored(keyword: string): boolean {
  return IGNORED.has(keyword) || keyword.startsWith('x-');
}

/** The keywords of a schema that say something about values. */
export function keywords(schema: JsonObject): string[] {
  return Object.keys(schema).filter((keyword) => !isIgnored(keyword));
}

/** The names in `type`; undefined where the schema has none, so that every value is meant. */
export function typeNames(schema: JsonObject): Json[] | undefined {
  const type = property(schema, 'type');
  return type === undefined || Array.isArray(type) ? type : [type];
}

const isNumber = (value: Json) => typeof value === 'bigint' || Number.isFinite(value);
const isText = (value: Json) => typeof value === 'string';

/** What is wrong with each keyword in itself; the schemas below are not looked at. */
const FORMS: Record<string, (value: Json, schema: JsonObject) => string | undefined> = {
  type: (_, schema) => {
    const names = typeNames(schema)!;
    const known = names.every((name) => name === 'integer' || KINDS.includes(name as Kind));
    if (!known) return '`type` must be a name of JSON Schema';
    const single = names.length === 1 || (names.length === 2 && new Set(names).size === 2 && names.includes('null'));
    return single ? undefined : '`type` can be one name, or a name and "null"';
  },
  properties: (value) => (isObject(value) ? undefined : '`properties` must be an object'),
  required: (value) => (Array.isArray(value) && value.every(isText) ? undefined : '`required` must be a list of names'),
  items: (value) => (Array.isArray(value) ? 'a list of `items` (a tuple)' : undefined),
  enum: (value) => {
    // Null may stand among the strings: builders write it there when the type is nullable.
    const strings = Array.isArray(value) && value.some(isText) && value.every((item) => isText(item) || item === null);
    return strings ? undefined : 'an `enum` of anything but strings';
  },
  additionalProperties: (value) => (value === true ? undefined : '`additionalProperties` other than true'),
  $ref: (_, schema) => (keywords(schema).length === 1 ? undefined : 'a `$ref` with other keywords beside it'),
};
for (const keyword of RANGES) {
  FORMS[keyword] = (value, schema) => {
    if (!isNumber(value)) return `\`${keyword}\` must be a number`;
    return typeNames(schema)?.includes('integer') ? undefined : `\`${keyword}\` on anything but an integer`;
  };
}
for (const keyword of UNIONS) {
  FORMS[keyword] = (value, schema) => {
    if (keywords(schema).length > 1) return `\`${keyword}\` with other keywords beside it`;
    return Array.isArray(value) && value.length === 2
      ? undefined
      : `\`${keyword}\` of anything but one schema and null`;
  };
}

/** The constructs of one schema, without those below it, that are outside the subset (R10-3). */
export function outside(schema: Json, pointer: string): Remark[] {
  if (!isObject(schema)) {
    return [
      {
        pointer,
        reason: `the schema ${typeof schema === 'boolean' ? schema : 'is no object and'} is outside the subset`,
      },
    ];
  }
  const read = keywords(schema);
  if (read.length === 0) return [{ pointer, reason: 'a schema that allows every value is outside the subset' }];
  return read.flatMap((keyword) => {
    const reason = READ.has(keyword) ? FORMS[keyword]!(schema[keyword]!, schema) : `\`${keyword}\``;
    return reason === undefined ? [] : [{ pointer: step(pointer, keyword), reason: `${reason} is outside the subset` }];
  });
}
