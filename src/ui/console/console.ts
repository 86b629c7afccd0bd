import type { JournalEntry, ProcessInfo, World } from '../../api.ts';
import { formatDuration, preview } from '../model/format.ts';
import type { JournalFeed } from '../model/journal.ts';
import { callProblem } from '../model/problem.ts';
import type { Shelf } from '../model/shelf.ts';
import { Store } from '../model/store.ts';
import { strings } from '../strings.ts';
import { correct, runBuiltin } from './builtins.ts';
import { Entry, type Output } from './entry.ts';
import { History } from './history.ts';
import { WorldKnowledge } from './knowledge.ts';
import { parseLine } from './parse.ts';

const ENTRIES = 300;

/** The console of one world: what was typed and what came of it. It outlives a restart of its world. */
export class Console extends Store {
  readonly history: History;
  /** What a screen reader is told of the newest answer. */
  announcement = '';
  knowledge?: WorldKnowledge;
  /** Shows a file in the editor, for `edit`. */
  onEdit?: (path: string) => void;
  readonly #journal: () => JournalFeed;
  #world?: World;
  #entries: Entry[] = [];
  /** Calls whose process is not known yet, oldest first. */
  #nameless: { entry: Entry; method: string; params: string }[] = [];
  #byPid = new Map<string, Entry>();

  constructor(name: string, shelf: Shelf | undefined, journal: () => JournalFeed) {
    super();
    this.history = new History(name, shelf);
    this.#journal = journal;
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** The world that calls go to from now on; undefined while there is none. */
  set world(world: World | undefined) {
    this.#world = world;
    this.#nameless = [];
    this.knowledge = world && new WorldKnowledge(world);
    this.changed();
  }

  get ready(): boolean {
    return this.#world !== undefined;
  }

  /** Runs a line as typed, and answers its entry. Nothing happens while there is no world. */
  run(line: string): Entry | undefined {
    const command = parseLine(line);
    if (!this.#world || !this.knowledge || command.kind === 'empty') return undefined;
    this.history.add(line.trim());
    if (command.kind === 'builtin' && command.name === 'clear') {
      this.clear();
      return undefined;
    }
    const entry = new Entry(line.trim());
    this.#entries = [...this.#entries, entry];
    while (this.#entries.length > ENTRIES && this.#entries[0]?.state === 'done') this.#entries = this.#entries.slice(1);
    if (command.kind === 'call') void this.#call(entry, this.#world, command.method, command.params);
    else if (command.kind === 'builtin') {
      const name = command.name as Exclude<typeof command.name, 'clear'>;
      void runBuiltin(name, command.argument, this.#world, this.knowledge).then((output) => {
        this.#finish(entry, output);
        if (output.kind === 'opened') this.onEdit?.(output.path);
      });
    } else {
      void correct(command, this.knowledge).then((output) => this.#finish(entry, output));
    }
    this.changed();
    return entry;
  }

  /** What still runs stays, so that it can be cancelled. */
  clear(): void {
    this.#entries = this.#entries.filter((entry) => entry.state !== 'done');
    this.changed();
  }

  /** Learns which process belongs to which call: the oldest that fits, as process IDs are in the order of the calls (R3.3-1). */
  onProcess(process: ProcessInfo): void {
    if (process.parent !== 'console' || this.#byPid.has(process.pid)) return;
    const fits = (strict: boolean) =>
      this.#nameless.findIndex(({ method, params }) => {
        if (method !== `${process.plugin}.${process.method}` && method !== process.method) return false;
        return !strict || params === JSON.stringify(process.params);
      });
    const at = fits(true) >= 0 ? fits(true) : fits(false);
    const [call] = at < 0 ? [] : this.#nameless.splice(at, 1);
    if (!call) return;
    this.#byPid.set(process.pid, call.entry);
    call.entry.update({ pid: process.pid });
    call.entry.addStderr(this.#journal().linesOf(process.pid, 'stderr'));
  }

  onJournal(entries: JournalEntry[]): void {
    const lines = new Map<Entry, string[]>();
    for (const { pid, stream, line } of entries) {
      const entry = stream === 'stderr' ? this.#byPid.get(pid) : undefined;
      if (entry) lines.set(entry, [...(lines.get(entry) ?? []), line]);
    }
    for (const [entry, each] of lines) entry.addStderr(each);
  }

  async #call(entry: Entry, world: World, method: string, params: string): Promise<void> {
    const abort = new AbortController();
    entry.update({ what: method, cancel: () => this.#stop(entry, world, abort) });
    const nameless = { entry, method, params };
    this.#nameless.push(nameless);
    try {
      const onNotify = (name: string, value: unknown) => entry.note(name, value);
      const value = await world.call(method, params, { signal: abort.signal, onNotify });
      this.#finish(entry, { kind: 'value', value }, true);
    } catch (error) {
      this.#finish(entry, { kind: 'problem', problem: callProblem(error, method, abort.signal.aborted) }, true);
    } finally {
      this.#nameless = this.#nameless.filter((each) => each !== nameless);
    }
  }

  #stop(entry: Entry, world: World, abort: AbortController): void {
    abort.abort();
    const { pid } = entry;
    // A process that has just ended is no news: the call answers then.
    const kill = pid === undefined ? undefined : () => void world.call('core.kill', { pid }).catch(() => {});
    entry.update({ state: 'stopping', cancel: undefined, kill });
  }

  #finish(entry: Entry, output: Output, timed = false): void {
    entry.finish(output, timed);
    const time = formatDuration(entry.took ?? 0);
    if (output.kind === 'problem') {
      this.announcement = strings.console.failed(entry.what, output.problem.sentence);
    } else if (output.kind === 'value') {
      this.announcement = strings.console.answered(entry.what, time, preview(output.value, 200));
    } else {
      this.announcement = '';
    }
    this.changed();
  }
}
