import type { ProcessInfo } from '../../api.ts';
import { Store } from './store.ts';

/** The processes that have not ended. */
export class ProcessTable extends Store {
  readonly #byPid = new Map<string, ProcessInfo>();
  /** By when a process of an older version is stopped (R3.7-2), in milliseconds since 1970. */
  readonly #deadlines = new Map<string, number>();
  /** Those that ended before the list of all had come, undefined after it; a process ID is never used again. */
  #ended: Set<string> | undefined = new Set();

  get count(): number {
    return this.#byPid.size;
  }

  has(pid: string): boolean {
    return this.#byPid.has(pid);
  }

  update(process: ProcessInfo): void {
    if (process.state === 'ended') {
      this.#byPid.delete(process.pid);
      this.#deadlines.delete(process.pid);
      this.#ended?.add(process.pid);
    } else {
      this.#take(process);
    }
    this.changed();
  }

  /** The list of all as it was a moment ago: what is known already is newer. It comes once. */
  fill(processes: ProcessInfo[]): void {
    for (const process of processes) {
      if (!this.#ended?.has(process.pid) && !this.#byPid.has(process.pid)) this.#take(process);
    }
    this.#ended = undefined;
    this.changed();
  }

  #take(process: ProcessInfo): void {
    const { pid, graceLeft } = process;
    this.#byPid.set(pid, process);
    if (graceLeft === undefined) this.#deadlines.delete(pid);
    else this.#deadlines.set(pid, Date.now() + graceLeft);
  }

  /** Seconds that a process of an older version has left; undefined for one that is not old. */
  secondsLeft({ pid, state }: ProcessInfo): number | undefined {
    const deadline = this.#deadlines.get(pid);
    return deadline === undefined || state !== 'running'
      ? undefined
      : Math.max(0, Math.ceil((deadline - Date.now()) / 1000));
  }

  /** The processes of older versions of a plugin that go on until they end or their grace is over. */
  old(plugin: string): ProcessInfo[] {
    return [...this.#byPid.values()].filter(
      (process) => process.plugin === plugin && this.secondsLeft(process) !== undefined,
    );
  }

  /** Each process after the one that called it, with its depth in the tree of callers; siblings by their start. */
  tree(): { process: ProcessInfo; depth: number }[] {
    const all = [...this.#byPid.values()].sort((a, b) => (a.started < b.started ? -1 : a.started > b.started ? 1 : 0));
    const rows: { process: ProcessInfo; depth: number }[] = [];
    const visit = (process: ProcessInfo, depth: number) => {
      rows.push({ process, depth });
      for (const child of all) if (child.parent === process.pid) visit(child, depth + 1);
    };
    for (const process of all) if (!this.#byPid.has(process.parent)) visit(process, 0);
    return rows;
  }
}
