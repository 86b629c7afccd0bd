import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as esbuild from 'esbuild-wasm';
import { ROOT } from '../../../scripts/lib/paths.mjs';
import { buildJs } from '../../../src/builders/js/build.ts';
import type { JsBuildResult } from '../../../src/builders/js/protocol.ts';

const RUNNER = join(ROOT, 'src/builders/runner/runner.wasm');
const SDK = join(ROOT, 'public/world/plugins/js/sdk');

export const runner = async (): Promise<Uint8Array<ArrayBuffer>> => new Uint8Array(await readFile(RUNNER));

/** The files of a world: the SDK, and what is given as text by its path. */
export async function worldOf(files: Record<string, string>): Promise<Map<string, Uint8Array>> {
  const all = new Map<string, Uint8Array>();
  for (const name of await readdir(SDK)) all.set(`/plugins/js/sdk/${name}`, await readFile(join(SDK, name)));
  for (const [path, text] of Object.entries(files)) all.set(path, new TextEncoder().encode(text));
  return all;
}

/** Builds the plugin `p`; paths are those of its folder. */
export async function build(files: Record<string, string>, more: Record<string, string> = {}): Promise<JsBuildResult> {
  const own = Object.fromEntries(Object.entries(files).map(([path, text]) => [`/plugins/p/${path}`, text]));
  return buildJs({ plugin: 'p', files: await worldOf({ ...own, ...more }) }, { esbuild: async () => esbuild, runner });
}

export async function component(files: Record<string, string>, more?: Record<string, string>): Promise<Uint8Array> {
  const result = await build(files, more);
  if ('step' in result) throw new Error(result.output);
  return result.component;
}

export async function failure(files: Record<string, string>, more?: Record<string, string>): Promise<string> {
  const result = await build(files, more);
  if (!('step' in result)) throw new Error('it was built');
  return result.output;
}
