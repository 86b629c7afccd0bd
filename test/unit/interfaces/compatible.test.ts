import { describe, expect, test } from 'vitest';
import { checkImports } from '../../../src/core/interfaces/compatible.ts';
import { emptyDocument } from '../../../src/core/interfaces/document.ts';
import { type Json, type JsonObject, parseJson, writeJson } from '../../../src/core/interfaces/json.ts';
import type { Problem } from '../../../src/core/interfaces/problem.ts';
import { consumer, judge, NAMES, provider, type Schemas } from './judge.ts';

/** Checks a schema that is sent against one that receives, as params, and lets ajv judge each counterexample. */
function sent(sender: Json, receiver: Json, schemas: Schemas = {}, others: Schemas = schemas): Problem[] {
  const problems = checkImports(
    consumer({ 'x-sausage-params': sender }, schemas),
    provider({ 'x-sausage-params': receiver }, others),
    NAMES,
  );
  for (const { counterexample } of problems) {
    expect(counterexample).toBeDefined();
    const value = JSON.parse(writeJson(counterexample));
    expect(judge(sender, schemas, 'closed')(value), `ajv lets ${writeJson(value)} be sent`).toBe(true);
    expect(judge(receiver, others, 'open')(value), `ajv refuses ${writeJson(value)}`).toBe(false);
  }
  return problems;
}

const examples = (problems: Problem[]) => problems.map(({ counterexample }) => counterexample);
const integer = (range: object): JsonObject => ({ type: 'integer', ...range });
const object = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
});
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = { type: 'string' };

describe('methods', () => {
  const method: JsonObject = { params: [], result: { name: 'r', schema: text } };

  test('R10-2 the same method on both sides fits', () => {
    expect(checkImports(consumer(method), provider(method), NAMES)).toEqual([]);
  });

  test('R10-2 a method that the provider does not have', () => {
    expect(checkImports(consumer(method), provider({ ...method, name: 'other' }), NAMES)).toEqual([
      {
        ...NAMES,
        method: 'm',
        side: 'method',
        pointer: '/x-sausage-imports/p/methods/0',
        reason: 'p does not have the method "m"',
      },
    ]);
    expect(checkImports(consumer(method), emptyDocument(), NAMES)).toHaveLength(1);
  });

  test('R10-7 a provider that does not exist fails each imported method, and an import without methods too', () => {
    expect(checkImports(consumer(method), undefined, NAMES)).toMatchObject([
      { method: 'm', side: 'method', reason: 'there is no plugin "p"' },
    ]);
    const nothing = consumer({}, {}, { methods: [] });
    expect(checkImports(nothing, undefined, NAMES)).toMatchObject([{ method: '', pointer: '/x-sausage-imports/p' }]);
    expect(checkImports(nothing, emptyDocument(), NAMES)).toEqual([]);
  });

  test('R10-2 only what the consumer imports of this provider is checked', () => {
    expect(checkImports(consumer(method), undefined, { consumer: 'c', provider: 'q' })).toEqual([]);
  });

  test('R10-2 the methods of endpoint interfaces are checked alike', () => {
    const endpoint = (schema: Json) => ({
      'x-sausage-endpoints': { control: { methods: [{ name: 'status', params: [], result: { name: 'r', schema } }] } },
    });
    const mine = consumer({}, {}, { methods: [], ...endpoint(text) });
    expect(checkImports(mine, provider({}, {}, endpoint(text)), NAMES)).toEqual([]);
    expect(checkImports(mine, provider({}, {}, endpoint({ type: 'null' })), NAMES)).toEqual([
      {
        ...NAMES,
        method: 'control/status',
        side: 'result',
        pointer: '/x-sausage-imports/p/x-sausage-endpoints/control/methods/0/result/schema',
        reason: 'result: p can send null, c takes only a string',
        counterexample: null,
      },
    ]);
    expect(checkImports(mine, provider({}), NAMES)).toMatchObject([
      { method: 'control/status', side: 'method', reason: 'p does not have the endpoint "control"' },
    ]);
    expect(
      checkImports(mine, provider({}, {}, { 'x-sausage-endpoints': { control: { methods: [] } } }), NAMES),
    ).toMatchObject([
      { method: 'control/status', side: 'method', reason: 'p does not have the method "control/status"' },
    ]);
    const bare = consumer({}, {}, { methods: [], 'x-sausage-endpoints': { control: { methods: [] } } });
    expect(checkImports(bare, provider({}), NAMES)).toHaveLength(1);
  });

  test('R10-2 a result that only one side describes', () => {
    expect(checkImports(consumer({ params: [] }), provider(method), NAMES)).toEqual([]);
    expect(checkImports(consumer(method), provider({ params: [] }), NAMES)).toMatchObject([
      { side: 'result', reason: 'p describes no result' },
    ]);
  });

  test('R10-3 a construct outside the subset fails the check, named in the document that has it', () => {
    const bad: JsonObject = { params: [{ name: 'a', schema: { ...text, pattern: 'x' } }] };
    const good: JsonObject = { params: [{ name: 'a', schema: text }] };
    expect(checkImports(consumer(bad), provider(good), NAMES)).toEqual([
      {
        ...NAMES,
        method: 'm',
        side: 'params',
        pointer: '/x-sausage-imports/p/methods/0/params/0/schema/pattern',
        reason: '`pattern` is outside the subset',
      },
    ]);
    expect(checkImports(consumer(good), provider(bad), NAMES)).toEqual([
      {
        ...NAMES,
        method: 'm',
        side: 'params',
        pointer: '/methods/0/params/0/schema/pattern',
        reason: 'in the document of p: `pattern` is outside the subset',
      },
    ]);
  });
});

