import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { RepairError, repair } from '../../../src/wasi/repair.ts';
import { PROBE } from './support/component.ts';

let original: string;
let repaired: string;

beforeAll(async () => {
  const jco = await import('@bytecodealliance/jco-transpile/component');
  await jco.$init;
  const files = jco.generate(readFileSync(PROBE), {
    name: 'plugin',
    noTypescript: true,
    instantiation: { tag: 'sync' },
    importBindings: { tag: 'direct-optimized' },
  }).files;
  original = new TextDecoder().decode(files.find(([name]) => name.endsWith('.js'))?.[1]);
  repaired = repair(original);
});

const load = (script: string) => import(`data:text/javascript;base64,${Buffer.from(script).toString('base64')}`);

test('jco still has the fault: its own output does not parse', async () => {
  await expect(load(original)).rejects.toThrow(SyntaxError);
});

test('the repaired text is a module that exports instantiate', async () => {
  expect(await load(repaired)).toMatchObject({ instantiate: expect.any(Function) });
});

test('no wrapper of the default bindings is left, and the text is little more than half as long', () => {
  expect(repaired).not.toMatch(/manuallyAsync|_trampoline\d/);
  expect(repaired.length).toBeLessThan(original.length * 0.65);
});

test('a drop of a handle that the host made goes to the host', () => {
  const text = /function rscTableRemove\(table, handle\) \{[\s\S]*?\n {2}\}/.exec(repaired)?.[0];
  const remove = new Function('T_FLAG', 'RESOURCE_SCOPE_TASKS', 'WebAssemblyRuntimeError', `return ${text}`)(
    1 << 30,
    new Map(),
    WebAssembly.RuntimeError,
  );
  expect(remove([1 << 30, 0], 7)).toEqual({ rep: 7, scope: 0, own: true });
  // A table that jco filled: handle 1 stands for 5, and is gone afterwards.
  const table = [1 << 30, 0, 0, 5 | (1 << 30)];
  expect(remove(table, 1)).toEqual({ rep: 5, scope: 0, own: true });
  expect(() => remove(table, 1)).toThrow('unknown handle');
});

test.each([
  ['nothing', () => ''],
  ['another head', () => original.replace('export function instantiate', 'export async function instantiate')],
  ['what was repaired already', () => repaired],
  ['a wrapper of another shape', () => original.replace(/(let trampoline1 = [\s\S]*?)\n {2}\);\n/, '$1\n  )\n;')],
  ['a wrapper that is declared once', () => original.replace(/\n {2}let trampoline1;/, '')],
  ['other handle tables', () => original.replace('const scope = table[handle << 1];', 'const scope = table[handle];')],
])('refuses %s', (_, text) => {
  expect(() => repair(text())).toThrow(RepairError);
});
