import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Factory, SQLITE_OPEN_READWRITE, SQLITE_ROW } from 'wa-sqlite';
import createSqlite from 'wa-sqlite/dist/wa-sqlite.mjs';
import { MemoryVFS } from 'wa-sqlite/src/examples/MemoryVFS.js';
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

  /** What another SQLite says to statements about the journal as it is now, a rollback journal beside it included. */
  sqlite(sql: string): Promise<string> {
    return askSqlite(this.files, sql);
  }
}

/**
 * The rows that statements give, in the manner of the `sqlite3` tool: by that tool where it is installed, else by SQLite
 * over the memory of wa-sqlite, which has nothing of ours.
 */
export async function askSqlite(files: MountedNamespace, sql: string): Promise<string> {
  const contents = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const suffix of ['', '-journal']) {
    try {
      contents.set(`journal.sqlite${suffix}`, new Uint8Array(await files.readFile(JOURNAL_PATH + suffix)));
    } catch {
      // It is not there.
    }
  }
  return hasSqlite3 ? askTool(contents, sql) : askMemory(contents, sql);
}

const hasSqlite3 = (() => {
  try {
    execFileSync('sqlite3', ['--version']);
    return true;
  } catch {
    return false;
  }
})();

function askTool(contents: Map<string, Uint8Array>, sql: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'journal-'));
  try {
    for (const [name, bytes] of contents) writeFileSync(join(folder, name), bytes);
    return execFileSync('sqlite3', [join(folder, 'journal.sqlite'), sql], { encoding: 'utf8' }).trim();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function askMemory(contents: Map<string, Uint8Array<ArrayBuffer>>, sql: string): Promise<string> {
  const module = await createSqlite({ wasmBinary: new Uint8Array(wasm) });
  const api = Factory(module);
  const vfs = new MemoryVFS('memory', module);
  for (const [name, { buffer, byteLength }] of contents) {
    const pathname = `/${name}`;
    vfs.mapNameToFile.set(pathname, { pathname, flags: 0, size: byteLength, data: buffer });
  }
  api.vfs_register(vfs);
  const db = await api.open_v2('journal.sqlite', SQLITE_OPEN_READWRITE, 'memory');
  const lines: string[] = [];
  for await (const statement of api.statements(db, sql, { unscoped: false })) {
    while ((await api.step(statement)) === SQLITE_ROW) lines.push(api.row(statement).join('|'));
  }
  await api.close(db);
  return lines.join('\n');
}

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
