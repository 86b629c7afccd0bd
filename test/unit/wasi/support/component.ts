/** Components for the tests of the host: the probe, and small ones that are put together from text. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transpiler } from '../../../../src/components/transpile.ts';
import type { ReadyComponent } from '../../../../src/syscall/protocol.ts';
import { repair } from '../../../../src/wasi/repair.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const WIT = join(ROOT, 'node_modules/@bytecodealliance/jco/lib/wit/builtin/0.2.12');

export const PROBE = join(ROOT, 'test/plugins/probe/plugin.wasm');

const transpile = transpiler(() => import('@bytecodealliance/jco-transpile/component'));

export async function ready(key: string, component: Uint8Array): Promise<ReadyComponent> {
  return compiled(key, await transpile(component));
}

export function probe(): Promise<ReadyComponent> {
  return ready('probe', readFileSync(PROBE));
}

export function compiled(
  key: string,
  { script, modules }: { script: string; modules: Record<string, Uint8Array<ArrayBuffer>> },
): ReadyComponent {
  const compiled = Object.entries(modules).map(([name, bytes]) => [name, new WebAssembly.Module(bytes)] as const);
  return { key, script, modules: Object.fromEntries(compiled) };
}

/** As `ready`, without the checks of a plugin. */
export async function generated(key: string, component: Uint8Array): Promise<ReadyComponent> {
  const jco = await import('@bytecodealliance/jco-transpile/component');
  await jco.$init;
  const files = jco.generate(component, {
    name: key,
    noTypescript: true,
    instantiation: { tag: 'sync' },
    importBindings: { tag: 'direct-optimized' },
  }).files;
  const script = files.find(([name]) => name.endsWith('.js'));
  const modules = files.filter(([name]) => name.endsWith('.wasm'));
  return compiled(key, {
    script: repair(new TextDecoder().decode(script?.[1])),
    modules: Object.fromEntries(modules.map(([name, bytes]) => [name, new Uint8Array(bytes)])),
  });
}

/** The WIT of all of WASI 0.2 as nested packages, to come after the package of a world. */
export function wasiWit(): string {
  return ['io', 'cli', 'clocks', 'random', 'filesystem', 'sockets', 'http']
    .map((name) =>
      readFileSync(join(WIT, `wasi-${name}/package.wit`), 'utf8').replace(/package (\S+);/, 'package $1 {'),
    )
    .map((text) => `${text}\n}\n`)
    .join('');
}

/** A component of a core module's text, for a world of a WIT text; without a module one whose functions all trap. */
export async function component(wit: string, world: string, wat?: string): Promise<Uint8Array> {
  const tools = await import('@bytecodealliance/jco-transpile/wasm-tools');
  const core = await tools.componentEmbed({
    ...(wat === undefined ? { dummy: true } : { binary: await tools.parse(wat) }),
    witSource: `${wit}\n${wasiWit()}`,
    world,
    features: { tag: 'all' },
  });
  return tools.componentNew(core, []);
}
