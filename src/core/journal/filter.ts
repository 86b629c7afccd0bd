import type { JournalFilter } from '../host.ts';
import type { JournalEntry } from '../protocol.ts';
import { isEntryId, seqOfId, toSeq } from './ids.ts';

export const DEFAULT_LIMIT = 1000;
const MAX_LIMIT = 100_000;

/** A filter of `core.log` that cannot be used (R7-4). The message names it; the router answers with -32602. */
export class JournalFilterError extends Error {
  override readonly name = 'JournalFilterError';
  readonly filter: string;

  constructor(filter: string, problem: string) {
    super(`${filter}: ${problem}`);
    this.filter = filter;
  }
}

/** A filter made ready for the search. */
export interface Search {
  plugin: string | undefined;
  pid: string | undefined;
  /** The numbers of the first and the last entry that can match. */
  from: bigint;
  to: bigint;
  limit: number;
  /** A plain substring of the line: SQLite looks for it. */
  contains: string | undefined;
  /** All of it, also what is said above. */
  matches(entry: JournalEntry): boolean;
}

const NAMES: ReadonlySet<string> = new Set(['plugin', 'pid', 'since', 'until', 'grep', 'limit']);

/** Checks a filter, whose fields may have any type (they are the params of `core.log`); throws `JournalFilterError`. */
export async function compileFilter(filter: JournalFilter): Promise<Search> {
  for (const name of Object.keys(filter)) {
    if (!NAMES.has(name)) throw new JournalFilterError(name, `no such filter; there are ${[...NAMES].join(', ')}`);
  }
  const plugin = text(filter, 'plugin');
  const pid = text(filter, 'pid');
  const since = text(filter, 'since');
  const until = text(filter, 'until');
  const grep = await compileGrep(text(filter, 'grep'));
  const first = since === undefined ? undefined : bound('since', since);
  const last = until === undefined ? undefined : bound('until', until);
  const from = first?.from ?? 0n;
  const to = last?.to ?? 0x7fff_ffff_ffff_ffffn;
  const within = ({ id }: JournalEntry) => {
    if (first === undefined && last === undefined) return true;
    const seq = seqOfId(id);
    return seq >= from && seq <= to;
  };
  return {
    plugin,
    pid,
    from,
    to,
    contains: grep.plain,
    limit: limitOf(filter),
    matches: (entry) =>
      (plugin === undefined || entry.plugin === plugin) &&
      (pid === undefined || entry.pid === pid) &&
      (first?.id === undefined || entry.id >= first.id) &&
      (last?.id === undefined || entry.id <= last.id) &&
      within(entry) &&
      grep.matches(entry.line),
  };
}

function text(filter: JournalFilter, name: 'plugin' | 'pid' | 'since' | 'until' | 'grep'): string | undefined {
  const value: unknown = filter[name];
  if (value !== undefined && typeof value !== 'string') throw new JournalFilterError(name, 'must be a string');
  return value;
}

function limitOf(filter: JournalFilter): number {
  const { limit: value = DEFAULT_LIMIT }: { limit?: unknown } = filter;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MAX_LIMIT) {
    throw new JournalFilterError('limit', `must be a whole number from 0 to ${MAX_LIMIT}`);
  }
  return value;
}

async function compileGrep(grep: string | undefined): Promise<{ plain?: string; matches: (line: string) => boolean }> {
  if (grep === undefined) return { matches: () => true };
  if (grep.length < 3 || !grep.startsWith('/') || !grep.endsWith('/')) {
    return { plain: grep, matches: (line) => line.includes(grep) };
  }
  // An engine of linear time, since an expression that goes back and forth would hold the core and with it every
  // process. It is loaded when somebody asks for it.
  const { RE2JS } = await import('re2js');
  try {
    const pattern = RE2JS.compile(RE2JS.translateRegExp(grep.slice(1, -1)));
    return { matches: (line) => pattern.matcher(line).find() };
  } catch (error) {
    throw new JournalFilterError('grep', error instanceof Error ? error.message : String(error));
  }
}

/** `since` and `until` are inclusive, with a time as with an ID. */
function bound(name: 'since' | 'until', value: string): { from: bigint; to: bigint; id?: string } {
  if (isEntryId(value)) {
    const seq = seqOfId(value);
    // Entries from two runs of a world can share a number when the clock was set back; the last place is kept by +1.
    return { from: seq, to: seq + 1n, id: value.toLowerCase() };
  }
  const time = parseTime(value);
  if (!time) throw new JournalFilterError(name, `neither an RFC 3339 time nor the ID of an entry: ${clip(value)}`);
  // Entries have whole milliseconds: from 12.5 on the first is 13, up to 12.5 the last is 12.
  const from = toSeq({ ms: Math.max(0, time.whole ? time.ms : time.ms + 1), count: 0 });
  return { from, to: time.ms < 0 ? -1n : toSeq({ ms: time.ms, count: 0xfff }) };
}

const RFC_3339 = /^(\d{4}-\d\d-(\d\d))[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)$/;

/** The millisecond in which the time lies, and whether it is exactly its begin. */
function parseTime(value: string): { ms: number; whole: boolean } | undefined {
  const match = RFC_3339.exec(value);
  if (!match) return undefined;
  const [, date, day, time, fraction = '', zone] = match;
  const seconds = Date.parse(`${date}T${time}${zone!.toUpperCase()}`);
  if (Number.isNaN(seconds)) return undefined;
  // `Date.parse` takes 30 February for 2 March.
  if (new Date(`${date}T00:00:00Z`).getUTCDate() !== Number(day)) return undefined;
  return { ms: seconds + Number(fraction.slice(0, 3).padEnd(3, '0')), whole: /^0*$/.test(fraction.slice(3)) };
}

function clip(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}
