/**
 * The versions whose end the version after them is still to be told of (R3.7-4), in a file of the world: the host may end
 * while an old process has its grace, and what `rpc.retired` migrates must not wait for ever.
 */

import type { Namespace } from '../fs/filesystem.ts';
import type { Journal } from './host.ts';
import { parse, stringify } from './message.ts';
import { isPluginName } from './plugins.ts';

const PATH = '/state/core/retiring.json';

export class Retirements {
  readonly #files: Namespace;
  readonly #journal: Journal;
  /** By plugin the hashes, oldest first. */
  readonly #all = new Map<string, string[]>();
  #writing: Promise<void> | undefined;
  #again = false;

  constructor(files: Namespace, journal: Journal) {
    this.#files = files;
    this.#journal = journal;
  }

  /** Reads what the host before has left. A file that says nothing sensible is like none. */
  async load(): Promise<void> {
    let found: unknown;
    try {
      found = parse(await this.#files.readFile(PATH));
    } catch {
      return;
    }
    if (typeof found !== 'object' || found === null) return;
    for (const [plugin, hashes] of Object.entries(found)) {
      if (isPluginName(plugin) && Array.isArray(hashes) && hashes.every((hash) => /^[0-9a-f]{64}$/.test(hash)))
        this.#all.set(plugin, hashes);
    }
  }

  of(plugin: string): readonly string[] {
    return this.#all.get(plugin) ?? [];
  }

  add(plugin: string, sha256: string): void {
    if (!this.of(plugin).includes(sha256)) this.#set(plugin, [...this.of(plugin), sha256]);
  }

  remove(plugin: string, sha256: string): void {
    if (this.of(plugin).includes(sha256))
      this.#set(
        plugin,
        this.of(plugin).filter((hash) => hash !== sha256),
      );
  }

  /** Resolves when the file says what is. */
  async written(): Promise<void> {
    await this.#writing;
  }

  #set(plugin: string, hashes: string[]): void {
    if (hashes.length > 0) this.#all.set(plugin, hashes);
    else this.#all.delete(plugin);
    this.#again = true;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  async #write(): Promise<void> {
    try {
      while (this.#again) {
        this.#again = false;
        if (this.#all.size === 0) await this.#files.removeAll(PATH);
        else {
          await this.#files.createDirectories('/state/core');
          await this.#files.writeFile(PATH, stringify(Object.fromEntries(this.#all)));
        }
      }
    } catch (error) {
      const line = `${PATH} cannot be written: ${(error as Error).message}`;
      this.#journal.append({ pid: 'core', plugin: 'core', stream: 'core', line });
    }
  }
}
