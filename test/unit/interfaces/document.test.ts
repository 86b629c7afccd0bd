import { describe, expect, test } from 'vitest';
import { emptyDocument, parseDocument } from '../../../src/core/interfaces/document.ts';
import type { Json, JsonObject } from '../../../src/core/interfaces/json.ts';
import { DocumentError, type Remark } from '../../../src/core/interfaces/problem.ts';

const base: JsonObject = { openrpc: '1.2.6', info: { title: 'Notes', version: '1' }, methods: [] };
const text = { type: 'string' };
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The faults that refuse a document. */
function faults(json: unknown): Remark[] {
  try {
    parseDocument(json);
  } catch (error) {
    expect(error).toBeInstanceOf(DocumentError);
    for (const { reason } of (error as DocumentError).faults) expect((error as Error).message).toContain(reason);
    return (error as DocumentError).faults;
  }
  return [];
}

const warnings = (json: JsonObject) => parseDocument({ ...base, ...json }).warnings;
const withMethod = (method: JsonObject, more: JsonObject = {}) => ({
  ...base,
  methods: [{ name: 'm', params: [], ...method }],
  ...more,
});

describe('a document', () => {
  test('R10-1 methods, endpoints, imports and the grace period are read', () => {
    const { document, warnings } = parseDocument({
      ...base,
      info: { title: 'Notes', version: '1', description: 'Keeps notes.' },
      methods: [
        {
          name: 'add',
          summary: 's',
          description: 'd',
          deprecated: true,
          params: [
            { name: 'text', description: 'What.', required: true, schema: text },
            { $ref: '#/components/contentDescriptors/Level' },
          ],
          result: { name: 'id', description: 'Whose.', schema: to('Id') },
        },
        { name: 'touch', params: [] },
      ],
      components: {
        schemas: { Id: text },
        contentDescriptors: { Level: { name: 'level', schema: { type: 'integer' } } },
      },
      'x-sausage-endpoints': { control: { methods: [{ name: 'status', params: [] }] } },
      'x-sausage-imports': { log: { methods: [{ name: 'write', params: [] }] }, web: {} },
      'x-sausage-grace': 5,
    });
    expect(warnings).toEqual([]);
    expect(document).toMatchObject({ title: 'Notes', description: 'Keeps notes.', grace: 5 });
    expect([...document.methods.keys()]).toEqual(['add', 'touch']);
    expect(document.methods.get('add')).toMatchObject({
      summary: 's',
      description: 'd',
      deprecated: true,
      pointer: '/methods/0',
      descriptions: { params: new Map([['text', 'What.']]), result: 'Whose.' },
      params: {
        pointer: '/methods/0/params',
        schema: { type: 'object', properties: { text, level: { type: 'integer' } }, required: ['text'] },
      },
      result: { pointer: '/methods/0/result/schema', schema: to('Id') },
    });
    expect(document.methods.get('touch')?.result).toBeUndefined();
    expect([...document.endpoints.get('control')!.keys()]).toEqual(['status']);
    expect([...document.imports].map(([name, { methods }]) => [name, [...methods.keys()]])).toEqual([
      ['log', ['write']],
      ['web', []],
    ]);
  });

  test('R10-1 a plugin without a document provides and imports nothing', () => {
    const { methods, endpoints, imports } = emptyDocument();
    expect(methods.size + endpoints.size + imports.size).toBe(0);
  });

  test.each<[string, unknown, string]>([
    ['no object', [], ''],
    ['no methods', { openrpc: '1.2.6', info: base.info }, '/methods'],
    ['a method that is no object', { ...base, methods: [1] }, '/methods/0'],
    ['a method without a name', { ...base, methods: [{ params: [] }] }, '/methods/0'],
    ['a method by reference', { ...base, methods: [{ $ref: '#/x' }] }, '/methods/0'],
    [
      'two methods of one name',
      {
        ...base,
        methods: [
          { name: 'a', params: [] },
          { name: 'a', params: [] },
        ],
      },
      '/methods/1/name',
    ],
    ['no params', { ...base, methods: [{ name: 'a' }] }, '/methods/0/params'],
    ['a param without a name', withMethod({ params: [{ schema: text }] }), '/methods/0/params/0'],
    ['a param without a schema', withMethod({ params: [{ name: 'a' }] }), '/methods/0/params/0'],
    [
      'two params of one name',
      withMethod({
        params: [
          { name: 'a', schema: text },
          { name: 'a', schema: text },
        ],
      }),
      '/methods/0/params/1',
    ],
    [
      'a param that is not there',
      withMethod({ params: [{ $ref: '#/components/contentDescriptors/X' }] }),
      '/methods/0/params/0',
    ],
    ['a result without a schema', withMethod({ result: { name: 'r' } }), '/methods/0/result'],
    ['a schema that is not there', withMethod({ 'x-sausage-params': to('X') }), '/methods/0/x-sausage-params/$ref'],
    [
      'a schema that is not there, deep down',
      withMethod({ params: [{ name: 'a', schema: { type: 'array', items: { anyOf: [to('X'), { type: 'null' }] } } }] }),
      '/methods/0/params/0/schema/items/anyOf/0/$ref',
    ],
    ['endpoints that are a list', { ...base, 'x-sausage-endpoints': [] }, '/x-sausage-endpoints'],
    [
      'an endpoint without methods',
      { ...base, 'x-sausage-endpoints': { control: {} } },
      '/x-sausage-endpoints/control/methods',
    ],
    ['imports that are a list', { ...base, 'x-sausage-imports': [] }, '/x-sausage-imports'],
    ['an import that is no object', { ...base, 'x-sausage-imports': { 'a/b': true } }, '/x-sausage-imports/a~1b'],
    [
      'an import with a method without params',
      { ...base, 'x-sausage-imports': { a: { methods: [{ name: 'm' }] } } },
      '/x-sausage-imports/a/methods/0/params',
    ],
  ])('R10-1 what the checks need refuses it: %s', (_, json, pointer) => {
    expect(faults(json).map((fault) => fault.pointer)).toEqual([pointer]);
  });

  test('R10-1 every fault is told at once', () => {
    expect(faults({ ...base, methods: [{}, { name: 'a' }], 'x-sausage-imports': 1 })).toHaveLength(3);
  });

  test('R10-1 a document nested without end is refused, not followed', () => {
    let deep: Json = text;
    for (let level = 0; level < 100_000; level++) deep = { type: 'array', items: deep };
    expect(faults(withMethod({ 'x-sausage-params': deep }))).toEqual([
      { pointer: '', reason: expect.stringContaining('200 levels') },
    ]);
  });
});

