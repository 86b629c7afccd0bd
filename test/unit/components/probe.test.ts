import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withVersion } from '../../plugins/version.ts';
import { TestWorld } from './run-module.ts';

const probe = new Uint8Array(readFileSync('test/plugins/probe/plugin.wasm'));

let world: TestWorld;
beforeEach(() => {
  world = new TestWorld();
});
afterEach(() => world.remove());

/** Runs a method of the probe with more lines on stdin behind the request. */
const say = (method: string, params: object = {}, more: object[] = []) =>
  world.run(probe, [{ jsonrpc: '2.0', id: 'p', method, params }, ...more], { SAUSAGE_PLUGIN: 'probe' });
const result = (method: string, params: object = {}, more: object[] = []) => {
  const answer = say(method, params, more).messages.at(-1) as { id?: unknown; result?: unknown; error?: unknown };
  return answer.error ?? answer.result;
};
const put = (name: string, value: unknown) => {
  mkdirSync(dirname(world.path(name)), { recursive: true });
  writeFileSync(world.path(name), JSON.stringify(value));
};
const reply = (id: unknown, rest: object) => ({ jsonrpc: '2.0', id, ...rest });

describe('the plugin probe', () => {
  test('every operation is described in its README', () => {
    const readme = readFileSync('test/plugins/probe/README.md', 'utf8');
    const sources = ['output', 'messages', 'files', 'report', 'faults', 'script'];
    const arms = sources.flatMap(
      (name) => readFileSync(`test/plugins/probe/src/${name}.rs`, 'utf8').match(/^ {8}"[^\n]*=>/gm)!,
    );
    const operations = arms.flatMap((arm) => Array.from(arm.matchAll(/"([\w.]+)"/g), ([, name]) => name!));
    expect(operations.length).toBeGreaterThan(45);
    expect(operations.filter((name) => !new RegExp(`\`${name}[ \`]`).test(readme))).toEqual([]);
  });

  test('echo, and what it does not know', () => {
    expect(result('echo', { a: [1.5, 'é'] })).toEqual({ a: [1.5, 'é'] });
    expect(result('fly')).toMatchObject({ code: -32601 });
  });

  test('a list of steps ends at its first failure that is not caught', () => {
    const steps = [
      { op: 'read', path: '/none', catch: true },
      { op: 'print', text: 'x' },
      { op: 'read', path: '/none' },
    ];
    const { messages } = say('do', { steps });
    expect(messages[0]).toBe('x');
    expect(messages[1]).toMatchObject({ id: 'p', error: { code: -32000, data: { kind: 'NotFound', os: 44 } } });
  });

  test('answers under any ID, twice, or never', () => {
    const answers = [
      { op: 'answer', id: '1.0', result: 1 },
      { op: 'answer', error: { code: 1, message: 'x' } },
    ];
    expect(say('do', { steps: answers }).messages).toEqual([
      { jsonrpc: '2.0', id: 1, result: 1 },
      { jsonrpc: '2.0', id: 'p', error: { code: 1, message: 'x' } },
    ]);
    expect(say('silent').messages).toEqual([]);
    expect(say('hang', { path: '/state/end' }, [{ x: 1 }]).messages).toEqual([]);
    expect(JSON.parse(readFileSync(world.path('state/end'), 'utf8'))).toEqual({ lines: ['{"x":1}'] });
  });

  test('calls pass results and errors on and keep what came before', () => {
    const progress = { jsonrpc: '2.0', method: 'core.notify', params: {} };
    expect(result('call', { method: 'a.b', log: true }, [progress, reply(1, { result: [1] })])).toEqual({
      result: [1],
      before: [JSON.stringify(progress)],
    });
    const error = { code: 5, message: 'no', data: 1 };
    expect(result('call', { method: 'a.b', id: '"\\u0061"' }, [])).toMatchObject({ code: -32000 });
    expect(result('call', { method: 'a.b' }, [reply(1, { error })])).toEqual(error);
  });

  test('parallel calls may be answered in any order', () => {
    const calls = [{ method: 'a.b' }, { method: 'c.d', params: { x: 1 }, detach: true }];
    const { messages } = say('parallel', { calls }, [reply(2, { result: 'two' }), reply(1, { result: 'one' })]);
    expect(messages[1]).toMatchObject({
      id: 2,
      method: 'core.call',
      params: { method: 'c.d', params: { x: 1 }, detach: true },
    });
    expect(messages[2]).toMatchObject({ id: 'p', result: [{ result: 'one' }, { result: 'two' }] });
  });

  test('a call before the request is read, and its answer later', () => {
    put('state/probe/before.json', [{ op: 'send', method: 'a.b', id: '"early"' }]);
    expect(result('await', { id: '"early"' }, [reply('early', { result: 7 })])).toBe(7);
    expect(result('echo')).toEqual({});
  });

  test('the world can add methods and a document, for all versions or one', () => {
    put('state/probe/2/hello.json', [{ op: 'echo', x: 1 }]);
    put('state/probe/rpc.discover.json', { openrpc: '1.2.6' });
    const other = withVersion(probe, '2');
    const hello = [{ jsonrpc: '2.0', id: 'p', method: 'hello' }];
    expect(world.run(other, hello, { SAUSAGE_PLUGIN: 'probe' }).messages[0]).toMatchObject({
      result: [{ op: 'echo', x: 1 }],
    });
    expect(result('hello')).toMatchObject({ code: -32601 });
    expect(result('rpc.discover')).toEqual({ openrpc: '1.2.6' });
  });

  test('reports its surroundings, and the version that was written into it', () => {
    const env = { SAUSAGE_PID: 'p-1', SAUSAGE_PLUGIN: 'probe', SAUSAGE_PARENT: 'console' };
    const request = [{ jsonrpc: '2.0', id: 'p', method: 'report' }];
    const { messages } = world.run(withVersion(probe, 'second edition'), request, env);
    expect(messages[0]).toMatchObject({
      result: { version: 'second edition', pid: 'p-1', plugin: 'probe', parent: 'console', args: ['plugin'], cwd: '/' },
    });
    expect(result('report')).toMatchObject({ version: '1' });
    expect(() => withVersion(probe, 'x'.repeat(41))).toThrow(RangeError);
  });

  test('clocks and random numbers', () => {
    const { wall } = result('clock') as { wall: string };
    expect(Math.abs(Number(BigInt(wall) / 1_000_000n) - Date.now())).toBeLessThan(60_000);
    const random = () => JSON.stringify(result('random', { bytes: 32 }));
    expect(random()).not.toBe(random());
  });

  test('every way to end', () => {
    expect(say('exit', { code: 3 }).exit).toBe(3);
    expect(say('trap').exit).toBeInstanceOf(WebAssembly.RuntimeError);
    expect(say('overflow').exit).toBeInstanceOf(Error);
    expect(say('panic', { message: 'oh' })).toMatchObject({
      exit: expect.any(WebAssembly.RuntimeError),
      stderr: expect.stringContaining('oh'),
    });
    expect(say('spin', { ms: 5 }).messages).toEqual([reply('p', { result: null })]);
  });

  test('memory up to a number', () => {
    expect(result('allocate', { max: 3 * 1024 * 1024 })).toBe(3 * 1024 * 1024);
  });

  test('raw output of every sort', () => {
    expect(say('print', { bytes: [0x61, 10], repeat: 2 }).messages.slice(0, 2)).toEqual(['a', 'a']);
    expect(result('print', { fill: 100_000 })).toBe(100_000);
    expect(say('stderr', { lines: 2, text: 'no' }).stderr).toBe('no 0\nno 1\n');
    expect(say('stderr', { text: 'half' }).stderr).toBe('half');
    expect(say('progress', { times: 2, params: { a: 1 } }).messages[1]).toMatchObject({
      method: 'core.notify',
      params: { name: 'progress', params: { a: 1, number: 1 } },
    });
  });

  test('files by path', () => {
    const steps = [
      { op: 'mkdir', path: '/state/a/b', recursive: true },
      { op: 'write', path: '/state/a/x', text: 'hi', atomic: true },
      { op: 'link', from: '/state/a/x', to: '/state/a/b/y' },
      { op: 'symlink', target: 'b/y', path: '/state/a/z' },
      { op: 'readLink', path: '/state/a/z' },
      { op: 'rename', from: '/state/a/x', to: '/state/a/w' },
      { op: 'setTimes', path: '/state/a/w', modified: 5000 },
      { op: 'stat', path: '/state/a/z' },
      { op: 'read', path: '/state/a/b/y' },
      { op: 'list', path: '/state/a' },
    ];
    const results = result('do', { steps }) as unknown[];
    expect(results[4]).toBe('b/y');
    expect(results[7]).toMatchObject({ kind: 'file', size: 2, modified: '5000000000' });
    expect(results[8]).toEqual({ size: 2, text: 'hi' });
    const entries = (results[9] as { name: string; kind: string }[]).map(({ name, kind }) => `${name} ${kind}`).sort();
    expect(entries).toEqual(['b directory', 'w file', 'z link']);
    expect(result('removeAll', { path: '/state/a' })).toBeNull();
    expect(existsSync(world.path('state/a'))).toBe(false);
  });

  test('files that stay open', () => {
    const steps = [
      { op: 'open', path: '/state/f', read: true, write: true, create: true },
      { op: 'writeAt', file: 0, offset: 2, text: 'abc' },
      { op: 'remove', path: '/state/f' },
      { op: 'setSize', file: 0, size: 4 },
      { op: 'sync', file: 0 },
      { op: 'readAt', file: 0, offset: 0, length: 10 },
      { op: 'size', file: 0 },
      { op: 'close', file: 0 },
      { op: 'size', file: 0, catch: true },
    ];
    const results = result('do', { steps }) as unknown[];
    expect(results.slice(5, 8)).toEqual(['\0\0ab', 4, true]);
    expect(results[8]).toMatchObject({ error: { code: -32602 } });
  });
});