describe('what a provider may change', () => {
  const note = (more: JsonObject = {}, required: string[] = []) =>
    object({ id: integer({}), title: text, ...more }, ['id', 'title', ...required]);
  const params = (...list: JsonObject[]) => ({ params: list.map((param) => ({ schema: text, ...param })) });
  const check = (mine: JsonObject, theirs: JsonObject) => checkImports(consumer(mine), provider(theirs), NAMES);
  const result = (schema: Json) => ({ result: { name: 'r', schema } });

  test('R10-5 a further method, an optional param, a result field pass', () => {
    const more = {
      methods: [
        { name: 'm', params: [] },
        { name: 'n', params: [] },
      ],
    };
    expect(checkImports(consumer({}), provider({}, {}, more), NAMES)).toEqual([]);
    expect(check(params({ name: 'a' }), params({ name: 'a' }, { name: 'b' }))).toEqual([]);
    expect(check(result(note()), result(note({ extra: text }, ['extra'])))).toEqual([]);
  });

  test('R10-5 a required param fails', () => {
    expect(check(params({ name: 'a' }), params({ name: 'a' }, { name: 'b', required: true }))).toEqual([
      {
        ...NAMES,
        method: 'm',
        side: 'params',
        pointer: '/x-sausage-imports/p/methods/0/params',
        reason: 'params: c can send an object without "b", which it does not know, p takes only objects with "b"',
        counterexample: {},
      },
    ]);
    expect(examples(check(params({ name: 'a' }), params({ name: 'a', required: true })))).toEqual([{}]);
    expect(check(params({ name: 'a', required: true }), params({ name: 'a', required: true }))).toEqual([]);
  });

  test('R10-5 a narrower param fails, a wider one passes', () => {
    const narrow = params({ name: 'a', schema: { enum: ['x', 'y'] } });
    const wide = params({ name: 'a', schema: { enum: ['x', 'y', 'z'] } });
    expect(examples(check(wide, narrow))).toEqual([{ a: 'z' }]);
    expect(check(narrow, wide)).toEqual([]);
    expect(check(narrow, params({ name: 'a' }))).toEqual([]);
  });

  test('R10-5 a wider result fails, a narrower one passes', () => {
    const wide = result(object({ state: { enum: ['open', 'closed', 'lost'] } }, ['state']));
    const narrow = result(object({ state: { enum: ['open', 'closed'] } }, ['state']));
    expect(examples(check(narrow, wide))).toEqual([{ state: 'lost' }]);
    expect(check(wide, narrow)).toEqual([]);
  });

  test('R10-5 a result field that goes away or becomes optional fails where the consumer requires it', () => {
    expect(examples(check(result(note()), result(object({ id: integer({}) }, ['id']))))).toEqual([{ id: 0 }]);
    expect(examples(check(result(note()), result(object({ id: integer({}), title: text }, ['id']))))).toEqual([
      { id: 0 },
    ]);
    expect(
      check(result(object({ id: integer({}), title: text })), result(object({ id: integer({}) }, ['id']))),
    ).toEqual([]);
  });

  test('R10-5 the sender is read closed although it says additionalProperties: true, at any depth', () => {
    const mine = object({ in: { ...object({ a: text }), additionalProperties: true } }, ['in']);
    const theirs = object({ in: object({ a: text, b: integer({}) }), c: integer({}) });
    expect(sent(mine, theirs)).toEqual([]);
    expect(sent({ type: 'object' }, object({ a: text }))).toEqual([]);
  });

  test('R10-11 descriptions never fail a check', () => {
    expect(
      sent({ ...text, description: 'a', title: 'b', default: 1 }, { ...text, description: 'c', format: 'uri' }),
    ).toEqual([]);
  });

  test('R3.9-3 every problem is told, in all sides, with its counterexample', () => {
    const mine = {
      'x-sausage-params': object({ a: text, b: text, c: object({ d: text }) }),
      ...result(object({ e: text }, ['e'])),
    };
    const theirs = {
      'x-sausage-params': object({ a: integer({}), b: { enum: ['x'] }, c: object({ d: { type: 'null' } }) }),
      ...result({ type: ['object', 'null'] }),
    };
    expect(
      check(mine, theirs).map(({ side, pointer, counterexample }) => [
        side,
        pointer.split('/p/methods/0/')[1],
        counterexample,
      ]),
    ).toEqual([
      ['params', 'x-sausage-params/properties/a', { a: '' }],
      ['params', 'x-sausage-params/properties/b', { b: 'other' }],
      ['params', 'x-sausage-params/properties/c/properties/d', { c: { d: '' } }],
      ['result', 'result/schema', null],
      ['result', 'result/schema', {}],
    ]);
  });
});

