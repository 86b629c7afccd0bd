/** Random schemas of the subset (R10-3), random changes of them, and random values that they allow. */

import fc from 'fast-check';
import { isObject, type Json, type JsonObject } from '../../../src/core/interfaces/json.ts';
import { RANGES } from '../../../src/core/interfaces/subset.ts';
import type { Schemas } from './judge.ts';

export interface Sample {
  schema: Json;
  schemas: Schemas;
}

const SHARED = ['A', 'B', 'C', 'D'];
const NAMES = ['a', 'b', 'c', 'constructor', 'a/b~c'];
const STRINGS = ['', 'a', 'b', 'other', 'ä\u2028"'];

const name = fc.constantFrom(...NAMES);
const bound = fc.oneof(fc.integer({ min: -4, max: 4 }), fc.constantFrom(0.5, -1.5, 2 ** 40, -(2 ** 52)));
const ignored = fc.record(
  {
    title: fc.constant('T'),
    description: fc.constant('a text'),
    format: fc.constant('int64'),
    default: fc.constant(7),
  },
  { requiredKeys: [] },
);

/** A schema whose `$ref`s lead to the given shared schemas. */
function schema(depth: number, shared: string[]): fc.Arbitrary<Json> {
  const leaf: fc.Arbitrary<Json>[] = [
    fc.constantFrom<Json>(
      { type: 'boolean' },
      { type: 'number' },
      { type: 'null' },
      { type: 'array' },
      { type: 'object' },
    ),
    fc.record({ type: fc.constantFrom<Json>('string', ['string', 'null'], ['null', 'number'], ['boolean', 'null']) }),
    fc.record({ enum: fc.uniqueArray(fc.constantFrom(...STRINGS), { minLength: 1, maxLength: 3 }) }),
    fc.record({
      type: fc.constantFrom<Json>('string', ['string', 'null'], 'integer'),
      enum: fc.constantFrom<Json>(['a'], ['a', 'b'], ['a', null]),
    }),
    fc.record(
      {
        type: fc.constantFrom<Json>('integer', ['integer', 'null']),
        minimum: bound,
        maximum: bound,
        exclusiveMinimum: bound,
        exclusiveMaximum: bound,
      },
      { requiredKeys: ['type'] },
    ),
  ];
  if (shared.length > 0) leaf.push(fc.constantFrom(...shared).map((to) => ({ $ref: `#/components/schemas/${to}` })));
  const plain = fc.oneof(...leaf);
  if (depth === 0) return plain;
  const below = schema(depth - 1, SHARED);
  const object = fc
    .record({
      type: fc.constantFrom<Json | undefined>('object', 'object', 'object', ['object', 'null'], undefined),
      properties: fc.dictionary(name, below, { maxKeys: 3 }),
      required: fc.array(fc.nat(2), { maxLength: 2 }),
      extra: fc.constantFrom(undefined, undefined, true),
    })
    .map(({ type, properties, required, extra }) => ({
      ...(type && { type }),
      properties,
      required: [...new Set(required)].flatMap((at) => Object.keys(properties)[at] ?? []),
      ...(extra && { additionalProperties: extra }),
    }));
  const array = fc.record({ type: fc.constantFrom<Json>('array', ['array', 'null']), items: below });
  // Only schemas that come later may stand in a union here, so that no union contains itself.
  const inner = schema(depth - 1, shared);
  const union = fc
    .tuple(fc.constantFrom('anyOf', 'oneOf'), inner, fc.boolean())
    .map(([keyword, of, first]) => ({ [keyword]: first ? [{ type: 'null' }, of] : [of, { type: 'null' }] }));
  const any = fc.oneof({ weight: 2, arbitrary: plain }, { weight: 4, arbitrary: object }, array, union);
  return fc
    .tuple(any, ignored)
    .map(([of, more]) => (isObject(of) && '$ref' in of ? of : { ...(of as JsonObject), ...more }));
}

export const samples: fc.Arbitrary<Sample> = fc.record({
  schema: schema(2, SHARED),
  schemas: fc
    .tuple(...SHARED.map((_, at) => schema(2, SHARED.slice(at + 1))))
    .map((all) => Object.fromEntries(all.map((of, at) => [SHARED[at]!, of]))),
});

