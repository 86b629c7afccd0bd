/** Starts processes, stops them with all that hangs on them, and cleans up after them (chapters 3.3 and 3.6). */

import { v7 as uuidv7 } from 'uuid';
import type { Namespace } from '../fs/filesystem.ts';
import { countdown } from './deadline.ts';
import { CODE, RpcError } from './errors.ts';
import { exitData, exitLine, tooMany } from './exits.ts';
import { type Journal, type MachineEvents, type Machines, TooManyMachines } from './host.ts';
import type { Document } from './interfaces/document.ts';
import { journalParams } from './journal-params.ts';
import { LineReader } from './lines.ts';
import type { Locks } from './locks.ts';
import { errorReply, type Message, MessageReader } from './message.ts';
import { NativeMachine } from './native.ts';
import { type Ended, Process, type ProcessSpec } from './process.ts';

/** How long a stopping process has (R3.6-2). */
export const STOP_MS = 5000;
/** Bytes of params that are kept until it is known what in them may be shown. */
const LONGEST_LATER = 16 * 1024;
/** How many journal lines the error of an unanswered call carries (R3.9-3). */
const LAST_LINES = 20;
/** What waits for a stdin beyond this ends the process: two that write to each other and never read would fill the memory. */
export const STDIN_LIMIT = 64 * 1024 * 1024;

export interface ProcessesHost {
  machines: Machines;
  journal: Journal;
  locks: Locks;
  /** What a process sees, with its own /self; the folder goes away with `removed`. */
  folders: { add(process: Process): Namespace; remove(process: Process): void };
  /** The interface of its version, as far as it is known. */
  documentOf(process: Process): Document | undefined;
  /** Calls `listener` when that interface is known; false when it will not. */
  onceDocument(process: Process, listener: () => void): boolean;
  onMessage(process: Process, message: Message): void;
  /** A process has got its program. */
  onRun(process: Process): void;
  onChange(process: Process): void;
}

export class Processes {
  readonly #host: ProcessesHost;
  readonly #all = new Map<string, Process>();
  #closed = false;
  /** Those who wait for room. */
  #waiting: (() => void)[] = [];

  constructor(host: ProcessesHost) {
    this.#host = host;
  }

  [Symbol.iterator](): IterableIterator<Process> {
    return this.#all.values();
  }

  get(pid: string): Process | undefined {
    return this.#all.get(pid);
  }

  get count(): number {
    return this.#all.size;
  }