test('R3.9-3 a schema that several methods share fails each of them', () => {
  const methods = ['one', 'two'].map((name) => ({ name, params: [{ name: 'a', schema: to('Shared') }] }));
  const mine = consumer({}, { Shared: object({ b: text }) }, { methods });
  const theirs = provider({}, { Shared: object({ b: integer({}) }) }, { methods });
  expect(checkImports(mine, theirs, NAMES).map(({ method, counterexample }) => [method, counterexample])).toEqual([
    ['one', { a: { b: '' } }],
    ['two', { a: { b: '' } }],
  ]);
});

test('R10-3 a construct outside the subset that several methods share fails each of them, each time', () => {
  const methods = ['one', 'two'].map((name) => ({ name, params: [{ name: 'a', schema: to('Shared') }] }));
  const mine = consumer({}, { Shared: text }, { methods });
  const theirs = provider({}, { Shared: object({ b: { type: 'string', pattern: 'x' } }) }, { methods });
  for (let check = 0; check < 2; check++) {
    const problems = checkImports(mine, theirs, NAMES);
    const pointer = '/components/schemas/Shared/properties/b/pattern';
    expect(problems.map((problem) => [problem.method, problem.pointer])).toEqual([
      ['one', pointer],
      ['two', pointer],
    ]);
  }
});

