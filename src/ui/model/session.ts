import type { BootProgress, OpenWorldOptions, StorageKind, World, WorldInfo } from '../../api.ts';
import { Console } from '../console/console.ts';
import { forgetHistory, type Shelf } from '../console/history.ts';
import { strings } from '../strings.ts';
import { JournalFeed } from './journal.ts';
import { type Problem, problem } from './problem.ts';
import { ProcessTable } from './processes.ts';
import { Store } from './store.ts';

/** The part of the embedding API that the page is built on. */
export interface SausageApi {
  openWorld(options: OpenWorldOptions): Promise<World>;
  listWorlds(): Promise<WorldInfo[]>;
  importWorld(name: string, zip: Blob, options?: Pick<OpenWorldOptions, 'onProgress'>): Promise<void>;
  deleteWorld(name: string): Promise<void>;
}

export type Phase =
  | { kind: 'booting'; progress: BootProgress }
  | { kind: 'unknown' }
  | { kind: 'open'; world: World }
  | { kind: 'failed'; problem: Problem }
  | { kind: 'closing' }
  | { kind: 'ended'; exitCode: number; tooOften: boolean };

/** The world that is made of the shipped file when it is not there yet. */
export const PLAYGROUND = 'playground';
/** The exit code that asks for a start again (R9 `core.exit`), and how often within how many milliseconds that is granted. */
const RESTART = 75;
const RESTARTS = 3;
const RESTART_WINDOW = 60_000;
const JOURNAL_AT_START = 200;

export interface SessionOptions {
  /** The zip of the playground. */
  playground: URL;
  shelf?: Shelf;
  /** Called when another world is opened than the address names. */
  onName?: (name: string) => void;
}

/** The page's one open world, from the first step of its boot to its end, and the worlds beside it. */
export class Session extends Store {
  readonly api: SausageApi;
  journal = new JournalFeed();
  name = PLAYGROUND;
  phase: Phase = { kind: 'booting', progress: { step: 'lock', done: 0, total: 0 } };
  worlds: WorldInfo[] = [];
  processes = new ProcessTable();
  console: Console;
  /** The world's services wait for the visitor (R8-5). */
  servicesHeld = false;
  /** Of the world that was open last: import and export speak of it also while none is. */
  storage: StorageKind = 'opfs';
  readonly #options: SessionOptions;
  #ready = new Readiness();
  /** Grows with each start: an older one that comes late is closed and forgotten. */
  #turn = 0;
  #restarts: number[] = [];
  #unsubscribe: (() => void)[] = [];

  constructor(api: SausageApi, options: SessionOptions) {
    super();
    this.api = api;
    this.#options = options;
    this.console = this.#newConsole();
  }

  get world(): World | undefined {
    return this.phase.kind === 'open' ? this.phase.world : undefined;
  }

  /** Resolves with the world when it answers; a world opened after it has another promise. */
  get ready(): Promise<World> {
    return this.#ready.promise;
  }

