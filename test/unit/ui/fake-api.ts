import type { Beginning, BootProgress, OpenWorldOptions, Preview, World, WorldInfo } from '../../../src/api.ts';
import { readRelayAddress } from '../../../src/net/relay/address.ts';
import type { SausageApi } from '../../../src/ui/model/phase.ts';
import { asleep } from '../../../src/worlds/channel.ts';
import { WorldBusyError } from '../../../src/worlds/lock.ts';
import { FakeWorld, fakePlayground } from './fake-world.ts';

const STEPS: BootProgress[] = [
  { step: 'lock', done: 0, total: 0 },
  { step: 'download', done: 120_000, total: 300_000 },
  { step: 'unpack', done: 7, total: 12 },
  { step: 'open', done: 0, total: 0 },
  { step: 'start', done: 0, total: 0 },
  { step: 'ready', done: 0, total: 0 },
];

export interface FakeApiOptions {
  storage?: World['storage'];
  /** Called after each step of a boot, which waits for it. */
  onStep?: (progress: BootProgress) => Promise<unknown>;
}

/** The embedding API over worlds in memory; a zip is any blob, one that holds the word "broken" is refused. */
export class FakeApi implements SausageApi {
  readonly infos = new Map<string, WorldInfo>();
  readonly opened: OpenWorldOptions[] = [];
  /** What each call of `copyWorld` named. */
  readonly copied: [name: string, to: string][] = [];
  /** What other pages do with their worlds: give them up when they are asked, or sleep. */
  readonly elsewhere = new Map<string, 'awake' | 'asleep'>();
  /** The world opened last. */
  world?: FakeWorld;
  readonly #options: FakeApiOptions;

  constructor(options: FakeApiOptions = {}) {
    this.#options = options;
  }

  add(name: string, opened?: Date, consented = true): this {
    this.infos.set(name, { name, created: new Date(0), consented, ...(opened && { opened }) });
    return this;
  }

  openWorld = async (options: OpenWorldOptions): Promise<World> => {
    this.opened.push(options);
    for (const progress of STEPS) {
      if (this.infos.has(options.name) && (progress.step === 'download' || progress.step === 'unpack')) continue;
      options.onProgress?.(progress);
      await this.#options.onStep?.(progress);
      if (progress.step === 'lock') this.#lock(options);
    }
    const { name } = options;
    const filled = name === 'playground' || this.infos.get(name)?.consented === false;
    this.world = filled ? fakePlayground(name, this.#options.storage) : new FakeWorld(name, this.#options.storage);
    this.world.held = options.safe === true || this.infos.get(name)?.consented === false;
    const { origin = this.infos.get(name)?.origin } = options;
    this.add(name, new Date(), this.infos.get(name)?.consented ?? true);
    if (origin !== undefined) this.infos.set(name, { ...this.infos.get(name)!, origin });
    return this.world;
  };

  #lock({ name, takeOver }: OpenWorldOptions): void {
    const other = this.elsewhere.get(name);
    if (!other) return;
    if (!takeOver) throw new WorldBusyError(name, name);
    if (other === 'asleep') throw new WorldBusyError(name, name, asleep(name));
    this.elsewhere.delete(name);
  }

  listWorlds = async (): Promise<WorldInfo[]> => [...this.infos.values()].sort((a, b) => (a.name < b.name ? -1 : 1));

  readonly #watchers = new Set<() => void>();

  watchWorlds = (listener: () => void): (() => void) => {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  };

  /** As after another page has changed the list. */
  changeElsewhere(change: () => void): void {
    change();
    for (const listener of this.#watchers) listener();
  }

  importWorld: SausageApi['importWorld'] = async (name, zip, options) => {
    options?.onProgress?.({ step: 'unpack', done: 1, total: 2 });
    await this.#options.onStep?.({ step: 'unpack', done: 1, total: 2 });
    if ((await zip.text()).includes('broken')) throw new Error('The zip is damaged: its list of files is cut.');
    this.add(name, undefined, false);
  };

  copyWorld = async (name: string, to: string): Promise<void> => {
    this.copied.push([name, to]);
    await this.#options.onStep?.({ step: 'unpack', done: 0, total: 0 });
    if (this.elsewhere.get(name) === 'asleep') throw new Error(asleep(name));
    this.add(to, undefined, false);
  };

  renameWorld = async (name: string, to: string): Promise<void> => {
    const info = this.infos.get(name);
    if (!info) throw new Error(`There is no world named ${name}.`);
    if (this.elsewhere.has(name)) throw new WorldBusyError(name, name);
    this.infos.delete(name);
    this.infos.set(to, { ...info, name: to });
  };

  /** What each call of `resetWorld` gave. */
  readonly resets: [name: string, beginning: Beginning | undefined][] = [];

  resetWorld = async (name: string, beginning?: Beginning): Promise<void> => {
    this.resets.push([name, beginning]);
    if (this.elsewhere.has(name)) throw new WorldBusyError(name, name);
  };

  showPreview = (): Promise<Preview> => Promise.reject(new Error('There are no frames here.'));

  relayAddress = (text: string): URL => readRelayAddress(text, new URL('http://page/'));

  deleteWorld = async (name: string): Promise<void> => {
    if (!this.infos.delete(name)) throw new Error(`There is no world named ${name}.`);
  };
}
