import type { JournalEntry } from '../../api.ts';
import { Store } from './store.ts';

const KEPT = 10_000;
/** How the core begins a process that is asked what its plugin can do. */
const ASKED = 'start rpc.discover';

/** The newest lines of the journal, oldest first. A burst of lines is one change. */
export class JournalFeed extends Store {
  #entries: JournalEntry[] = [];
  #waiting: JournalEntry[] = [];
  /** Processes that are asked what their plugins can do. */
  #asked = new Set<string>();

  get entries(): readonly JournalEntry[] {
    return this.#entries;
  }

  /** The core's own line about a question that it asks by itself, which says little to people. */
  isQuestion({ stream, pid }: JournalEntry): boolean {
    return stream === 'core' && this.#asked.has(pid);
  }

  /** Lines that were written just now. */
  add(entries: JournalEntry[]): void {
    if (entries.length === 0) return;
    if (this.#waiting.push(...entries.slice(-KEPT)) === Math.min(entries.length, KEPT)) {
      nextFrame(() => this.#take(this.#waiting.splice(0)));
    }
  }

  /** Lines from before; those that are here already are not doubled. */
  addEarlier(entries: JournalEntry[]): void {
    this.#take(entries);
  }

  /** The lines of one process on one stream, as far as they are still here. */
  linesOf(pid: string, stream: JournalEntry['stream']): string[] {
    return [...this.#entries, ...this.#waiting]
      .filter((entry) => entry.pid === pid && entry.stream === stream)
      .map((entry) => entry.line);
  }

  #take(entries: JournalEntry[]): void {
    for (const { stream, line, pid } of entries) if (stream === 'core' && line.startsWith(ASKED)) this.#asked.add(pid);
    const last = this.#entries.at(-1);
    if (!last || (entries[0] && last.id < entries[0].id)) {
      this.#entries = [...this.#entries, ...entries].slice(-KEPT);
    } else {
      const byId = new Map([...this.#entries, ...entries].map((entry) => [entry.id, entry]));
      this.#entries = [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)).slice(-KEPT);
    }
    if (this.#asked.size > KEPT) {
      const kept = new Set(this.#entries.map(({ pid }) => pid));
      this.#asked = new Set([...this.#asked].filter((pid) => kept.has(pid)));
    }
    this.changed();
  }
}

/** Not `requestAnimationFrame` alone: a hidden tab has no frames. */
function nextFrame(run: () => void): void {
  if (globalThis.document?.visibilityState === 'visible') requestAnimationFrame(run);
  else setTimeout(run, 16);
}
