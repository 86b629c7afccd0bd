import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { unimportable } from '../../../src/core/interfaces/compatible.ts';
import type { Json, JsonObject } from '../../../src/core/interfaces/json.ts';
import { allOutside, readSchema } from '../../../src/core/interfaces/schema.ts';
import { Scope } from '../../../src/core/interfaces/scope.ts';
import { provider, type Schemas } from './judge.ts';

/** The pointers of what is outside the subset in a schema that stands at the root. */
function outside(schema: Json, schemas: Schemas = {}): string[] {
  const scope = new Scope({ components: { schemas } }, '');
  return allOutside(readSchema({ schema, pointer: '', scope })).map(({ pointer }) => pointer);
}

const builders = (name: string) => JSON.parse(readFileSync(new URL(`builders/${name}.json`, import.meta.url), 'utf8'));

describe('the subset', () => {
  const named = {
    A: { type: 'string' },
    Null: { type: 'null' },
    Loop: { type: 'object', properties: { next: { $ref: '#/components/schemas/Loop' } } },
  };
  test.each<[string, Json]>([
    ...['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'].map((type): [string, Json] => [
      type,
      { type },
    ]),
    ['a name and null', { type: ['string', 'null'] }],
    ['null and a name', { type: ['null', 'integer'] }],
    ['properties and required', { type: 'object', properties: { a: { type: 'string' } }, required: ['a', 'b'] }],
    ['properties without a type', { properties: { a: { type: 'string' } } }],
    ['items', { type: 'array', items: { type: 'string' } }],
    ['a string enum', { enum: ['a', 'b'] }],
    ['a nullable enum', { type: ['string', 'null'], enum: ['a', null] }],
    ['ranges of an integer', { type: 'integer', minimum: 0.0, maximum: 9, exclusiveMinimum: -1, exclusiveMaximum: 10 }],
    ['ranges of a nullable integer', { type: ['integer', 'null'], minimum: 0 }],
    ['a $ref', { $ref: '#/components/schemas/A', description: 'beside it' }],
    ['a recursive $ref', { $ref: '#/components/schemas/Loop' }],
    ['anyOf of one schema and null', { anyOf: [{ $ref: '#/components/schemas/A' }, { type: 'null' }] }],
    ['oneOf of null and one schema', { oneOf: [{ type: 'null', title: 'none' }, { type: 'array' }] }],
    ['anyOf of one schema and a shared null', { anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/Null' }] }],
    ['additionalProperties: true', { type: 'object', additionalProperties: true }],
  ])('R10-3 has %s', (_, schema) => {
    expect(outside(schema, named)).toEqual([]);
  });

  test('R10-3 ignores what says nothing about values', () => {
    const ignored = {
      title: 't',
      description: 'd',
      default: {},
      examples: [1],
      $comment: 'c',
      $schema: 's',
      $id: 'i',
      format: 'f',
      readOnly: true,
      writeOnly: true,
      deprecated: true,
      'x-anything': { const: 1 },
    };
    expect(outside({ type: 'string', ...ignored })).toEqual([]);
    expect(outside(ignored)).toEqual(['']);
  });

  test.each<[string, Json, string]>([
    ['true', true, ''],
    ['false', false, ''],
    ['{}', {}, ''],
    ['null', null, ''],
    ['additionalProperties: false', { type: 'object', additionalProperties: false }, '/additionalProperties'],
    [
      'additionalProperties with a schema',
      { type: 'object', additionalProperties: { type: 'string' } },
      '/additionalProperties',
    ],
    ['const', { const: 'a' }, '/const'],
    ['const beside a type', { type: 'string', const: 'a' }, '/const'],
    ['allOf', { allOf: [{ type: 'string' }] }, '/allOf'],
    ['not', { type: 'string', not: { enum: ['a'] } }, '/not'],
    ['if', { type: 'string', if: { enum: ['a'] } }, '/if'],
    ['pattern', { type: 'string', pattern: 'a' }, '/pattern'],
    ['patternProperties', { type: 'object', patternProperties: {} }, '/patternProperties'],
    ['minLength', { type: 'string', minLength: 1 }, '/minLength'],
    ['maxItems', { type: 'array', maxItems: 1 }, '/maxItems'],
    ['uniqueItems', { type: 'array', uniqueItems: true }, '/uniqueItems'],
    ['multipleOf', { type: 'integer', multipleOf: 2 }, '/multipleOf'],
    ['a range on a number', { type: 'number', minimum: 0 }, '/minimum'],
    ['a range without a type', { exclusiveMaximum: 3 }, '/exclusiveMaximum'],
    ['a boolean exclusiveMinimum', { type: 'integer', exclusiveMinimum: true }, '/exclusiveMinimum'],
    ['a tuple', { type: 'array', items: [{ type: 'string' }] }, '/items'],
    ['an enum of numbers', { enum: [1] }, '/enum'],
    ['an empty enum', { enum: [] }, '/enum'],
    ['several types', { type: ['string', 'integer'] }, '/type'],
    ['three types', { type: ['string', 'integer', 'null'] }, '/type'],
    ['an unknown type', { type: 'int' }, '/type'],
    ['anyOf of two schemas', { anyOf: [{ type: 'string' }, { type: 'integer' }] }, '/anyOf'],
    ['anyOf of three', { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] }, '/anyOf'],
    ['anyOf of one', { anyOf: [{ type: 'string' }] }, '/anyOf'],
    ['anyOf beside a type', { type: 'string', anyOf: [{ type: 'string' }, { type: 'null' }] }, '/anyOf'],
    ['nullable', { type: 'string', nullable: true }, '/nullable'],
    ['definitions', { type: 'string', definitions: {} }, '/definitions'],
    ['a $ref elsewhere', { $ref: '#/definitions/A' }, '/$ref'],
    ['a $ref to another document', { $ref: 'https://example.org/a.json' }, '/$ref'],
    ['a $ref to nothing', { $ref: '#/components/schemas/Nothing' }, '/$ref'],
    ['a $ref with a type beside it', { $ref: '#/components/schemas/A', type: 'string' }, '/$ref'],
    ['properties that are a list', { type: 'object', properties: [] }, '/properties'],
    ['required that is true', { type: 'object', required: true }, '/required'],
  ])('R10-3 does not have %s', (_, schema, pointer) => {
    expect(outside(schema, { A: { type: 'string' } })).toEqual([pointer]);
  });

  test('R10-3 names constructs wherever they are, each once, by escaped pointers', () => {
    const bad = { type: 'string', pattern: 'a' };
    const schemas = { 'A/~': { type: 'object', properties: { 'x/y': bad, list: { type: 'array', items: true } } } };
    const to = { $ref: '#/components/schemas/A~1~0' };
    const schema = {
      type: 'object',
      properties: {
        one: to,
        two: to,
        three: { anyOf: [bad, { type: 'null' }] },
        four: { const: 1, properties: { five: bad } },
      },
    };
    expect(outside(schema, schemas).sort()).toEqual([
      '/components/schemas/A~1~0/properties/list/items',
      '/components/schemas/A~1~0/properties/x~1y/pattern',
      '/properties/four/const',
      '/properties/four/properties/five/pattern',
      '/properties/three/anyOf/0/pattern',
    ]);
  });

  test('R10-3 schemas that are nothing but themselves are refused, not followed for ever', () => {
    const to = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    expect(outside(to('A'), { A: to('B'), B: to('A') })).toHaveLength(1);
    expect(outside(to('A'), { A: { anyOf: [to('A'), { type: 'null' }] } })).toEqual(['/components/schemas/A/anyOf']);
    const union = { A: { anyOf: [to('B'), { type: 'null' }] }, B: { oneOf: [{ type: 'null' }, to('A')] } };
    expect(outside(to('A'), union)).not.toEqual([]);
  });
});

describe('what schema builders write', () => {
  test.each(['0.8', '1'])(
    'R10-3 schemars %s: structs, options, lists, string enums, recursion are inside',
    (version) => {
      const schemas = builders('schemars')[version];
      expect(outside({ $ref: '#/components/schemas/Task' }, schemas)).toEqual([]);
    },
  );

  test.each(['0.8', '1'])('R10-3 schemars %s: maps, tuples, chars, values, enums with data are named', (version) => {
    const schemas = builders('schemars')[version];
    const at = '/components/schemas';
    const found = outside({ $ref: '#/components/schemas/Outside' }, schemas);
    expect(found).toEqual(
      expect.arrayContaining([
        `${at}/Labelled/oneOf`,
        `${at}/Outside/properties/any`,
        `${at}/Outside/properties/letter/maxLength`,
        `${at}/Outside/properties/map/additionalProperties`,
        `${at}/Outside/properties/pair/maxItems`,
        `${at}/Shape/oneOf`,
      ]),
    );
    // A reference with a description beside it and all that is behind it is inside.
    expect(found.filter((pointer) => /documented|Person/.test(pointer))).toEqual([]);
  });

  test('R10-3 TypeBox: objects, optional and nullable members, lists are inside; literals, tuples, records are named', () => {
    const { typebox, typeboxOutside } = builders('typescript');
    expect(outside(typebox, { Task: typebox })).toEqual([]);
    expect(outside(typeboxOutside).sort()).toEqual(
      [
        'any',
        'kind/const',
        'map/patternProperties',
        'pair/additionalItems',
        'pair/items',
        'pair/maxItems',
        'pair/minItems',
        'self/properties/children/items/$ref',
        'short/maxLength',
        'state/anyOf',
      ].map((at) => `/properties/${at}`),
    );
  });

  test('R10-3 zod: all is inside but the closed objects that it writes by default', () => {
    const { zod3, zod3passthrough, zod4, zod4input } = builders('typescript');
    const closed = ['/additionalProperties', '/properties/owner/anyOf/0/additionalProperties'];
    expect(outside(zod3).sort()).toEqual(closed);
    expect(outside(zod4).sort()).toEqual(closed);
    expect(outside(zod3passthrough)).toEqual([]);
    expect(outside(zod4input)).toEqual([]);
  });
});

test('R10-3 a method with a construct outside the subset cannot be imported, and a build says so', () => {
  const methods: JsonObject[] = [
    { name: 'good', params: [], result: { name: 'r', schema: { type: 'string' } } },
    {
      name: 'bad',
      params: [{ name: 'p', schema: { type: 'string', pattern: 'x' } }],
      result: { name: 'r', schema: true },
    },
  ];
  const document = provider({}, {}, { methods, 'x-sausage-endpoints': { control: { methods: [methods[1]!] } } });
  expect(unimportable(document)).toEqual([
    {
      method: 'bad',
      warning:
        'bad cannot be imported: /methods/1/params/0/schema/pattern: `pattern` is outside the subset; ' +
        '/methods/1/result/schema: the schema true is outside the subset',
    },
    {
      method: 'control/bad',
      warning: expect.stringContaining('/x-sausage-endpoints/control/methods/0/params/0/schema/pattern'),
    },
  ]);
});