describe('documents of many schemas', () => {
  const chain = (length: number, link: (to: JsonObject) => JsonObject) => {
    const schemas: JsonObject = { N0: text };
    for (let at = 1; at <= length; at++) schemas[`N${at}`] = link(to(`N${at - 1}`));
    return withMethod({ 'x-sausage-params': to(`N${length}`) }, { components: { schemas } });
  };

  test('R10-1 long chains of schemas are read', () => {
    expect(faults(chain(5_000, (next) => ({ type: 'object', properties: { next } })))).toEqual([]);
    expect(faults(chain(5_000, (next) => next))).toEqual([]);
  });

  test('R10-1 a chain of unions too long to be read is refused', () => {
    const union = (next: JsonObject) => ({ anyOf: [next, { type: 'null' }] });
    expect(faults(chain(100, union))).toEqual([]);
    expect(faults(chain(50_000, union))).toEqual([{ pointer: '', reason: expect.stringContaining('too many times') }]);
  });
});

describe('warnings', () => {
  test('R10-1 what the OpenRPC meta-schema finds wrong and no check needs', () => {
    expect(warnings({ info: { title: 'x' } })).toEqual([
      { pointer: '/info', reason: expect.stringContaining('version') },
    ]);
    expect(warnings({ openrpc: '2.0.0' }).map(({ pointer }) => pointer)).toEqual(['/openrpc']);
    expect(warnings({ unknown: 1 })).toEqual([{ pointer: '', reason: expect.stringContaining('"unknown"') }]);
    const bad = { minimum: 'x', type: 'integer' };
    expect(warnings({ methods: [{ name: 'm', params: [{ name: 'a', schema: bad }] }] })).toEqual([
      { pointer: '/methods/0/params/0/schema/minimum', reason: expect.stringContaining('number') },
    ]);
    expect(warnings({ methods: [{ name: 'm', params: [], result: { name: 1, schema: text } }] })).toHaveLength(1);
  });

  test('R10-1 another version of OpenRPC', () => {
    expect(warnings({ openrpc: '1.0.0-rc1' })).toEqual([
      { pointer: '/openrpc', reason: expect.stringContaining('1.0.0-rc1') },
    ]);
    expect(warnings({ openrpc: '1.2.1' })).toEqual([]);
  });

  test('R10-1 x-sausage-params decides, and a difference to params is told', () => {
    const declared = { type: 'object', properties: { a: text }, required: ['a'] };
    const of = (params: Json, schema: Json = declared) => ({
      methods: [{ name: 'm', params, 'x-sausage-params': schema }],
    });
    const same = [{ name: 'a', required: true, schema: text }];
    expect(warnings(of(same))).toEqual([]);
    for (const params of [
      [],
      [{ name: 'a', schema: text }],
      [{ name: 'a', required: true, schema: { type: 'null' } }],
    ]) {
      expect(warnings(of(params)).map(({ pointer }) => pointer)).toEqual(['/methods/0/params']);
      expect(parseDocument({ ...base, ...of(params) }).document.methods.get('m')?.params.schema).toEqual(declared);
    }
    const more = [...same, { name: 'b', schema: text }];
    expect(warnings(of(more)).map(({ pointer }) => pointer)).toEqual(['/methods/0/params']);
    expect(warnings(of(same, { ...declared, properties: { a: { ...text, pattern: 'x' } } }))).toEqual([]);
  });

  test('R10-1 a grace period that is none', () => {
    for (const grace of [-1, 'x', null]) {
      const { document, warnings } = parseDocument({ ...base, 'x-sausage-grace': grace });
      expect(document.grace).toBeUndefined();
      expect(warnings.map(({ pointer }) => pointer)).toEqual(['/x-sausage-grace']);
    }
  });

  test('R10-1 params by position, names that cannot be called, a required property that is not declared', () => {
    expect(
      warnings({ methods: [{ name: 'm', paramStructure: 'by-position', params: [] }] }).map(({ pointer }) => pointer),
    ).toEqual(['/methods/0/paramStructure']);
    expect(warnings({ methods: [{ name: 'rpc.other', params: [] }] }).map(({ pointer }) => pointer)).toEqual([
      '/methods/0/name',
    ]);
    expect(warnings({ methods: [{ name: 'rpc.retired', params: [] }] })).toEqual([]);
    const schema = { type: 'object', required: ['a'] };
    expect(warnings({ methods: [{ name: 'm', params: [], result: { name: 'r', schema } }] })).toEqual([
      { pointer: '/methods/0/result/schema/required', reason: 'it names a property that is not declared' },
    ]);
  });
});
