/** One bundle of a plugin's source: types are stripped, not checked, and all imports are in it. */

import type { BuildOptions, BuildResult, Loader, Message, Plugin } from 'esbuild-wasm';
import { clientModule, IMPORTS, methodModule, readImport, usedPart } from './imports.ts';
import { lineTable } from './lines.ts';
import { normal, pluginFolder, SDK } from './paths.ts';
import { Resolver } from './resolve.ts';
import type { Program } from './splice.ts';

export type Esbuild = { build(options: BuildOptions): Promise<BuildResult> };

/** A fault in the source; the message is what the bundler says, with file, line and column of each. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
}

const LOADERS: Record<string, Loader> = {
  ts: 'ts',
  mts: 'ts',
  tsx: 'tsx',
  js: 'js',
  mjs: 'js',
  jsx: 'jsx',
  json: 'json',
  txt: 'text',
  md: 'text',
  html: 'text',
  css: 'text',
  wasm: 'binary',
};

/** The namespace of the entry points. */
const ENTRY = 'entry';
/** Where the bundler believes to write. */
const OUT = '/out';
/** Where the SDK takes the imports from. */
const PLACEHOLDER = '"@@sausage-imports@@"';

export class Bundler {
  readonly #esbuild: Esbuild;
  readonly #plugin: string;
  readonly #files: ReadonlyMap<string, Uint8Array>;
  readonly #resolver: Resolver;

  constructor(esbuild: Esbuild, plugin: string, files: ReadonlyMap<string, Uint8Array>) {
    this.#esbuild = esbuild;
    this.#plugin = plugin;
    this.#files = files;
    this.#resolver = new Resolver(files);
  }

  /**
   * Bundles modules of these texts, by name, whose imports are as those of a file in the source folder. All are one run of
   * the bundler, which reads what they share once. Throws `SourceError`.
   */
  async bundle(entries: Record<string, string>): Promise<{ bundles: Map<string, Program>; warnings: string[] }> {
    const names = Object.keys(entries);
    const result = await this.#esbuild
      .build({
        entryPoints: names,
        bundle: true,
        write: false,
        metafile: true,
        format: 'esm',
        target: 'es2023',
        platform: 'neutral',
        sourcemap: 'external',
        sourcesContent: false,
        outdir: OUT,
        absWorkingDir: pluginFolder(this.#plugin),
        logLevel: 'silent',
        plugins: [this.#world(entries)],
      })
      .catch((error: { errors?: Message[] }) => {
        if (!error.errors) throw error;
        throw new SourceError(error.errors.map((message) => this.#text(message, 'error')).join('\n'));
      });
    return {
      bundles: new Map(names.map((name) => [name, this.#program(result, name)])),
      warnings: result.warnings.map((message) => this.#text(message, 'warning')),
    };
  }

  #program({ outputFiles = [], metafile }: BuildResult, name: string): Program {
    const output = (ending: string) => outputFiles.find(({ path }) => path.endsWith(`/${name}${ending}`))?.text ?? '';
    const inputs = Object.entries(metafile?.outputs ?? {}).find(([path]) => path.endsWith(`/${name}.js`))?.[1].inputs;
    const code = output('.js').replace(PLACEHOLDER, () => this.#imports(inputs ?? {}));
    // in the map, sources stand as seen from the place of the bundle
    const table = lineTable(JSON.parse(output('.js.map')), (source) => this.#show(absolute(OUT, source)));
    return { code: new TextEncoder().encode(code), map: new TextEncoder().encode(table) };
  }

  /** Lets the bundler see the files of the world and nothing else. */
  #world(entries: Record<string, string>): Plugin {
    const folder = pluginFolder(this.#plugin);
    const source = `${folder}/source/entry`;
    return {
      name: 'world',
      setup: (build) => {
        build.onResolve({ filter: /.*/ }, ({ path, importer, namespace, kind }) => {
          if (kind === 'entry-point') return { path, namespace: ENTRY };
          if (path.startsWith('sausage:')) return { path, external: true };
          const client = /^imports\/(.+)$/.exec(path)?.[1];
          if (client !== undefined) return { path: client, namespace: IMPORTS, sideEffects: false };
          try {
            return { path: this.#resolver.resolve(path, namespace === 'file' ? importer : source) };
          } catch (error) {
            return { errors: [{ text: (error as Error).message }] };
          }
        });
        build.onLoad({ filter: /.*/, namespace: ENTRY }, ({ path }) => ({
          contents: entries[path] ?? '',
          loader: 'ts',
        }));
        build.onLoad({ filter: /.*/, namespace: IMPORTS }, ({ path }) => {
          const [plugin = '', ...method] = path.split('/');
          try {
            const document = this.#import(plugin);
            const contents =
              method.length > 0 ? methodModule(plugin, method.join('/')) : clientModule(plugin, document);
            return { contents, loader: 'js' };
          } catch (error) {
            return { errors: [{ text: (error as Error).message }] };
          }
        });
        build.onLoad({ filter: /.*/ }, ({ path }) => {
          const ending = /\.([^./]+)$/.exec(path)?.[1] ?? '';
          const contents = this.#files.get(path);
          return contents && { contents, loader: LOADERS[ending] ?? 'text' };
        });
      },
    };
  }

  #import(plugin: string): ReturnType<typeof readImport> {
    const bytes = this.#files.get(`${pluginFolder(this.#plugin)}/imports/${plugin}.json`);
    if (bytes) return readImport(plugin, bytes);
    throw new Error(`imports/${plugin}.json is missing: copy /proc/plugins/${plugin}/discover.json there`);
  }

  /** The imported methods that a bundle has in it, as JSON. */
  #imports(inputs: Record<string, { bytesInOutput: number }>): string {
    const used = new Map<string, Set<string>>();
    for (const [name, { bytesInOutput }] of Object.entries(inputs)) {
      const match = /^imports:([^/]+)\/(.+)$/.exec(name);
      if (!match || bytesInOutput === 0) continue;
      const [, plugin = '', method = ''] = match;
      used.set(plugin, (used.get(plugin) ?? new Set()).add(method));
    }
    const parts = [...used].sort().map(([plugin, methods]) => [plugin, usedPart(this.#import(plugin), methods)]);
    return JSON.stringify(Object.fromEntries(parts));
  }

  /** A path as people know it: from the plugin's folder on, or the name of the SDK's module. */
  #show(path: string): string {
    const folder = pluginFolder(this.#plugin);
    const whole = absolute(folder, path);
    if (whole.startsWith(`${folder}/`)) return whole.slice(folder.length + 1);
    return whole.startsWith(`${SDK}/`) ? `sausage${whole.slice(SDK.length)}` : whole;
  }

  #text({ text, location, notes }: Message, kind: 'error' | 'warning'): string {
    if (!location) return `${kind}: ${text}`;
    const { file, line, column, lineText } = location;
    const at = `${this.#show(file)}:${line}:${column + 1}`;
    const pointer = `  ${lineText}\n  ${' '.repeat(column)}^`;
    const more = notes.map((note) => `\n  ${note.text}`).join('');
    return `${at}: ${kind}: ${text}\n${pointer}${more}`;
  }
}

/** A path of the bundler's seen from a folder; the names of its other namespaces stay as they are. */
function absolute(folder: string, path: string): string {
  return path.startsWith('/') || /^[a-z]+:/.test(path) ? path : normal(`${folder}/${path}`);
}
