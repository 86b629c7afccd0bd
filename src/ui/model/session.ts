import type { Beginning, BootProgress, OpenWorldOptions, StorageKind, World, WorldInfo } from '../../api.ts';
import type { PageSettings, SettingsStore } from '../../settings/settings.ts';
import { Console } from '../console/console.ts';
import { forgetHistory, moveHistory } from '../console/history.ts';
import { Desk } from '../editor/desk.ts';
import { forgetVersions, moveVersions, type VersionsStore } from '../editor/versions.ts';
import { strings } from '../strings.ts';
import { Beginnings, PLAYGROUND_ORIGIN, type Sample } from './beginnings.ts';
import { JournalFeed } from './journal.ts';
import type { Opening, Phase, SausageApi } from './phase.ts';
import { Presenting } from './presenting.ts';
import { Previews } from './previews.ts';
import { problem } from './problem.ts';
import { ProcessTable } from './processes.ts';
import { Readiness } from './readiness.ts';
import { Room, type Warehouse } from './room.ts';
import { Settings } from './settings.ts';
import type { Shelf } from './shelf.ts';
import { Signals } from './signals.ts';
import { forgetStarts, Starts } from './starts.ts';
import { Store } from './store.ts';
import { unescaped } from './unescaped.ts';
import { nameFromFile } from './world-name.ts';

/** The world that is made of the shipped file when it is not there yet. */
export const PLAYGROUND = 'playground';
/** Where a world says what it is, and where a visitor begins. */
export const README = '/README.md';
/** The exit code that asks for a start again (R9 `core.exit`), and how often within how many milliseconds that is granted. */
const RESTART = 75;
const RESTARTS = 3;
const RESTART_WINDOW = 60_000;
const JOURNAL_AT_START = 200;

export interface SessionOptions {
  /** The zip of the playground. */
  playground: URL;
  shelf?: Shelf;
  /** `navigator.storage`, where the browser has it. */
  warehouse?: Warehouse;
  /** Where the page's settings are kept. */
  settings?: SettingsStore;
  /** The small worlds to begin with. */
  gallery?: () => Promise<Sample[]>;
  /** The root of the page, for the size of its type. */
  root?: { classList: Pick<DOMTokenList, 'toggle'> };
  /** Where the versions of edited files are kept. */
  versions?: VersionsStore;
  /** Called when a world is opened, for the address of the page. */
  onOpening?: (name: string, safe: boolean) => void;
}

/** The page's one open world, from the first step of its boot to its end, and the worlds beside it. */
export class Session extends Store {
  readonly api: SausageApi;
  journal = new JournalFeed();
  name = PLAYGROUND;
  phase: Phase = { kind: 'booting', progress: { step: 'lock', done: 0, total: 0 } };
  worlds: WorldInfo[] = [];
  processes = new ProcessTable();
  readonly signals = new Signals();
  readonly previews = new Previews();
  readonly room: Room;
  readonly settings: Settings;
  readonly presenting: Presenting;
  /** What worlds can be made of here. */
  readonly beginnings: Beginnings;
  console: Console;
  /** Its files and what is built of them; it stays when the world ends by itself, for what was not saved yet. */
  desk?: Desk;
  /** By world: what the visitor left open there when another was opened, with what could not be saved. */
  readonly #desks = new Map<string, Desk>();
  /** The world is opened without its services, as the visitor asked (R8-5). */
  safe = false;
  /** Of the world that was open last: import and export speak of it also while none is. */
  storage: StorageKind = 'opfs';
  readonly #options: SessionOptions;
  readonly #starts: Starts;
  #ready = new Readiness();
  /** Grows with each start: an older one that comes late is closed and forgotten. */
  #turn = 0;
  #restarts: number[] = [];
  /** How the world was opened last, for another try. */
  #opening: Opening = {};
  #unsubscribe: (() => void)[] = [];

