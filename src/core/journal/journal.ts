import type { MaybePromise, Namespace } from '../../fs/filesystem.ts';
import { utf8Length } from '../../fs/names.ts';
import type { Journal, JournalFilter } from '../host.ts';
import type { JournalEntry } from '../protocol.ts';
import { compileFilter, type Search } from './filter.ts';
import { EntryIds, seqOfId } from './ids.ts';
import { DEFAULT_RETENTION, type Retention } from './retention.ts';
import type { SqliteModule } from './sqlite.ts';
import { encodeLog, Tails } from './tails.ts';
import { nextTurn } from './turn.ts';
import { Writer } from './writer.ts';

export const JOURNAL_PATH = '/state/core/journal.sqlite';

export interface JournalOptions {
  /** The world's files. */
  namespace: Namespace;
  /** `instantiateSqlite` on the bytes of `wa-sqlite.wasm`. Called when first needed, and again when it failed. */
  loadSqlite: () => Promise<SqliteModule>;
  retention?: Partial<Retention>;
  /** Others want the thread now: lines are then written in a small part of its time. */
  isBusy?: () => boolean;
  /** Told in a sentence what went wrong with the file, and what was done about it. */
  onProblem?: (message: string) => void;
}

/**
 * The journal of a world (section 7 of the protocol): a SQLite file that only the core writes. Lines are in memory first
 * and are written in slices of about 2 ms a turn.
 */
export class SqliteJournal implements Journal {
  private readonly writer: Writer;
  private readonly ids = new EntryIds();
  private readonly tails = new Tails();
  /** The first entry of each process whose log can still be asked for. */
  private readonly first = new Map<string, bigint>();

  constructor(options: JournalOptions) {
    this.writer = new Writer({
      world: options.namespace,
      path: JOURNAL_PATH,
      loadSqlite: options.loadSqlite,
      isBusy: options.isBusy ?? (() => false),
      retention: { ...DEFAULT_RETENTION, ...options.retention },
      onProblem: options.onProblem ?? (() => {}),
      onOpen: (newest) => this.ids.startAfter(newest),
      onRemoved: (removed) => this.tails.remove(removed),
    });
  }

  /** What is kept from now on (R7-8). */
  get retention(): Retention {
    return this.writer.retention;
  }
  set retention(retention: Retention) {
    this.writer.retention = retention;
  }

  /** Loads SQLite and begins to write: to be called once the world answers. `query` and `flush` do it too. */
  start(): void {
    this.writer.start();
  }

  append({ pid, plugin, stream, line }: Pick<JournalEntry, 'pid' | 'plugin' | 'stream' | 'line'>): JournalEntry {
    const { id, seq, ms } = this.ids.next();
    const text = line.toWellFormed();
    const entry: JournalEntry = { id, time: new Date(ms).toISOString(), pid, plugin, stream, line: text };
    const bytes = utf8Length(text);
    if (!this.first.has(pid)) this.first.set(pid, seq);
    this.tails.add(entry, bytes);
    this.writer.add({ entry, seq, bytes });
    return entry;
  }

  async query(filter: JournalFilter): Promise<JournalEntry[]> {
    return this.search(await compileFilter(filter));
  }

  tail(pid: string, count: number): string[] {
    return this.tails.lines(pid, count);
  }

  log(pid: string): { size: number; read(): MaybePromise<Uint8Array<ArrayBuffer>> } {
    const { size, entries, last } = this.tails.log(pid);
    if (entries) return { size, read: () => encodeLog(entries) };
    const search: Search = {
      plugin: undefined,
      pid,
      from: this.first.get(pid) ?? 0n,
      to: seqOfId(last),
      contains: undefined,
      limit: Number.POSITIVE_INFINITY,
      matches: (entry) => entry.pid === pid && entry.id <= last,
    };
    return { size, read: async () => encodeLog(await this.search(search)) };
  }

  forget(pid: string): void {
    this.tails.forget(pid);
    this.first.delete(pid);
  }

  get backlog(): number {
    return this.writer.backlog;
  }

  /** Resolves when the lines so far are in the file; also when they cannot be (`onProblem` was told), for nobody can wait for that. */
  flush(): Promise<void> {
    return this.writer.flush();
  }

  /** Writes what waits, then runs `task` while the file does not change: who copies the file does it in there. */
  paused<T>(task: () => Promise<T>): Promise<T> {
    return this.writer.paused(task);
  }

  /** Writes what waits and closes the file. Lines that come later are only in memory. */
  close(): Promise<void> {
    return this.writer.close();
  }

  private async search(search: Search): Promise<JournalEntry[]> {
    if (search.limit === 0) return [];
    const found: JournalEntry[] = [];
    let before: bigint | undefined;
    for (let first = true; ; first = false) {
      const look = await this.writer.look(search, before, first);
      for (const entry of look.found) if (found.length < search.limit) found.push(entry);
      if (found.length >= search.limit || look.next === undefined) break;
      before = look.next;
      await nextTurn();
    }
    return found.sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}
