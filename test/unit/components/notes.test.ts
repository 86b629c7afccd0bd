import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestWorld } from './run-module.ts';

const notes = new Uint8Array(readFileSync('public/world/plugins/notes/plugin.wasm'));
const FILE = 'state/notes/notes.json';
const PID = 'notes-0197f3a2-7c1e-7d2b-9a41-5f0c2e8b1d34';
const HELD = { jsonrpc: '2.0', id: 1, result: { held: true } };

let world: TestWorld;
beforeEach(() => {
  world = new TestWorld();
});
afterEach(() => world.remove());

/** Calls a method and returns what the plugin said. */
const say = (method: string, params?: object) =>
  world.run(notes, [{ jsonrpc: '2.0', id: PID, method, params }, HELD]).messages;

/** Calls a method and returns its answer. */
const call = (method: string, params?: object) =>
  say(method, params).at(-1) as { id: string; result?: never; error?: never };

describe('the plugin notes', () => {
  test('R6-1 add takes the lock, writes, gives it back, answers', () => {
    expect(say('add', { text: 'milk' })).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'core.lock', params: { path: `/${FILE}` } },
      { jsonrpc: '2.0', method: 'core.unlock', params: { path: `/${FILE}` } },
      { jsonrpc: '2.0', id: PID, result: { id: 1, text: 'milk' } },
    ]);
    expect(JSON.parse(readFileSync(world.path(FILE), 'utf8'))).toEqual({ next: 2, notes: [{ id: 1, text: 'milk' }] });
  });

  test('list is one line and asks nobody', () => {
    expect(say('list')).toEqual([{ jsonrpc: '2.0', id: PID, result: { notes: [] } }]);
    call('add', { text: 'milk' });
    expect(say('list')).toEqual([{ jsonrpc: '2.0', id: PID, result: { notes: [{ id: 1, text: 'milk' }] } }]);
  });

  test('remove answers what it was; a note that is not there is a wrong param', () => {
    call('add', { text: 'milk' });
    expect(call('remove', { id: 1 }).result).toEqual({ id: 1, text: 'milk' });
    expect(call('remove', { id: 1 }).error).toEqual({ code: -32602, message: 'id 1 is the ID of no note' });
  });

  test('R3.9-1 an unknown method is -32601, a wrong param -32602 with its name', () => {
    expect(call('fly').error).toMatchObject({ code: -32601 });
    expect(call('add', { text: 1 }).error).toMatchObject({ code: -32602, message: expect.stringMatching(/^text: /) });
    expect(call('remove').error).toMatchObject({ code: -32602, message: expect.stringMatching(/^id: /) });
  });

  test('R3.9-1 params that Rust cannot hold are answered, and the process ends', () => {
    const deep = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`);
    for (const text of [deep, '\ud800']) {
      const { messages, exit } = world.run(notes, [{ jsonrpc: '2.0', id: PID, method: 'add', params: { text } }, HELD]);
      expect(messages).toMatchObject([
        { id: PID, error: { code: -32602, message: expect.stringContaining('cannot be read') } },
      ]);
      expect(exit).toBe(0);
    }
  });

  test('R3.6-10 it ends by itself when the call is answered, and without one at the end of stdin', () => {
    expect(world.run(notes, [{ jsonrpc: '2.0', id: PID, method: 'list' }, HELD]).exit).toBe(0);
    expect(world.run(notes, [])).toEqual({ messages: [], stderr: '', exit: 0 });
  });

  test('R3.3-10 a notification gets no answer', () => {
    const { messages } = world.run(notes, [{ jsonrpc: '2.0', method: 'add', params: { text: 'x' } }, HELD]);
    expect(messages.map((message) => (message as { method?: string }).method)).toEqual(['core.lock', 'core.unlock']);
    expect(existsSync(world.path(FILE))).toBe(true);
  });

  test('R6-1 without the lock nothing is written', () => {
    const refused = { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'path' } };
    const { messages } = world.run(notes, [{ jsonrpc: '2.0', id: PID, method: 'add', params: { text: 'x' } }, refused]);
    expect(messages.at(-1)).toEqual({ jsonrpc: '2.0', id: PID, error: refused.error });
    expect(existsSync(world.path(FILE))).toBe(false);
  });

  test('a damaged file is an error that names it, and stays', () => {
    mkdirSync(world.path('state/notes'));
    writeFileSync(world.path(FILE), '{');
    expect(call('add', { text: 'x' }).error).toMatchObject({ code: -32603, message: expect.stringContaining(FILE) });
    expect(readFileSync(world.path(FILE), 'utf8')).toBe('{');
  });

  test('R10-1 rpc.discover is an OpenRPC document with params by name', () => {
    const document = call('rpc.discover').result as unknown as { openrpc: string; methods: Record<string, unknown>[] };
    expect(document.openrpc).toMatch(/^1\.2\./);
    expect(document.methods.map(({ name, paramStructure }) => [name, paramStructure])).toEqual([
      ['add', 'by-name'],
      ['list', 'by-name'],
      ['remove', 'by-name'],
    ]);
    for (const method of document.methods) {
      expect(method['x-sausage-params']).toEqual({ $ref: expect.stringMatching(/^#\/components\/schemas\/\w+$/) });
    }
  });
});