  constructor(api: SausageApi, options: SessionOptions) {
    super();
    this.api = api;
    this.#options = options;
    this.#starts = new Starts(options.shelf);
    this.room = new Room(options.warehouse, options.shelf);
    this.settings = new Settings(options.settings);
    this.presenting = new Presenting(options.shelf, options.root);
    this.beginnings = new Beginnings(options.playground);
    this.console = this.#newConsole();
    // A boot changes the list itself, and looks at it when it is over.
    api.watchWorlds(() => this.phase.kind !== 'booting' && void this.refreshWorlds());
  }

  get world(): World | undefined {
    return this.phase.kind === 'open' ? this.phase.world : undefined;
  }

  /** The world's services, or its way outside, wait for the visitor (R8-5). */
  get held(): boolean {
    return this.world?.held ?? false;
  }

  /** Resolves with the world when it answers; a world opened after it has another promise. */
  get ready(): Promise<World> {
    return this.#ready.promise;
  }

  /** Opens a world by name after the open one has been closed. One that does not exist waits for `create`, but for the playground. */
  async open(name: string, opening: Opening = {}): Promise<void> {
    const turn = ++this.#turn;
    await this.#closeOpen();
    if (turn !== this.#turn) return;
    if (name !== this.name) {
      if (this.desk?.open.length) this.#desks.set(this.name, this.desk);
      this.name = name;
      this.console = this.#newConsole();
      this.desk = this.#desks.get(name);
      this.#desks.delete(name);
    }
    this.#opening = opening;
    this.safe = opening.safe ?? false;
    this.#options.onOpening?.(name, this.safe);
    this.journal = new JournalFeed();
    this.#restarts = [];
    await this.#boot(turn, opening);
  }

  async #boot(
    turn: number,
    { create = false, begin, resetTo, takeOver = false, anyway = false }: Opening,
  ): Promise<void> {
    if (this.#ready.settled) this.#ready = new Readiness();
    this.processes = new ProcessTable();
    const begun = { kind: 'booting', ...(takeOver && { takingOver: Date.now() }) } as const;
    this.#enter({ ...begun, progress: { step: 'lock', done: 0, total: 0 } });
    try {
      [this.worlds] = await Promise.all([this.api.listWorlds(), this.settings.load()]);
      if (turn !== this.#turn) return;
      const exists = this.worlds.some(({ name }) => name === this.name);
      if (!exists && !create && this.name !== PLAYGROUND) return this.#enter({ kind: 'unknown' });
      if (exists && resetTo) {
        await this.api.resetWorld(this.name, {
          ...resetTo,
          onProgress: (progress) => this.#progress(turn, { ...begun, progress }),
        });
        await forgetVersions(this.name, this.#options.versions);
        if (turn !== this.#turn) return;
      }
      if (!this.safe && !anyway && this.#starts.doubtful(this.name)) return this.#enter({ kind: 'unstable' });
      const options: OpenWorldOptions = {
        name: this.name,
        onProgress: (progress) => this.#progress(turn, { ...begun, progress }),
        ...(takeOver && { takeOver }),
        ...(this.safe && { safe: true }),
        ...this.settings.outside,
      };
      const { now } = this.settings;
      // Only what this page ships is trusted: a world imported under that name is not.
      const { playground, empty } = this.beginnings;
      if (!exists) Object.assign(options, begin ?? (this.name === PLAYGROUND ? playground : empty));
      const world = await this.api.openWorld(options);
      if (turn !== this.#turn) return void world.close();
      if (now !== this.settings.now) world.setOutside(this.settings.outside).catch(() => {});
      this.#opened(turn, world);
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#starts.settle();
      this.#enter(notOpened(error, takeOver));
      this.#ready.reject(error);
      void this.refreshWorlds();
    }
  }

  #progress(turn: number, phase: Extract<Phase, { kind: 'booting' }>): void {
    if (turn !== this.#turn || this.phase.kind !== 'booting') return;
    // The step before its services start: the world is ours by then.
    if (phase.progress.step === 'start' && !this.safe) this.#starts.begin(this.name);
    this.#enter(phase);
  }

  #opened(turn: number, world: World): void {
    const { processes, console, journal } = this;
    let takenOver = false;
    this.#unsubscribe = [
      world.on('journal', (entries) => {
        journal.add(entries);
        console.onJournal(entries);
      }),
      world.on('process', (process) => {
        processes.update(process);
        console.onProcess(process);
        this.desk?.folders.touchBelow('/proc');
      }),
      world.on('exit', (exit) => {
        takenOver = exit.takenOver;
      }),
      this.signals.follow(world),
      this.room.watch(world),
    ];
    this.storage = world.storage;
    console.world = world;
    this.desk = new Desk(world, this.desk, this.#options.versions);
    this.#enter({ kind: 'open', world });
    this.#ready.resolve(world);
    void world.closed.then(({ exitCode }) => this.#ended(turn, exitCode, takenOver));
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
    void this.loadGallery();
  }

  /**
   * Follows a link to the zip of a world. The first time it makes a world of it, whose services wait as those of any world from
   * outside (R8-5); later the visitor says whether to go on with that one,
   * or with the one that was open last where there are more.
   */
  async follow(link: { zip: URL; hash?: string } | { problem: string }): Promise<void> {
    const turn = ++this.#turn;
    await this.#closeOpen();
    if ('problem' in link) {
      const error = new Error(strings.boot.badLink(link.problem));
      return this.#enter({ kind: 'failed', problem: problem(error, strings.boot.following) });
    }
    const { zip, hash } = link;
    this.worlds = await this.api.listWorlds().catch(() => []);
    if (turn !== this.#turn) return;
    const origin = zip.href;
    const begin: Beginning = { from: zip, origin, ...(hash !== undefined && { hash }) };
    const time = ({ opened }: WorldInfo) => opened?.getTime() ?? 0;
    const [before] = this.worlds.filter((world) => world.origin === origin).sort((a, b) => time(b) - time(a));
    if (before) return this.#enter({ kind: 'linked', name: before.name, begin });
    await this.openNew(begin);
  }

  /** Makes another world of what a link means, and opens it. */
  openNew(begin: Beginning & { origin?: string }): Promise<void> {
    const file = unescaped(
      begin.origin
        ?.split('/')
        .at(-1)
        ?.replace(/[?#].*$/, '') ?? '',
    );
    const name = nameFromFile(
      file,
      this.worlds.map(({ name }) => name),
    );
    return this.open(name, { create: true, begin });
  }

  /** Tries once more what did not start. */
  retry(): Promise<void> {
    return this.open(this.name, { create: true, ...this.#opening });
  }

  /** The small worlds to begin with; asked for once a world is there, since nobody needs them before. */
  async loadGallery(): Promise<void> {
    if (this.beginnings.gallery.length > 0) return;
    this.beginnings.gallery = (await this.#options.gallery?.()) ?? [];
    this.changed();
  }

  /** Opens a small world, which is made when there is none of its name. */
  openSample(sample: Sample): Promise<void> {
    return this.open(sample.name, { create: true, begin: this.beginnings.sample(sample) });
  }

  /** The world ended by itself: with 75 it starts again, but not for ever. */
  #ended(turn: number, exitCode: number, takenOver: boolean): void {
    if (turn !== this.#turn) return;
    this.#forgetWorld();
    const now = Date.now();
    this.#restarts = this.#restarts.filter((each) => each > now - RESTART_WINDOW);
    const tooOften = exitCode === RESTART && this.#restarts.length >= RESTARTS;
    if (exitCode === RESTART && !tooOften) {
      this.#restarts.push(now);
      void this.#boot(++this.#turn, { create: true, anyway: true });
    } else {
      this.#enter({ kind: 'ended', exitCode, tooOften, takenOver });
    }
  }

  /** Something that was typed is in no world, and goes with the page. */
  get isUnsaved(): boolean {
    return [...this.#desks.values(), this.desk].some((desk) => desk?.isUnsaved);
  }

  /** The page goes away: what comes after is no fault of the world's. */
  leave(): void {
    this.#starts.settle();
  }

  #forgetWorld(): void {
    this.#starts.settle();
    for (const stop of this.#unsubscribe.splice(0)) stop();
    this.console.world = undefined;
    this.desk?.leave();
    this.previews.clear();
    this.processes = new ProcessTable();
  }

  async #closeOpen(): Promise<void> {
    const { world } = this;
    if (!world) return;
    await this.desk?.saveAll();
    this.#forgetWorld();
    this.#enter({ kind: 'closing' });
    // A world that cannot be closed properly must not keep the visitor from the next one.
    await world.close().catch(() => {});
  }

  /** Makes a copy of the world that another page has, which goes on undisturbed, and opens the copy (R1-6). */
  async openCopy(to: string): Promise<void> {
    const turn = ++this.#turn;
    const { name } = this;
    this.#enter({ kind: 'copying', to });
    try {
      await this.api.copyWorld(name, to);
    } catch (error) {
      if (turn === this.#turn) this.#enter({ kind: 'busy', problem: problem(error, strings.busy.copying(name)) });
      return;
    }
    if (turn === this.#turn) await this.open(to);
    else await this.refreshWorlds();
  }

  /** The visitor agrees that the world does what it was held from (R8-5). */
  async consent(): Promise<void> {
    await this.world?.consent();
    this.changed();
  }

  /** Keeps what the visitor chose, and lets the open world go that way at once. Answers whether it outlives the page. */
  async changeSettings(settings: Partial<PageSettings>): Promise<boolean> {
    const kept = await this.settings.change(settings);
    await this.world?.setOutside(this.settings.outside);
    return kept;
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

  /** Gives a world another name; the open one is closed before, and opened again under the new name. */
  async renameWorld(name: string, to: string): Promise<void> {
    await this.#whileClosed(name, to, async () => {
      await this.api.renameWorld(name, to);
      const { shelf, versions } = this.#options;
      moveHistory(name, to, shelf);
      await moveVersions(name, to, versions);
      forgetStarts(name, shelf);
      const desk = name === this.name ? this.desk : this.#desks.get(name);
      this.#desks.delete(name);
      if (desk && to !== name) this.#desks.set(to, desk);
    });
  }

  /** Makes a copy of a world, which goes on undisturbed where it is open. */
  async duplicateWorld(name: string, to: string): Promise<void> {
    try {
      await this.api.copyWorld(name, to);
    } finally {
      await this.refreshWorlds();
    }
  }

  /** What a world was made of, where that can be had again. */
  beginningOf({ name, origin }: WorldInfo): Beginning | undefined {
    return this.beginnings.of(name === PLAYGROUND ? PLAYGROUND_ORIGIN : origin);
  }

  /** Makes a world anew of what it was made of. Nothing of it is left then, of what is open in the editor neither. */
  async resetWorld(info: WorldInfo, onProgress: (progress: BootProgress) => void): Promise<void> {
    const { name } = info;
    const beginning = this.beginningOf(info);
    if (!beginning) throw new Error(strings.worlds.noOrigin(name));
    await this.#whileClosed(name, name, async () => {
      await this.api.resetWorld(name, { ...beginning, onProgress });
      await forgetVersions(name, this.#options.versions);
      this.#desks.delete(name);
      if (name === this.name) this.desk = undefined;
    });
  }

  /** Does something with a world while it is closed; the one that was open is opened again, as `to` when it went well. */
  async #whileClosed(name: string, to: string, work: () => Promise<void>): Promise<void> {
    const open = name === this.name && this.world !== undefined;
    const { safe } = this;
    if (open) {
      this.#turn++;
      await this.#closeOpen();
    }
    let then = name;
    try {
      await work();
      then = to;
    } finally {
      if (open) void this.open(then, { safe });
      else await this.refreshWorlds();
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
      forgetStarts(name, this.#options.shelf);
      await forgetVersions(name, this.#options.versions);
      this.#desks.delete(name);
      if (open) {
        this.console = this.#newConsole();
        this.desk = undefined;
      }
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

/** Why a world is not open: another page has it, which may be because it did not give it up, or something is wrong. */
function notOpened(error: unknown, takeOver: boolean): Phase {
  if (!(error instanceof Error && error.name === 'WorldBusyError'))
    return { kind: 'failed', problem: problem(error, strings.boot.doing) };
  return { kind: 'busy', ...(takeOver && { problem: problem(error, strings.busy.taking) }) };
}
