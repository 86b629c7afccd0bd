/** What the core needs from its surroundings: the browser's in the page, fakes in Node's tests. */

import type { MaybePromise, Namespace } from '../fs/filesystem.ts';
import type { Exit, ReadyComponent } from '../syscall/protocol.ts';
import type { JournalEntry } from './protocol.ts';

/** Makes a component ready to run; throws `ComponentError` for bytes that are no plugin. */
export interface Components {
  load(sha256: string, wasm: Uint8Array<ArrayBuffer>): Promise<ReadyComponent>;
}

export interface MachineSpec {
  /** Whose program it is: its ports are said to be this process's (R5-6). */
  owner: { pid: string; plugin: string };
  component: ReadyComponent;
  args: string[];
  env: [name: string, value: string][];
  namespace: Namespace;
}

/** What a running program says; `ended` comes last, after all of its output, and once. */
export interface MachineEvents {
  stdout(bytes: Uint8Array): void;
  stderr(bytes: Uint8Array): void;
  /** So many bytes wait for stdin that the program must be taken for one that never reads. */
  stdinFull(bytes: number): void;
  ended(exit: Exit | { kind: 'killed' }): void;
}

/** One running program. */
export interface Machine {
  /** Queues bytes for stdin, after all that were queued before. */
  write(bytes: Uint8Array): void;
  /** The program reads the end of stdin once it has read what was queued. */
  closeStdin(): void;
  kill(): void;
}

/** There is no room for another program now. */
export class TooManyMachines extends Error {
  override readonly name = 'TooManyMachines';
}

export interface Machines {
  /** How many programs can run at once. */
  readonly limit: number;
  /** Starts a program; throws `TooManyMachines` at once when there is no room. A program that cannot be instantiated ends with `link` or `no-memory`. */
  start(spec: MachineSpec, events: MachineEvents): Machine;
}

export interface JournalFilter {
  plugin?: string;
  pid?: string;
  /** An RFC 3339 time or the ID of an entry: from there on, inclusive. */
  since?: string;
  /** As `since`: up to there, inclusive. */
  until?: string;
  /** A plain substring, or `/regex/`. */
  grep?: string;
  /** The newest so many; 1000 when not given. */
  limit?: number;
}

export interface Journal {
  /** Never waits and never throws: lines are kept in memory until they are written. Returns the entry. */
  append(entry: Pick<JournalEntry, 'pid' | 'plugin' | 'stream' | 'line'>): JournalEntry;
  /** Includes what is not yet written. In time order. Throws `JournalFilterError` (a message that names the filter). */
  query(filter: JournalFilter): Promise<JournalEntry[]>;
  /** The newest lines of one process, oldest first, without a wait: of a process that runs or ended a moment ago. */
  tail(pid: string, count: number): string[];
  /** The lines of one process as `/proc/<pid>/log` shows them, one a line with its time, and their size in bytes. */
  log(pid: string): { size: number; read(): MaybePromise<Uint8Array<ArrayBuffer>> };
  /** Nothing more will be asked about the process at once: its tail can go. */
  forget(pid: string): void;
  /** Bytes that wait to be written: a flooding process is held back by it. */
  readonly backlog: number;
  flush(): Promise<void>;
  close(): Promise<void>;
}
