import { expect, test } from 'vitest';
import { ProcessChannel } from '../../../src/syscall/channel.ts';
import { Client } from '../../../src/syscall/client.ts';
import { Doorbell } from '../../../src/syscall/doorbell.ts';
import { EXIT, OP, RING_BYTES, WORD } from '../../../src/syscall/protocol.ts';

function pair(): { channel: ProcessChannel; client: Client; doorbell: Doorbell } {
  const doorbell = new Doorbell();
  const channel = new ProcessChannel(doorbell, 2);
  const client = new Client(channel.buffer, doorbell.buffer, 2);
  client.begin();
  return { channel, doorbell, client };
}

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (data: Uint8Array | undefined) => data && new TextDecoder().decode(data);

test('stdout and stderr come apart and whole, and the process is heard', () => {
  const { channel, client, doorbell } = pair();
  client.stdout.writeAll(bytes('out 1\n'));
  client.stderr.writeAll(bytes('err\n'));
  client.stdout.writeAll(bytes('out 2\n'));
  expect(doorbell.marked()).toEqual([2]);
  expect(text(channel.readStdout())).toBe('out 1\nout 2\n');
  expect(text(channel.readStderr())).toBe('err\n');
  expect(channel.readStdout()).toBeUndefined();
});

test('stdin takes what there is room for, and the process rings when it has made room again', () => {
  const { channel, client, doorbell } = pair();
  const data = new Uint8Array(RING_BYTES.stdin + 10).fill(7);
  expect(channel.writeStdin(data, 0)).toBe(RING_BYTES.stdin);
  const some = new Uint8Array(100);
  client.stdin.readInto(some);
  client.stdinTaken();
  // Not yet half empty: a ring for each byte read would cost more than it brings.
  expect(doorbell.marked()).toEqual([]);
  client.stdin.readInto(new Uint8Array(RING_BYTES.stdin / 2));
  client.stdinTaken();
  expect(doorbell.marked()).toEqual([2]);
  expect(channel.writeStdin(data, RING_BYTES.stdin)).toBe(10);
  client.stdin.readInto(new Uint8Array(RING_BYTES.stdin));
  client.stdinTaken();
  expect(doorbell.marked()).toEqual([]);
});

test.each([
  ['data', (channel: ProcessChannel) => channel.writeStdin(bytes('x'), 0)],
  ['the end of stdin', (channel: ProcessChannel) => channel.closeStdin()],
  ['a notice', (channel: ProcessChannel) => channel.notifyEvent()],
])('%s changes the event word', (_, act) => {
  const { channel, client } = pair();
  const seen = client.event();
  act(channel);
  expect(client.event()).not.toBe(seen);
});

test('emptying a full ring changes the event word, for a process that polls for room', () => {
  const { channel, client } = pair();
  client.stdout.write(new Uint8Array(10));
  let seen = client.event();
  channel.readStdout();
  expect(client.event()).toBe(seen);
  client.stdout.write(new Uint8Array(RING_BYTES.stdout));
  seen = client.event();
  channel.readStdout();
  expect(client.event()).not.toBe(seen);
});

test('a call is pending from when it is asked until somebody serves it', () => {
  const { channel } = pair();
  const words = new Int32Array(channel.buffer, 0, 16);
  expect(channel.hasCall()).toBe(false);
  Atomics.store(words, WORD.op, OP.stat);
  Atomics.store(words, WORD.call, 1);
  expect(channel.hasCall()).toBe(true);
  expect(channel.take().op).toBe(OP.stat);
  expect(channel.hasCall()).toBe(false);
  channel.answer(0, 24);
  expect(Atomics.load(words, WORD.call)).toBe(2);
  expect(Atomics.load(words, WORD.length)).toBe(24);
});

test.each([
  [EXIT.code, 3, '', { kind: 'code', code: 3 }],
  [EXIT.trap, 0, 'unreachable', { kind: 'trap', message: 'unreachable' }],
  [EXIT.noMemory, 0, 'no', { kind: 'no-memory', message: 'no' }],
  [EXIT.link, 0, 'ünknown', { kind: 'link', message: 'ünknown' }],
])('the end of a process is told as it was (%i)', (kind, code, message, exit) => {
  const { channel, client, doorbell } = pair();
  client.begin();
  expect(channel.exit()).toBeUndefined();
  client.end(kind, code, message);
  expect(doorbell.marked()).toEqual([2]);
  expect(channel.exit()).toEqual(exit);
});

test('a message longer than the payload is cut, not lost', () => {
  const { channel, client } = pair();
  client.end(EXIT.trap, 0, 'x'.repeat(1_000_000));
  expect(channel.exit()).toMatchObject({ message: expect.stringMatching(/^x{1000}/) });
});

test('nothing of a process is left for the next', () => {
  const { channel, client } = pair();
  client.stdout.writeAll(bytes('old'));
  channel.writeStdin(bytes('old'), 0);
  channel.closeStdin();
  client.end(EXIT.code, 1, '');
  channel.reset();
  expect(channel.exit()).toBeUndefined();
  expect(channel.readStdout()).toBeUndefined();
  expect(client.stdin.held).toBe(0);
  expect(client.stdinClosed).toBe(false);
});