  /** Opens a world by name after the open one has been closed. One that does not exist waits for `create`, but for the playground. */
  async open(name: string, create = false): Promise<void> {
    const turn = ++this.#turn;
    await this.#closeOpen();
    if (turn !== this.#turn) return;
    if (name !== this.name) {
      this.name = name;
      this.console = this.#newConsole();
      this.#options.onName?.(name);
    }
    this.journal = new JournalFeed();
    this.#restarts = [];
    await this.#boot(turn, create);
  }

  async #boot(turn: number, create: boolean): Promise<void> {
    if (this.#ready.settled) this.#ready = new Readiness();
    this.processes = new ProcessTable();
    this.#enter({ kind: 'booting', progress: { step: 'lock', done: 0, total: 0 } });
    try {
      this.worlds = await this.api.listWorlds();
      if (turn !== this.#turn) return;
      const exists = this.worlds.some(({ name }) => name === this.name);
      if (!exists && !create && this.name !== PLAYGROUND) return this.#enter({ kind: 'unknown' });
      const options: OpenWorldOptions = { name: this.name, onProgress: (progress) => this.#progress(turn, progress) };
      // Only what this page ships is trusted: a world imported under that name is not.
      if (!exists && this.name === PLAYGROUND)
        Object.assign(options, { from: this.#options.playground, trusted: true });
      const world = await this.api.openWorld(options);
      if (turn !== this.#turn) return void world.close();
      this.#opened(turn, world);
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#enter({ kind: 'failed', problem: problem(error, strings.boot.doing) });
      this.#ready.reject(error);
    }
  }

  #progress(turn: number, progress: BootProgress): void {
    if (turn === this.#turn && this.phase.kind === 'booting') this.#enter({ kind: 'booting', progress });
  }

  #opened(turn: number, world: World): void {
    const { processes, console, journal } = this;
    this.#unsubscribe = [
      world.on('journal', (entries) => {
        journal.add(entries);
        console.onJournal(entries);
      }),
      world.on('process', (process) => {
        processes.update(process);
        console.onProcess(process);
      }),
    ];
    this.servicesHeld = world.servicesHeld;
    this.storage = world.storage;
    console.world = world;
    this.#enter({ kind: 'open', world });
    this.#ready.resolve(world);
    void world.closed.then(({ exitCode }) => this.#ended(turn, exitCode));
    // What was there before the listeners; each is a nicety that may fail with its world.
    world.processes().then(
      (all) => processes.fill(all),
      () => {},
    );
    world.call('core.log', { limit: JOURNAL_AT_START }).then(
      (entries) => Array.isArray(entries) && journal.addEarlier(entries),
      () => {},
    );
    void this.refreshWorlds();
  }

  /** The world ended by itself: with 75 it starts again, but not for ever. */
  #ended(turn: number, exitCode: number): void {
    if (turn !== this.#turn) return;
    this.#forgetWorld();
    const now = Date.now();
    this.#restarts = this.#restarts.filter((each) => each > now - RESTART_WINDOW);
    const tooOften = exitCode === RESTART && this.#restarts.length >= RESTARTS;
    if (exitCode === RESTART && !tooOften) {
      this.#restarts.push(now);
      void this.#boot(++this.#turn, true);
    } else {
      this.#enter({ kind: 'ended', exitCode, tooOften });
    }
  }

  #forgetWorld(): void {
    for (const stop of this.#unsubscribe.splice(0)) stop();
    this.console.world = undefined;
    this.servicesHeld = false;
    this.processes = new ProcessTable();
  }

  async #closeOpen(): Promise<void> {
    const { world } = this;
    if (!world) return;
    this.#forgetWorld();
    this.#enter({ kind: 'closing' });
    // A world that cannot be closed properly must not keep the visitor from the next one.
    await world.close().catch(() => {});
  }

  async startServices(): Promise<void> {
    await this.world?.startServices();
    this.servicesHeld = false;
    this.changed();
  }

  async refreshWorlds(): Promise<void> {
    try {
      this.worlds = await this.api.listWorlds();
      this.changed();
    } catch {
      // The list of a moment ago stays; opening a world reports what is wrong with the storage.
    }
  }

  async importWorld(name: string, zip: Blob, onProgress: (progress: BootProgress) => void): Promise<void> {
    try {
      await this.api.importWorld(name, zip, { onProgress });
    } finally {
      await this.refreshWorlds();
    }
  }

  /** Deletes a world; the open one is closed before, and the playground opens in its place. */
  async deleteWorld(name: string): Promise<void> {
    const open = name === this.name;
    if (open) {
      this.#turn++;
      await this.#closeOpen();
    }
    try {
      await this.api.deleteWorld(name);
      forgetHistory(name, this.#options.shelf);
      if (open) this.console = this.#newConsole();
    } finally {
      if (open) void this.open(PLAYGROUND);
      else await this.refreshWorlds();
    }
  }

  #newConsole(): Console {
    return new Console(this.name, this.#options.shelf, () => this.journal);
  }

  #enter(phase: Phase): void {
    this.phase = phase;
    this.changed();
  }
}

/** A promise of the world that answers, which can be asked whether it is settled. */
class Readiness {
  settled = false;
  resolve!: (world: World) => void;
  reject!: (error: unknown) => void;
  readonly promise = new Promise<World>((resolve, reject) => {
    this.resolve = (world) => {
      this.settled = true;
      resolve(world);
    };
    this.reject = (error) => {
      this.settled = true;
      reject(error);
    };
  });

  constructor() {
    // The page shows a failure itself; who awaits the promise gets it too.
    this.promise.catch(() => {});
  }
}
