import { expect, test } from 'vitest';
import { clientTypes } from '../../../src/builders/js/client-types.ts';

test('R11-9 the types of a client say what the document says', () => {
  const text = clientTypes('notes', {
    methods: [
      {
        name: 'add',
        description: 'Adds a note. */',
        params: [
          { name: 'text', required: true, schema: { type: 'string' } },
          { name: 'color', schema: { enum: ['red', 'blue'] } },
        ],
        result: { schema: { $ref: '#/components/schemas/Note' } },
      },
      { name: 'delete', params: [], 'x-sausage-params': { $ref: '#/components/schemas/2d Note' } },
      { name: 'list', params: [{ name: 'limit', schema: { type: ['integer', 'null'] } }] },
      { name: 'rpc.retired' },
    ],
    components: {
      schemas: {
        Note: {
          type: 'object',
          properties: { id: { type: 'integer' }, 'by whom': { anyOf: [{ type: 'string' }, { type: 'null' }] } },
          required: ['id'],
        },
        '2d Note': { type: 'array', items: { $ref: '#/components/schemas/Note' } },
      },
    },
  });
  expect(text).toBe(`declare module 'imports/notes' {
  import type { CallOptions } from 'sausage';

  /**
   * Adds a note. *\\/
   */
  export function add(params: { text: string; color?: "red" | "blue" }, options?: CallOptions): Promise<Note>;

  function method1(params: _2d_Note, options?: CallOptions): Promise<void>;
  export { method1 as "delete" };

  export function list(params?: { limit?: number | null }, options?: CallOptions): Promise<void>;

  export type Note = { id: number; "by whom"?: string | null };

  export type _2d_Note = Array<Note>;
}
`);
});
