import type { Problem } from '../model/problem.ts';
import { Store } from '../model/store.ts';
import type { Interface } from './interface.ts';

/** What a line of the console brought. */
export type Output =
  | { kind: 'value'; value: unknown }
  | {
      kind: 'text';
      text: string /** Bytes of the whole, where only its beginning is shown. */;
      size?: number;
      shown?: number;
    }
  | { kind: 'bytes'; begin: Uint8Array; size: number }
  | { kind: 'folder'; entries: { name: string; kind: 'file' | 'directory' | 'link' }[] }
  /** A file that is in the editor now. */
  | { kind: 'opened'; path: string }
  | { kind: 'help'; plugins: string[] }
  | { kind: 'interface'; plugin: string; interface: Interface }
  | { kind: 'problem'; problem: Problem };

/** A `core.notify` of the callee: a bar where it counts, else a line. */
export type Note =
  | { kind: 'line'; name: string; params: unknown }
  | { kind: 'bar'; name: string; done: number; total: number; words?: string };

const NOTES = 100;
const LINES = 200;

/** One line of the console and all that belongs to it. */
export class Entry extends Store {
  readonly line: string;
  /** The method of a call, or the line itself: what the page calls it when it speaks of it. */
  what: string;
  state: 'running' | 'stopping' | 'done' = 'running';
  readonly started = performance.now();
  /** Resolves when it is done. */
  readonly ended: Promise<void>;
  #end!: () => void;
  /** Milliseconds; set when it is done and there was something to wait for. */
  took?: number;
  output?: Output;
  /** The process of the call, when it is known. */
  pid?: string;
  /** Stops the call; set while there is one to stop. */
  cancel?: () => void;
  /** Ends the process at once; set when the call is being stopped and its process is known. */
  kill?: () => void;
  notes: Note[] = [];
  stderr: string[] = [];
  /** How many lines or notes came before those that are kept. */
  droppedLines = 0;

  constructor(line: string) {
    super();
    this.line = line;
    this.what = line;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  update(change: Partial<Pick<Entry, 'state' | 'pid' | 'cancel' | 'kill' | 'what'>>): void {
    Object.assign(this, change);
    this.changed();
  }

  finish(output: Output | undefined, timed = true): void {
    if (timed) this.took = performance.now() - this.started;
    this.output = output;
    this.state = 'done';
    this.cancel = undefined;
    this.kill = undefined;
    this.changed();
    this.#end();
  }

  /** A bar of a name stays one bar. */
  note(name: string, params: unknown): void {
    const note = readNote(name, params);
    const at = note.kind === 'bar' ? this.notes.findIndex((each) => each.kind === 'bar' && each.name === name) : -1;
    this.notes = at < 0 ? [...this.notes, note].slice(-NOTES) : this.notes.with(at, note);
    this.changed();
  }

  addStderr(lines: string[]): void {
    if (lines.length === 0) return;
    const all = [...this.stderr, ...lines];
    this.droppedLines += Math.max(0, all.length - LINES);
    this.stderr = all.slice(-LINES);
    this.changed();
  }
}

function readNote(name: string, params: unknown): Note {
  const { done, total, message, text } = (params ?? {}) as Record<string, unknown>;
  if (typeof done !== 'number' || typeof total !== 'number' || !(total > 0)) return { kind: 'line', name, params };
  const words = [message, text].find((each) => typeof each === 'string') as string | undefined;
  return { kind: 'bar', name, done: Math.max(0, Math.min(done, total)), total, words };
}
