/** Gathers what happens in a turn of the core and tells the page once, and only what the page wants to hear. */

import type { CoreEvent, JournalEntry, ProcessInfo } from '../core/protocol.ts';

/** Milliseconds for which entries are gathered: a flood of lines is a few messages a second, not thousands. */
const GATHER = 50;

export class EventBatches {
  readonly #tell: (event: CoreEvent) => void;
  #wanted = new Set<CoreEvent['type']>();
  #entries: JournalEntry[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(tell: (event: CoreEvent) => void) {
    this.#tell = tell;
  }

  listen(types: CoreEvent['type'][]): void {
    this.#wanted = new Set(types);
  }

  journal(entry: JournalEntry): void {
    if (!this.#wanted.has('journal')) return;
    this.#entries.push(entry);
    this.#timer ??= setTimeout(() => this.#flush(), GATHER);
  }

  process(process: ProcessInfo): void {
    if (this.#wanted.has('process')) this.#tell({ type: 'process', process });
  }

  exit(exitCode: number): void {
    this.#flush();
    this.#tell({ type: 'exit', exitCode });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#entries.length > 0) this.#tell({ type: 'journal', entries: this.#entries });
    this.#entries = [];
  }
}
