/** The lab as a test sees it: a built page, the programs beside it, a browser, and functions that run a program. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { BUILD, ROOT } from '../../scripts/lib/paths.mjs';
import { transpiler } from '../../src/components/transpile.ts';
import { openSite, type Site, type Tab, type TestBrowser } from '../browser/harness.ts';
import type { Ran, RunOptions } from './core.ts';
import type {} from './page.ts';

export const LAB = join(BUILD, 'lab');
export const EXERCISE = join(ROOT, 'test/plugins/exercise/plugin.wasm');

const transpile = transpiler(() => import('@bytecodealliance/jco-transpile/component'));

/** Builds the page and puts programs beside it, by name: paths or bytes of components. */
export async function buildLab(programs: Record<string, string | Uint8Array> = { exercise: EXERCISE }): Promise<Site> {
  await build({
    configFile: false,
    logLevel: 'error',
    root: import.meta.dirname,
    base: './',
    build: {
      outDir: LAB,
      minify: !process.env.LAB_DEBUG,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: false,
      reportCompressedSize: false,
    },
    worker: { format: 'es' },
  });
  await mkdir(join(LAB, 'programs'), { recursive: true });
  for (const [name, program] of Object.entries(programs)) {
    const { script, modules } = await transpile(typeof program === 'string' ? await readFile(program) : program);
    const files: Record<string, string> = {};
    for (const [key, bytes] of Object.entries(modules)) {
      files[key] = `${name}-${key.replace(/\W/g, '_')}.bin`;
      await writeFile(join(LAB, 'programs', files[key]), bytes);
    }
    await writeFile(join(LAB, 'programs', `${name}.json`), JSON.stringify({ script, modules: files }));
  }
  return openSite({ dist: LAB });
}

/** A tab of the lab with a world open in it; `took` is how long the opening of its files was, in milliseconds. */
export async function openLab(
  browser: TestBrowser,
  site: Site,
  world: string,
): Promise<{ tab: Tab; took: number; repairs: string[] }> {
  const tab = await browser.open(site.url, { ready: false });
  const opened = await tab.evaluate(async (id) => {
    while (!('lab' in globalThis)) await new Promise(requestAnimationFrame);
    return lab.open(id);
  }, world);
  return { tab, took: opened.took, repairs: [...opened.repairs] };
}

export const run = (tab: Tab, name: string, args: string[], options: RunOptions = {}): Promise<Ran> =>
  tab.evaluate(({ name, args, options }) => lab.core.run(name, args, options), { name, args, options });

/** Runs the exercise program and answers its line of JSON. */
// biome-ignore lint/suspicious/noExplicitAny: figures of any shape
export async function exercise(tab: Tab, ...args: string[]): Promise<any> {
  const { stdout, stderr, exit } = await run(tab, 'exercise', args);
  if (exit.kind !== 'code' || exit.code !== 0) throw new Error(`${args.join(' ')}: ${JSON.stringify(exit)} ${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1)!);
}
