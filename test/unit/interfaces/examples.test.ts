/**
 * Service descriptions as the OpenRPC project's examples have them, and those examples themselves: six of the eight are in
 * its package; with a clone of github.com/open-rpc/examples, `OPENRPC_EXAMPLES=<clone>/service-descriptions` runs all.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../../scripts/lib/paths.mjs';
import { clientRs } from '../../../src/core/interfaces/client-rs.ts';
import { checkImports } from '../../../src/core/interfaces/compatible.ts';
import { parseDocument } from '../../../src/core/interfaces/document.ts';
import { type JsonObject, parseJson } from '../../../src/core/interfaces/json.ts';
import { answers, type Behaviour, testWorld } from '../core/world.ts';
import { NAMES } from './judge.ts';

/** A plugin that imports all of a document, and the problems that it has with that document's plugin. */
function importAll(json: JsonObject) {
  const provider = parseDocument(json);
  const part = { methods: json.methods!, components: json.components ?? {} };
  const consumer = parseDocument({
    openrpc: '1.2.6',
    info: { title: 'c', version: '1' },
    methods: [],
    'x-sausage-imports': { p: part },
  });
  const problems = checkImports(consumer.document, provider.document, NAMES).filter(({ reason }) =>
    reason.startsWith('in the document of p'),
  );
  expect(clientRs(provider.document, 'p')).toContain('pub mod p {');
  return {
    warnings: provider.warnings.map(({ pointer }) => pointer),
    refused: [...new Set(problems.map(({ method, pointer }) => `${method} ${pointer}`))],
  };
}

const info = { title: 'Example', version: '1.0.0' };
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const param = (name: string, schema: JsonObject, more: JsonObject = {}) => ({ name, schema, ...more });

/** Each shape of the examples in a few lines of our own: shared descriptors, links, tags, untyped objects, compositions. */
const SHAPES: Record<string, { json: JsonObject; warnings: string[]; refused: string[] }> = {
  'a store with shared params, errors, tags, examples': {
    json: {
      openrpc: '1.0.0-rc1',
      info: { ...info, license: { name: 'MIT' } },
      servers: [{ url: 'http://localhost:8080' }],
      methods: [
        {
          name: 'list_books',
          tags: [{ name: 'books' }],
          params: [param('limit', { type: 'integer', minimum: 1 }, { required: false })],
          result: param('books', to('Books')),
          errors: [{ code: 100, message: 'closed' }],
          examples: [{ name: 'one', params: [{ name: 'limit', value: 1 }], result: { name: 'r', value: [] } }],
        },
        {
          name: 'get_book',
          params: [{ $ref: '#/components/contentDescriptors/Isbn' }],
          result: param('book', to('Book')),
        },
      ],
      components: {
        contentDescriptors: { Isbn: param('isbn', to('Isbn'), { required: true }) },
        schemas: {
          Isbn: { type: 'integer', minimum: 0 },
          Book: { type: 'object', required: ['isbn'], properties: { isbn: to('Isbn'), title: { type: 'string' } } },
          Books: { type: 'array', items: to('Book') },
        },
      },
    },
    warnings: ['/openrpc'],
    refused: [],
  },
  'params by name and by position, objects without a type': {
    json: {
      openrpc: '1.2.4',
      info,
      methods: [
        { name: 'by_name', paramStructure: 'by-name', params: [], result: param('none', { type: 'null' }) },
        {
          name: 'by_position',
          paramStructure: 'by-position',
          params: [param('a', { type: 'string' }, { required: true })],
          result: param('r', to('Open')),
        },
      ],
      components: { schemas: { Open: { required: ['id'], properties: { id: { type: 'integer' } } } } },
    },
    warnings: ['/methods/1/paramStructure'],
    refused: [],
  },
  'compositions and results of any value': {
    json: {
      openrpc: '1.2.6',
      info,
      methods: [
        { name: 'create', params: [param('new', to('New'))], result: param('made', to('Made')) },
        { name: 'delete', params: [param('id', { type: 'integer' }, { required: true })], result: param('any', {}) },
      ],
      components: {
        schemas: {
          New: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
          Made: { allOf: [to('New'), { required: ['id'], properties: { id: { type: 'integer' } } }] },
        },
      },
    },
    warnings: [],
    refused: ['create /components/schemas/Made/allOf', 'delete /methods/1/result/schema'],
  },
  notifications: {
    json: {
      openrpc: '1.3.0',
      info,
      servers: [],
      methods: [{ name: 'clicked', params: [param('link href', { title: 'href', type: 'string', format: 'uri' })] }],
    },
    warnings: ['/openrpc'],
    refused: [],
  },
  'links and servers with variables': {
    json: {
      openrpc: '1.2.6',
      info,
      servers: [
        { url: 'http://$' + '{host}.example.org/', variables: { host: { default: 'demo', enum: ['demo', 'live'] } } },
      ],
      methods: [
        {
          name: 'add',
          params: [param('a', { type: 'integer' })],
          result: param('c', { type: 'integer' }),
          links: [{ name: 'sub', method: 'sub', params: { a: '$params.a' } }],
        },
      ],
    },
    warnings: ['/servers/0/url'],
    refused: [],
  },
  'nothing at all': {
    json: { openrpc: '1.2.4', info: { title: '', version: '1.0.0' }, methods: [] },
    warnings: [],
    refused: [],
  },
};

