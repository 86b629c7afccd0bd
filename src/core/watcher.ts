/** Keeps what is known of the plugins true while files change: versions, documents, broken imports (R10-8, R10-10). */

import type { ChangeListener } from '../fs/filesystem.ts';
import type { Documents } from './documents.ts';
import { isTooMany } from './exits.ts';
import type { GraphFiles } from './graph-files.ts';
import type { Journal } from './host.ts';
import { isPluginName, isProgram, PLUGIN_NAME_RULE, type Plugins, type Version } from './plugins.ts';
import type { Processes } from './processes.ts';
import type { Upgrades } from './upgrades.ts';

export interface WatcherHost {
  plugins: Plugins;
  processes: Processes;
  documents: Documents;
  upgrades: Upgrades;
  graph: GraphFiles;
  journal: Journal;
}

export class Watcher {
  readonly #host: WatcherHost;
  /** The broken imports that are in the journal already. */
  #told = new Set<string>();
  #closed = false;
  /** Looks that are under way or, as `start` at first, still to come. What is missing after the last is missing. */
  #looks = 1;
  readonly #looking = new Map<string, { again: boolean }>();

  constructor(host: WatcherHost) {
    this.#host = host;
  }

  /**
   * Asks every plugin for its document, one after the other, in the background. Plugins that are being put into the world
   * until `complete` are no missing imports before.
   */
  async start(complete?: Promise<unknown>): Promise<void> {
    const { plugins, upgrades } = this.#host;
    for (const name of plugins.folders()) {
      if (isPluginName(name)) continue;
      this.#log(name, `the folder /plugins/${name} is no plugin: a name is ${PLUGIN_NAME_RULE} (R1-3)`);
    }
    for (const name of plugins.hidden()) {
      this.#log(name, `the plugin.wasm of the world takes the place of the built-in ${name} (R11-8)`);
    }
    for (const name of plugins.names()) {
      if (this.#closed) return;
      const version = await this.#read(name);
      if (!version || this.#closed) continue;
      if (!version.native) upgrades.know(version);
      await this.#ask(version);
    }
    await complete;
    this.#looked();
  }

  /** Undefined, with a line in the journal, for one that cannot be read: it keeps nobody from knowing the others. */
  async #read(name: string): Promise<Version | undefined> {
    try {
      return await this.#host.plugins.current(name);
    } catch (error) {
      this.#tellUnread(name, error);
      return undefined;
    }
  }

  #tellUnread(name: string, error: unknown): void {
    this.#log(name, `plugin.wasm cannot be read: ${(error as Error).message}`);
  }

  /** Something changed in the world. */
  changed({ path, kind }: Parameters<ChangeListener>[0]): void {
    for (const name of this.#host.plugins.changed(path, kind)) if (!this.#closed) this.#changed(name);
  }

  #changed(name: string): void {
    const { plugins, upgrades } = this.#host;
    // processes of it may run before it has had its turn in `start`
    const last = plugins.last(name);
    if (last && !upgrades.knows(name)) upgrades.know(last);
    // one look at a time, and one more when something changed meanwhile
    const looking = this.#looking.get(name);
    if (looking) looking.again = true;
    else void this.#lookUntilStill(name);
  }

  async #lookUntilStill(name: string): Promise<void> {
    const looking = { again: true };
    this.#looking.set(name, looking);
    this.#looks++;
    while (looking.again && !this.#closed) {
      looking.again = false;
      await this.#look(name);
    }
    this.#looking.delete(name);
    this.#looked();
  }

  #looked(): void {
    this.#looks--;
    this.tellBroken();
  }

  close(): void {
    this.#closed = true;
  }

  async #look(name: string): Promise<void> {
    const { plugins, upgrades } = this.#host;
    try {
      const version = await plugins.current(name);
      if (this.#closed) return;
      if (!version) return; // it is gone, and with it what others import of it
      if (version.native && !upgrades.knows(name)) return; // its folder holds something else
      await this.#ask(version);
      const runs = await isProgram(version);
      if (version !== (await plugins.current(name))) return; // it has changed again: the next look is for that
      // the version before is retired by one that can take over from it (R3.7-4)
      if (runs) upgrades.begin(version);
      else this.#log(name, 'plugin.wasm is no plugin now: the upgrade comes with a file that is one');
    } catch (error) {
      this.#tellUnread(name, error);
    }
  }

  /** Fetches the document of a version; where there is no room for a process now, it comes when there is. */
  async #ask(version: Version): Promise<void> {
    const { unasked } = await this.#host.documents.of(version);
    if (unasked && isTooMany(unasked)) void this.#askLater(version);
  }

  async #askLater(version: Version): Promise<void> {
    const { plugins, processes } = this.#host;
    await processes.anyEnd();
    // another version, if there is one now, is asked by the look at it
    if (this.#closed || plugins.last(version.plugin) !== version) return;
    await this.#ask(version);
    this.tellBroken();
  }

  /** Writes the imports that are broken, and were not before, into the journal (R7-3); during looks that is done by the last. */
  tellBroken(): void {
    if (this.#looks > 0 || this.#closed) return;
    const broken = this.#host.graph.graph.imports.filter(({ result }) => result !== 'ok');
    const now = new Set<string>();
    for (const { consumer, provider, result, problems } of broken) {
      const line =
        result === 'missing'
          ? `imports ${provider}, which does not exist`
          : `its import of ${provider} is broken: ${problems.map(({ reason }) => reason).join('; ')}`;
      now.add(`${consumer} ${line}`);
      if (!this.#told.has(`${consumer} ${line}`)) this.#log(consumer, line);
    }
    this.#told = now;
  }

  #log(plugin: string, line: string): void {
    this.#host.journal.append({ pid: 'core', plugin, stream: 'core', line });
  }
}
