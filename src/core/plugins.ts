/** The plugins of the world and the version of each that new calls get (chapters 2 and 3.7). */

import type { ChangeListener, MaybePromise, Namespace, Node } from '../fs/filesystem.ts';
import { find } from '../fs/find.ts';
import type { ReadyComponent } from '../syscall/protocol.ts';
import type { Components } from './host.ts';
import { type NativeTarget, nativeVersion } from './native.ts';

type Change = Parameters<ChangeListener>[0];

/** One version of a plugin: a file, known by the SHA-256 of its bytes (R3.7-8). */
export interface Version {
  readonly plugin: string;
  readonly sha256: string;
  /** Fails with a `ComponentError` when the bytes are no plugin. */
  readonly component: Promise<ReadyComponent>;
  /** Set for a target that the host has built in, which has no component (R11-8). */
  readonly native?: NativeTarget;
}

/** Whether the bytes of a version can run at all: a file that was copied half is none. */
export const isProgram = (version: Version): MaybePromise<boolean> =>
  version.native !== undefined ||
  version.component.then(
    () => true,
    () => false,
  );

/** What a plugin's name has to be (R1-3), as the end of a sentence. */
export const PLUGIN_NAME_RULE = '1 to 100 of a-z, 0-9, - and _, and not core';

/** R1-3. A longer name would leave no room in a file name for what stands beside it: the UUID of a process ID. */
export const isPluginName = (name: string): boolean => /^[a-z0-9_-]{1,100}$/.test(name) && name !== 'core';

export const wasmPath = (plugin: string): string => `/plugins/${plugin}/plugin.wasm`;

export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export class Plugins {
  readonly #files: Namespace;
  readonly #components: Components;
  /** What new calls get; a promise while the file is being read. */
  readonly #current = new Map<string, MaybePromise<Version | undefined>>();
  /** The version of each plugin that was current last, also while its file is being looked at again. */
  readonly #last = new Map<string, Version>();

  readonly #native: ReadonlyMap<string, Version>;
  /** The plugins whose files the core itself is moving. */
  #held: readonly string[] = [];

  constructor(files: Namespace, components: Components, native: readonly NativeTarget[] = []) {
    this.#files = files;
    this.#components = components;
    this.#native = new Map(native.map((target) => [target.name, nativeVersion(target)]));
  }

  /** All plugins: the folders below /plugins with a proper name and a plugin.wasm, and the built-in targets. */
  names(): string[] {
    const installed = this.folders().filter((name) => isPluginName(name) && this.#has(name));
    return [...new Set([...installed, ...this.#native.keys()])].sort();
  }

  /** The built-in targets whose place a plugin.wasm of the world has taken (R11-8). */
  hidden(): string[] {
    return [...this.#native.keys()].filter((name) => this.#has(name));
  }

  /** /plugins is a file: the world then has no plugins but the built-in targets. */
  get isFile(): boolean {
    return this.#folder === undefined && find(this.#files, '/plugins') !== undefined;
  }

  get #folder(): Node | undefined {
    const node = find(this.#files, '/plugins');
    return node?.kind === 'directory' ? node : undefined;
  }

  /** Every folder below /plugins. */
  folders(): string[] {
    const folder = this.#folder;
    if (!folder) return [];
    return this.#files
      .list(folder)
      .filter((entry) => entry.kind === 'directory')
      .map((entry) => entry.name)
      .sort();
  }

  /** The version that a new call gets, undefined when there is no such plugin. */
  current(plugin: string): MaybePromise<Version | undefined> {
    if (this.#current.has(plugin)) return this.#current.get(plugin);
    // a plugin.wasm of the name of a built-in target comes first (R11-8)
    if (!isPluginName(plugin) || !find(this.#files, wasmPath(plugin))) return this.#native.get(plugin);
    const reading = this.read(plugin, wasmPath(plugin)).then((version) => {
      // the file has changed again: who waits for it gets what it is now, and no version that nobody knows of
      if (this.#current.get(plugin) !== reading) return this.current(plugin);
      const last = this.#last.get(plugin);
      // the same bytes are the same version
      const same = last?.sha256 === version.sha256 ? last : version;
      this.#current.set(plugin, same);
      this.#last.set(plugin, same);
      return same;
    });
    reading.catch(() => {
      if (this.#current.get(plugin) === reading) this.#current.delete(plugin);
    });
    this.#current.set(plugin, reading);
    return reading;
  }

  /** A version from any file of the world. */
  async read(plugin: string, path: string): Promise<Version> {
    return this.version(plugin, await this.#files.readFile(path));
  }

  async version(plugin: string, wasm: Uint8Array<ArrayBuffer>): Promise<Version> {
    const hash = await sha256(wasm);
    const component = this.#components.load(hash, wasm);
    component.catch(() => {}); // whoever starts a process of it hears of the failure
    return { plugin, sha256: hash, component };
  }

  /** Makes a version current whose file was put into its place by the core. */
  use(version: Version): void {
    this.#current.set(version.plugin, version);
    this.#last.set(version.plugin, version);
  }

  /** The version that was current when its file was last read. */
  last(plugin: string): Version | undefined {
    return this.#last.get(plugin);
  }

  /** The current versions that have been read, by name. */
  loaded(): Version[] {
    return this.names().flatMap((name) => (this.#has(name) ? this.#last : this.#native).get(name) ?? []);
  }

  /** Whether there is a program of this name in the world; a folder named plugin.wasm is none. */
  #has(plugin: string): boolean {
    return find(this.#files, wasmPath(plugin))?.kind === 'file';
  }

  /** While the core itself moves the files of these plugins, changes there are its own; the inverse is `release`. */
  hold(plugins: readonly string[]): void {
    this.#held = plugins;
  }

  release(): void {
    this.#held = [];
  }

  /**
   * Something changed in the world: a plugin.wasm that is whole again, or gone, is looked at by the next call (R10-8).
   * Returns the names of the plugins that may have another version now.
   */
  changed(path: string, kind: Change['kind']): string[] {
    // until its last writer has closed it, calls run the old bytes
    if (kind === 'write') return [];
    const plugin = /^\/plugins\/([^/]+)(\/plugin\.wasm)?$/.exec(path)?.[1];
    // the folder of all plugins got another name, or came with one
    const all = () => [...this.#last.keys(), ...this.folders().filter((name) => isPluginName(name))];
    const touched = path === '/plugins' ? all() : plugin === undefined ? [] : [plugin];
    const free = [...new Set(touched)].filter((name) => !this.#held.includes(name));
    for (const name of free) this.#current.delete(name);
    return free;
  }
}
