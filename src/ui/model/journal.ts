import type { JournalEntry } from '../../api.ts';
import { Store } from './store.ts';

const KEPT = 1000;

/** The newest lines of the journal, oldest first. A burst of lines is one change. */
export class JournalFeed extends Store {
  #entries: JournalEntry[] = [];
  #waiting: JournalEntry[] = [];

  get entries(): readonly JournalEntry[] {
    return this.#entries;
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
    const last = this.#entries.at(-1);
    if (!last || (entries[0] && last.id < entries[0].id)) {
      this.#entries = [...this.#entries, ...entries].slice(-KEPT);
    } else {
      const byId = new Map([...this.#entries, ...entries].map((entry) => [entry.id, entry]));
      this.#entries = [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)).slice(-KEPT);
    }
    this.changed();
  }
}

/** Not `requestAnimationFrame` alone: a hidden tab has no frames. */
function nextFrame(run: () => void): void {
  if (globalThis.document?.visibilityState === 'visible') requestAnimationFrame(run);
  else setTimeout(run, 16);
}
