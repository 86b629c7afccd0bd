import type { Namespace } from '../../fs/filesystem.ts';
import type { JournalEntry } from '../protocol.ts';
import { DamagedError } from './database.ts';
import type { Pending, Removed } from './entries.ts';
import type { Search } from './filter.ts';
import { FileReplacedError } from './pages.ts';
import type { Retention } from './retention.ts';
import type { SqliteModule } from './sqlite.ts';
import { openStore, type Store, setAside } from './store.ts';
import { nextTurn, pause, Queue } from './turn.ts';

/** Of a turn of the core; the commit and the removal of old entries take about as long as the inserts. */
const INSERT_MS = 0.8;
/** A lone line waits so long for others. */
const GATHER_MS = 50;
/** While others want the thread a slice is followed by a pause of so many times its length. */
const PAUSES = 8;
/** With more than this it goes on without pauses; so much may a flood of stderr bring (`syscall/machines.ts`). */
const MOST_PAUSED = 8 * 1024 * 1024;
/** What a pending line costs beyond its text. */
const LINE_OVERHEAD = 300;
/** Kept in memory while the file cannot be written; the oldest lines go. */
const MAX_UNWRITTEN = 16 * 1024 * 1024;
/** Milliseconds until it is tried again, and so on, doubled each time. */
const FIRST_RETRY = 1000;
const LAST_RETRY = 60_000;

export interface WriterOptions {
  world: Namespace;
  path: string;
  loadSqlite: () => Promise<SqliteModule>;
  retention: Retention;
  isBusy: () => boolean;
  onProblem: (message: string) => void;
  /** The file is open; `newest` is the number of its newest entry. */
  onOpen: (newest: bigint) => void;
  onRemoved: (removed: Removed) => void;
}

/** The lines that wait, and the one who writes them: slice by slice, a turn each, until nothing waits. */
export class Writer {
  retention: Retention;
  private readonly options: WriterOptions;
  private readonly pending: Pending[] = [];
  private pendingBytes = 0;
  private module: Promise<SqliteModule> | undefined;
  private store: Store | undefined;
  /** Everything that uses the store goes through here, one after another. */
  private readonly uses = new Queue();
  /** Slices go through here first, and who wants the file to stay as it is. */
  private readonly writes = new Queue();
  private started = false;
  private closed = false;
  /** How many wait until all is written. */
  private flushing = 0;
  /** How long the last slice took, without the time in which SQLite was loaded. */
  private sliceMs = 0;
  private running: Promise<void> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** The last attempt to open or write failed; what it said. */
  private failing: string | undefined;
  private retryDelay = FIRST_RETRY;
  /** Up to where the file was looked through for damage; undefined when that is done. */
  private verified: bigint | undefined;

  constructor(options: WriterOptions) {
    this.options = options;
    this.retention = options.retention;
  }

  /** While the file cannot be written nobody is to wait for it: then it is 0, and the oldest lines are dropped. */
  get backlog(): number {
    return this.failing === undefined ? this.pendingBytes : 0;
  }

  start(): void {
    if (this.started) return;
    this.started = true;
    this.wake(0);
  }

  add(line: Pending): void {
    this.pending.push(line);
    this.pendingBytes += line.bytes + LINE_OVERHEAD;
    if (this.failing !== undefined || this.closed) this.dropOldest();
    else if (this.started && this.timer === undefined) this.wake(GATHER_MS);
  }

  async flush(): Promise<void> {
    this.started = true;
    const last = this.pending.at(-1);
    this.flushing++;
    try {
      do {
        await this.run();
      } while (last && this.failing === undefined && !this.closed && this.pending.includes(last));
    } finally {
      this.flushing--;
    }
  }

  async paused<T>(task: () => Promise<T>): Promise<T> {
    await this.flush();
    return this.writes.run(task);
  }

  async close(): Promise<void> {
    await this.flush();
    this.closed = true;
    clearTimeout(this.timer);
    await this.uses.run(async () => {
      const { store } = this;
      this.store = undefined;
      await store?.database.sync();
      await store?.database.close();
    });
  }