describe('service descriptions of the shapes of the OpenRPC examples', () => {
  test.each(Object.entries(SHAPES))('R10-1 R10-3 %s', (_, { json, warnings, refused }) => {
    expect(importAll(json)).toEqual({ warnings, refused });
  });
});

const folder = process.env.OPENRPC_EXAMPLES ?? join(ROOT, 'node_modules/@open-rpc/examples/build/service-descriptions');

/** Why a method of the examples cannot be imported: each of these constructs is outside of R10-3. */
const REFUSED: Record<string, string[]> = {
  'petstore-expanded-openrpc.json': [
    ...['get_pets', 'create_pet', 'get_pet_by_id'].map((method) => `${method} /components/schemas/Pet/allOf`),
    'delete_pet_by_id /methods/3/result/schema',
  ],
  'link-example-openrpc.json': ['merge_pull_request /methods/5/result/schema'],
};

const empty = { openrpc: '1.2.6', info: { title: 'c', version: '1' }, methods: [] };

/** A program that answers rpc.discover with this document. */
const documented = (document: object): Behaviour =>
  answers((_, method) => (method === 'rpc.discover' ? document : null));

describe('the OpenRPC examples', () => {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');

  test.each(readdirSync(folder))('R10-1 R10-3 %s goes through, or is refused for the right reason', (name) => {
    expect(importAll(parseJson(read(name)) as JsonObject).refused).toEqual(REFUSED[name] ?? []);
  });

  test.each(readdirSync(folder))(
    'R10-1 R10-6 R10-7 a plugin with %s is activated, and one that imports all of it',
    async (name) => {
      const json = JSON.parse(read(name));
      const imports = { p: { methods: json.methods, components: json.components ?? {} } };
      const world = await testWorld({});
      await world.component('/state/p.wasm', documented(json));
      await world.component('/state/c.wasm', documented({ ...empty, 'x-sausage-imports': imports }));
      const { documents } = await world.call('core.activate', { plugin: 'p', wasm: '/state/p.wasm' });
      expect(documents).toEqual({ p: json });
      const second = world.call('core.activate', { plugin: 'c', wasm: '/state/c.wasm' });
      const refused = await second.then(
        () => [],
        ({ code, data }) => {
          expect(code).toBe(-32003);
          return data.problems
            .filter(({ reason }: { reason: string }) => reason.startsWith('in the document of p'))
            .map(({ method, pointer }: { method: string; pointer: string }) => `${method} ${pointer}`);
        },
      );
      expect(refused).toEqual(REFUSED[name] ?? []);
      expect(world.core.plugins.folders()).toEqual(REFUSED[name] ? ['p'] : ['c', 'p']);
    },
  );
});
