/** Gathers what happens in a turn of the core and tells the page once, and only what the page wants to hear. */

import type { CoreEvent, JournalEntry, PortInfo, ProcessInfo } from '../core/protocol.ts';

/**
 * Milliseconds for which events are gathered: a flood of lines or of processes is a few messages a second, and none of
 * them stands before the answer of a call.
 */
const GATHER = 250;

export class EventBatches {
  readonly #tell: (event: CoreEvent) => void;
  #wanted = new Set<CoreEvent['type']>();
  #entries: JournalEntry[] = [];
  #processes: ProcessInfo[] = [];
  #ports: PortInfo[] | undefined;
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
    this.#gather();
  }

  /** `info` is asked only when the page listens. */
  process(info: () => ProcessInfo): void {
    if (!this.#wanted.has('processes')) return;
    this.#processes.push(info());
    this.#gather();
  }

  /** The ports that are listened on, as they are when the page is told. */
  ports(ports: PortInfo[]): void {
    if (!this.#wanted.has('ports')) return;
    this.#ports = ports;
    this.#gather();
  }

  exit(exitCode: number, takenOver: boolean): void {
    this.#flush();
    this.#tell({ type: 'exit', exitCode, takenOver });
  }

  #gather(): void {
    this.#timer ??= setTimeout(() => this.#flush(), GATHER);
  }

  /** Processes first: a line of the journal may belong to one that the page does not know yet. */
  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#processes.length > 0) this.#tell({ type: 'processes', processes: this.#processes });
    if (this.#entries.length > 0) this.#tell({ type: 'journal', entries: this.#entries });
    if (this.#ports) this.#tell({ type: 'ports', ports: this.#ports });
    this.#processes = [];
    this.#ports = undefined;
    this.#entries = [];
  }
}
