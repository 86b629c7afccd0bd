import { afterAll, beforeAll, expect, test } from 'vitest';
import { MemoryFileSystem } from '../../../src/fs/memory.ts';
import { MountedNamespace } from '../../../src/fs/namespace.ts';
import { component, generated } from './support/component.ts';
import { Machine } from './support/machine.ts';

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});
afterAll(() => machine.close());

const WIT = `package test:composed;
  interface store {
    resource thing { constructor(value: u32); get: func() -> u32; }
  }
  world provider { import wasi:random/random@0.2.12; export store; }
  world consumer {
    import store;
    import wasi:random/random@0.2.12;
    import wasi:cli/stdout@0.2.12;
    import wasi:cli/exit@0.2.12;
    export wasi:cli/run@0.2.12;
  }`;

/** \`get\` adds the length of four random bytes, which the host stores in this component's memory. */
const PROVIDER = `(module
  (import "wasi:random/random@0.2.12" "get-random-bytes" (func $random (param i64 i32)))
  (import "[export]test:composed/store" "[resource-new]thing" (func $new (param i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "test:composed/store#[constructor]thing") (param i32) (result i32) (call $new (local.get 0)))
  (func (export "test:composed/store#[method]thing.get") (param i32) (result i32)
    (call $random (i64.const 4) (i32.const 0))
    (i32.add (local.get 0) (i32.load (i32.const 4))))
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024)))`;

/** Makes a thing, asks it, drops it, takes eight random bytes itself, and exits with the sum. */
const CONSUMER = `(module
  (import "test:composed/store" "[constructor]thing" (func $make (param i32) (result i32)))
  (import "test:composed/store" "[method]thing.get" (func $get (param i32) (result i32)))
  (import "test:composed/store" "[resource-drop]thing" (func $drop (param i32)))
  (import "wasi:random/random@0.2.12" "get-random-bytes" (func $random (param i64 i32)))
  (import "wasi:cli/stdout@0.2.12" "get-stdout" (func $stdout (result i32)))
  (import "wasi:io/streams@0.2.12" "[method]output-stream.blocking-write-and-flush" (func $write (param i32 i32 i32 i32)))
  (import "wasi:io/streams@0.2.12" "[resource-drop]output-stream" (func $close (param i32)))
  (import "wasi:cli/exit@0.2.12" "exit-with-code" (func $exit (param i32)))
  (memory (export "memory") 1)
  (data (i32.const 512) "hi")
  (func (export "wasi:cli/run@0.2.12#run") (result i32)
    (local $thing i32) (local $sum i32) (local $out i32)
    (local.set $thing (call $make (i32.const 42)))
    (local.set $sum (call $get (local.get $thing)))
    (call $drop (local.get $thing))
    (call $random (i64.const 8) (i32.const 16))
    (local.set $sum (i32.add (local.get $sum) (i32.load (i32.const 20))))
    (local.set $out (call $stdout))
    (call $write (local.get $out) (i32.const 512) (i32.const 2) (i32.const 64))
    (call $close (local.get $out))
    (call $exit (local.get $sum))
    (unreachable))
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 2048)))`;

/** The text of a component as a definition inside of another. */
async function nested(name: string, wat: string): Promise<string> {
  const tools = await import('@bytecodealliance/jco-transpile/wasm-tools');
  const text = await tools.print(await component(WIT, name, wat));
  return text.replace('(component', `(component $${name}`);
}

async function composed(): Promise<Uint8Array> {
  const tools = await import('@bytecodealliance/jco-transpile/wasm-tools');
  const [provider, consumer] = await Promise.all([nested('provider', PROVIDER), nested('consumer', CONSUMER)]);
  // The outer component imports what the consumer does, but for the store.
  const store = '(import "test:composed/store"';
  const afterStore = consumer.indexOf('\n', consumer.indexOf(store));
  const imports = consumer.slice(afterStore, consumer.indexOf('(core module'));
  const names = Array.from(imports.matchAll(/\(import "([^"]+)"/g), (match) => match[1]);
  return tools.parse(`(component
    ${imports}
    ${provider}
    ${consumer}
    (instance $p (instantiate $provider (with "wasi:random/random@0.2.12" (instance $wasi:random/random@0.2.12))))
    (alias export $p "test:composed/store" (instance $store))
    (instance $c (instantiate $consumer
      (with "test:composed/store" (instance $store))
      ${names.map((name) => `(with "${name}" (instance $${name}))`).join('\n')}))
    (alias export $c "wasi:cli/run@0.2.12" (instance $run))
    (export "wasi:cli/run@0.2.12" (instance $run)))`);
}

test('a component of two with a memory each, where one defines a resource and the other uses it, runs', async () => {
  const ready = await generated('composed', await composed());
  const namespace = new MountedNamespace(new MemoryFileSystem({ device: 1 }));
  const first = await machine.run(ready, { namespace });
  expect(first).toEqual({ stdout: 'hi', stderr: '', exit: { kind: 'code', code: 42 + 4 + 8 } });
  // Nothing of the first process is left in the host.
  expect(await machine.run(ready, { namespace })).toEqual(first);
});
