import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MemoryFileSystem } from '../../../src/fs/memory.ts';
import { MountedNamespace } from '../../../src/fs/namespace.ts';
import { PROBE, probe } from './support/component.ts';
import { Machine, type Run } from './support/machine.ts';

let machine: Machine;
let root: string;
beforeAll(async () => {
  machine = await Machine.create();
  root = mkdtempSync(join(tmpdir(), 'sausage-oracle-'));
});
afterAll(async () => {
  await machine.close();
  rmSync(root, { recursive: true, force: true });
});

/** What jco's default bindings and preview2-shim make of the same input. */
function oracle(stdin: string): Promise<Pick<Run, 'stdout' | 'stderr'>> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'support/oracle.mjs'), PROBE, root]);
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output.stderr += text;
    });
    child.on('error', reject);
    child.on('close', () => resolve(output));
    child.stdin.end(stdin);
  });
}

const steps: object[] = [
  { op: 'report' },
  { op: 'echo', text: 'grün 🙂' },
  { op: 'print', text: 'garbage\n' },
  { op: 'stderr', text: 'a line\n' },
  { op: 'mkdir', path: '/dir' },
  { op: 'mkdir', path: '/dir', catch: true },
  { op: 'mkdir', path: '/none/dir', catch: true },
  { op: 'write', path: '/dir/a', text: 'hello' },
  { op: 'read', path: '/dir/a' },
  { op: 'read', path: '/dir/none', catch: true },
  { op: 'read', path: '/dir/a/b', catch: true },
  { op: 'list', path: '/dir' },
  { op: 'list', path: '/dir/a', catch: true },
  { op: 'write', path: '/dir', text: 'x', catch: true },
  { op: 'open', path: '/dir/a', read: true, write: true },
  { op: 'readAt', file: 0, offset: 1, length: 3 },
  { op: 'readAt', file: 0, length: 100 },
  { op: 'readAt', file: 0, offset: 100, length: 5 },
  { op: 'writeAt', file: 0, offset: 7, text: 'gap' },
  { op: 'size', file: 0 },
  { op: 'setSize', file: 0, size: 3 },
  { op: 'read', path: '/dir/a' },
  { op: 'sync', file: 0 },
  { op: 'syncData', file: 0 },
  { op: 'open', path: '/dir/a', append: true },
  { op: 'append', file: 1, text: '+end' },
  { op: 'read', path: '/dir/a' },
  { op: 'open', path: '/dir/a', read: true },
  { op: 'writeAt', file: 2, text: 'x', catch: true },
  { op: 'open', path: '/dir/a', createNew: true, write: true, catch: true },
  { op: 'rename', from: '/dir/a', to: '/dir/b' },
  { op: 'rename', from: '/dir/none', to: '/dir/b', catch: true },
  { op: 'readAt', file: 0, offset: 0, length: 100 },
  { op: 'remove', path: '/dir/b' },
  { op: 'remove', path: '/dir/b', catch: true },
  { op: 'readAt', file: 0, offset: 0, length: 100 },
  { op: 'close', file: 0 },
  { op: 'removeDir', path: '/dir' },
  { op: 'removeDir', path: '/dir', catch: true },
  { op: 'mkdir', path: '/deep/er/dir', recursive: true },
  { op: 'write', path: '/deep/er/dir/grün und 🙂', text: 'x' },
  { op: 'removeDir', path: '/deep', catch: true },
  { op: 'rename', from: '/deep/er', to: '/moved' },
  { op: 'list', path: '/moved/dir' },
  { op: 'symlink', target: 'moved/dir', path: '/link' },
  { op: 'readLink', path: '/link' },
  { op: 'list', path: '/link' },
  { op: 'remove', path: '/link' },
  { op: 'write', path: '/one', text: '1' },
  { op: 'link', from: '/one', to: '/two' },
  { op: 'write', path: '/two', text: '2' },
  { op: 'read', path: '/one' },
  { op: 'read', path: `/${'n'.repeat(256)}`, catch: true },
  { op: 'removeAll', path: '/moved' },
  { op: 'remove', path: '/one' },
  { op: 'remove', path: '/two' },
  { op: 'removeDir', path: '/deep' },
];

test("R4-10 the host does what jco's own bindings and shim do, step for step", async () => {
  const stdin = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'do', params: { steps } })}\n`;
  const namespace = new MountedNamespace(new MemoryFileSystem({ device: 1 }));
  const [ours, theirs] = await Promise.all([
    machine.run(await probe(), {
      namespace,
      stdin,
      args: ['probe', 'an argument'],
      env: [
        ['ONE', '1'],
        ['TWO', ''],
      ],
    }),
    oracle(stdin),
  ]);
  expect(ours.stderr).toBe(theirs.stderr);
  const results = (output: string): unknown[] => {
    const answer = output.split('\n').find((line) => line.startsWith('{'));
    return answer ? (JSON.parse(answer).result ?? [answer]) : [output];
  };
  const [mine, expected] = [results(ours.stdout), results(theirs.stdout)];
  expect(expected).toHaveLength(steps.length);
  for (const [i, step] of steps.entries()) expect({ step, result: mine[i] }).toEqual({ step, result: expected[i] });
  expect(ours.stdout.replace(/\{.*\}/, '')).toBe(theirs.stdout.replace(/\{.*\}/, ''));
});
