/** The SDK's `import!` makes a client of its own from a document: it must be the one that the host shows. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../../scripts/lib/paths.mjs';
import { clientRs } from '../../../src/core/interfaces/client-rs.ts';
import { parseDocument } from '../../../src/core/interfaces/document.ts';
import { parseJson, writeJson } from '../../../src/core/interfaces/json.ts';
import { samples } from '../interfaces/arbitrary.ts';

const PRINTER = join(ROOT, 'test/plugins/client-rs');
const hasCargo = spawnSync('cargo', ['--version']).status === 0;

const read = (path: string) => readFileSync(new URL(`../interfaces/${path}`, import.meta.url), 'utf8');

/** A document in its text, whatever is in it. */
const document = (methods: object[], schemas: object = {}, more: object = {}) =>
  writeJson({
    openrpc: '1.2.6',
    info: { title: 'Things', version: '1', description: 'Line one.\n\n  "Two" \\ \t and tab.' },
    methods,
    components: { schemas },
    ...more,
  });

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const result = (schema: unknown) => ({ name: 'result', schema, description: 'What comes back.' });

const AWKWARD_NAMES =
  'type self Self crate fn fooBar foo_bar foo.bar FOOBar HTTPServer2X a1B 7up 12 3 ä _ present async gen r#x Ok'.split(
    ' ',
  );

const byHand: [name: string, text: string][] = [
  ['notes', readFileSync(join(ROOT, 'test/unit/ui/notes-discover.json'), 'utf8')],
  ['type', document(AWKWARD_NAMES.map((name) => ({ name, params: [{ name, schema: { enum: AWKWARD_NAMES } }] })))],
  [
    'awkward-fields',
    document([{ name: 'm', params: [], 'x-sausage-params': ref('A') }], {
      A: {
        type: 'object',
        description: 'Carriage\rreturn, \u202ebidi, \u00adsoft, \u{e0001}tag.',
        required: ['12', 'ä'],
        properties: Object.fromEntries(
          [...AWKWARD_NAMES, '"', '\\', '\n', ''].map((name) => [name, { type: 'boolean', description: `is ${name}` }]),
        ),
      },
    }),
  ],
  [
    'ranges',
    document(
      [
        { minimum: 0 },
        { minimum: 0, maximum: 4294967295 },
        { minimum: 0, maximum: 4294967296 },
        { exclusiveMinimum: -1, exclusiveMaximum: 4294967296 },
        { minimum: -0.5, maximum: 1e9 },
        { minimum: -2147483648, maximum: 2147483647 },
        { minimum: -2147483649, maximum: 2147483647 },
        { maximum: 9223372036854775807n },
        { maximum: 9223372036854775808n },
        { exclusiveMaximum: 9223372036854775808n },
        { minimum: -9223372036854775808n },
        { minimum: -9223372036854775809n },
        { minimum: 1e300, maximum: -1e300 },
        { minimum: 5, exclusiveMinimum: -1e25 },
        { minimum: '1' },
      ].map((range, at) => ({ name: `m${at}`, params: [], result: result({ type: 'integer', ...range }) })),
    ),
  ],
  [
    'recursive',
    document(
      ['Node', 'Tree', 'Maybe', 'Ring', 'Alias', 'Self', 'Nowhere', 'Union', 'Odd'].map((name) => ({
        name,
        params: [{ name: 'first', required: true, schema: ref(name), description: 'The first.' }],
        result: result(ref(name)),
        deprecated: true,
        summary: 'Does it.',
        description: 'Does it well.\n  Indented.',
      })),
      {
        Node: { type: 'object', required: ['value'], properties: { value: { type: 'integer' }, next: ref('Node') } },
        Tree: { type: 'array', items: ref('Tree'), description: 'A tree.' },
        Maybe: { type: ['array', 'null'], items: { anyOf: [ref('Maybe'), { type: 'null' }] } },
        Ring: { type: 'object', properties: { other: { type: 'object', properties: { ring: ref('Ring') } } } },
        Alias: ref('Self'),
        Self: { type: 'object', properties: { self: ref('Self'), alias: ref('Alias'), list: { type: 'array' } } },
        Nowhere: { type: 'string', pattern: 'x' },
        Union: { oneOf: [{ type: 'string', description: 'One.' }, { type: 'integer' }] },
        Odd: { type: 'object', description: 'A map.' },
      },
      {
        'x-sausage-endpoints': {
          serde: { methods: [{ name: 'type', params: [{ name: 'a', schema: ref('Node') }] }] },
          'con trol"\u0001': { methods: [] },
        },
      },
    ),
  ],
  ...Object.entries(JSON.parse(read('builders/schemars.json')) as Record<string, object>).map(
    ([version, schemas]): [string, string] => [
      `schemars-${version}`,
      document([{ name: 'm', params: [], 'x-sausage-params': ref('Task'), result: result(ref('Outside')) }], schemas),
    ],
  ),
];

describe.skipIf(!hasCargo)(`import! (${hasCargo ? 'compiled here' : 'skipped: there is no cargo'})`, () => {
  test('R10-11 import! makes the text of client.rs, byte for byte', () => {
    const documents = [...byHand];
    for (const [at, { schema, schemas }] of fc.sample(samples, { numRuns: 200, seed: 11 }).entries()) {
      const method = { name: 'm', params: [], 'x-sausage-params': schema, result: result(ref('A')) };
      documents.push([`random-${at}`, document([method], schemas)]);
    }
    const env = { ...process.env, CARGO_TARGET_DIR: join(tmpdir(), 'sausage-sdk-macros') };
    const input = documents.map(([name, text]) => `${name} ${text.replaceAll('\n', ' ')}\n`).join('');
    const run = (...args: string[]) =>
      spawnSync('cargo', args, { cwd: PRINTER, env, input, maxBuffer: 1 << 28, timeout: 280_000 });
    const made = run('run', '--quiet');
    expect(made.stderr.toString()).toBe('');
    let rest = made.stdout;
    for (const [name, text] of documents) {
      const end = rest.indexOf('\n');
      const length = Number(rest.subarray(0, end).toString());
      expect(rest.subarray(end + 1, end + 1 + length).toString(), name).toBe(
        clientRs(parseDocument(parseJson(text)).document, name),
      );
      rest = rest.subarray(end + 1 + length);
    }
    expect(rest).toHaveLength(0);
  }, 300_000);
});
