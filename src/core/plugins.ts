/** The plugins of the world and the version of each that new calls get (chapters 2 and 3.7). */

import type { MaybePromise, Namespace } from '../fs/filesystem.ts';
import type { ReadyComponent } from '../syscall/protocol.ts';
import type { Components } from './host.ts';

/** One version of a plugin: a file, known by the SHA-256 of its bytes (R3.7-8). */
export interface Version {
  readonly plugin: string;
  readonly sha256: string;
  /** Fails with a `ComponentError` when the bytes are no plugin. */
  readonly component: Promise<ReadyComponent>;
}

/** R1-3. */
export const isPluginName = (name: string): boolean => /^[a-z0-9_-]+$/.test(name) && name !== 'core';

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

  constructor(files: Namespace, components: Components) {
    this.#files = files;
    this.#components = components;
  }

  /** The folders below /plugins that are plugins: a proper name and a plugin.wasm. */
  names(): string[] {
    return this.folders().filter((name) => isPluginName(name) && this.#exists(wasmPath(name)));
  }

  /** Every folder below /plugins. */
  folders(): string[] {
    const { root } = this.#files;
    if (!this.#exists('/plugins')) return [];
    return this.#files
      .list(this.#files.resolve(root, '/plugins'))
      .filter((entry) => entry.kind === 'directory')
      .map((entry) => entry.name)
      .sort();
  }

  /** The version that a new call gets, undefined when there is no such plugin. */
  current(plugin: string): MaybePromise<Version | undefined> {
    if (this.#current.has(plugin)) return this.#current.get(plugin);
    if (!isPluginName(plugin) || !this.#exists(wasmPath(plugin))) return undefined;
    const reading = this.read(plugin, wasmPath(plugin)).then((version) => {
      if (this.#current.get(plugin) === reading) this.#current.set(plugin, version);
      return version;
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

  /** The plugin.wasm has another content, or is gone (R10-8): the next call looks again. */
  forget(plugin: string): void {
    this.#current.delete(plugin);
  }

  #exists(path: string): boolean {
    try {
      this.#files.resolve(this.#files.root, path);
      return true;
    } catch {
      return false;
    }
  }
}
