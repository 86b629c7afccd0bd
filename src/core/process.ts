/** One process: what the core knows of it, its streams, and the calls that wait on either side of it. */

import type { Namespace } from '../fs/filesystem.ts';
import type { Exit } from '../syscall/protocol.ts';
import type { Countdown } from './deadline.ts';
import type { Machine } from './host.ts';
import type { Id, Reply } from './message.ts';
import type { Version } from './plugins.ts';
import type { ProcessInfo } from './protocol.ts';

/** Who waits for the answer of a call: a process, the console, or the core itself. */
export interface Waiter {
  answer(reply: Reply): void;
  /** Something that the callee tells with core.notify (R3.5-1). */
  notify(name: string, params: Uint8Array): void;
}

/** A request that a process sent and that is not yet answered. */
export interface Pending {
  id: Id;
  /** Called when the process that asked stops (with the answer it gets) or ends: nobody waits any more. */
  fail(reply: Reply | undefined): void;
}

export type Ended = Exit | { kind: 'killed' } | { kind: 'unstarted'; message: string };

export interface ProcessSpec {
  pid: string;
  plugin: string;
  version: Version;
  method: string;
  params: Uint8Array;
  /** Undefined for the console, the core, and detached processes. */
  parent: Process | undefined;
  /** What `SAUSAGE_PARENT` says: `console`, `core`, or the ID of the parent. */
  parentName: string;
  detached: boolean;
  waiter: Waiter | undefined;
}

export class Process {
  readonly pid: string;
  readonly plugin: string;
  readonly version: Version;
  readonly method: string;
  readonly params: Uint8Array;
  readonly parent: Process | undefined;
  readonly parentName: string;
  readonly detached: boolean;
  readonly started = new Date();
  state: ProcessInfo['state'] = 'running';
  /** Who waits for the answer; undefined when nobody does, or no longer. */
  waiter: Waiter | undefined;
  /** The attached processes that it started and that have not ended. */
  readonly children = new Set<Process>();
  /** Its own requests that wait for an answer, by the key of their ID. */
  readonly pending = new Map<string, Pending>();
  /** Resolves when the process has ended and nothing of it is left. */
  readonly ended: Promise<void>;
  /** The time that a stopping process has until it is killed. */
  untilKill: Countdown | undefined;
  /** The time that a process of an older version has until it is stopped (R3.7-2). */
  grace: Countdown | undefined;
  killed = false;
  /** Until its start stands in the journal: the hash of long params takes a moment (R7-3). */
  announced: Promise<void> | undefined;
  /** Its program was not started, for want of room (R3.3-12). */
  foundNoRoom = false;
  /** What it sees as its world, once it has a program. */
  files: Namespace | undefined;
  #resolveEnded!: () => void;
  /** What is written before the program is there. */
  #queued: Uint8Array[] = [];
  #machine: Machine | undefined;
  #stdinClosed = false;

  constructor(spec: ProcessSpec) {
    this.pid = spec.pid;
    this.plugin = spec.plugin;
    this.version = spec.version;
    this.method = spec.method;
    this.params = spec.params;
    this.parent = spec.parent;
    this.parentName = spec.parentName;
    this.detached = spec.detached;
    this.waiter = spec.waiter;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  /** As a holder of locks (R6-1). */
  get name(): string {
    return this.pid;
  }

  get machine(): Machine | undefined {
    return this.#machine;
  }

  /** Gives the process its program, which gets what was written so far. */
  attach(machine: Machine): void {
    this.#machine = machine;
    for (const bytes of this.#queued) machine.write(bytes);
    this.#queued = [];
    if (this.#stdinClosed) machine.closeStdin();
  }

  /** Writes a line to stdin; what comes after the end of stdin is dropped (R3.6-2). */
  send(line: Uint8Array): void {
    if (this.#stdinClosed || this.state === 'ended') return;
    if (this.#machine) this.#machine.write(line);
    else this.#queued.push(line);
  }

  closeStdin(): void {
    if (this.#stdinClosed) return;
    this.#stdinClosed = true;
    this.#machine?.closeStdin();
  }

  /** Answers the caller; the first answer counts, later ones are dropped (R3.3-9). */
  answer(reply: Reply): void {
    const waiter = this.waiter;
    this.waiter = undefined;
    waiter?.answer(reply);
  }

  /** All attached processes below this one, of every depth (R3.6-5). */
  *descendants(): Iterable<Process> {
    for (const child of this.children) {
      yield child;
      yield* child.descendants();
    }
  }

  settle(): void {
    this.#resolveEnded();
  }

  info(): ProcessInfo {
    return {
      pid: this.pid,
      plugin: this.plugin,
      version: this.version.sha256,
      method: this.method,
      params: shown(this.params),
      parent: this.parentName,
      detached: this.detached,
      started: this.started.toISOString(),
      state: this.state,
    };
  }
}

/** What the page is told of a process: what `info.json` has, and how long an old one may still run. */
export function report(process: Process): ProcessInfo {
  const { grace } = process;
  return { ...process.info(), ...(grace && { graceLeft: Math.round(grace.left()) }) };
}

/** Levels of nesting beyond which a value is shown as text: not every thread that it goes to can walk it. */
const DEEPEST = 100;
/** Bytes of that text. */
const LONGEST_TEXT = 1024;

/** Params for people to look at: the value, or the beginning of its text where it is nested too deep. */
function shown(params: Uint8Array): unknown {
  const decoder = new TextDecoder();
  if (isDeep(params)) return `${decoder.decode(params.subarray(0, LONGEST_TEXT))}…`;
  return JSON.parse(decoder.decode(params));
}

function isDeep(json: Uint8Array): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (inString) {
      if (byte === 0x5c) i++;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > DEEPEST) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return false;
}
