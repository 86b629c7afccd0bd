import { describe, expect, test } from 'vitest';
import { unsplice } from '../../../src/builders/js/splice.ts';
import { build, component, failure } from './support.ts';

const code = async (files: Record<string, string>, more?: Record<string, string>): Promise<string> =>
  new TextDecoder().decode(unsplice(await component(files, more))!.program.code);

describe('R11-7 imports of a plugin', () => {
  test('other files, with and without their endings, folders, and JSON', async () => {
    const text = await code({
      'source/main.ts':
        "import { a } from './a';\nimport { b } from './b.js';\nimport c from './c';\nimport d from './d.json';\nconsole.log(a, b, c, d.e);",
      'source/a.ts': "export const a: string = 'from a';",
      'source/b.ts': "export const b = 'from b';",
      'source/c/index.js': "export default 'from c';",
      'source/d.json': '{"e": "from d"}',
    });
    for (const letter of 'abcd') expect(text).toContain(`"from ${letter}"`);
    expect(text).not.toContain('string');
  });

  test('packages beside the source and in /lib, by their exports', async () => {
    const text = await code(
      {
        'source/main.js':
          "import one from 'one';\nimport { two } from '@some/two/part';\nimport three from 'three';\nconsole.log(one, two, three);",
        'source/node_modules/one/package.json': '{"main": "./lib/main.js"}',
        'source/node_modules/one/lib/main.js': "export default 'one is here';",
      },
      {
        '/lib/@some/two/package.json':
          '{"exports": {".": "./no.js", "./*": {"node": "./no.js", "import": "./src/*.mjs"}}}',
        '/lib/@some/two/src/part.mjs': "export const two = 'two is here';",
        '/lib/three.ts': "export default 'three is here';",
      },
    );
    for (const name of ['one', 'two', 'three']) expect(text).toContain(`"${name} is here"`);
  });

  test('what is not there is named with file, line and column', async () => {
    expect(await failure({ 'source/main.ts': "\n import x from './nowhere';\nx();" })).toBe(
      "source/main.ts:2:16: error: There is no file /plugins/p/source/nowhere\n   import x from './nowhere';\n                 ^",
    );
    expect(await failure({ 'source/main.ts': "import 'left-pad';" })).toMatch(
      /source\/main\.ts:1:8: error: There is no package left-pad: a build installs nothing/,
    );
    expect(await failure({ 'source/main.ts': "import 'node:fs';" })).toMatch(/files are in "sausage\/fs"/);
    expect(await failure({ 'source/other.ts': '' })).toMatch(/has no main\.ts/);
  });

  test('faults of the syntax are told all at once, in any file', async () => {
    const output = await failure({
      'source/main.ts': "import './a.ts';\nimport './b.ts';",
      'source/a.ts': 'const x = ;',
      'source/b.ts': 'class { method() }',
    });
    expect(output).toMatch(/^source\/a\.ts:1:11: error: Unexpected ";"/m);
    expect(output).toMatch(/^source\/b\.ts:1:\d+: error: /m);
  });

  test('types that are wrong are no fault: they are stripped, not checked', async () => {
    expect(
      await code({ 'source/main.ts': 'const x: number = "text" as unknown as string;\nconsole.log(x);' }),
    ).toContain('"text"');
  });
});

describe('R11-9 clients of other plugins', () => {
  const notes = JSON.stringify({
    methods: [
      {
        name: 'add',
        params: [{ name: 'text', schema: { type: 'string' } }],
        result: { name: 'note', schema: { $ref: '#/components/schemas/Note' } },
      },
      { name: 'remove', params: [], result: { name: 'gone', schema: { $ref: '#/components/schemas/Gone' } } },
    ],
    components: {
      schemas: {
        Note: { type: 'object', properties: { by: { $ref: '#/components/schemas/Person' } } },
        Person: { type: 'string' },
        Gone: { type: 'boolean' },
      },
    },
  });

  test('the part that is used stands in the bundle, with the schemas that it reaches', async () => {
    const text = await code({
      'source/main.ts':
        "import { serve } from 'sausage';\nimport * as notes from 'imports/notes';\nserve({ methods: { run: { run: () => notes.add({ text: 'x' }) } } });",
      'imports/notes.json': notes,
    });
    expect(text).toContain('call("notes.add"');
    expect(text).not.toContain('notes.remove');
    const part = /var IMPORTS = (\{.*\});/.exec(text)?.[1];
    expect(JSON.parse(part!)).toEqual({
      notes: {
        methods: [JSON.parse(notes).methods[0]],
        components: { schemas: { Note: JSON.parse(notes).components.schemas.Note, Person: { type: 'string' } } },
      },
    });
  });

  test('an import without its file says how to get it', async () => {
    expect(
      await failure({ 'source/main.ts': "import * as notes from 'imports/notes';\nconsole.log(notes);" }),
    ).toContain('imports/notes.json is missing: copy /proc/plugins/notes/discover.json there');
  });
});

test('R11-5 files of tests become a component of their own', async () => {
  const result = await build({
    'source/main.ts': '',
    'source/deep/a.test.ts': "import { test } from 'sausage/test';\ntest('a', () => {});",
  });
  expect('step' in result).toBe(false);
  if ('step' in result) return;
  expect(new TextDecoder().decode(unsplice(result.tests!)!.program.code)).toContain('"deep/a.test.ts"');
  expect((await build({ 'source/main.ts': '' })) as object).toMatchObject({ tests: undefined, warnings: [] });
});
