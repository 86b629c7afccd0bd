/** A built plugin is a genuine `wasi:cli/command` component: it runs on Node, with jco's own host. */

import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { $init, generate } from '@bytecodealliance/jco-transpile/component';
import { afterAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../../scripts/lib/paths.mjs';
import { inspect } from '../../../src/components/inspect.ts';
import { component } from './support.ts';

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

/** Lets jco make JavaScript of the component and runs it with the given stdin. */
async function run(wasm: Uint8Array, stdin: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  await $init;
  await mkdir(join(ROOT, 'build'), { recursive: true });
  const folder = await mkdtemp(join(ROOT, 'build', 'component-'));
  folders.push(folder);
  await mkdir(join(folder, 'interfaces'));
  const map = [
    ['wasi:cli/*', 'cli'],
    ['wasi:clocks/*', 'clocks'],
    ['wasi:filesystem/*', 'filesystem'],
    ['wasi:http/*', 'http'],
    ['wasi:io/*', 'io'],
    ['wasi:random/*', 'random'],
    ['wasi:sockets/*', 'sockets'],
  ];
  const { files } = generate(wasm, {
    name: 'plugin',
    noTypescript: true,
    map: map.map(([from, to]) => [from!, `@bytecodealliance/preview2-shim/${to}#*`] as [string, string]),
  });
  for (const [name, content] of files) await writeFile(join(folder, name), content);
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await writeFile(join(folder, 'main.mjs'), "import { run } from './plugin.js';\nrun.run();");
  const child = spawn(process.execPath, ['main.mjs'], {
    cwd: folder,
    stdio: 'pipe',
    env: { ...process.env, TMPDIR: tmpdir() },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (data) => (output.stdout += data));
  child.stderr.on('data', (data) => (output.stderr += data));
  child.stdin.end(stdin);
  return { code: await new Promise((resolve) => child.on('close', resolve)), ...output };
}

describe('R11-7 R3.1-1 a component that js.build made', () => {
  test('imports WASI 0.2 and exports wasi:cli/run', async () => {
    const { imports, exports } = inspect(await component({ 'source/main.ts': 'console.log(1);' }));
    expect(
      imports.filter((name) => !/^wasi:(cli|clocks|filesystem|http|io|random|sockets)\/.*@0\.2\.\d+$/.test(name)),
    ).toEqual([]);
    expect(exports).toEqual([expect.stringMatching(/^wasi:cli\/run@0\.2\.\d+$/)]);
  });

  test('answers a call on Node under jco', async () => {
    const wasm = await component({
      'source/main.ts': `import { method, serve, t } from 'sausage';
serve({ methods: { add: method({ params: t.object({ a: t.integer(), b: t.integer() }), result: t.integer(),
  async run({ a, b }) { await new Promise((resolve) => setTimeout(resolve, 5)); console.log('adding'); return a + b; } }) } });`,
    });
    const { code, stdout, stderr } = await run(
      wasm,
      '{"jsonrpc":"2.0","id":"p-1","method":"add","params":{"a":2,"b":3}}\n',
    );
    expect(stdout.trim()).toBe('{"jsonrpc":"2.0","id":"p-1","result":5}');
    expect(stderr).toBe('adding\n');
    expect(code).toBe(0);
  });
});
