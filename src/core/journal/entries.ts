import type { Value } from 'wa-sqlite';
import type { JournalEntry } from '../protocol.ts';
import type { Database, Row, Run } from './database.ts';
import type { Search } from './filter.ts';
import { timeOfId } from './ids.ts';
import { type Limit, limitOf, type Retention, sourceOf } from './retention.ts';

/** An entry on its way into the file. */
export interface Pending {
  entry: JournalEntry;
  seq: bigint;
  /** Of the line in UTF-8. */
  bytes: number;
}

/** What left the file for want of room. */
export interface Removed {
  pid: string;
  stream: JournalEntry['stream'];
  bytes: number;
}

export interface Written {
  /** How many of the pending entries are in the file now. */
  count: number;
  removed: Removed[];
}

/** How much there is of one plugin and stream. */
interface Tally {
  plugin: string;
  stream: JournalEntry['stream'];
  lines: number;
  bytes: number;
}

/** Rows that one look at the file goes over: about a millisecond. */
const ROWS_A_LOOK = 2000;
/** Lines that one look brings: they may be long. */
const MATCHES_A_LOOK = 200;
/** Old entries that a transaction removes beyond as many as it adds. */
const ROWS_TO_CATCH_UP = 64;

// A line may hold NUL characters: as a blob it is bound and read whole, as text it would end there. An empty blob is
// bound as NULL, for SQLite has no memory of no bytes.
const INSERT =
  "INSERT INTO entry VALUES (?, ?, ?, ?, ?, coalesce(CAST(? AS TEXT), '')) ON CONFLICT DO NOTHING RETURNING seq";
const EDGE = `SELECT min(seq), count(*) FROM (SELECT seq FROM entry WHERE seq BETWEEN ? AND ? ORDER BY seq DESC LIMIT ${ROWS_A_LOOK})`;
const SELECT =
  'SELECT seq, id, pid, plugin, stream, CAST(line AS BLOB) FROM entry NOT INDEXED WHERE seq BETWEEN ? AND ?';
const CONDITIONS = [
  ['plugin', 'plugin = ?'],
  ['pid', 'pid = ?'],
  ['contains', 'instr(line, ?) > 0'],
] as const;
const NEWEST_FIRST = ` ORDER BY seq DESC LIMIT ${MATCHES_A_LOOK}`;
const SAVE_TALLY =
  'INSERT INTO tally VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET lines = excluded.lines, bytes = excluded.bytes';
const OLDEST =
  'SELECT seq, pid, octet_length(line) FROM entry INDEXED BY entry_by_source WHERE plugin = ? AND stream = ? ORDER BY seq LIMIT ?';
const REMOVE = 'DELETE FROM entry INDEXED BY entry_by_source WHERE plugin = ? AND stream = ? AND seq <= ?';

/** The entries in the file: adding, removing the oldest, searching. Each call is one transaction. */
export class Entries {
  private readonly database: Database;
  private readonly tallies: Map<string, Tally>;
  /** Of the newest entry in the file. */
  readonly newest: bigint;

  private constructor(database: Database, tallies: Map<string, Tally>, newest: bigint) {
    this.database = database;
    this.tallies = tallies;
    this.newest = newest;
  }

  static async open(database: Database): Promise<Entries> {
    return database.read(async (run) => {
      const tallies = new Map<string, Tally>();
      for (const [plugin, stream, lines, bytes] of await run('SELECT plugin, stream, lines, bytes FROM tally')) {
        const tally = { plugin, stream, lines: Number(lines), bytes: Number(bytes) } as Tally;
        tallies.set(sourceOf(tally), tally);
      }
      const [row] = await run('SELECT seq FROM entry ORDER BY seq DESC LIMIT 1');
      return new Entries(database, tallies, row ? BigInt(row[0] as bigint) : 0n);
    });
  }

  /** Adds entries from the begin of `pending` until `until` (of `performance.now`), one at least, and makes room (R7-8). */
  async add(pending: readonly Pending[], until: number, retention: Retention): Promise<Written> {
    let tallies = new Map<string, Tally>();
    const written = await this.database.transaction(async (run) => {
      tallies = new Map();
      let count = 0;
      while (count < pending.length) {
        const { entry, seq, bytes } = pending[count]!;
        await this.insert(run, entry, seq);
        const tally = this.change(tallies, entry);
        tally.lines++;
        tally.bytes += bytes;
        count++;
        if (performance.now() >= until) break;
      }
      const removed = await this.makeRoom(run, tallies, retention, count + ROWS_TO_CATCH_UP);
      for (const tally of tallies.values()) {
        await run(SAVE_TALLY, tally.plugin, tally.stream, tally.lines, tally.bytes);
      }
      return { count, removed };
    });
    for (const [source, tally] of tallies) this.tallies.set(source, tally);
    return written;
  }

