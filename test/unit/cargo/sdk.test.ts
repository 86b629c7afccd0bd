/** The Rust SDK: what its plugins say and do, with a core that the test plays. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../../scripts/lib/paths.mjs';
import { unimportable } from '../../../src/core/interfaces/compatible.ts';
import { parseDocument } from '../../../src/core/interfaces/document.ts';
import { parseJson } from '../../../src/core/interfaces/json.ts';
import { MemoryFileSystem } from '../../../src/fs/memory.ts';
import { MountedNamespace } from '../../../src/fs/namespace.ts';
import type { ReadyComponent } from '../../../src/syscall/protocol.ts';
import { ready } from '../wasi/support/component.ts';
import { Machine } from '../wasi/support/machine.ts';

const PID = 'sdk-probe-1';

interface Message {
  id?: unknown;
  method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: any message
  params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: any message
  result?: any;
  error?: { code: number; message: string; data?: unknown };
}

let machine: Machine;
let component: ReadyComponent;
beforeAll(async () => {
  const wasm = readFileSync(join(ROOT, 'test/plugins/sdk/plugin.wasm'));
  [machine, component] = await Promise.all([Machine.create(), ready('sdk-probe', wasm)]);
});
afterAll(() => machine.close());

type Say = (...messages: object[]) => void;

/** Nested deeper than `serde_json` reads. */
const deep: unknown = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`);

/**
 * One process that is called: `core` sees each of its messages and may say something; `stop` ends stdin. Without a method
 * nothing is sent at first. Returns all messages, stderr, and the file /out.
 */
async function run(
  method: string | undefined,
  params: object = {},
  core: (message: Message, say: Say, stop: () => void) => void = () => {},
) {
  const namespace = new MountedNamespace(new MemoryFileSystem({ device: 1 }));
  const messages: Message[] = [];
  let rest = '';
  const line = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
  const { stderr, exit } = await machine.run(component, {
    namespace,
    stdin: method === undefined ? '' : line({ id: PID, method, params }),
    keepOpen: method !== undefined,
    onStdout(text, channel) {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const message of lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Message)) {
        messages.push(message);
        const say: Say = (...answers) => {
          channel.writeStdin(new TextEncoder().encode(answers.map(line).join('')), 0);
        };
        core(message, say, () => channel.closeStdin());
      }
    },
  });
  const out = await (async () => new TextDecoder().decode(await namespace.readFile('/out')))().catch(() => undefined);
  return { messages, stderr, exit, out, answer: messages.find(({ id, method }) => id === PID && !method) };
}

/** Answers each call with what the table has for its method. */
const answers =
  (table: Record<string, unknown>) =>
  ({ id, method }: Message, say: Say) => {
    if (id !== undefined && method !== undefined && method in table) say({ id, result: table[method] });
  };

describe('methods', () => {
  test.each<[string, object, unknown]>([
    ['add', { a: 2, b: 40 }, 42],
    ['add', { a: 2 }, 3],
    ['add', { a: 2, b: null }, 3],
    [
      'same-thing',
      { name: 'a', parts: [{ name: 'b', mood: 'not-so-good' }] },
      {
        name: 'a',
        mood: null,
        parts: [{ name: 'b', mood: 'not-so-good', parts: [] }],
      },
    ],
    ['nothing', {}, null],
    ['wait', { milliseconds: 3 }, 3],
    ['type', { fn: 1, 'two-words': 2 }, [1, 2]],
    ['rpc.retired', { previous: 'ab' }, null],
  ])(
    'R3.3-3 %s %j is answered, and the process ends without the end of stdin (R3.6-10)',
    async (method, params, result) => {
      const { messages, exit } = await run(method, params);
      expect(messages).toEqual([{ jsonrpc: '2.0', id: PID, result }]);
      expect(exit).toEqual({ kind: 'code', code: 0 });
    },
  );

  test.each<[string, object, object]>([
    ['add', {}, { code: -32602, message: 'a: is missing' }],
    ['add', { a: '2' }, { code: -32602, message: 'a: invalid type: string "2", expected i64' }],
    ['same-thing', { name: 1 }, { code: -32602, message: 'invalid type: integer `1`, expected a string' }],
    ['fail', { code: 7 }, { code: 7, message: 'as you wish', data: { code: 7 } }],
    ['_no_method', {}, { code: -32601, message: 'there is no method _no_method' }],
    ['control panel/things', {}, { code: -32601, message: 'there is no method control panel/things' }],
  ])('R3.9-2 %s %j is an error', async (method, params, error) => {
    const { messages, exit } = await run(method, params);
    expect(messages).toEqual([{ jsonrpc: '2.0', id: PID, error }]);
    expect(exit).toEqual({ kind: 'code', code: 0 });
  });

  test('R3.9-1 params that Rust cannot hold are answered, and the process ends', async () => {
    for (const value of [deep, '\ud800']) {
      const { answer, exit } = await run('add', { a: value });
      expect(answer?.error).toMatchObject({
        code: -32602,
        message: expect.stringMatching(/^the params cannot be read: /),
      });
      expect(exit).toEqual({ kind: 'code', code: 0 });
    }
  });

  test('R3.9-2 an error of the standard library becomes one of the protocol', async () => {
    expect((await run('fail_to_read')).answer?.error).toMatchObject({
      code: -32603,
      message: expect.stringMatching(/./),
    });
  });

  test('R3.3-6 a panic traps, and stderr has its place', async () => {
    const { exit, stderr, messages } = await run('panic');
    expect(exit.kind).toBe('trap');
    expect(stderr).toContain('on purpose');
    expect(messages).toEqual([]);
  });

  test('R3.6-2 the end of stdin before any request ends the process', async () => {
    expect(await run(undefined)).toMatchObject({ messages: [], exit: { kind: 'code', code: 0 } });
  });
});

describe('calls', () => {
  test('R3.3-7 a call waits for its answer, whatever comes before it', async () => {
    const { answer } = await run(
      'relay',
      { method: 'notes.list', params: { a: [1] } },
      ({ id, method, params }, say) => {
        if (method !== 'notes.list') return;
        say({ id: 99, result: 'unknown' }, { id: String(id), result: 'text' }, { id, result: { params } });
      },
    );
    expect(answer?.result).toEqual({ params: { a: [1] } });
  });

  test('R3.9-1 an answer that Rust cannot hold fails the call', async () => {
    const { answer } = await run(
      'relay',
      { method: 'x.y', params: {} },
      ({ id, method }, say) => method && say({ id, result: deep }),
    );
    expect(answer?.error).toMatchObject({
      code: -32603,
      message: expect.stringMatching(/^the answer cannot be read: /),
    });
  });

  test('R3.9-2 the error of a call is passed on unchanged', async () => {
    const error = { code: -32002, message: 'ended', data: { exit: { code: 1 } } };
    const { answer } = await run(
      'relay',
      { method: 'x.y', params: {} },
      ({ id, method }, say) => method && say({ id, error }),
    );
    expect(answer?.error).toEqual(error);
  });

  test('R3.3-7 many calls are in flight, and answers come in any order', async () => {
    const open: unknown[] = [];
    const { answer } = await run('many', { methods: ['a.x', 'b.x', 'c.x'] }, ({ id, method }, say) => {
      if (!method) return;
      open.unshift({ id, result: method });
      if (open.length === 3) for (const reply of open) say(reply as object);
    });
    expect(answer?.result).toEqual(['a.x', 'b.x', 'c.x']);
  });

  test('R3.5-1 what the other side tells is heard in order, before the answer', async () => {
    const { answer } = await run('told', { method: 'a.x' }, ({ id, method }, say) => {
      const told = (call: unknown, name: string) => ({
        method: 'core.notify',
        params: { call, name, params: { name } },
      });
      if (method) say(told(id, 'one'), told(7, 'other'), told(id, 'two'), { id, result: null });
    });
    expect(answer?.result).toEqual([
      ['one', { name: 'one' }],
      ['two', { name: 'two' }],
    ]);
  });

  test('R3.5-1 R3.3-10 progress, what is told to the caller, notifications, detached calls', async () => {
    const { messages } = await run('tells');
    expect(messages.slice(0, -1)).toEqual([
      { jsonrpc: '2.0', method: 'core.notify', params: { name: 'progress', params: { done: 1, total: 2 } } },
      { jsonrpc: '2.0', method: 'core.notify', params: { name: 'found', params: { file: '/a' } } },
      { jsonrpc: '2.0', method: 'notes.add', params: { text: 'milk' } },
    ]);
    const detached = await run('detach', {}, answers({ 'core.call': { port: 80 } }));
    expect(detached.messages[0]!.params).toEqual({ method: 'www.start', params: { port: 80 }, detach: true });
    expect(detached.answer?.result).toEqual({ port: 80 });
  });

  test('R10-11 R11-9 a client made by import! calls with its types', async () => {
    const { messages, answer } = await run(
      'greet',
      { name: 'Ada' },
      answers({ 'greeter.greet': { text: 'Hi', more: 1 } }),
    );
    expect(messages[0]).toMatchObject({ method: 'greeter.greet', params: { name: 'Ada' } });
    expect(answer?.result).toBe('Hi');
    const wrong = await run('greet', { name: 'Ada' }, answers({ 'greeter.greet': { text: 1 } }));
    expect(wrong.answer?.error?.code).toBe(-32603);
  });

  test('R3.1-8 16 MiB go in and out', async () => {
    const text = 'abcdefg\n'.repeat(2 * 1024 * 1024);
    const { answer } = await run('same-thing', { name: text });
    expect(answer?.result.name === text).toBe(true);
  });
});

describe('locks', () => {
  test('R6-1 R6-3 a lock is given back also when the work fails', async () => {
    const { messages } = await run('locked', { path: '/a' }, answers({ 'core.lock': { held: true } }));
    expect(messages.map(({ method, params, error }) => [method, params ?? error])).toEqual([
      ['core.lock', { path: '/a' }],
      ['core.unlock', { path: '/a' }],
      [undefined, { code: -32603, message: 'not with this lock' }],
    ]);
  });

  test('R6-1 one that is refused is an error, one that is tried may be held by another', async () => {
    const refused = await run('locked', { path: '/a' }, answers({ 'core.lock': { held: false } }));
    expect(refused.answer?.error?.message).toContain('/a');
    const tried = await run('locks', { path: '/a' }, ({ id, method, params }, say) => {
      if (method === 'core.lock') say({ id, result: { held: params.wait !== false } });
    });
    expect(tried.answer?.result).toBe(false);
    expect(tried.messages.filter(({ method }) => method === 'core.unlock')).toHaveLength(1);
  });
});

describe('life', () => {
  test('R3.3-11 R3.6-10 work goes on after the answer, and the process ends with it', async () => {
    const { answer, exit, out } = await run('later', { milliseconds: 20, file: '/out' });
    expect(answer?.result).toBeNull();
    expect(out).toBe('later');
    expect(exit).toEqual({ kind: 'code', code: 0 });
  });

  test('R3.6-2 at the end of stdin hooks run, calls fail, and background tasks end', async () => {
    const { out, exit, stderr, messages } = await run(
      'run_on',
      { file: '/out' },
      ({ id }, _say, stop) => id === PID && stop(),
    );
    expect(out).toContain('stopped; this process is being stopped, so core.log gets no answer');
    expect(stderr).toContain('the background task ends');
    expect(messages.at(-1)).toMatchObject({ method: 'core.notify', params: { name: 'stopping' } });
    expect(messages.filter(({ method }) => method === 'core.log')).toEqual([]);
    expect(exit).toEqual({ kind: 'code', code: 0 });
  });

  test('R3.6-2 a call that waits fails at the end of stdin, and the answer is still written', async () => {
    for (const [method, params] of [
      ['relay', { method: 'a.x', params: {} }],
      ['many', { methods: ['a.x', 'b.x'] }],
    ] as const) {
      const { answer, exit } = await run(method, params, (_message, _say, stop) => stop());
      expect(answer?.error?.code).toBe(-32002);
      expect(exit).toEqual({ kind: 'code', code: 0 });
    }
  });
});

describe('the document', () => {
  test('R10-1 R10-3 describes all of it in what the checks can read', async () => {
    const json = (await run('rpc.discover')).answer!.result;
    const { document, warnings } = parseDocument(parseJson(JSON.stringify(json)));
    expect(warnings).toEqual([]);
    expect(json.info).toEqual({
      title: 'sdk-probe',
      version: '0.2.0',
      description: 'Does what tests ask for.\n\nNobody else needs it.',
    });
    expect(document.grace).toBe(1.5);
    expect([...document.methods.keys()]).not.toContain('rpc.retired');
    expect([...document.methods.keys()]).toContain('same-thing');
    expect([...document.endpoints.keys()]).toEqual(['control panel', 'guest', 'ring']);
    expect([...document.imports.get('greeter')!.methods.keys()]).toEqual(['greet']);
    // a tuple and a value of any kind have no form in the subset, and nothing else here
    expect(unimportable(document).map(({ method }) => method)).toEqual([
      'relay',
      'many',
      'told',
      'detach',
      'type',
      'use_ring',
    ]);
    expect(document.methods.get('type')!.deprecated).toBe(true);
  });

  test('R10-11 doc comments are the descriptions', async () => {
    const json = (await run('rpc.discover')).answer!.result;
    const add = json.methods.find(({ name }: { name: string }) => name === 'add');
    expect(add.description).toBe('Adds two numbers.\n\nThe second is 1 if it is not said.');
    expect(add.params).toEqual([
      expect.objectContaining({ name: 'a', required: true, description: 'The first.' }),
      expect.objectContaining({ name: 'b', schema: expect.objectContaining({ type: 'integer' }) }),
    ]);
    const { Mood, Thing, ThingResult } = json.components.schemas;
    expect(Mood).toEqual({
      type: 'string',
      enum: ['not-so-good', 'good'],
      description: 'How it went.\n\n- `good`: Very well.',
    });
    // a result always has its fields, params need not
    expect(Thing.required).toEqual(['name']);
    expect(ThingResult.required.sort()).toEqual(['mood', 'name', 'parts']);
    expect(ThingResult.properties.parts.items).toEqual({ $ref: '#/components/schemas/ThingResult' });
  });
});
