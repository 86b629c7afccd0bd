import { describe, expect, test } from 'vitest';
import { runnerModule, splice, unsplice } from '../../../src/builders/js/splice.ts';
import { MemoryDirectory } from '../../../src/components/directory.ts';
import { ComponentStore } from '../../../src/components/store.ts';
import { transpiler } from '../../../src/components/transpile.ts';
import { sha256 } from '../../../src/core/plugins.ts';

import { runner } from './support.ts';

const text = (value: string) => new TextEncoder().encode(value);
const program = { code: text('console.log("é")'), map: text('["main.ts"]\n1,0,1,1') };

describe('R11-7 a plugin in JavaScript is the runner with a bundle in it', () => {
  test('what was put in comes out again, and the runner is as before', async () => {
    const empty = await runner();
    const made = splice(empty, program);
    expect(WebAssembly.validate(new Uint8Array(runnerModule(made)!))).toBe(true);
    const taken = unsplice(made)!;
    expect(Buffer.compare(taken.runner, empty)).toBe(0);
    expect(taken.program).toEqual(program);
  });

  test('a second program takes the place of the first', async () => {
    const empty = await runner();
    expect(
      Buffer.compare(splice(splice(empty, { ...program, code: text('1') }), program), splice(empty, program)),
    ).toBe(0);
  });

  test('an empty runner, another component and other bytes have no program in them', async () => {
    expect(unsplice(await runner())).toBeUndefined();
    expect(unsplice(new Uint8Array())).toBeUndefined();
    expect(() => splice(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]), program)).toThrow('no slot');
  });

  test('a component that is damaged in its data is not taken for a spliced one', async () => {
    const made = splice(await runner(), program);
    const { program: whole } = unsplice(made)!;
    const at = Buffer.from(made).indexOf('SAUSAGE-JS-SLOT') + 16;
    made[at] = whole.code.length + 1;
    expect(unsplice(made)).toBeUndefined();
  });

  test('a component that is damaged in its core module is left to those who can say what is wrong', async () => {
    const made = splice(await runner(), program);
    // the length of the first section of the core module, which then ends after the component
    const module = Buffer.from(made).indexOf(Buffer.from([0, 97, 115, 109, 1, 0, 0, 0]));
    made.set([0xff, 0xff, 0xff, 0x7f], module + 9);
    expect(unsplice(made)).toBeUndefined();
  });

  test('it is made ready from what the runner was made to, as jco makes it', async () => {
    const transpile = transpiler(() => import('@bytecodealliance/jco-transpile/component'));
    const made = splice(await runner(), program);
    const asked: Uint8Array[] = [];
    const store = new ComponentStore({
      directory: new MemoryDirectory(),
      build: async () => ({
        transpile: (component) => {
          asked.push(component);
          return transpile(component);
        },
      }),
    });
    const ready = await store.load(await sha256(made), made);
    expect(asked).toHaveLength(1);
    expect(Buffer.compare(asked[0]!, await runner())).toBe(0);
    const directly = await transpile(made);
    expect(ready.script).toBe(directly.script);
    expect(Object.keys(ready.modules)).toEqual(Object.keys(directly.modules));
    const main = Object.values(directly.modules).reduce((a, b) => (a.length > b.length ? a : b));
    expect(Buffer.compare(main, runnerModule(made)!)).toBe(0);
  });
});
