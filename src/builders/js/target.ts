/** The built-in target `js`: plugins in TypeScript or JavaScript, built in the page (R11-7, R11-8). */

import type { BuildApi } from '../../components/protocol.ts';
import { CODE, RpcError } from '../../core/errors.ts';
import type { Components, Machines } from '../../core/host.ts';
import { decode } from '../../core/message.ts';
import type { NativeContext, NativeTarget } from '../../core/native.ts';
import { isPluginName, sha256 } from '../../core/plugins.ts';
import type { Namespace } from '../../fs/filesystem.ts';
import { find } from '../../fs/find.ts';
import type { ReadyComponent } from '../../syscall/protocol.ts';
import { keepBuild } from '../builds.ts';
import { describe } from '../describe.ts';
import { buildFailure } from '../failure.ts';
import { clientTypes } from './client-types.ts';
import { JS_DOCUMENT } from './document.ts';
import { pluginFolder } from './paths.ts';
import { snapshot } from './snapshot.ts';
import { template } from './templates.ts';
import { runTests, type TestResult } from './tests.ts';

export interface JsHost {
  build(): Promise<Pick<BuildApi, 'buildJs'>>;
  components: Components;
  machines: Machines;
  /** Makes sure that the world has the SDK. */
  addSdk(files: Namespace): Promise<void>;
}

export interface JsBuilt {
  wasm: string;
  tests: TestResult;
  warnings: string[];
}

export function jsTarget(host: JsHost): NativeTarget {
  return {
    name: 'js',
    document: JS_DOCUMENT,
    methods: {
      build: (params, context) => build(host, readPlugin(params, 'js.build'), context),
      new: async (params, { files }) => {
        const made = await create(readPlugin(params, 'js.new'), readImports(params), files);
        await host.addSdk(files);
        return made;
      },
    },
  };
}

function readPlugin(params: unknown, method: string): string {
  const { plugin } = params as { plugin?: unknown };
  if (typeof plugin === 'string' && isPluginName(plugin)) return plugin;
  throw new RpcError(CODE.invalidParams, `${method}: plugin must be a name of a-z 0-9 - _, and not core`);
}

function readImports(params: unknown): string[] {
  const { imports = [] } = params as { imports?: unknown };
  if (Array.isArray(imports) && imports.every((name) => typeof name === 'string' && isPluginName(name))) return imports;
  throw new RpcError(CODE.invalidParams, 'js.new: imports must be a list of names of plugins');
}

async function build(host: JsHost, plugin: string, context: NativeContext): Promise<JsBuilt> {
  const { files, signal } = context;
  const stopped = (): void => {
    if (signal.aborted) throw buildFailure('stop', 'the build was stopped');
  };
  if (!find(files, `${pluginFolder(plugin)}/source`)) {
    throw buildFailure('read', `${pluginFolder(plugin)}/source does not exist: js.new makes a plugin`);
  }
  await host.addSdk(files);
  const sources = await snapshot(files, plugin);
  context.notify('progress', { step: 'compile' });
  const result = await (await host.build()).buildJs({ plugin, files: sources });
  stopped();
  if ('step' in result) throw buildFailure(result.step, result.output);

  const load = async (wasm: Uint8Array<ArrayBuffer>): Promise<ReadyComponent> =>
    host.components.load(await sha256(wasm), wasm);
  const [component, tests] = await Promise.all([load(result.component), result.tests && load(result.tests)]);
  const own = new Map([...sources].filter(([path]) => path.startsWith(`${pluginFolder(plugin)}/`)));
  const onProgress = (done: number, total: number) => context.notify('progress', { step: 'test', done, total });
  const { machines } = host;
  const [tested, described] = await Promise.all([
    tests ? runTests({ machines, plugin, component: tests, files: own, signal, onProgress }) : NO_TESTS,
    describe(machines, plugin, component, signal, 'call serve() from "sausage"'),
  ]);
  stopped();
  if (tested.failed > 0) throw buildFailure('test', tested.output);
  const wasm = await keepBuild(files, 'js', plugin, result.component);
  return { wasm, tests: tested, warnings: [...result.warnings, ...described] };
}

const NO_TESTS: TestResult = { passed: 0, failed: 0, output: '' };

async function create(plugin: string, imports: string[], files: Namespace): Promise<{ files: string[] }> {
  const source = `${pluginFolder(plugin)}/source`;
  if (find(files, source)) {
    throw new RpcError(CODE.invalidParams, `js.new: ${source} exists already, and nothing in it was changed`);
  }
  const written: string[] = [];
  for (const provider of imports) written.push(...(await addImport(files, plugin, provider)));
  await files.createDirectories(source);
  for (const [name, text] of Object.entries(template(plugin))) {
    await files.writeFile(`${source}/${name}`, new TextEncoder().encode(text));
    written.push(`${source}/${name}`);
  }
  return { files: written };
}

/** Copies what a provider offers to where the build of a plugin looks for it, with types for editors (R11-9). */
export async function addImport(files: Namespace, plugin: string, provider: string): Promise<string[]> {
  const offered = `/proc/plugins/${provider}/discover.json`;
  if (!find(files, offered)) {
    throw new RpcError(CODE.noPlugin, `${provider} cannot be imported: there is no ${offered}`);
  }
  const document = await files.readFile(offered);
  const folder = `${pluginFolder(plugin)}/imports`;
  await files.createDirectories(folder);
  await files.writeFile(`${folder}/${provider}.json`, document);
  const types = clientTypes(provider, JSON.parse(decode(document)));
  await files.writeFile(`${folder}/${provider}.d.ts`, new TextEncoder().encode(types));
  return [`${folder}/${provider}.json`, `${folder}/${provider}.d.ts`];
}
