/** What the built-in target `js` answers to rpc.discover. */

const PLUGIN = { type: 'string', description: 'The name of the plugin: a folder below /plugins.' };
const STRINGS = { type: 'array', items: { type: 'string' } };
const plugin = { name: 'plugin', required: true, schema: PLUGIN };

export const JS_DOCUMENT = {
  openrpc: '1.2.6',
  info: {
    title: 'js',
    version: '0.1.0',
    description: 'Builds plugins written in TypeScript or JavaScript, in the page.',
  },
  methods: [
    {
      name: 'build',
      description:
        'Builds /plugins/<plugin>/source/ and runs its tests. Types are stripped, not checked. Activates nothing. An ' +
        'error -32000 has the step and its output, with file, line and column.',
      params: [plugin],
      result: { name: 'built', schema: { $ref: '#/components/schemas/Built' } },
      paramStructure: 'by-name',
    },
    {
      name: 'new',
      description:
        'Writes a package that builds and passes its tests into /plugins/<plugin>/source/, and what it imports of other ' +
        'plugins into /plugins/<plugin>/imports/.',
      params: [plugin, { name: 'imports', schema: STRINGS }],
      result: { name: 'written', schema: { $ref: '#/components/schemas/Written' } },
      paramStructure: 'by-name',
    },
  ],
  components: {
    schemas: {
      Built: {
        type: 'object',
        properties: {
          wasm: { type: 'string', description: 'The path of the component.' },
          tests: { $ref: '#/components/schemas/Tests' },
          warnings: STRINGS,
        },
        required: ['wasm', 'tests', 'warnings'],
      },
      Tests: {
        type: 'object',
        properties: { passed: { type: 'integer' }, failed: { type: 'integer' }, output: { type: 'string' } },
        required: ['passed', 'failed', 'output'],
      },
      Written: { type: 'object', properties: { files: STRINGS }, required: ['files'] },
    },
  },
};
