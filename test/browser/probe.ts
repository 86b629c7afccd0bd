/** Worlds with the plugin `probe` in them, under any names, for tests of the protocol in a browser. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../scripts/lib/paths.mjs';
import type { Tab } from './tab.ts';

/** A step of `probe.do`, see test/plugins/probe/README.md. */
export type Step = { op: string } & Record<string, unknown>;

export interface Failure {
  code: number;
  message: string;
  // biome-ignore lint/suspicious/noExplicitAny: data of any shape
  data?: any;
}

/** A call whose outcome is a value, so that it can cross to the test whichever it is. */
export interface Outcome {
  // biome-ignore lint/suspicious/noExplicitAny: results of any shape
  result?: any;
  error?: Failure;
  /** Milliseconds. */
  took: number;
}

export const probeWasm = async (): Promise<string> =>
  (await readFile(join(ROOT, 'test/plugins/probe/plugin.wasm'))).toString('base64');

/** Puts bytes into the open world as the plugin.wasm of each name. */
export async function install(tab: Tab, names: string[], base64?: string): Promise<void> {
  const wasm = base64 ?? (await probeWasm());
  await tab.evaluate(
    async ({ names, wasm }) => {
      const bytes = Uint8Array.from(atob(wasm), (letter) => letter.charCodeAt(0));
      for (const name of names) {
        await sausage.world.fs.mkdir(`/plugins/${name}`, { recursive: true });
        await sausage.world.fs.writeFile(`/plugins/${name}/plugin.wasm`, bytes);
      }
    },
    { names, wasm },
  );
}

export function call(tab: Tab, method: string, params: object = {}): Promise<Outcome> {
  return tab.evaluate(
    async ({ method, params }) => {
      const from = performance.now();
      try {
        const result = await sausage.world.call(method, params);
        return { result, took: performance.now() - from };
      } catch (error) {
        const { code, message, data } = error as Failure;
        return { error: { code, message, data }, took: performance.now() - from };
      }
    },
    { method, params },
  );
}

/** Runs steps in one process of a plugin. */
export const run = (tab: Tab, steps: Step[], plugin = 'probe'): Promise<Outcome> =>
  call(tab, `${plugin}.do`, { steps });

/** Writes a text file into the world. */
export const write = (tab: Tab, path: string, text: string): Promise<void> =>
  tab.evaluate(
    async ({ path, text }) => {
      await sausage.world.fs.mkdir(path.slice(0, path.lastIndexOf('/')), { recursive: true });
      await sausage.world.fs.writeFile(path, text);
    },
    { path, text },
  );
