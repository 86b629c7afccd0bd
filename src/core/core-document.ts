/** What core.rpc.discover answers: the ten methods of the core, as an OpenRPC document (chapter 9). */

type Schema = Record<string, unknown>;

const string = (description: string): Schema => ({ type: 'string', description });
const flag = (description: string): Schema => ({ type: 'boolean', description });
const object = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});
const any: Schema = { type: 'object', description: 'Whatever the method takes.' };
const done = object({});
const candidate = object({ plugin: string('The plugin.'), wasm: string('The path of its new file.') }, [
  'plugin',
  'wasm',
]);

function method(name: string, description: string, params: Schema, result: Schema) {
  const { properties = {}, required = [] } = params as { properties?: Record<string, Schema>; required?: string[] };
  return {
    name,
    description,
    paramStructure: 'by-name',
    params: Object.entries(properties).map(([param, schema]) => ({
      name: param,
      required: required.includes(param),
      schema,
    })),
    'x-sausage-params': params,
    result: { name: 'result', schema: result },
  };
}

const activated = object({
  documents: { type: 'object', description: 'The document of each plugin, null where it has none.' },
  warnings: { type: 'array', items: { type: 'string' }, description: 'What the activation noticed and let pass.' },
});

export const CORE_DOCUMENT = {
  openrpc: '1.2.6',
  info: { title: 'core', version: '1', description: 'The host of this world.' },
  methods: [
    method(
      'call',
      'Calls a method; with detach its process has no parent and outlives the caller.',
      object(
        {
          method: string('As in a call: <plugin>.<method>.'),
          params: any,
          detach: flag('The process has no parent.'),
        },
        ['method'],
      ),
      { description: 'The result of the method.' },
    ),
    method(
      'notify',
      'Tells the caller of the process that sends it something before the answer. A notification.',
      object({ name: string('What it is about.'), params: any }, ['name']),
      done,
    ),
    method(
      'stop',
      'Stops a process: its stdin ends, after 5 s it is killed. Answers when it has ended.',
      object({ pid: string('The process.') }, ['pid']),
      done,
    ),
    method('kill', 'Ends a process at once.', object({ pid: string('The process.') }, ['pid']), done),
    method(
      'lock',
      'Takes the lock of a name, in the order of asking.',
      object({ path: string('The name.'), wait: flag('False answers at once whether the lock was free.') }, ['path']),
      object({ held: flag('Whether the caller holds the lock now.') }, ['held']),
    ),
    method('unlock', 'Gives a lock back. A notification.', object({ path: string('The name.') }, ['path']), done),
    method(
      'activate',
      'Makes files the current versions of their plugins, after the checks; several together or none.',
      object({
        plugin: string('The plugin, when it is one.'),
        wasm: string('The path of its new file.'),
        plugins: { type: 'array', items: candidate, description: 'Several plugins instead of one.' },
        force: flag('Leaves out the checks of interfaces.'),
      }),
      activated,
    ),
    method(
      'revert',
      'Makes the previous version of a plugin the current one.',
      object({ plugin: string('The plugin.'), force: flag('Leaves out the checks of interfaces.') }, ['plugin']),
      activated,
    ),
    method(
      'log',
      'Reads the journal: the newest entries that fit all filters, in time order.',
      object({
        plugin: string('Entries of this plugin.'),
        pid: string('Entries of this process.'),
        since: string('An RFC 3339 time or the ID of an entry: from there on.'),
        until: string('An RFC 3339 time or the ID of an entry: up to there.'),
        grep: string('A piece of the line, or a regular expression between slashes.'),
        limit: { type: 'integer', minimum: 0, maximum: 100_000, description: 'At most so many; 1000 when left out.' },
      }),
      {
        type: 'array',
        items: object({
          id: string('A UUIDv7.'),
          time: string('RFC 3339.'),
          pid: string('The process, or core.'),
          plugin: string('The plugin, or core.'),
          stream: { type: 'string', enum: ['stderr', 'core'] },
          line: string('The line.'),
        }),
      },
    ),
    method('exit', 'Stops the host with exit code 75; the playground starts the world again.', object({}), done),
  ],
};
