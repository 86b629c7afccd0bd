import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { type Document, emptyDocument, parseDocument } from '../../../src/core/interfaces/document.ts';
import { graph, toDot } from '../../../src/core/interfaces/graph.ts';
import type { JsonObject } from '../../../src/core/interfaces/json.ts';

const method = (name: string, schema: JsonObject = { type: 'string' }) => ({
  name,
  params: [],
  result: { name: 'r', schema },
});

function document(title: string, methods: JsonObject[], imports: JsonObject = {}): Document {
  return parseDocument({ openrpc: '1.2.6', info: { title, version: '1' }, methods, 'x-sausage-imports': imports })
    .document;
}

const world = new Map<string, Document>([
  [
    'web',
    document('The "web" \\ page', [], {
      notes: { methods: [method('list')] },
      log: { methods: [method('write')] },
      gone: { methods: [method('any')] },
    }),
  ],
  ['notes', document('', [method('list'), method('add')], { web: {} })],
  ['log', document('Log', [method('write', { type: 'null' })])],
  ['bare', emptyDocument()],
]);

describe('the graph', () => {
  test('R10-9 has the plugins, the imports, the result of each check, the missing imports', () => {
    const { plugins, imports, missing } = graph(world);
    expect(plugins).toEqual([
      { name: 'bare', title: '', methods: [] },
      { name: 'log', title: 'Log', methods: ['write'] },
      { name: 'notes', title: '', methods: ['list', 'add'] },
      { name: 'web', title: 'The "web" \\ page', methods: [] },
    ]);
    expect(imports.map(({ consumer, provider, result, methods }) => [consumer, provider, result, methods])).toEqual([
      ['notes', 'web', 'ok', []],
      ['web', 'notes', 'ok', ['list']],
      ['web', 'log', 'broken', ['write']],
      ['web', 'gone', 'missing', ['any']],
    ]);
    expect(imports[2]?.problems).toMatchObject([
      { consumer: 'web', provider: 'log', method: 'write', side: 'result', counterexample: null },
    ]);
    expect(missing).toEqual([{ consumer: 'web', provider: 'gone' }]);
  });
});

const hasGraphviz = spawnSync('dot', ['-V']).status === 0;

describe.skipIf(!hasGraphviz)(`graph.dot${hasGraphviz ? '' : ' (skipped: there is no Graphviz)'}`, () => {
  const draw = (documents: Map<string, Document>, format = 'svg') => {
    const { status, stdout, stderr } = spawnSync('dot', [`-T${format}`], {
      input: toDot(graph(documents)),
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    return stdout;
  };

  test('R10-9 Graphviz accepts it and draws each plugin and import', () => {
    const svg = draw(world);
    for (const name of ['web', 'notes', 'log', 'bare', 'gone']) expect(svg).toContain(`<title>${name}</title>`);
    for (const edge of ['web&#45;&gt;notes', 'web&#45;&gt;log', 'web&#45;&gt;gone', 'notes&#45;&gt;web'])
      expect(svg).toContain(`<title>${edge}</title>`);
    expect(svg.match(/<g id="edge/g)).toHaveLength(4);
    expect(svg).toContain('The &quot;web&quot; \\ page');
    expect(svg).toContain('write: result: log can send null, web takes only a string');
  });

  test('R10-9 Graphviz accepts any names and an empty world', () => {
    draw(new Map());
    const names = ['digraph', 'a->b', '"', '\\', '\\N\\"', 'a\nb', '<b>', '', 'ä', '-1', 'a;b{}', 'nul\0'];
    const imports = Object.fromEntries(names.map((name) => [name, { methods: [method(name || 'x')] }]));
    const svg = draw(new Map([['node', document('\\N <\n>', [], imports)]]));
    expect(svg.match(/<g id="edge/g)).toHaveLength(names.length);
    expect(svg).toContain('\\N &lt;');
  });
});