describe('kinds of values', () => {
  test('R10-4 an integer is a number; a number is no integer', () => {
    expect(sent(integer({}), { type: 'number' })).toEqual([]);
    expect(sent(integer({ minimum: 3 }), { type: ['number', 'null'] })).toEqual([]);
    expect(examples(sent({ type: 'number' }, integer({})))).toEqual([0.5]);
  });

  test.each<[string, object, object, Json[]]>([
    ['a higher minimum', { minimum: 0 }, { minimum: 1 }, [0]],
    ['a lower minimum', { minimum: 1 }, { minimum: 0 }, []],
    ['minimum 1 is exclusiveMinimum 0', { minimum: 1 }, { exclusiveMinimum: 0 }, []],
    ['exclusiveMinimum 0 is minimum 1', { exclusiveMinimum: 0 }, { minimum: 1 }, []],
    ['minimum 0 against exclusiveMinimum 0', { minimum: 0 }, { exclusiveMinimum: 0 }, [0]],
    ['exclusiveMaximum 10 is maximum 9', { exclusiveMaximum: 10 }, { maximum: 9 }, []],
    ['maximum 10 against exclusiveMaximum 10', { maximum: 10 }, { exclusiveMaximum: 10 }, [10]],
    ['bounds between integers', { minimum: 0.5, maximum: 2.5 }, { minimum: 1, maximum: 2 }, []],
    ['exclusive bounds between integers', { exclusiveMinimum: -0.5 }, { minimum: 0 }, []],
    ['the stricter of two bounds', { minimum: 0, exclusiveMinimum: 4 }, { minimum: 5 }, []],
    ['no bounds', {}, { minimum: -1, maximum: 1 }, [-2, 2]],
    ['ranges apart', { minimum: 10, maximum: 20 }, { minimum: 30 }, [20]],
    ['a sender that allows nothing', { minimum: 1, maximum: 0 }, { minimum: 100 }, []],
    ['a receiver that allows nothing', { minimum: 7 }, { minimum: 1, maximum: 0 }, [7]],
    ['a float bound', { minimum: 0.0 }, { minimum: 0 }, []],
  ])('R10-4 ranges: %s', (_, sender, receiver, expected) => {
    expect(examples(sent(integer(sender), integer(receiver)))).toEqual(expected);
  });

  test('R10-4 enum against type', () => {
    expect(sent({ enum: ['a'] }, text)).toEqual([]);
    expect(sent({ type: 'string', enum: ['a'] }, { enum: ['a', 'b'] })).toEqual([]);
    expect(examples(sent(text, { enum: ['other', 'other-'] }))).toEqual(['other--']);
    expect(examples(sent({ enum: ['a'] }, integer({})))).toEqual(['a']);
    expect(sent({ type: 'integer', enum: ['a'] }, { type: 'null' })).toEqual([]);
    expect(examples(sent(text, { type: 'integer', enum: ['a'] }))).toEqual(['']);
  });

  const nullable: Json[] = [
    { type: ['string', 'null'] },
    { type: ['null', 'string'] },
    { anyOf: [text, { type: 'null' }] },
    { oneOf: [{ type: 'null' }, text] },
    { anyOf: [to('Text'), { type: 'null' }] },
    { anyOf: [{ type: ['string', 'null'] }, { type: 'null' }] },
    to('Nullable'),
  ];
  const schemas = { Text: text, Nullable: { oneOf: [to('Text'), to('Null')] }, Null: { type: 'null' } };

  test('R10-4 every nullable form is the same as every other', () => {
    for (const one of nullable) {
      for (const other of nullable) expect(sent(one, other, schemas)).toEqual([]);
      expect(examples(sent(one, text, schemas))).toEqual([null]);
      expect(sent(text, one, schemas)).toEqual([]);
      expect(sent({ type: 'null' }, one, schemas)).toEqual([]);
      expect(examples(sent(integer({}), one, schemas))).toEqual([0]);
    }
  });

  test('R10-4 oneOf of null and a schema that allows null refuses null', () => {
    const odd = { oneOf: [{ type: ['string', 'null'] }, { type: 'null' }] };
    expect(examples(sent({ type: ['string', 'null'] }, odd))).toEqual([null]);
    expect(sent(odd, text)).toEqual([]);
    expect(sent({ oneOf: [{ type: 'null' }, { type: 'null' }] }, integer({}))).toEqual([]);
  });

  test('R10-4 an optional property is not a nullable one', () => {
    expect(examples(sent(object({ a: { type: ['string', 'null'] } }), object({ a: text })))).toEqual([{ a: null }]);
    expect(examples(sent(object({ a: text }), object({ a: { type: ['string', 'null'] } }, ['a'])))).toEqual([{}]);
  });

  test('R10-4 an enum with null in it', () => {
    const levels = { type: ['string', 'null'], enum: ['low', null] };
    expect(sent(levels, { type: ['string', 'null'] })).toEqual([]);
    expect(examples(sent(levels, { enum: ['low'] }))).toEqual([null]);
    expect(examples(sent({ type: ['string', 'null'] }, { type: ['string', 'null'], enum: ['low'] }))).toEqual([
      null,
      'other',
    ]);
  });

  test('R10-4 arrays and their items, also where the schema does not speak of them', () => {
    const list = (items: Json) => ({ type: 'array', items });
    expect(examples(sent(list(text), list(integer({}))))).toEqual([['']]);
    expect(examples(sent(list(list(text)), list(list({ enum: ['x'] }))))).toEqual([[['other']]]);
    expect(sent(list(text), { type: 'array' })).toEqual([]);
    expect(sent(list(integer({ minimum: 1, maximum: 0 })), list({ type: 'null' }))).toEqual([]);
    expect(sent({ type: 'array' }, list(text)).length).toBeGreaterThan(0);
    expect(examples(sent(list({ type: 'null' }), text))).toEqual([[]]);
  });

  test('R10-4 a schema without a type speaks only of the kinds that its keywords name', () => {
    const pet = { properties: { name: text }, required: ['name'] };
    expect(sent(pet, pet)).toEqual([]);
    expect(sent(object({ name: text }, ['name']), pet)).toEqual([]);
    expect(sent(integer({}), pet)).toEqual([]);
    expect(sent(pet, object({ name: text })).map(({ counterexample }) => counterexample)).toEqual([
      null,
      true,
      0,
      '',
      [],
    ]);
  });

  test('R10-4 property names are nothing but names', () => {
    const names = ['constructor', 'toString', 'hasOwnProperty', 'a/b~c', 'ä "quoted"\u2028'];
    for (const name of names) {
      expect(sent(object({ [name]: text }, [name]), object({ [name]: text }, [name]))).toEqual([]);
      expect(examples(sent(object({ [name]: text }), object({ [name]: text }, [name])))).toEqual([{}]);
      expect(examples(sent(object({ [name]: text }), object({ [name]: integer({}) })))).toEqual([{ [name]: '' }]);
    }
  });

  test.each(['__proto__', ''])('R10-4 %j is a name too, which ajv does not know', (name) => {
    const schema = (type: string) =>
      parseJson(`{"type": "object", "properties": {"${name}": {"type": "${type}"}}, "required": ["${name}"]}`);
    const check = (mine: Json, theirs: Json) =>
      checkImports(consumer({ 'x-sausage-params': mine }), provider({ 'x-sausage-params': theirs }), NAMES);
    expect(check(schema('string'), schema('string'))).toEqual([]);
    const problems = check(schema('string'), schema('integer'));
    expect(problems.map(({ counterexample }) => writeJson(counterexample))).toEqual([`{"${name}":""}`]);
  });
});

