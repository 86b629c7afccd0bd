import { utf8Length } from '../../fs/names.ts';
import type { JournalEntry } from '../protocol.ts';
import type { Removed } from './entries.ts';

/** Of the newest lines of one process that are kept in memory. */
const MAX_LINES = 1000;
const MAX_BYTES = 256 * 1024;

const encoder = new TextEncoder();

/** The lines of one process. */
interface Tail {
  entries: JournalEntry[];
  /** In memory. */
  bytes: number;
  /** Of the whole log as `/proc/<pid>/log` shows it, in memory or not. */
  size: number;
}

/** The newest lines of the processes that run, or ended a moment ago: what is asked for without a wait. Bounded. */
export class Tails {
  private readonly tails = new Map<string, Tail>();

  /** `bytes` is the length of the line in UTF-8. */
  add(entry: JournalEntry, bytes: number): void {
    let tail = this.tails.get(entry.pid);
    if (!tail) this.tails.set(entry.pid, (tail = { entries: [], bytes: 0, size: 0 }));
    tail.entries.push(entry);
    const size = overheadOf(entry) + bytes;
    tail.bytes += size;
    tail.size += size;
    if (tail.bytes > MAX_BYTES || tail.entries.length > 2 * MAX_LINES) cut(tail);
  }

  /** Retention took a line away. */
  remove(removed: Removed): void {
    const tail = this.tails.get(removed.pid);
    if (tail) tail.size -= overheadOf(removed) + removed.bytes;
  }

  forget(pid: string): void {
    this.tails.delete(pid);
  }

  /** The newest lines, oldest first. */
  lines(pid: string, count: number): string[] {
    if (count <= 0) return [];
    return (this.tails.get(pid)?.entries ?? []).slice(-count).map((entry) => entry.line);
  }

  /** The size of the log of a process, its entries if they are all here, and the ID of the last one. */
  log(pid: string): { size: number; entries: JournalEntry[] | undefined; last: string } {
    const tail = this.tails.get(pid);
    if (!tail) return { size: 0, entries: [], last: '' };
    const entries = tail.size === tail.bytes ? [...tail.entries] : undefined;
    return { size: tail.size, entries, last: tail.entries.at(-1)!.id };
  }
}

/** Drops the older half: seldom, so that a flood does not move the list at each line. The newest line always stays. */
function cut(tail: Tail): void {
  let keep = 0;
  let bytes = 0;
  for (let i = tail.entries.length - 1; i >= 0 && keep < MAX_LINES; i--) {
    const size = overheadOf(tail.entries[i]!) + utf8Length(tail.entries[i]!.line);
    if (keep > 0 && bytes + size > MAX_BYTES / 2) break;
    bytes += size;
    keep++;
  }
  tail.entries = tail.entries.slice(-keep);
  tail.bytes = bytes;
}

/** A line of `/proc/<pid>/log`: its time, who says it if that is the core, the text. */
export function formatEntry(entry: JournalEntry): string {
  return `${entry.time} ${markOf(entry)}${entry.line}\n`;
}

export function encodeLog(entries: JournalEntry[]): Uint8Array<ArrayBuffer> {
  return encoder.encode(entries.map(formatEntry).join(''));
}

function markOf(entry: Pick<JournalEntry, 'stream'>): string {
  return entry.stream === 'core' ? '[core] ' : '';
}

const TIME_LENGTH = new Date(0).toISOString().length;

function overheadOf(entry: Pick<JournalEntry, 'stream'>): number {
  return TIME_LENGTH + 2 + markOf(entry).length;
}
