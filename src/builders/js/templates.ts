/** What `js.new` writes: a package that builds, passes its tests and shows the parts that most plugins need. */

const MAIN = (name: string) => `import { method, serve, t } from 'sausage';

// Types are stripped, not checked: the page has no type checker. An editor with TypeScript checks them.
serve({
  title: '${name}',
  // running processes get so many seconds when a new version is activated
  grace: 2,
  methods: {
    greet: method({
      description: 'Says hello to somebody.',
      params: t.object({ name: t.string({ description: 'who is greeted' }) }),
      result: t.string(),
      run: ({ name }) => \`Hello, \${name}!\`,
    }),
  },
});
`;

const TEST = `import './main.ts';
import { expect, invoke, test } from 'sausage/test';

// Each test runs in a process and an empty world of its own.
test('greets by name', async () => {
  expect(await invoke('greet', { name: 'Ada' })).toBe('Hello, Ada!');
});

test('insists on a name', async () => {
  await expect(invoke('greet', {})).rejects.toThrow('params.name is missing');
});
`;

/** For editors: where the SDK's types are, and that only the language and the SDK are there, no page and no Node. */
const CONFIG = `{
  "compilerOptions": {
    "target": "ES2023",
    "lib": ["ES2023", "ESNext.Disposable", "DOM"],
    "module": "ESNext",
    "moduleResolution": "bundler",
    "allowImportingTsExtensions": true,
    "noEmit": true,
    "strict": true,
    "paths": { "sausage": ["../../js/sdk/index.ts"], "sausage/*": ["../../js/sdk/*.ts"] }
  },
  "include": [".", "../imports", "../../js/sdk/host.d.ts"]
}
`;

export const template = (name: string): Record<string, string> => ({
  'main.ts': MAIN(name),
  'main.test.ts': TEST,
  'tsconfig.json': CONFIG,
});