  /** A part of a search, newest first; the first one also goes over what is not yet written. */
  look(
    search: Search,
    before: bigint | undefined,
    first: boolean,
  ): Promise<{ found: JournalEntry[]; next: bigint | undefined }> {
    this.start();
    return this.uses.run(async () => {
      const store = await this.open();
      const waiting = first
        ? this.pending
            .map(({ entry }) => entry)
            .filter(search.matches)
            .reverse()
        : [];
      if (waiting.length >= search.limit || !store) return { found: waiting, next: undefined };
      try {
        const { found, next } = await store.entries.look(search, before);
        return { found: [...waiting, ...found], next };
      } catch (error) {
        await this.recover(error);
        return { found: waiting, next: undefined };
      }
    });
  }

  private get isPaced(): boolean {
    return this.flushing === 0 && this.pendingBytes < MOST_PAUSED && this.options.isBusy();
  }

  private wake(delay: number): void {
    if (!this.started || this.closed) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.run();
    }, delay);
  }

  /** Writes until nothing waits. One at a time: who comes while it runs waits for that one. */
  private run(): Promise<void> {
    this.running ??= this.writeAll().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async writeAll(): Promise<void> {
    let more = true;
    while (more && !this.closed) {
      more = await this.writes.run(() => this.uses.run(() => this.slice()));
      if (!more) break;
      if (this.isPaced) await pause(PAUSES * this.sliceMs);
      else await nextTurn();
    }
    if (this.failing !== undefined) {
      this.wake(this.retryDelay);
      this.retryDelay = Math.min(2 * this.retryDelay, LAST_RETRY);
    } else if (this.pending.length > 0) {
      this.wake(GATHER_MS);
    }
  }

  /** Writes one slice; says whether there is more to do. */
  private async slice(): Promise<boolean> {
    const store = await this.open();
    if (!store) return false;
    const from = performance.now();
    try {
      if (this.pending.length > 0 || store.entries.isOver(this.retention)) {
        const { count, removed } = await store.entries.add(this.pending, performance.now() + INSERT_MS, this.retention);
        this.drop(count);
        removed.forEach(this.options.onRemoved);
      } else if (this.verified !== undefined) {
        this.verified = await store.entries.verify(this.verified);
      }
      return this.pending.length > 0 || store.entries.isOver(this.retention) || this.verified !== undefined;
    } catch (error) {
      return await this.recover(error);
    } finally {
      this.sliceMs = performance.now() - from;
    }
  }

  /** The open file; undefined when it cannot be opened now. */
  private async open(): Promise<Store | undefined> {
    if (this.store || this.closed) return this.store;
    const { world, path, onProblem, onOpen } = this.options;
    try {
      this.module ??= this.options.loadSqlite();
      const module = await this.module.catch((error) => {
        this.module = undefined;
        throw error;
      });
      try {
        this.store = await openStore(module, world, path, onProblem);
      } catch (error) {
        if (!(error instanceof DamagedError)) throw error;
        onProblem(
          `the journal was damaged (${error.message}) and is set aside as ${await setAside(world, path, 'damaged')}`,
        );
        this.store = await openStore(module, world, path, onProblem);
      }
      this.verified = 0n;
      this.failing = undefined;
      this.retryDelay = FIRST_RETRY;
      onOpen(this.store.entries.newest);
    } catch (error) {
      this.fail(error);
    }
    return this.store;
  }

  /** After an error: closes the file, sets it aside if it is damaged. Says whether to try again at once. */
  private async recover(error: unknown): Promise<boolean> {
    const { world, path, onProblem } = this.options;
    await this.store?.database.close().catch(() => {});
    this.store = undefined;
    this.verified = undefined;
    if (error instanceof DamagedError) {
      try {
        onProblem(
          `the journal was damaged (${error.message}) and is set aside as ${await setAside(world, path, 'damaged')}`,
        );
        return true;
      } catch (problem) {
        error = problem;
      }
    } else if (error instanceof FileReplacedError) {
      onProblem(`${error.message}; a new journal is begun where there is none`);
      return true;
    }
    this.fail(error);
    return false;
  }

  private fail(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (this.failing !== message) this.options.onProblem(`the journal cannot be written: ${message}`);
    this.failing = message;
    this.dropOldest();
  }

  private dropOldest(): void {
    let count = 0;
    let bytes = this.pendingBytes;
    while (bytes > MAX_UNWRITTEN) bytes -= this.pending[count++]!.bytes + LINE_OVERHEAD;
    this.drop(count);
  }

  private drop(count: number): void {
    for (const { bytes } of this.pending.splice(0, count)) this.pendingBytes -= bytes + LINE_OVERHEAD;
  }
}
