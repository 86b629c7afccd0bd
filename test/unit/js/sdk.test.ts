/** The SDK's schemas: types, JSON Schema and checks of the same thing. */

import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { type Schema, type Static, t } from '../../../public/world/plugins/js/sdk/schema.ts';

const Note = t.object({
  id: t.integer({ minimum: 1 }),
  text: t.string({ description: 'what it says' }),
  color: t.optional(t.enum(['red', 'blue'])),
  parent: t.nullable(t.integer()),
  tags: t.array(t.string()),
});

describe('R10-3 schemas of the JavaScript SDK', () => {
  test('the type of the values follows from the schema', () => {
    expectTypeOf<Static<typeof Note>>().toEqualTypeOf<{
      id: number;
      text: string;
      color?: 'red' | 'blue';
      parent: number | null;
      tags: string[];
    }>();
  });

  test('the document says the same', () => {
    expect(Note.json).toEqual({
      type: 'object',
      properties: {
        id: { type: 'integer', minimum: 1 },
        text: { type: 'string', description: 'what it says' },
        color: { type: 'string', enum: ['red', 'blue'] },
        parent: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['id', 'text', 'parent', 'tags'],
    });
  });

  test('what is wrong is named by its place', () => {
    const good = { id: 1, text: 'x', parent: null, tags: ['a'], more: 'is ignored' };
    expect(Note.check(good, 'params')).toBeUndefined();
    const faults: [object, string][] = [
      [{ ...good, id: 0 }, 'params.id is 0, which is out of its range'],
      [{ ...good, id: 1.5 }, 'params.id must be an integer, not 1.5'],
      [{ ...good, text: undefined }, 'params.text is missing'],
      [{ ...good, color: 'green' }, 'params.color must be one of red, blue, not "green"'],
      [{ ...good, parent: 'x' }, 'params.parent must be an integer, not "x"'],
      [{ ...good, tags: ['a', 1] }, 'params.tags[1] must be a string, not 1'],
      [[], 'params must be an object, not []'],
    ];
    for (const [value, fault] of faults) expect(Note.check(value, 'params')).toBe(fault);
  });

  test('a schema can contain itself under its name', () => {
    interface Tree {
      value: number;
      children: Tree[];
    }
    const Tree: Schema<Tree> = t.named('Tree', () => t.object({ value: t.number(), children: t.array(Tree) }));
    expect(Tree.json).toEqual({ $ref: '#/components/schemas/Tree' });
    expect(Tree.check({ value: 1, children: [{ value: 2, children: [] }] }, 'tree')).toBeUndefined();
    expect(Tree.check({ value: 1, children: [{ value: 'x', children: [] }] }, 'tree')).toBe(
      'tree.children[0].value must be a number, not "x"',
    );
  });

  test('the check and a validator of JSON Schema agree about any value', () => {
    const validate = new Ajv({ strict: false }).compile(Note.json);
    const value = fc.record(
      {
        id: fc.oneof(fc.integer({ min: -2, max: 5 }), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string()),
        text: fc.oneof(fc.string(), fc.constant(null)),
        color: fc.constantFrom('red', 'blue', 'green', 3),
        parent: fc.oneof(fc.constant(null), fc.integer(), fc.boolean()),
        tags: fc.oneof(fc.array(fc.oneof(fc.string(), fc.integer())), fc.string()),
      },
      { requiredKeys: [] },
    );
    fc.assert(fc.property(value, (one) => (Note.check(one, 'it') === undefined) === validate(one)));
  });
});
