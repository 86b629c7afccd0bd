import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOST_INTERFACES } from '../../../src/components/interfaces.ts';
import { MemoryFileSystem } from '../../../src/fs/memory.ts';
import { MountedNamespace } from '../../../src/fs/namespace.ts';
import { Client } from '../../../src/syscall/client.ts';
import type { ReadyComponent } from '../../../src/syscall/protocol.ts';
import { CHANNEL_BYTES, DOORBELL_BYTES } from '../../../src/syscall/protocol.ts';
import { Host } from '../../../src/wasi/host.ts';
import { wasi } from '../../../src/wasi/imports.ts';
import { component, generated } from './support/component.ts';
import { Machine } from './support/machine.ts';

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});
afterAll(() => machine.close());

const namespace = new MountedNamespace(new MemoryFileSystem({ device: 1 }));
const run = (component: ReadyComponent) => machine.run(component, { namespace });

test('R3.1-1 a component that imports all of wasi:cli/command and wasi:http links', async () => {
  const all = await component(
    'package test:all; world all { include wasi:cli/command@0.2.12; import wasi:http/outgoing-handler@0.2.12; import wasi:clocks/timezone@0.2.12; }',
    'all',
  );
  // Its functions are made to trap, so a trap says that it was instantiated and that run was called.
  expect((await run(await generated('all', all))).exit).toEqual({ kind: 'trap', message: 'unreachable' });
});

test('R3.1-1 the host has exactly the interfaces that a plugin may import', () => {
  const client = new Client(new SharedArrayBuffer(CHANNEL_BYTES), new SharedArrayBuffer(DOORBELL_BYTES), 0);
  expect(new Set(Object.keys(wasi(new Host(client))))).toEqual(HOST_INTERFACES);
});

test('R3.1-1 an import that the host does not have is named', async () => {
  const wit = `package test:missing;
    interface other { go: func(); }
    world interfaces { import other; export wasi:cli/run@0.2.12; }`;
  expect((await run(await generated('missing', await component(wit, 'interfaces')))).exit).toEqual({
    kind: 'link',
    message: 'the component imports test:missing/other, which this host does not have',
  });
});

test('R3.1-1 a function that the host does not have in an interface is named', async () => {
  const all = await generated(
    'unknown-function',
    await component('package test:a; world a { include wasi:cli/command@0.2.12; }', 'a'),
  );
  const script = all.script.replaceAll('initialCwd', 'finalCwd');
  expect((await run({ ...all, script })).exit).toEqual({
    kind: 'link',
    message: 'the component imports finalCwd of wasi:cli/environment, which this host does not have',
  });
});

test('R3.1-1 a component without wasi:cli/run does not start', async () => {
  const wit = 'package test:norun; interface a { go: func(); } world w { export a; }';
  expect((await run(await generated('norun', await component(wit, 'w')))).exit).toEqual({
    kind: 'link',
    message: 'the component does not export wasi:cli/run',
  });
});

test('R3.3-12 a component whose memory is not to be had ends with no-memory', async () => {
  const wit = 'package test:huge; world w { export wasi:cli/run@0.2.12; }';
  const wat = `(module (memory (export "memory") 65536)
    (func (export "wasi:cli/run@0.2.12#run") (result i32) (i32.const 0)))`;
  const huge = await generated('huge', await component(wit, 'w', wat));
  // Node gives 4 GiB of address space readily, so the constructor is made to refuse as a browser does.
  const script = huge.script.replace(
    'instantiateCore(module0',
    "(() => { throw new RangeError('WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory for new instance'); })(module0",
  );
  expect(script).not.toBe(huge.script);
  expect((await run({ ...huge, script })).exit).toMatchObject({ kind: 'no-memory' });
});
