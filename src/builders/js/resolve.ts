/** What an import means: a file of the source, a package of the world, or the SDK. As Node and bundlers have it. */

import { folderOf, LIBRARY, normal, SDK } from './paths.ts';

/** Tried in turn behind a path that is no file. */
const ENDINGS = ['.ts', '.tsx', '.mts', '.js', '.mjs', '.jsx', '.json'];
/** TypeScript's authors may write the name that the file would have after compilation. */
const SOURCES: Record<string, string[]> = { '.js': ['.ts', '.tsx'], '.mjs': ['.mts'], '.jsx': ['.tsx'] };
/** In the order of an `exports` field's own keys, as Node reads it. */
const CONDITIONS = new Set(['sausage', 'import', 'module', 'default']);

type Exports = string | null | { [key: string]: Exports } | Exports[];

interface Package {
  exports?: Exports;
  module?: string;
  main?: string;
}

const decoder = new TextDecoder();

export class Resolver {
  readonly #files: ReadonlyMap<string, Uint8Array>;

  constructor(files: ReadonlyMap<string, Uint8Array>) {
    this.#files = files;
  }

  /** The path of the file; throws an `Error` with a sentence for the author. */
  resolve(specifier: string, importer: string): string {
    if (/^\.{0,2}\//.test(specifier) || specifier === '.' || specifier === '..') {
      const path = specifier.startsWith('/') ? normal(specifier) : normal(`${folderOf(importer)}/${specifier}`);
      const file = this.file(path);
      if (file) return file;
      throw new Error(`There is no file ${path}`);
    }
    if (/^(node|bun|deno|https?|npm|jsr):/.test(specifier)) {
      throw new Error(`${specifier} is not there in a world: files are in "sausage/fs", the rest in "sausage"`);
    }
    const match = /^((?:@[^/]+\/)?[^/]+)(\/.*)?$/.exec(specifier);
    if (!match) throw new Error(`${JSON.stringify(specifier)} names no module`);
    const [, name = '', rest = ''] = match;
    if (name === 'sausage') return this.#inPackage(SDK, rest, specifier);
    for (const folder of this.#packageFolders(name, importer)) {
      if (this.#hasFolder(folder)) return this.#inPackage(folder, rest, specifier);
    }
    const shared = this.file(`${LIBRARY}/${specifier}`);
    if (shared) return shared;
    const where = `source/node_modules/${name} or ${LIBRARY}/${name}`;
    throw new Error(`There is no package ${name}: a build installs nothing, so put it into ${where}`);
  }

  /** A path as it stands, with an ending, or the index of a folder. */
  file(path: string): string | undefined {
    if (this.#files.has(path)) return path;
    const ending = /\.[^./]+$/.exec(path)?.[0] ?? '';
    const stem = path.slice(0, path.length - ending.length);
    const tried = [
      ...(SOURCES[ending] ?? []).map((source) => stem + source),
      ...ENDINGS.map((end) => path + end),
      ...ENDINGS.map((end) => `${path}/index${end}`),
    ];
    return tried.find((candidate) => this.#files.has(candidate));
  }

  *#packageFolders(name: string, importer: string): Generator<string> {
    for (let folder = folderOf(importer); folder !== '/'; folder = folderOf(folder)) {
      if (!folder.endsWith('/node_modules')) yield `${folder}/node_modules/${name}`;
    }
    yield `${LIBRARY}/node_modules/${name}`;
    yield `${LIBRARY}/${name}`;
  }

  #hasFolder(folder: string): boolean {
    const below = `${folder}/`;
    for (const path of this.#files.keys()) if (path.startsWith(below)) return true;
    return false;
  }

  #inPackage(folder: string, rest: string, specifier: string): string {
    const content = this.#files.get(`${folder}/package.json`);
    const about: Package = content ? JSON.parse(decoder.decode(content)) : {};
    const entry = about.exports === undefined ? undefined : exported(about.exports, `.${rest}`);
    if (about.exports !== undefined && entry === undefined) {
      throw new Error(`The package at ${folder} does not export ${specifier}`);
    }
    const inside = entry ?? (rest === '' ? (about.module ?? about.main ?? 'index') : `.${rest}`);
    const file = this.file(normal(`${folder}/${inside}`));
    if (!file) throw new Error(`The package at ${folder} has no file for ${specifier}`);
    return file;
  }
}

/** What `exports` says about a subpath (`.`, `./fs`); undefined when it is not exported. */
function exported(exports: Exports, subpath: string): string | undefined {
  const isMap = typeof exports === 'object' && exports !== null && !Array.isArray(exports);
  if (!isMap || !Object.keys(exports).some((key) => key.startsWith('.'))) {
    return subpath === '.' ? target(exports, '') : undefined;
  }
  if (Object.hasOwn(exports, subpath)) return target(exports[subpath] as Exports, '');
  for (const [key, value] of Object.entries(exports).sort(([a], [b]) => b.length - a.length)) {
    const [before = '', after] = key.split('*');
    if (after === undefined || !subpath.startsWith(before) || !subpath.endsWith(after)) continue;
    return target(value, subpath.slice(before.length, subpath.length - after.length));
  }
  return undefined;
}

function target(exports: Exports, star: string): string | undefined {
  if (typeof exports === 'string') return exports.replaceAll('*', star);
  if (exports === null) return undefined;
  const tried = Array.isArray(exports)
    ? exports
    : Object.entries(exports).flatMap(([key, value]) => (CONDITIONS.has(key) ? [value] : []));
  for (const one of tried) {
    const found = target(one, star);
    if (found !== undefined) return found;
  }
  return undefined;
}
