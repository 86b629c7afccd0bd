/** Makes the components of a JavaScript plugin out of its files. Runs in the build worker, and in Node's tests. */

import { Bundler, type Esbuild, SourceError } from './bundle.ts';
import { pluginFolder } from './paths.ts';
import type { JsBuildRequest, JsBuildResult } from './protocol.ts';
import { Resolver } from './resolve.ts';
import { type Program, splice } from './splice.ts';

export interface BuildTools {
  esbuild(): Promise<Esbuild>;
  /** The prebuilt runner, a component with an empty slot. */
  runner(): Promise<Uint8Array>;
}

/** Where a plugin begins, when its package.json has no `main`. */
const MAINS = ['main', 'index', 'src/main', 'src/index'];
const TEST = /\.test\.(ts|tsx|mts|js|mjs|jsx)$/;

export async function buildJs({ plugin, files }: JsBuildRequest, tools: BuildTools): Promise<JsBuildResult> {
  const source = `${pluginFolder(plugin)}/source`;
  const main = findMain(source, files);
  if (main === undefined) {
    const output = `${source} has no main.ts or main.js, and no package.json that names another beginning as "main"`;
    return { step: 'read', output };
  }
  const [esbuild, runner] = await Promise.all([tools.esbuild(), tools.runner()]);
  const bundler = new Bundler(esbuild, plugin, files);
  try {
    const tests = findTests(source, files);
    const { bundles, warnings } = await bundler.bundle({
      plugin: `import ${JSON.stringify(main)};`,
      ...(tests.length > 0 && { tests: testEntry(source, tests) }),
    });
    const testBundle = bundles.get('tests');
    return {
      component: place(runner, bundles.get('plugin') as Program),
      tests: testBundle && place(runner, testBundle),
      warnings: [...new Set(warnings)],
    };
  } catch (error) {
    if (error instanceof SourceError) return { step: 'compile', output: error.message };
    throw error;
  }
}

function place(runner: Uint8Array, program: Program): Uint8Array<ArrayBuffer> {
  try {
    return splice(runner, program);
  } catch (error) {
    throw new SourceError((error as Error).message);
  }
}

function findMain(source: string, files: ReadonlyMap<string, Uint8Array>): string | undefined {
  const resolver = new Resolver(files);
  const about = files.get(`${source}/package.json`);
  let named: unknown;
  try {
    named = about && JSON.parse(new TextDecoder().decode(about)).main;
  } catch {
    // what is wrong with it stands in the way of nothing here
  }
  const tried = typeof named === 'string' ? [named, ...MAINS] : MAINS;
  for (const name of tried) {
    const file = resolver.file(`${source}/${name.replace(/^\.\//, '')}`);
    if (file?.startsWith(`${source}/`)) return file;
  }
  return undefined;
}

function findTests(source: string, files: ReadonlyMap<string, Uint8Array>): string[] {
  const own = [...files.keys()].filter((path) => path.startsWith(`${source}/`) && !path.includes('/node_modules/'));
  return own.filter((path) => TEST.test(path)).sort();
}

/** A module that runs the files of tests, each under its name, and then does what its arguments say. */
function testEntry(source: string, tests: string[]): string {
  const files = tests.map((path) => {
    const name = JSON.stringify(path.slice(source.length + 1));
    return `inFile(${name});\nawait import(${JSON.stringify(path)});`;
  });
  return [`import { inFile, main } from 'sausage/test';`, ...files, 'await main();'].join('\n');
}
