import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { MemoryFileSystem } from '../../../src/fs/memory.ts';
import { MountedNamespace } from '../../../src/fs/namespace.ts';
import type { ReadyComponent } from '../../../src/syscall/protocol.ts';
import { probe } from './support/component.ts';
import { Machine } from './support/machine.ts';

/** Error numbers of preview 1, which is what a Rust program sees. */
const ERRNO = { nospc: 51, perm: 63, xdev: 75 };

let machine: Machine;
let component: ReadyComponent;
let namespace: MountedNamespace;
beforeAll(async () => {
  [machine, component] = await Promise.all([Machine.create(), probe()]);
});
afterAll(() => machine.close());
beforeEach(() => {
  namespace = new MountedNamespace(
    new MemoryFileSystem({ device: 1 }),
    new Map([['run', new MemoryFileSystem({ device: 2, limit: 1024 * 1024 })]]),
  );
});

// biome-ignore lint/suspicious/noExplicitAny: results of the probe's operations
async function run(...steps: object[]): Promise<any[]> {
  const stdin = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'do', params: { steps } })}\n`;
  const { stdout, exit } = await machine.run(component, { namespace, stdin });
  expect(exit).toEqual({ kind: 'code', code: 0 });
  const answer = JSON.parse(stdout.trim());
  expect(answer.error).toBeUndefined();
  return answer.result;
}

/** The error number that the last of the steps fails with. */
async function errno(...steps: object[]): Promise<number> {
  const results = await run(...steps.map((step, i) => (i === steps.length - 1 ? { ...step, catch: true } : step)));
  return results.at(-1).error?.data.os;
}

test('R4-10 a file larger than the payload of a call is written and read whole', async () => {
  const text = Array.from({ length: 60_000 }, (_, i) => `${i} `).join('');
  const [written, read] = await run({ op: 'write', path: '/a', text }, { op: 'read', path: '/a' });
  expect(written).toBe(text.length);
  expect(read.text === text).toBe(true);
  expect(new TextDecoder().decode(await namespace.readFile('/a')) === text).toBe(true);
});

test('R4-10 stat has kind, size and times, which setTimes sets', async () => {
  const before = BigInt(Date.now()) * 1_000_000n;
  const [, stat, , set] = await run(
    { op: 'write', path: '/a', text: 'hello' },
    { op: 'stat', path: '/a' },
    { op: 'setTimes', path: '/a', modified: 1_500_000_000_123, accessed: 1_400_000_000_000 },
    { op: 'stat', path: '/a' },
  );
  expect(stat).toMatchObject({ kind: 'file', size: 5 });
  expect(BigInt(stat.modified)).toBeGreaterThanOrEqual(before);
  expect(set).toMatchObject({ modified: '1500000000123000000', accessed: '1400000000000000000' });
});

test('R4-10 a stat of a link looks at the link or at what it leads to', async () => {
  const [, , followed, link] = await run(
    { op: 'write', path: '/a', text: 'hello' },
    { op: 'symlink', target: 'a', path: '/link' },
    { op: 'stat', path: '/link' },
    { op: 'stat', path: '/link', link: true },
  );
  expect([followed.kind, link.kind]).toEqual(['file', 'link']);
});

test('R4-2 a listing of / shows the mounts, and each folder its entries once', async () => {
  const names = Array.from({ length: 3000 }, (_, i) => `entry with a long name ${i}`);
  for (const name of names) await namespace.writeFile(`/${name}`, new Uint8Array());
  const [entries] = await run({ op: 'list', path: '/' });
  expect(entries.map(({ name }: { name: string }) => name).sort()).toEqual([...names, 'run'].sort());
});

test('R4-10 an open file stays readable after its last name has gone', async () => {
  const results = await run(
    { op: 'write', path: '/a', text: 'still here' },
    { op: 'open', path: '/a', read: true },
    { op: 'remove', path: '/a' },
    { op: 'readAt', file: 0, offset: 6, length: 9 },
  );
  expect(results[3]).toBe('here');
  expect(namespace.list(namespace.root).map(({ name }) => name)).toEqual(['run']);
});

test('R4-10 appends of two descriptors follow each other', async () => {
  const results = await run(
    { op: 'open', path: '/a', append: true, create: true },
    { op: 'open', path: '/a', append: true },
    { op: 'append', file: 0, text: 'one,' },
    { op: 'append', file: 1, text: 'two,' },
    { op: 'append', file: 0, text: 'three' },
    { op: 'read', path: '/a' },
  );
  expect(results[5].text).toBe('one,two,three');
});

test('R4-10 .. never leaves /', async () => {
  const [, read] = await run({ op: 'write', path: '/a', text: 'x' }, { op: 'read', path: '/run/../a' });
  expect(read.text).toBe('x');
  expect(await errno({ op: 'read', path: '/../../../etc/passwd' })).not.toBeUndefined();
});

test.each<[string, number, object[]]>([
  [
    'R4-3 a rename across two areas fails with EXDEV',
    ERRNO.xdev,
    [
      { op: 'write', path: '/a', text: '' },
      { op: 'rename', from: '/a', to: '/run/a' },
    ],
  ],
  [
    'R4-3 a link across two areas fails with EXDEV',
    ERRNO.xdev,
    [
      { op: 'write', path: '/a', text: '' },
      { op: 'link', from: '/a', to: '/run/a' },
    ],
  ],
  ['R4-10 an absolute target of a link fails', ERRNO.perm, [{ op: 'symlink', target: '/a', path: '/b' }]],
  ['R4-8 a full file system fails with ENOSPC', ERRNO.nospc, [{ op: 'write', path: '/run/a', fill: 2_000_000 }]],
])('%s', async (_, number, steps) => {
  expect(await errno(...steps)).toBe(number);
});