describe('integers at the edges of 64 bits', () => {
  const I64: [string, string] = ['-9223372036854775808', '9223372036854775807'];
  const U64: [string, string] = ['0', '18446744073709551615'];
  const range = ([minimum, maximum]: [string, string]) =>
    parseJson(`{"type":"integer","minimum":${minimum},"maximum":${maximum}}`);
  const check = (sender: Json, receiver: Json) =>
    checkImports(consumer({ 'x-sausage-params': sender }), provider({ 'x-sausage-params': receiver }), NAMES).map(
      ({ counterexample }) => writeJson(counterexample),
    );

  test('R10-4 i64 against u64', () => {
    expect(check(range(I64), range(I64))).toEqual([]);
    expect(check(range(I64), range(U64))).toEqual(['-1']);
    expect(examples(sent(range(I64), range(U64)))).toEqual([-1]);
    expect(check(range(['0', I64[1]]), range(U64))).toEqual([]);
    // ajv, which rounds, agrees with this one too.
    expect(sent(range(U64), range(I64))).toHaveLength(1);
  });

  test('R10-4 bounds that differ by one beyond 2^53 are told apart', () => {
    expect(check(range(['0', '9223372036854775807']), range(['0', '9223372036854775806']))).toEqual([
      '9223372036854775807',
    ]);
    expect(check(range(['0', '9223372036854775806']), range(['0', '9223372036854775807']))).toEqual([]);
    expect(
      check(range(['9007199254740992', '9007199254740993']), range(['9007199254740992', '9007199254740992'])),
    ).toEqual(['9007199254740993']);
    expect(check(range(['-9223372036854775808', '0']), range(['-9223372036854775807', '0']))).toEqual([
      '-9223372036854775808',
    ]);
    const exclusive = parseJson('{"type":"integer","exclusiveMaximum":18446744073709551616}');
    expect(check(range(U64), exclusive)).toEqual([]);
    expect(check(exclusive, range(U64))).toEqual(['-1']);
  });

  test('R10-4 a counterexample beyond 2^53 is one that a reader of doubles refuses too, where there is one', () => {
    const [problem] = sent(integer({ minimum: 0 }), range(['0', I64[1]]));
    expect(problem?.counterexample).toBeGreaterThan(2n ** 63n);
  });
});

