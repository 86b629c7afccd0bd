import { test } from 'vitest';
import { MemoryFileSystem } from '../../../src/fs/memory.ts';
import { MountedNamespace } from '../../../src/fs/namespace.ts';
import { probe } from './support/component.ts';
import { Machine } from './support/machine.ts';
test('x', async () => {
  const lines: string[] = [];
  const m = await Machine.create({ onDebug: (l) => lines.push(l) }); const c = await probe();
  const ns = () => new MountedNamespace(new MemoryFileSystem({ device: 1 }));
  const r = (method: string, params: object) => `${JSON.stringify({ jsonrpc: '2.0', id: 'c', method, params })}\n`;
  for (const n of [1000, 40000, 60000, 70000, 200000]) { const x = await m.run(c, { namespace: ns(), stdin: r('random', { bytes: n }), trace: n === 70000 }); console.log(n, x.exit, x.stderr, x.stdout.length); }
  
  await new Promise((r) => setTimeout(r, 100));
  console.log(lines.filter((l) => /wasm-function/.test(l)).slice(0, 14).join('\n'));
  await m.close();
});
