import { afterAll, beforeAll, expect, test } from 'vitest';
import { MemoryFileSystem } from '../../../src/fs/memory.ts';
import { MountedNamespace } from '../../../src/fs/namespace.ts';
import { HTTP_CODES } from '../../../src/net/http/errors.ts';
import { component, generated } from './support/component.ts';
import { Machine, type Run } from './support/machine.ts';

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});
afterAll(() => machine.close());

/** Runs the text of a core module in a world with these imports. */
async function run(key: string, imports: string[], wat: string): Promise<Run> {
  const world = [...imports, 'wasi:cli/exit@0.2.12', 'wasi:cli/stdout@0.2.12']
    .map((name) => `import ${name};`)
    .join(' ');
  const wit = `package test:network; world w { ${world} export wasi:cli/run@0.2.12; }`;
  const ready = await generated(key, await component(wit, 'w', wat));
  return machine.run(ready, { namespace: new MountedNamespace(new MemoryFileSystem({ device: 1 })) });
}

test('R3.8-2 a socket is made and a name is looked up from a core module, as the canonical ABI lays them out', async () => {
  const { exit } = await run(
    'sockets',
    [
      'wasi:sockets/tcp-create-socket@0.2.12',
      'wasi:sockets/ip-name-lookup@0.2.12',
      'wasi:sockets/instance-network@0.2.12',
    ],
    `(module
      (import "wasi:sockets/tcp-create-socket@0.2.12" "create-tcp-socket" (func $tcp (param i32 i32)))
      (import "wasi:sockets/instance-network@0.2.12" "instance-network" (func $network (result i32)))
      (import "wasi:sockets/ip-name-lookup@0.2.12" "resolve-addresses" (func $lookup (param i32 i32 i32 i32)))
      (import "wasi:cli/exit@0.2.12" "exit-with-code" (func $exit (param i32)))
      (memory (export "memory") 1)
      (data (i32.const 100) "localhost")
      (func (export "wasi:cli/run@0.2.12#run") (result i32)
        (call $tcp (i32.const 0) (i32.const 0))
        (call $lookup (call $network) (i32.const 100) (i32.const 9) (i32.const 8))
        ;; both are ok, which is 0, and the handles 1 and 3 (2 is the network)
        (call $exit (i32.add
          (i32.add (i32.mul (i32.load8_u (i32.const 0)) (i32.const 16)) (i32.load8_u (i32.const 4)))
          (i32.add (i32.mul (i32.load8_u (i32.const 8)) (i32.const 16)) (i32.load8_u (i32.const 12)))))
        (unreachable)))`,
  );
  expect(exit).toEqual({ kind: 'code', code: 1 + 3 });
});

test('R3.8-2 a request that names no server is an error of HTTP, as the canonical ABI lays it out', async () => {
  const { stdout, exit } = await run(
    'http',
    ['wasi:http/types@0.2.12', 'wasi:http/outgoing-handler@0.2.12'],
    `(module
      (import "wasi:http/types@0.2.12" "[constructor]fields" (func $fields (result i32)))
      (import "wasi:http/types@0.2.12" "[method]fields.append" (func $append (param i32 i32 i32 i32 i32 i32)))
      (import "wasi:http/types@0.2.12" "[method]fields.has" (func $has (param i32 i32 i32) (result i32)))
      (import "wasi:http/types@0.2.12" "[method]fields.get" (func $get (param i32 i32 i32 i32)))
      (import "wasi:http/types@0.2.12" "[constructor]outgoing-request" (func $request (param i32) (result i32)))
      (import "wasi:http/outgoing-handler@0.2.12" "handle" (func $handle (param i32 i32 i32 i32)))
      (import "wasi:cli/stdout@0.2.12" "get-stdout" (func $stdout (result i32)))
      (import "wasi:io/streams@0.2.12" "[method]output-stream.blocking-write-and-flush" (func $write (param i32 i32 i32 i32)))
      (import "wasi:cli/exit@0.2.12" "exit-with-code" (func $exit (param i32)))
      (memory (export "memory") 1)
      (data (i32.const 100) "Accept" "text/plain" "accept")
      (global $next (mut i32) (i32.const 4096))
      (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
        (global.get $next)
        (global.set $next (i32.add (global.get $next) (i32.and (i32.add (local.get 3) (i32.const 7)) (i32.const -8)))))
      (func (export "wasi:cli/run@0.2.12#run") (result i32)
        (local $fields i32) (local $out i32)
        (local.set $fields (call $fields))
        (call $append (local.get $fields) (i32.const 100) (i32.const 6) (i32.const 106) (i32.const 10) (i32.const 0))
        (if (i32.eqz (call $has (local.get $fields) (i32.const 116) (i32.const 6))) (then (unreachable)))
        (call $get (local.get $fields) (i32.const 116) (i32.const 6) (i32.const 8))
        (local.set $out (call $stdout))
        ;; the first value of the list
        (call $write (local.get $out)
          (i32.load (i32.load (i32.const 8))) (i32.load offset=4 (i32.load (i32.const 8))) (i32.const 0))
        (call $handle (call $request (local.get $fields)) (i32.const 0) (i32.const 0) (i32.const 32))
        ;; err, and the number of its case
        (call $exit (i32.add (i32.load8_u (i32.const 32)) (i32.load8_u (i32.const 40))))
        (unreachable)))`,
  );
  expect(stdout).toBe('text/plain');
  expect(exit).toEqual({ kind: 'code', code: 1 + HTTP_CODES.indexOf('HTTP-request-URI-invalid') });
});