describe('schemas that contain themselves', () => {
  const list = (item: Json, more: JsonObject = {}) => object({ item, next: to('List'), ...more }, ['item']);

  test('R10-4 a recursive pair comes to an end and fits', () => {
    expect(sent(to('List'), to('List'), { List: list(text) }, { List: list({ type: ['string', 'null'] }) })).toEqual(
      [],
    );
  });

  test('R10-4 a recursive pair of different shapes fits where its values do', () => {
    const unrolled = {
      List: object({ item: text, next: object({ item: text, next: to('List') }, ['item']) }, ['item']),
    };
    expect(sent(to('List'), to('List'), unrolled, { List: list(text) })).toEqual([]);
    expect(sent(to('List'), to('List'), { List: list(text) }, unrolled)).toEqual([]);
  });

  test('R10-4 a mismatch deep in the recursion has a small counterexample', () => {
    const deep = { List: object({ next: object({ next: object({ next: to('List'), end: integer({}) }) }) }) };
    const problems = sent(to('List'), to('List'), { List: object({ next: to('List'), end: text }) }, deep);
    expect(examples(problems)).toEqual([{ next: { next: { end: '' } } }]);
    expect(problems[0]?.reason).toContain('params.next.next.end: ');
  });

  test('R10-4 a schema without finite values is never sent', () => {
    const endless = { List: object({ next: to('List') }, ['next']) };
    expect(sent(to('List'), text, endless)).toEqual([]);
    expect(examples(sent(object({ a: to('List') }), text, endless))).toEqual([{}]);
    expect(examples(sent(object({ next: object({}) }, ['next']), to('List'), {}, endless)).length).toBe(1);
    expect(examples(sent({ type: 'array', items: to('List') }, { type: 'array', items: text }, endless))).toEqual([]);
  });

  test('R10-5 an object that requires what it does not declare is never sent', () => {
    expect(sent(object({}, ['a']), integer({}))).toEqual([]);
    expect(sent(object({ in: object({}, ['a']) }, ['in']), integer({}))).toEqual([]);
    expect(examples(sent(object({ a: text }), object({}, ['b'])))).toEqual([{}]);
  });

  test('R10-4 mutual recursion through lists and nulls', () => {
    const tree = (leaf: Json) => ({
      Tree: object({ leaf, children: { type: 'array', items: to('Child') } }, ['children']),
      Child: { anyOf: [to('Tree'), { type: 'null' }] },
    });
    expect(sent(to('Tree'), to('Tree'), tree(text))).toEqual([]);
    expect(examples(sent(to('Child'), to('Child'), tree(text), tree({ enum: ['x'] })))).toEqual([
      { leaf: 'other', children: [] },
    ]);
  });

  test('R10-4 small schemas of exponentially large values neither hang nor make a huge counterexample', () => {
    const schemas: Schemas = { N0: text };
    for (let at = 1; at <= 60; at++)
      schemas[`N${at}`] = object({ a: to(`N${at - 1}`), b: to(`N${at - 1}`) }, ['a', 'b']);
    const problems = checkImports(
      consumer({ 'x-sausage-params': to('N60') }, schemas),
      provider({ 'x-sausage-params': text }),
      NAMES,
    );
    expect(problems).toHaveLength(1);
    expect(problems[0]).not.toHaveProperty('counterexample');
  });
});

