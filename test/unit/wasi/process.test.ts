import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MemoryFileSystem } from '../../../src/fs/memory.ts';
import { MountedNamespace } from '../../../src/fs/namespace.ts';
import type { ReadyComponent } from '../../../src/syscall/protocol.ts';
import { probe } from './support/component.ts';
import { Machine, type RunOptions } from './support/machine.ts';

let machine: Machine;
let component: ReadyComponent;
beforeAll(async () => {
  [machine, component] = await Promise.all([Machine.create(), probe()]);
});
afterAll(() => machine.close());

const request = (method: string, params: object = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id: 'the-call', method, params })}\n`;

function start(stdin: string, options: Partial<RunOptions> = {}) {
  return machine.run(component, {
    namespace: new MountedNamespace(new MemoryFileSystem({ device: 1 })),
    stdin,
    ...options,
  });
}

/** The result of the method, or its error. */
async function call(method: string, params: object = {}, options: Partial<RunOptions> = {}) {
  const { stdout, exit } = await start(request(method, params), options);
  expect(exit).toEqual({ kind: 'code', code: 0 });
  const message = JSON.parse(stdout.trim());
  expect(message.id).toBe('the-call');
  return message.result ?? message.error;
}

describe('messages', () => {
  test('R3.3-3 a process reads its request and answers it', async () => {
    expect(await call('echo', { text: 'grün' })).toEqual({ text: 'grün' });
  });

  test('R3.1-8 a message of 16 MiB goes in and out whole, through rings of 64 KiB', async () => {
    const text = 'abcdefgh'.repeat(2 * 1024 * 1024);
    expect((await call('echo', { text })).text === text).toBe(true);
  });

  test('R3.3-5 what a process wrote before it trapped is there', async () => {
    const { stdout, exit } = await start(
      request('do', { steps: [{ op: 'print', text: 'last words\n' }, { op: 'trap' }] }),
    );
    expect(stdout).toBe('last words\n');
    expect(exit).toEqual({ kind: 'trap', message: 'unreachable' });
  });

  test('R3.3-7 a process that waits for an answer goes on when it comes', async () => {
    const { stdout } = await start(request('call', { method: 'other.go', id: '7' }), {
      keepOpen: true,
      onStdout: (text, channel) => {
        if (!text.includes('other.go')) return;
        channel.writeStdin(new TextEncoder().encode('{"jsonrpc":"2.0","id":7,"result":"yes"}\n'), 0);
      },
    });
    expect(stdout).toContain('{"jsonrpc":"2.0","id":"the-call","result":"yes"}');
  });

  test('R3.6-2 the end of stdin reaches a process that waits', async () => {
    let closed = false;
    const { stdout, exit } = await start(request('do', { steps: [{ op: 'print', text: 'ready\n' }, { op: 'eof' }] }), {
      keepOpen: true,
      onStdout: (text, channel) => {
        if (!text.includes('ready') || closed) return;
        channel.closeStdin();
        closed = true;
      },
    });
    expect(exit).toEqual({ kind: 'code', code: 0 });
    expect(stdout).toContain('"result":[6,[]]');
  });

  test('R7-6 a flood on stderr comes whole', async () => {
    const { stderr } = await start(request('stderr', { lines: 50_000, text: 'flood' }));
    expect(stderr).toBe(Array.from({ length: 50_000 }, (_, i) => `flood ${i}\n`).join(''));
  });
});

describe('an instance that is made ahead', () => {
  test('R3.3-2 serves one process only, and the next one sees nothing of the one before', async () => {
    for (const text of ['first', 'second', 'third']) {
      expect(
        await call('do', {
          steps: [
            { op: 'write', path: '/self-note', text },
            { op: 'read', path: '/self-note' },
          ],
        }),
      ).toEqual([text.length, { size: text.length, text }]);
      // a turn in which the worker has nothing to do
      await new Promise((resolve) => setTimeout(resolve));
    }
  });

  test('R3.8-1 has the environment of its own process', async () => {
    for (const pid of ['a-1', 'b-2']) {
      expect(await call('report', {}, { env: [['SAUSAGE_PID', pid]] })).toMatchObject({ pid });
      await new Promise((resolve) => setTimeout(resolve));
    }
  });
});

describe('the end', () => {
  test.each([
    ['R3.3-6 exit(0) is 0', 'exit', { code: 0 }, { kind: 'code', code: 0 }],
    ['R3.3-6 exit(3) of a preview 1 program is 1', 'exit', { code: 3 }, { kind: 'code', code: 1 }],
    ['R3.3-6 a trap', 'trap', {}, { kind: 'trap', message: 'unreachable' }],
    ['R3.3-6 a panic is a trap', 'panic', { message: 'oh' }, { kind: 'trap', message: 'unreachable' }],
    [
      'R3.3-6 a stack without end is a trap',
      'overflow',
      {},
      { kind: 'trap', message: expect.stringMatching(/stack|memory/) },
    ],
  ])('%s', async (_, method, params, exit) => {
    expect((await start(request(method, params))).exit).toEqual(exit);
  });

  test('R3.1-6 a panic says why on stderr', async () => {
    expect((await start(request('panic', { message: 'the reason' }))).stderr).toContain('the reason');
  });

  test('R3.6-10 a process without a request returns', async () => {
    expect(await start('')).toEqual({ stdout: '', stderr: '', exit: { kind: 'code', code: 0 } });
  });

  test('a component that the worker was never given does not leave the core waiting', async () => {
    const other = await Machine.create();
    try {
      const options = { namespace: new MountedNamespace(new MemoryFileSystem({ device: 1 })) };
      // The first start fails to load; the second one is sent without the component, as the core does.
      const broken = { ...component, key: 'broken', script: 'export const = 1' };
      const first = await other.run(broken, options);
      expect(first.exit).toMatchObject({ kind: 'link', message: expect.stringContaining('SyntaxError') });
      expect((await other.run(broken, options)).exit).toMatchObject({ kind: 'link' });
    } finally {
      await other.close();
    }
  });

  test('R3.3-2 each process has a new instance, and nothing of the one before', async () => {
    const namespace = new MountedNamespace(new MemoryFileSystem({ device: 1 }));
    const steps = [
      { op: 'write', path: '/a', text: 'x' },
      { op: 'open', path: '/a', read: true },
    ];
    const once = () => call('do', { steps }, { namespace });
    expect(await once()).toEqual([1, 0]);
    expect(await once()).toEqual([1, 0]);
  });
});

describe('surroundings', () => {
  test('R3.8-1 R3.8-4 environment, arguments and current folder', async () => {
    const env: [string, string][] = [
      ['SAUSAGE_PID', 'probe-1'],
      ['SAUSAGE_PLUGIN', 'probe'],
      ['SAUSAGE_PARENT', 'console'],
      ['EMPTY', ''],
    ];
    expect(await call('report', {}, { args: ['probe'], env })).toMatchObject({
      pid: 'probe-1',
      plugin: 'probe',
      parent: 'console',
      env,
      args: ['probe'],
      cwd: '/',
    });
  });

  test('R3.8-4 without environment and arguments there are none', async () => {
    expect(await call('report', {}, { args: [], env: [] })).toMatchObject({ env: [], args: [] });
  });

  test('R3.8-4 the time of day is the time of day', async () => {
    const before = Date.now();
    const { wall } = await call('clock');
    expect(Number(BigInt(wall) / 1_000_000n)).toBeGreaterThanOrEqual(before);
    expect(Number(BigInt(wall) / 1_000_000n)).toBeLessThanOrEqual(Date.now());
  });

  test('R3.8-4 a sleep takes as long as it should', async () => {
    const [before, , after] = await call('do', { steps: [{ op: 'clock' }, { op: 'sleep', ms: 40 }, { op: 'clock' }] });
    const slept = Number(BigInt(after.monotonic) - BigInt(before.monotonic)) / 1e6;
    expect(slept).toBeGreaterThanOrEqual(40);
    expect(slept).toBeLessThan(2000);
  });

  test('R3.8-4 random bytes are random, also more than the browser gives at once', async () => {
    const [first, second] = [await call('random', { bytes: 200_000 }), await call('random', { bytes: 32 })];
    expect(first).toHaveLength(200_000);
    expect(new Set(first).size).toBe(256);
    expect(second).not.toEqual(first.slice(0, 32));
  });
});

test('trace writes a line for each call of the host, and none without it', async () => {
  const lines: string[] = [];
  const worker = await Machine.create({ onDebug: (line) => lines.push(line) });
  try {
    const namespace = new MountedNamespace(new MemoryFileSystem({ device: 1 }));
    const env: [string, string][] = [['SAUSAGE_PID', 'probe-7']];
    await worker.run(component, { namespace, stdin: request('clock'), env });
    await worker.run(component, { namespace, stdin: request('clock'), env, trace: true });
    // The lines come by another way than the output, and may be later than the end.
    const text = () => lines.join('\n');
    await expect.poll(text).toMatch(/^probe-7 preview1\/clock_time_get\(0, \d+, \d+\) = 0 \d+ µs$/m);
    expect(text()).toMatch(/^probe-7 preview1\/fd_read\(0, \d+, \d+, \d+\) = 0/m);
    // One run of two says this line, once.
    expect(lines.filter((line) => line.includes('/fd_prestat_dir_name('))).toHaveLength(1);
  } finally {
    await worker.close();
  }
});