/** Numbers from 0 up to 1, always the same for the same seed. */
export function random(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function pick<T>(next: () => number, from: readonly T[]): T {
  return from[Math.floor(next() * from.length)]!;
}

/** A copy with a few small changes, as the next version of a plugin has them. */
export function changed(sample: Sample, next: () => number): Sample {
  const copy = structuredClone(sample);
  const objects: JsonObject[] = [];
  const collect = (of: Json) => {
    if (!isObject(of)) return;
    objects.push(of);
    if (isObject(of.properties)) Object.values(of.properties).forEach(collect);
    for (const part of [of.items, ...((of.anyOf ?? of.oneOf ?? []) as Json[])]) if (isObject(part)) collect(part);
  };
  [copy.schema, ...Object.values(copy.schemas)].forEach(collect);
  for (let count = 1 + Math.floor(next() * 5); count > 0; count--) change(pick(next, objects), next);
  return copy;
}

function change(of: JsonObject, next: () => number): void {
  if ('$ref' in of || 'anyOf' in of || 'oneOf' in of) return;
  const properties = of.properties as JsonObject | undefined;
  if (properties) {
    const required = of.required as string[];
    const name = pick(next, NAMES);
    if (!Object.hasOwn(properties, name)) {
      properties[name] = { type: pick(next, ['string', 'integer', 'null']) };
      if (next() < 0.3) required.push(name);
    } else if (required.includes(name)) of.required = required.filter((other) => other !== name);
    else if (next() < 0.5) required.push(name);
    else delete properties[name];
  } else if (of.enum) of.enum = pick<Json>(next, [['a'], ['a', 'b'], ['b', '', 'a']]);
  else if (of.type === 'integer') {
    const keyword = pick(next, RANGES);
    if (keyword in of && next() < 0.5) delete of[keyword];
    else of[keyword] = Math.floor(next() * 9) - 4;
    if (next() < 0.2) {
      for (const key of RANGES) delete of[key];
      of.type = 'number';
    }
  } else if (typeof of.type === 'string' && of.type !== 'null') of.type = next() < 0.7 ? [of.type, 'null'] : of.type;
  else if (Array.isArray(of.type)) of.type = of.type.find((name) => name !== 'null')!;
}

/** A value that the schema allows read closed, or at least is likely to: ajv has the last word. */
export function value(of: Json, schemas: Schemas, next: () => number, depth = 0): Json {
  const schema = of as JsonObject;
  if (schema.$ref) return value(schemas[(schema.$ref as string).split('/').at(-1)!]!, schemas, next, depth);
  const branches = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (branches) return value(depth > 6 ? { type: 'null' } : pick(next, branches), schemas, next, depth);
  if (schema.enum && next() < 0.9) return pick(next, schema.enum as Json[]);
  const types = [schema.type ?? ['null', 'boolean', 'number', 'string', 'array', 'object']].flat();
  switch (depth > 6 && types.includes('null') ? 'null' : pick(next, types)) {
    case 'boolean':
      return next() < 0.5;
    case 'number':
      return pick(next, [0, -1, 0.5, 3, 1e300]);
    case 'integer': {
      const edges = RANGES.flatMap((key) => {
        const edge = schema[key] as number | undefined;
        return edge === undefined ? [] : [Math.floor(edge) - 1, Math.floor(edge), Math.ceil(edge), Math.ceil(edge) + 1];
      });
      return pick(next, [...edges, ...edges, 0, -7, 7, 2 ** 51]);
    }
    case 'string':
      return pick(next, [...STRINGS, 'text']);
    case 'array':
      return Array.from({ length: depth > 6 ? 0 : Math.floor(next() * 3) }, () =>
        schema.items ? value(schema.items, schemas, next, depth + 1) : pick<Json>(next, [null, 'x', 1]),
      );
    case 'object': {
      const required = (schema.required ?? []) as string[];
      const properties = Object.entries((schema.properties ?? {}) as JsonObject);
      const sent = properties.filter(([key]) => required.includes(key) || (depth <= 6 && next() < 0.6));
      if (depth > 12) return {};
      return Object.fromEntries(sent.map(([key, child]) => [key, value(child, schemas, next, depth + 1)]));
    }
    default:
      return null;
  }
}
