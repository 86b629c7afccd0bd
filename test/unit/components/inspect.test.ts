import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ComponentError } from '../../../src/components/errors.ts';
import { inspect } from '../../../src/components/inspect.ts';
import { checkPlugin, HOST_INTERFACES } from '../../../src/components/interfaces.ts';
import type { Client } from '../../../src/syscall/client.ts';
import { Host } from '../../../src/wasi/host.ts';
import { wasi } from '../../../src/wasi/imports.ts';
import { shape, wat } from './wat.ts';

const RUN = 'wasi:cli/run@0.2.0';
const notes = readFileSync('public/world/plugins/notes/plugin.wasm');
const bytes = (text: string) => new TextEncoder().encode(text);

/** The error that a plugin of these bytes gives. */
function problem(file: Uint8Array): ComponentError {
  try {
    checkPlugin(file);
  } catch (error) {
    if (error instanceof ComponentError) return error;
    throw error;
  }
  throw new Error('no error');
}

describe('inspect', () => {
  test('reads the names that a component imports and exports', async () => {
    const component = await shape(['wasi:io/poll@0.2.3', 'wasi:cli/stdin@0.2.0'], [RUN, 'extra']);
    expect(inspect(component)).toEqual({
      imports: ['wasi:io/poll@0.2.3', 'wasi:cli/stdin@0.2.0'],
      exports: [RUN, 'extra'],
    });
  });

  test('reads imports and exports of every sort', async () => {
    const component = await wat(`(component
      (import "f" (func (param "x" u8) (result string)))
      (import "t" (type $t (sub resource)))
      (import "u" (type (eq $t)))
      (import "c" (component))
      (import "m" (core module))
      (import "i" (instance))
      (type $n u32)
      (export "n" (type $n))
      (core module $k)
      (export "k" (core module $k)))`);
    expect(inspect(component)).toEqual({ imports: ['f', 't', 'u', 'c', 'm', 'i'], exports: ['n', 'k'] });
  });

  test('reads what the compiler of a real plugin wrote', () => {
    const { imports, exports } = inspect(notes);
    expect(exports).toEqual([expect.stringMatching(/^wasi:cli\/run@0\.2\.\d+$/)]);
    expect(imports).toContainEqual(expect.stringMatching(/^wasi:filesystem\/types@0\.2\.\d+$/));
  });

  test('a component is not confused with one that was cut anywhere', () => {
    const step = 997;
    for (let length = 1; length < notes.length; length += step) {
      expect(() => checkPlugin(notes.subarray(0, length)), `${length} bytes`).toThrow(ComponentError);
    }
  });
});

describe('R3.1-1 what is no plugin is told apart', () => {
  test.each([
    ['an empty file', new Uint8Array(), 'empty', /empty.*build/i],
    ['a text file', bytes('version https://example.org\noid 1\n'), 'text', /is a text file/],
    ['a text of a few bytes', bytes('hi'), 'text', /is a text file/],
    ['WebAssembly text', bytes('(module)'), 'text', /text form/],
    ['another binary', new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 3, 0xff]), 'not-wasm', /not WebAssembly/],
    ['four bytes of a component', notes.subarray(0, 4), 'truncated', /cut off/],
    ['half of a component', notes.subarray(0, notes.length / 2), 'truncated', /cut off.*copy it again/i],
    ['a later format', new Uint8Array([0, 0x61, 0x73, 0x6d, 0x0e, 0, 1, 0]), 'format', /version 14/],
  ] as const)('R3.1-1 %s', (_, file, expected, words) => {
    const error = problem(file);
    expect(error.problem).toBe(expected);
    expect(error.message).toMatch(words);
  });

  test('R3.1-1 a part that is damaged inside is not called cut off', async () => {
    const component = await shape(['log'], [RUN]);
    const name = Buffer.from(component).indexOf('log');
    const longer = component.slice();
    longer[name - 1] = 100;
    expect(problem(longer)).toMatchObject({
      problem: 'damaged',
      message: expect.stringMatching(/^The file is damaged: a part/),
    });
    const noText = component.slice();
    noText[name] = 0xff;
    expect(problem(noText).message).toMatch(/^The file is damaged: a name/);
  });

  test('R3.1-1 any wrong byte of a component is an error in a sentence, or none', () => {
    fc.assert(
      fc.property(fc.nat(notes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const damaged = new Uint8Array(notes);
        damaged[at]! ^= flip;
        try {
          inspect(damaged);
        } catch (error) {
          expect(error).toBeInstanceOf(ComponentError);
          expect((error as Error).message).not.toMatch(/cut off(?! or damaged)/);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('R3.1-1 a text with a character cut at the end of the looked-at part', () => {
    expect(problem(bytes(`x${'é'.repeat(4096)}`)).problem).toBe('text');
  });

  test('R3.1-1 a core module for preview 1 must be wrapped into a component', async () => {
    const module = await wat('(module (import "wasi_snapshot_preview1" "proc_exit" (func (param i32))))');
    expect(problem(module).problem).toBe('core-module');
    expect(problem(module).message).toMatch(/preview 1.*wrap it into a component/);
  });

  test('R3.1-1 any other core module', async () => {
    expect(problem(await wat('(module)')).message).toMatch(/core module, not a component/);
  });

  test('R3.1-1 no wasi:cli/run export names what is exported', async () => {
    const error = problem(await shape([], ['wasi:http/incoming-handler@0.2.0']));
    expect(error.problem).toBe('no-run');
    expect(error.message).toMatch(/does not export wasi:cli\/run@0\.2 .*wasi:http\/incoming-handler@0\.2\.0/);
    expect(problem(await shape([], [])).message).toMatch(/exports nothing/);
  });

  test.each(['wasi:nn/tensor@0.2.0', 'acme:db/store@1.0.0', 'log', 'wasi:io/poll'])(
    'R3.1-1 an import that the host does not have is named: %s',
    async (name) => {
      const error = problem(await shape([name], [RUN]));
      expect(error.problem).toBe('unknown-import');
      expect(error.message).toContain(`imports ${name},`);
    },
  );

  test.each([
    [['wasi:cli/stdout@0.3.0'], [RUN]],
    [[], ['wasi:cli/run@0.3.0']],
  ])('R3.1-1 WASI 0.3 is refused by name: %j %j', async (imports, exports) => {
    const error = problem(await shape(imports, exports));
    expect(error.problem).toBe('wasi-version');
    expect(error.message).toContain('built for WASI 0.3; this host runs 0.2');
  });

  test('R3.1-1 any patch version 0.2.x is accepted, mixed ones too', async () => {
    const imports = ['wasi:io/poll@0.2.0', 'wasi:io/poll@0.2.3', 'wasi:io/streams@0.2.99', 'wasi:sockets/tcp@0.2.1'];
    expect(checkPlugin(await shape(imports, ['wasi:cli/run@0.2.7'])).imports).toEqual(imports);
  });

  test('an error that crossed a thread is itself again', () => {
    const crossed = Object.assign(new Error('no run'), { name: 'ComponentError' });
    expect(ComponentError.revive(crossed)).toBeInstanceOf(ComponentError);
    expect(ComponentError.revive(crossed)?.message).toBe('no run');
    expect(ComponentError.revive(new TypeError('x'))).toBeUndefined();
  });

  test('R3.1-1 what passes the check is what the host links, and nothing else', () => {
    expect([...HOST_INTERFACES].sort()).toEqual(Object.keys(wasi(new Host({} as Client))).sort());
  });
});