  /** Whether there is more than the limits allow: then `add`, with nothing, removes some. */
  isOver(retention: Retention): boolean {
    for (const tally of this.tallies.values()) if (exceeds(tally, limitOf(retention, tally))) return true;
    return false;
  }

  /**
   * Matching entries of one look, newest first, among those before `before` (all when undefined); `next` is where the
   * next look begins, or undefined when there is nothing left.
   */
  look(search: Search, before: bigint | undefined): Promise<{ found: JournalEntry[]; next: bigint | undefined }> {
    const last = before !== undefined && before <= search.to ? before - 1n : search.to;
    const conditions = CONDITIONS.filter(([name]) => search[name] !== undefined);
    const where = conditions.map(([, sql]) => ` AND ${sql}`).join('');
    const values = conditions.map(([name]) => search[name]!);
    return this.database.read(async (run) => {
      // A look is over a number of rows, not of matches, so that it takes a bounded time.
      const [edge] = await run(EDGE, search.from, last);
      const [first, count] = edge!;
      if (count === 0) return { found: [], next: undefined };
      const rows = await run(`${SELECT}${where}${NEWEST_FIRST}`, BigInt(first as bigint), last, ...values);
      const found = rows.map(toEntry).filter(search.matches);
      if (rows.length === MATCHES_A_LOOK) return { found, next: BigInt(rows.at(-1)![0] as bigint) };
      return { found, next: Number(count) < ROWS_A_LOOK ? undefined : BigInt(first as bigint) };
    });
  }

  /** Reads rows only to find damage; gives the last one that was read, or undefined at the end. */
  verify(after: bigint): Promise<bigint | undefined> {
    return this.database.read(async (run) => {
      const window = `SELECT seq, length(id) + octet_length(line) FROM entry WHERE seq > ? ORDER BY seq LIMIT ${ROWS_A_LOOK}`;
      const [row] = await run(`SELECT max(seq) FROM (${window})`, after);
      const last = row?.[0];
      return last === null || last === undefined ? undefined : BigInt(last as bigint);
    });
  }

  private async insert(run: Run, entry: JournalEntry, seq: bigint): Promise<void> {
    const line = encoder.encode(entry.line);
    // The number is taken only when the clock was set back between two runs of the world: then the next free one.
    for (let free = seq; ; free++) {
      const rows = await run(INSERT, free, entry.id, entry.pid, entry.plugin, entry.stream, line);
      if (rows.length > 0) return;
    }
  }

  private async makeRoom(
    run: Run,
    tallies: Map<string, Tally>,
    retention: Retention,
    most: number,
  ): Promise<Removed[]> {
    const removed: Removed[] = [];
    for (const source of [...new Set([...tallies.keys(), ...this.tallies.keys()])]) {
      const current = tallies.get(source) ?? this.tallies.get(source)!;
      const limit = limitOf(retention, current);
      if (!exceeds(current, limit) || removed.length >= most) continue;
      const tally = this.change(tallies, current);
      let last: Value | undefined;
      for (const [seq, pid, bytes] of await run(OLDEST, tally.plugin, tally.stream, most - removed.length)) {
        if (!exceeds(tally, limit)) break;
        tally.lines--;
        tally.bytes -= Number(bytes);
        removed.push({ pid: pid as string, stream: tally.stream, bytes: Number(bytes) });
        last = seq;
      }
      if (last !== undefined) await run(REMOVE, tally.plugin, tally.stream, last);
    }
    return removed;
  }

  /** The tally of a source in this transaction: a copy that counts when the transaction is written. */
  private change(tallies: Map<string, Tally>, of: { plugin: string; stream: JournalEntry['stream'] }): Tally {
    const source = sourceOf(of);
    let tally = tallies.get(source);
    if (!tally) {
      tally = { ...(this.tallies.get(source) ?? { plugin: of.plugin, stream: of.stream, lines: 0, bytes: 0 }) };
      tallies.set(source, tally);
    }
    return tally;
  }
}

function exceeds(tally: Tally, limit: Limit): boolean {
  return tally.lines > limit.lines || tally.bytes > limit.bytes;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function toEntry([, id, pid, plugin, stream, line]: Row): JournalEntry {
  return {
    id: id as string,
    time: timeOfId(id as string),
    pid: pid as string,
    plugin: plugin as string,
    stream: stream as JournalEntry['stream'],
    line: decoder.decode(line as Uint8Array),
  };
}
