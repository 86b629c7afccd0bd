import { describe, expect, it } from 'vitest';
import { readInterface, skeleton } from '../../../src/ui/console/interface.ts';

describe('readInterface', () => {
  it('R10-1 takes x-sausage-params before the list, through a $ref', () => {
    const { methods } = readInterface({
      methods: [
        {
          name: 'move',
          params: [{ name: 'old', required: true }],
          'x-sausage-params': { $ref: '#/components/schemas/Move' },
        },
      ],
      components: {
        schemas: {
          Move: {
            properties: { to: { type: ['string', 'null'], description: 'Where to.' }, fast: {} },
            required: ['to'],
          },
        },
      },
    });
    expect(methods).toEqual([
      {
        name: 'move',
        description: undefined,
        params: [
          { name: 'to', required: true, type: 'string', description: 'Where to.' },
          { name: 'fast', required: false, type: undefined, description: undefined },
        ],
      },
    ]);
  });

  it('R10-1 makes it of the list without x-sausage-params', () => {
    const [method] = readInterface({
      methods: [{ name: 'a', summary: 'Short.', params: [{ name: 'n', required: true, schema: { type: 'integer' } }] }],
    }).methods;
    expect(method).toMatchObject({ description: 'Short.', params: [{ name: 'n', required: true, type: 'integer' }] });
    expect(skeleton(method!)).toBe('{"n": 0}');
  });

  it('reads nonsense as nothing', () => {
    for (const nonsense of [null, 1, 'x', [], { methods: 7 }, { methods: [null, { name: 3 }, []] }]) {
      expect(readInterface(nonsense).methods).toEqual([]);
    }
  });
});
