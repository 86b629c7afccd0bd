/** Components and core modules for tests, written as text. */

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const vendor = dirname(require.resolve('@bytecodealliance/jco-transpile/component'));

/** The bytes of a text in WebAssembly's text form, component or core module. */
export async function wat(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const { $init, tools } = await import(/* @vite-ignore */ pathToFileURL(join(vendor, 'wasm-tools.js')).href);
  await $init;
  return new Uint8Array(tools.parse(text));
}

/** A component with these imports and exports and nothing in it; each is an empty instance. */
export const shape = (imports: string[], exports: string[]): Promise<Uint8Array<ArrayBuffer>> =>
  wat(`(component
    ${imports.map((name) => `(import "${name}" (instance))`).join('\n')}
    ${exports.map((name, at) => `(instance $e${at}) (export "${name}" (instance $e${at}))`).join('\n')})`);

/** A command whose `run` calls `now` of two versions of one interface and drops a resource of each. */
export const TWO_VERSIONS = `(component
  (import "wasi:io/poll@0.2.0" (instance $p0 (export "pollable" (type (sub resource)))))
  (alias export $p0 "pollable" (type $pollable0))
  (import "wasi:io/poll@0.2.3" (instance $p3 (export "pollable" (type (sub resource)))))
  (alias export $p3 "pollable" (type $pollable3))
  (import "wasi:clocks/monotonic-clock@0.2.0" (instance $a
    (alias outer 1 $pollable0 (type $p))
    (export "pollable" (type $q (eq $p)))
    (export "now" (func (result u64)))
    (export "subscribe-duration" (func (param "when" u64) (result (own $q))))))
  (import "wasi:clocks/monotonic-clock@0.2.3" (instance $b
    (alias outer 1 $pollable3 (type $p))
    (export "pollable" (type $q (eq $p)))
    (export "now" (func (result u64)))
    (export "subscribe-duration" (func (param "when" u64) (result (own $q))))))
  (core func $now0 (canon lower (func $a "now")))
  (core func $now3 (canon lower (func $b "now")))
  (core func $sub0 (canon lower (func $a "subscribe-duration")))
  (core func $sub3 (canon lower (func $b "subscribe-duration")))
  (core func $drop0 (canon resource.drop $pollable0))
  (core func $drop3 (canon resource.drop $pollable3))
  (core module $m
    (import "a" "now" (func $now0 (result i64)))
    (import "b" "now" (func $now3 (result i64)))
    (import "a" "subscribe" (func $sub0 (param i64) (result i32)))
    (import "b" "subscribe" (func $sub3 (param i64) (result i32)))
    (import "a" "drop" (func $drop0 (param i32)))
    (import "b" "drop" (func $drop3 (param i32)))
    (func (export "run") (result i32)
      (call $drop0 (call $sub0 (i64.const 1)))
      (call $drop3 (call $sub3 (i64.const 3)))
      (i64.ne (call $now0) (call $now3))))
  (core instance $i (instantiate $m
    (with "a" (instance (export "now" (func $now0)) (export "subscribe" (func $sub0)) (export "drop" (func $drop0))))
    (with "b" (instance (export "now" (func $now3)) (export "subscribe" (func $sub3)) (export "drop" (func $drop3))))))
  (func $run (result (result)) (canon lift (core func $i "run")))
  (instance $r (export "run" (func $run)))
  (export "wasi:cli/run@0.2.1" (instance $r)))`;

/** A command without imports: `body` is what its `run` does before it returns ok, `items` stand beside it. */
export const command = (body: string, items = ''): string => `(component
  (core module $m ${items} (func (export "run") (result i32) ${body} (i32.const 0)))
  (core instance $i (instantiate $m))
  (func $run (result (result)) (canon lift (core func $i "run")))
  (instance $r (export "run" (func $run)))
  (export "wasi:cli/run@0.2.0" (instance $r)))`;
