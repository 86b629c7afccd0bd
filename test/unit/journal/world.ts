import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  instantiateSqlite,
  JOURNAL_PATH,
  type JournalOptions,
  SqliteJournal,
} from '../../../src/core/journal/index.ts';
import { FsError } from '../../../src/fs/errors.ts';
import type { MaybePromise } from '../../../src/fs/filesystem.ts';
import { MemoryFileSystem } from '../../../src/fs/memory.ts';
import { MountedNamespace } from '../../../src/fs/namespace.ts';

const wasm = readFileSync(createRequire(import.meta.url).resolve('wa-sqlite/dist/wa-sqlite.wasm'));

export const loadSqlite = () => instantiateSqlite(new Uint8Array(wasm));

export class Killed extends Error {
  override readonly name = 'Killed';
}

/**
 * A world in memory that can be made to behave as one in a browser does on a bad day: its changes stop at a chosen one as
 * if the tab had been killed there, its disk is full, or everything about it has to be waited for.
 */
export class TestWorld extends MemoryFileSystem {
  /** Changes that are still done; then each throws `Killed`, and none is done. */
  life = Number.POSITIVE_INFINITY;
  /** Bytes that may still be written; then each write throws `insufficient-space`. */
  space = Number.POSITIVE_INFINITY;
  slow = false;
  changes = 0;
  private waited = false;
  readonly files = new MountedNamespace(this);

  constructor() {
    super({ device: 1 });
  }

  override read(...args: Parameters<MemoryFileSystem['read']>): number {
    if (!this.slow) return super.read(...args);
    const [node, offset, into] = args;
    const later = Promise.resolve().then(() => super.read(node, offset, into));
    return later as unknown as number;
  }

  override write(...args: Parameters<MemoryFileSystem['write']>): MaybePromise<void> {
    this.spend();
    if (args[2].length > this.space) throw new FsError('insufficient-space', 'the disk is full');
    this.space -= args[2].length;
    return this.maybeLater(() => super.write(...args));
  }

  override resize(...args: Parameters<MemoryFileSystem['resize']>): MaybePromise<void> {
    this.spend();
    return this.maybeLater(() => super.resize(...args));
  }

  protected override room(): Promise<void> | undefined {
    this.waited = this.slow && !this.waited;
    return this.waited ? Promise.resolve() : undefined;
  }

  protected override record(...args: Parameters<MemoryFileSystem['record']>): void {
    this.spend();
    super.record(...args);
  }

  private spend(): void {
    if (this.life <= 0) throw new Killed('killed');
    this.life--;
    this.changes++;
  }

  private maybeLater(work: () => void): MaybePromise<void> {
    return this.slow ? Promise.resolve().then(work) : work();
  }

  exists(path: string): boolean {
    try {
      this.files.resolve(this.files.root, path);
      return true;
    } catch {
      return false;
    }
  }

  names(path: string): string[] {
    return this.files.list(this.files.resolve(this.files.root, path)).map(({ name }) => name);
  }

  /** What the `sqlite3` tool says to statements about the journal as it is now, with a rollback journal that lies beside it. */
  sqlite3(sql: string, path = JOURNAL_PATH): string {
    const folder = mkdtempSync(join(tmpdir(), 'journal-'));
    try {
      for (const suffix of ['', '-journal']) {
        if (!this.exists(path + suffix)) continue;
        writeFileSync(join(folder, `journal.sqlite${suffix}`), this.files.readFile(path + suffix) as Uint8Array);
      }
      return execFileSync('sqlite3', [join(folder, 'journal.sqlite'), sql], { encoding: 'utf8' }).trim();
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}

export const hasSqlite3 = (() => {
  try {
    execFileSync('sqlite3', ['--version']);
    return true;
  } catch {
    return false;
  }
})();

export interface TestJournal {
  journal: SqliteJournal;
  problems: string[];
}

export function openJournal(world: TestWorld, options: Partial<JournalOptions> = {}): TestJournal {
  const problems: string[] = [];
  const journal = new SqliteJournal({
    namespace: world.files,
    loadSqlite,
    onProblem: (message) => problems.push(message),
    ...options,
  });
  return { journal, problems };
}

export function say(journal: SqliteJournal, line: string, plugin = 'notes', stream: 'stderr' | 'core' = 'stderr') {
  return journal.append({ pid: `${plugin}-1`, plugin, stream, line });
}

export async function linesOf(journal: SqliteJournal): Promise<string[]> {
  return (await journal.query({ limit: 100_000 })).map(({ line }) => line);
}