describe('whose components', () => {
  test("R10-1 an import resolves its $refs in its own components, else in the plugin's", () => {
    const method = {
      name: 'm',
      params: [
        { name: 'a', schema: to('Own') },
        { name: 'b', schema: to('Shared') },
      ],
    };
    const components = { schemas: { Own: text } };
    const plugin = provider(
      {},
      { Own: { type: 'null' }, Shared: integer({}) },
      { 'x-sausage-imports': { p: { methods: [method], components } } },
    );
    const theirs = provider({
      params: [
        { name: 'a', schema: text },
        { name: 'b', schema: integer({}) },
      ],
    });
    expect(checkImports(plugin, theirs, NAMES)).toEqual([]);
    const strict = provider({
      params: [
        { name: 'a', schema: { enum: ['x'] } },
        { name: 'b', schema: text },
      ],
    });
    expect(checkImports(plugin, strict, NAMES).map(({ pointer }) => pointer)).toEqual([
      '/x-sausage-imports/p/components/schemas/Own',
      '/components/schemas/Shared',
    ]);
  });
});

test('R10-4 documents of 500 definitions are checked in under 100 ms', () => {
  const make = (more: Json): Schemas =>
    Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [
        `D${at}`,
        object(
          {
            id: integer({ minimum: 0 }),
            name: text,
            next: to(`D${(at + 1) % 500}`),
            other: { type: 'array', items: to(`D${(at * 7) % 500}`) },
            more,
          },
          ['id'],
        ),
      ]),
    );
  const methods = () =>
    Array.from({ length: 500 }, (_, at) => ({
      name: `m${at}`,
      params: [{ name: 'p', schema: to(`D${at}`) }],
      result: { name: 'r', schema: to(`D${at}`) },
    }));
  const theirs = (more: Json) => provider({}, make(more), { methods: methods() });
  // Others may work on the machine: the quickest of some runs counts, each on documents that are read for the first time.
  const times = Array.from({ length: 5 }, () => {
    const [one, other] = [consumer({}, make(text), { methods: methods() }), theirs(text)];
    const start = performance.now();
    expect(checkImports(one, other, NAMES)).toEqual([]);
    return performance.now() - start;
  });
  expect(Math.min(...times)).toBeLessThan(100);
  const failing = checkImports(
    consumer({}, make(text), { methods: methods().slice(0, 1) }),
    theirs({ type: 'null' }),
    NAMES,
  );
  expect(failing).toHaveLength(1000);
});