  /** The host stops: nothing is started any more. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /**
   * Starts a process. Its request is written by the caller with `send`, before or after the program is there.
   * Throws `too many processes` at once when there is no room (R3.3-12), and when the host stops.
   */
  start(spec: Omit<ProcessSpec, 'pid'>): Process {
    if (this.#closed) throw new RpcError(CODE.internal, 'the host stops, and starts nothing any more');
    const { limit } = this.#host.machines;
    if (this.#all.size >= limit) throw tooMany(limit, this.#all.size);
    const process = new Process({ ...spec, pid: `${spec.plugin}-${uuidv7()}` });
    this.#all.set(process.pid, process);
    spec.parent?.children.add(process);
    this.#logStart(process);
    void this.#run(process);
    this.#host.onChange(process);
    return process;
  }

  async #run(process: Process): Promise<void> {
    const { machines, folders } = this.#host;
    try {
      // nothing of a process stands in the journal before its start
      if (process.announced) await process.announced;
      if (process.killed) return;
      const { native } = process.version;
      if (native) {
        process.files = folders.add(process);
        process.attach(new NativeMachine(native, process.pid, process.files, this.#events(process)));
        return;
      }
      const component = await process.version.component;
      if (process.state === 'ended') return;
      process.files = folders.add(process);
      const machine = machines.start(
        {
          owner: { pid: process.pid, plugin: process.plugin },
          component,
          args: [process.plugin],
          env: [
            ['SAUSAGE_PID', process.pid],
            ['SAUSAGE_PLUGIN', process.plugin],
            ['SAUSAGE_PARENT', process.parentName],
          ],
          namespace: process.files,
        },
        this.#events(process),
      );
      process.attach(machine);
      this.#host.onRun(process);
    } catch (error) {
      if (error instanceof TooManyMachines) {
        process.foundNoRoom = true;
        process.answer(errorReply(tooMany(machines.limit, this.#all.size - 1)));
      }
      this.#end(process, { kind: 'unstarted', message: error instanceof Error ? error.message : String(error) });
    }
  }

  #events(process: Process): MachineEvents {
    let warned = false;
    const stdout = new MessageReader(
      (message) => this.#host.onMessage(process, message),
      (reason) => {
        if (warned) return;
        warned = true;
        this.log(process, `discarded from stdout: ${reason}; later ones are discarded without a word`);
      },
    );
    const stderr = new LineReader((line) => {
      this.#host.journal.append({ pid: process.pid, plugin: process.plugin, stream: 'stderr', line });
    });
    return {
      stdout: (bytes) => stdout.push(bytes),
      stderr: (bytes) => stderr.push(bytes),
      stdinFull: (bytes) => {
        this.log(process, `killed: ${Math.round(bytes / 1048576)} MiB wait for its stdin, which it does not read`);
        this.kill(process);
      },
      ended: (exit) => {
        stdout.end(); // an answer in the last line counts (R3.3-5)
        stderr.end();
        this.#end(process, exit);
      },
    };
  }

  /** Something of a process has changed that is none of its states. */
  changed(process: Process): void {
    if (process.state !== 'ended') this.#host.onChange(process);
  }

  /** Stops a process and all its attached descendants; resolves when all have ended (R3.6-2, R3.6-5). */
  async stop(process: Process, ms: number = STOP_MS): Promise<void> {
    const tree = [process, ...process.descendants()];
    for (const member of tree) this.#stopOne(member, ms);
    await Promise.all(tree.map((member) => member.ended));
  }

  #stopOne(process: Process, ms: number): void {
    if (process.state !== 'running') return;
    process.state = 'stopping';
    this.log(process, 'stop');
    this.#failPending(process);
    process.closeStdin();
    process.untilKill = countdown(ms, () => this.kill(process));
    this.#host.onChange(process);
  }

  /** The calls of a stopping process fail, and what it waits for elsewhere is given up (R3.6-2, R6-5). */
  #failPending(process: Process): void {
    const reply = errorReply(new RpcError(CODE.noAnswer, `${process.pid} is being stopped`));
    for (const pending of [...process.pending.values()]) pending.fail(reply);
    process.pending.clear();
  }

  /** Ends a process at once (R3.6-3); resolves when it has ended. */
  async kill(process: Process): Promise<void> {
    if (process.state !== 'ended' && !process.killed) {
      process.killed = true;
      this.log(process, 'kill');
      if (process.announced) await process.announced;
      if (process.machine) process.machine.kill();
      else this.#end(process, { kind: 'killed' });
    }
    await process.ended;
  }

  /** Stops every process, in parallel, for good: from now on none starts (R3.6-7). */
  async stopAll(ms: number = STOP_MS): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#all.values()].map((process) => this.stop(process, ms)));
  }

  /** Resolves when the next process has ended: what found no room may be tried again then. */
  anyEnd(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #end(process: Process, exit: Ended): void {
    if (process.state === 'ended') return;
    process.untilKill?.cancel();
    process.state = 'ended';
    if (exit.kind === 'no-memory') process.foundNoRoom = true;
    for (const pending of process.pending.values()) pending.fail(undefined);
    process.pending.clear();
    this.log(process, exitLine(exit));
    this.#all.delete(process.pid);
    process.parent?.children.delete(process);
    this.#host.folders.remove(process);
    this.#host.locks.releaseAll(process);
    // a child that outlives this moment has nobody any more to whom it could matter (R3.6-5)
    for (const child of process.children) void this.stop(child);
    if (process.waiter) process.answer(errorReply(this.#noAnswer(process, exit)));
    this.#host.journal.forget(process.pid);
    this.#host.onChange(process);
    process.settle();
    // one that found no room itself has left none
    if (!process.foundNoRoom) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #noAnswer(process: Process, exit: Ended): RpcError {
    if (exit.kind === 'no-memory') return tooMany(this.#host.machines.limit, this.#all.size);
    const data = { exit: exitData(exit), log: this.#host.journal.tail(process.pid, LAST_LINES) };
    return new RpcError(CODE.noAnswer, `${process.plugin} ended without an answer: ${exitLine(exit)}`, data);
  }

  #logStart(process: Process): void {
    const params = journalParams(process.params, process.method, this.#host.documentOf(process));
    const announce = (text: string) => {
      process.announced = undefined;
      this.log(process, `start ${process.method} ${text}`);
    };
    if (params === undefined) announce(this.#paramsLater(process));
    else if (typeof params === 'string') announce(params);
    else process.announced = params.then(announce);
  }

  /** Writes the params when it is known what in them is secret; answers what stands in their place until then. */
  #paramsLater(process: Process): string {
    const follow = process.params.length <= LONGEST_LATER;
    const later = async () => {
      const text = await journalParams(process.params, process.method, this.#host.documentOf(process));
      this.log(process, `params of ${process.method} ${text}`);
    };
    return follow && this.#host.onceDocument(process, () => void later())
      ? '(its params follow when the interface of the plugin is known)'
      : '(params not shown: the interface of the plugin is not known yet)';
  }

  /** Writes an entry of the core about a process. */
  log(process: Process, line: string): void {
    if (process.announced) void process.announced.then(() => this.log(process, line));
    else this.#host.journal.append({ pid: process.pid, plugin: process.plugin, stream: 'core', line });
  }
}
