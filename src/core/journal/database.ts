import type { SQLite, Value } from 'wa-sqlite';
import * as SQLITE from 'wa-sqlite/src/sqlite-constants.js';
import type { Namespace } from '../../fs/filesystem.ts';
import { PageFile } from './pages.ts';
import { PAGE_BYTES, SCHEMA } from './schema.ts';
import type { SqliteModule } from './sqlite.ts';
import { runSteps } from './steps.ts';
import { JournalVfs } from './vfs.ts';

/** The file is no whole database: it is to be set aside (R7-7). */
export class DamagedError extends Error {
  override readonly name = 'DamagedError';
}

export type Row = Value[];

/** Runs a statement with its values and gives its rows. */
export type Run = (sql: string, ...values: Value[]) => Promise<Row[]>;

/** A page that comes with a wait may be needed so often in one transaction that it is given up. */
const MAX_FAULTS = 10_000;

/** A connection to the one database. One transaction at a time: the caller sees to that. */
export class Database {
  private readonly sqlite: SQLite;
  private readonly pages: PageFile;
  private readonly handle: number;
  private readonly statements = new Map<string, number>();

  private constructor(sqlite: SQLite, pages: PageFile, handle: number) {
    this.sqlite = sqlite;
    this.pages = pages;
    this.handle = handle;
  }

  /** Opens the file at `path`, which exists; an empty one becomes a journal without entries. Throws `DamagedError`. */
  static async open(module: SqliteModule, world: Namespace, path: string, pageSize?: number): Promise<Database> {
    const node = world.resolve(world.root, path, { follow: false });
    const pages = await runSteps(PageFile.open(world, path, node, pageSize ?? PAGE_BYTES));
    module.vfs.pages = pages;
    const flags = SQLITE.SQLITE_OPEN_READWRITE | SQLITE.SQLITE_OPEN_CREATE;
    let database: Database | undefined;
    try {
      const open = () => module.api.open_v2(JournalVfs.database, flags, module.vfs.name);
      // SQLite reads the header of the file already here.
      const handle = await open().catch(async (error) => {
        if (!pages.fault) throw error;
        await pages.fault;
        return open();
      });
      database = new Database(module.api, pages, handle);
      await database.prepare();
      return database;
    } catch (error) {
      await (database ? database.close() : runSteps(pages.close()));
      throw error;
    }
  }

  private async prepare(): Promise<void> {
    // The cache is not looked at again by other connections, there are none, and nothing is written before the end.
    await this.repeat((run) => run('PRAGMA locking_mode = EXCLUSIVE'));
    const [count] = await this.repeat((run) => run('SELECT count(*) FROM sqlite_schema'));
    await runSteps(this.pages.recover());
    for (const setting of ['journal_mode = MEMORY', 'temp_store = MEMORY', 'cache_spill = OFF']) {
      await this.repeat((run) => run(`PRAGMA ${setting}`));
    }
    if (count![0] !== 0) return;
    await this.repeat((run) => run(`PRAGMA page_size = ${PAGE_BYTES}`));
    await this.transaction(async (run) => {
      for (const sql of SCHEMA.split(';')) if (sql.trim()) await run(sql);
    });
  }

  /**
   * Runs `work` as one transaction and writes its changes to the file. `work` runs again from its begin when a page had
   * to be waited for. Throws what `work` throws, having changed nothing; any other error means that the connection and
   * the file may differ: close it.
   */
  async transaction<T>(work: (run: Run) => Promise<T>): Promise<T> {
    const result = await this.repeat(async (run) => {
      await run('BEGIN');
      const value = await work(run);
      await run('COMMIT');
      return value;
    });
    await runSteps(this.pages.commit());
    return result;
  }

  /** Runs `work`, which only reads; again from its begin when a page had to be waited for. */
  read<T>(work: (run: Run) => Promise<T>): Promise<T> {
    return this.repeat(work);
  }

  async close(): Promise<void> {
    for (const statement of this.statements.values()) await this.sqlite.finalize(statement);
    this.statements.clear();
    await this.sqlite.close(this.handle);
    await runSteps(this.pages.close());
  }

  /** Returns when all that was written survives a crash of the machine. */
  async sync(): Promise<void> {
    await runSteps(this.pages.sync());
  }

  private async repeat<T>(work: (run: Run) => Promise<T>): Promise<T> {
    for (let faults = 0; ; faults++) {
      try {
        const result = await work(this.run);
        this.pages.settle();
        return result;
      } catch (error) {
        await this.rollback();
        const fault = this.pages.fault;
        this.pages.fault = undefined;
        if (!fault || faults === MAX_FAULTS) {
          this.pages.settle();
          throw asDamage(error);
        }
        await fault;
      }
    }
  }

  private async rollback(): Promise<void> {
    for (const statement of this.statements.values()) await this.sqlite.reset(statement).catch(() => {});
    if (!this.sqlite.get_autocommit(this.handle)) await this.run('ROLLBACK').catch(() => {});
    this.pages.discard();
  }

  private readonly run: Run = async (sql, ...values) => {
    const { sqlite } = this;
    const statement = this.statements.get(sql) ?? (await this.compile(sql));
    try {
      for (let i = 0; i < values.length; i++) sqlite.bind(statement, i + 1, values[i]!);
      const rows: Row[] = [];
      while ((await sqlite.step(statement)) === SQLITE.SQLITE_ROW) rows.push(sqlite.row(statement));
      return rows;
    } finally {
      // A reset repeats the error of the step.
      await sqlite.reset(statement).catch(() => {});
    }
  };

  private async compile(sql: string): Promise<number> {
    for await (const statement of this.sqlite.statements(this.handle, sql, { unscoped: true })) {
      this.statements.set(sql, statement);
      return statement;
    }
    throw new Error(`no statement in ${JSON.stringify(sql)}`);
  }
}

/** All statements are ours, so that an error in one means that the tables are not. */
const DAMAGE: ReadonlySet<number> = new Set([SQLITE.SQLITE_CORRUPT, SQLITE.SQLITE_NOTADB, SQLITE.SQLITE_ERROR]);

function asDamage(error: unknown): unknown {
  const code = (error as { code?: unknown }).code;
  if (typeof code !== 'number') return error;
  const primary = code & 0xff;
  if (!DAMAGE.has(primary)) return error;
  return new DamagedError((error as Error).message, { cause: error });
}
