/** What the built-in target `cargo` answers to rpc.discover. */

const plugin = {
  name: 'plugin',
  required: true,
  schema: { type: 'string', description: 'The name of the plugin: a folder below /plugins.' },
};
const STRINGS = { type: 'array', items: { type: 'string' } };

export const CARGO_DOCUMENT = {
  openrpc: '1.2.6',
  info: {
    title: 'cargo',
    version: '0.1.0',
    description: 'Builds plugins written in Rust, with the help of a build server.',
  },
  methods: [
    {
      name: 'build',
      description:
        'Runs the tests of /plugins/<plugin>/source/ and builds it. Activates nothing. An error -32000 has the step and ' +
        'the whole output of the compiler or of the tests. Tells "queued", "line" and "test" while it works.',
      params: [
        plugin,
        { name: 'filter', schema: { type: 'string', description: 'Run only tests whose names contain this.' } },
        { name: 'ignored', schema: { type: 'boolean', description: 'Run only the tests marked #[ignore].' } },
      ],
      result: { name: 'built', schema: { $ref: '#/components/schemas/Built' } },
      paramStructure: 'by-name',
    },
    {
      name: 'new',
      description:
        'Writes a package that builds and passes its test into /plugins/<plugin>/source/, and copies the documents of ' +
        'the plugins that it is to import.',
      params: [
        plugin,
        {
          name: 'imports',
          schema: { ...STRINGS, description: 'The names of plugins.' },
        },
      ],
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
          target: { type: 'string', description: 'The target of the compiler, when it is not wasm32-wasip2.' },
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
