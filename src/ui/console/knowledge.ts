import type { World } from '../../api.ts';
import type { Knowledge } from './completion.ts';
import { type Interface, readInterface } from './interface.ts';

/** How long an answer of the world is believed, in milliseconds: long enough for a word to be typed. */
const FRESH = 3000;
/** How much longer an answer is believed for which a process had to be started. */
const ASKED_FRESH = 60_000;

/** The methods of the core, for a core that does not describe itself. */
const CORE_METHODS = 'call notify stop kill lock unlock activate revert log exit rpc.discover'.split(' ');

const PLUGIN_NAME = /^[a-z0-9_-]+$/;

/** What a world says of itself through its files, kept for a moment. */
export class WorldKnowledge implements Knowledge {
  readonly #world: World;
  readonly #kept = new Map<string, { at: number; value: Promise<unknown> }>();

  constructor(world: World) {
    this.#world = world;
  }

  plugins(): Promise<string[]> {
    return this.#keep('plugins', async () => {
      const entries = await this.list('/plugins');
      const names = entries.filter(({ name, kind }) => kind === 'directory' && PLUGIN_NAME.test(name));
      return [...names.map(({ name }) => name).filter((name) => name !== 'core'), 'core'];
    });
  }

  /** From `/proc/plugins/<name>/discover.json`; undefined where there is none. No process is started for it. */
  interfaceOf(plugin: string): Promise<Interface | undefined> {
    return this.#keep(`interface ${plugin}`, async () => {
      if (!PLUGIN_NAME.test(plugin)) return undefined;
      try {
        if (plugin === 'core') return readInterface(await this.#world.call('core.rpc.discover'));
        return readInterface(JSON.parse(await this.#world.fs.readTextFile(`/proc/plugins/${plugin}/discover.json`)));
      } catch {
        return plugin === 'core' ? { methods: CORE_METHODS.map((name) => ({ name, params: [] })) } : undefined;
      }
    });
  }

  /** As `interfaceOf`, but asks the plugin itself where no file knows: that starts a process. */
  async askInterfaceOf(plugin: string): Promise<Interface> {
    const known = await this.interfaceOf(plugin);
    if (known) return known;
    const asked = readInterface(await this.#world.call(`${plugin}.rpc.discover`));
    this.#kept.set(`interface ${plugin}`, { at: performance.now() + ASKED_FRESH, value: Promise.resolve(asked) });
    return asked;
  }

  async list(path: string): Promise<{ name: string; kind: 'file' | 'directory' | 'link' }[]> {
    try {
      return await this.#world.fs.readDir(path);
    } catch {
      return [];
    }
  }

  #keep<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(key);
    if (kept && performance.now() - kept.at < FRESH) return kept.value as Promise<T>;
    const asked = { at: performance.now(), value: ask() };
    this.#kept.set(key, asked);
    // What is not there yet may be there in a moment: the core reads the plugins of a new world after its start.
    void asked.value.then((value) => value === undefined && this.#kept.get(key) === asked && this.#kept.delete(key));
    return asked.value;
  }
}
