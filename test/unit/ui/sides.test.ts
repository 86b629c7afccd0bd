import { describe, expect, it } from 'vitest';
import { sidesOf } from '../../../src/ui/editor/sides.ts';

const misfit = { method: 'add', side: 'params', provider: 'shelf' };
const param = (name: string, schema: object, required = true) => ({ name, required, schema });
const consumer = (methods: object[], more: object = {}) => ({ 'x-sausage-imports': { shelf: { methods, ...more } } });

describe('what two plugins say of one method', () => {
  it('is drawn so that only what differs differs', () => {
    const mine = consumer([{ name: 'add', params: [param('title', { type: 'string', description: 'a title' })] }]);
    const theirs = {
      methods: [
        {
          name: 'add',
          'x-sausage-params': { $ref: '#/components/schemas/Book' },
          params: [],
        },
      ],
      components: {
        schemas: {
          Book: {
            required: ['title', 'price'],
            description: 'A book',
            properties: { title: { type: 'string' }, price: { type: 'integer' } },
            type: 'object',
          },
        },
      },
    };
    const { expected, offered } = sidesOf(misfit, mine, theirs)!;
    expect(JSON.parse(expected)).toEqual({
      type: 'object',
      properties: { title: { type: 'string' } },
      required: ['title'],
    });
    const lines = new Set(expected.split('\n'));
    expect(
      offered
        .split('\n')
        .filter((line) => !lines.has(line))
        .map((line) => line.trim()),
    ).toEqual(['"price": {', '"type": "integer"', '},', '"price",']);
  });

  it('has a name that is also a word of schemas, and leaves out what is for people only', () => {
    const schema = { type: 'object', title: 'T', properties: { description: { type: 'string', description: 'd' } } };
    const mine = consumer([{ name: 'add', params: [], result: { name: 'r', schema } }]);
    const { expected, offered } = sidesOf({ ...misfit, side: 'result' }, mine, { methods: [] })!;
    expect(JSON.parse(expected)).toEqual({ type: 'object', properties: { description: { type: 'string' } } });
    expect(offered).toBe('');
  });

  it('finds the methods of endpoints, and the schemas of an import before those of the plugin', () => {
    const ref = { $ref: '#/components/schemas/A' };
    const mine = {
      components: { schemas: { A: { type: 'string' } } },
      'x-sausage-imports': {
        shelf: {
          'x-sausage-endpoints': { door: { methods: [{ name: 'add', params: [], result: { schema: ref } }] } },
          components: { schemas: { A: { type: 'integer' } } },
        },
      },
    };
    const { expected } = sidesOf({ ...misfit, method: 'door/add', side: 'result' }, mine, {})!;
    expect(JSON.parse(expected)).toEqual({ type: 'integer' });
  });

  it('ends with a schema that contains itself, and is nothing for a document that cannot be read', () => {
    const tree = { type: 'object', properties: { next: { $ref: '#/components/schemas/Tree' } } };
    const mine = consumer([{ name: 'add', params: [param('tree', { $ref: '#/components/schemas/Tree' })] }], {
      components: { schemas: { Tree: tree } },
    });
    expect(sidesOf(misfit, mine, undefined)!.expected).toContain('"$ref"');
    for (const nonsense of [undefined, null, 7, 'x', [], { 'x-sausage-imports': { shelf: 3 } }])
      expect(sidesOf(misfit, nonsense, nonsense)).toBeUndefined();
  });
});
