/** Takes each message to where it belongs (chapters 3.1 to 3.5). */

import { CODE, RpcError } from './errors.ts';
import { isTooMany } from './exits.ts';
import type { Journal } from './host.ts';
import type { Holder, Locks } from './locks.ts';
import {
  errorReply,
  type Id,
  line,
  type Message,
  type Reply,
  requestLine,
  responseLine,
  stringify,
} from './message.ts';
import type { Plugins, Version } from './plugins.ts';
import type { Pending, Process, Waiter } from './process.ts';
import type { Processes } from './processes.ts';

/** Who calls: a process, the console, or the core for itself. */
export interface Caller extends Holder {
  /** `console`, `core`, or the ID of the process. */
  readonly name: string;
  readonly process?: Process;
}

export const CONSOLE: Caller = { name: 'console' };

/** One call on its way: what it was answered with, and whom to stop when nobody wants the answer any more. */
export interface Call {
  method: string;
  params: Uint8Array;
  caller: Caller;
  /** Undefined for a notification. */
  waiter: Waiter | undefined;
  /** The process has no parent and survives the caller (R3.4-1). */
  detach?: boolean;
  /** Set when the call has started a process. */
  process?: Process;
  onStart?: (process: Process) => void;
  /** Set when nobody waits any more: what was begun for it is given up. */
  abandoned?: boolean;
  onAbandon?: () => void;
}

/** Answers a method of the core (chapter 9), now or later; a promise of nothing is an answer of `{}`. */
export type CoreMethod = (call: Call) => Reply | undefined | Promise<Reply | undefined>;

export interface RouterHost {
  plugins: Plugins;
  processes: Processes;
  journal: Journal;
  locks: Locks;
  methods: ReadonlyMap<string, CoreMethod>;
}

const RESERVED = new Set(['rpc.discover', 'rpc.retired', 'rpc.endpoint']);

export class Router {
  readonly #host: RouterHost;
  readonly #callers = new WeakMap<Process, Caller>();

  constructor(host: RouterHost) {
    this.#host = host;
  }

  /** A message that a process wrote to its stdout. */
  receive(process: Process, message: Message): void {
    switch (message.kind) {
      case 'invalid':
        this.#host.processes.log(process, `dropped a message: ${message.reason}`);
        return;
      case 'response':
        // the one request that a process ever gets has its own ID (R3.3-3); all else is unknown, late or repeated (R3.3-9)
        if (message.id.key === JSON.stringify(process.pid)) process.answer(message.reply);
        return;
      case 'notification':
        if (!message.params) {
          this.#host.processes.log(process, `dropped a notification of ${message.method}: its params are no object`);
          return;
        }
        this.#notified(process, message.method, message.params);
        return;
      case 'request':
        this.#requested(process, message.id, message.method, message.params);
    }
  }

  #notified(process: Process, method: string, params: Uint8Array): void {
    void this.dispatch({ method, params, caller: this.callerOf(process), waiter: undefined });
  }

  #requested(process: Process, id: Id, method: string, params: Uint8Array | undefined): void {
    // no answer can arrive after the end of stdin (R3.6-2)
    if (process.state !== 'running' || process.killed) return;
    if (process.pending.has(id.key)) {
      this.#host.processes.log(
        process,
        `refused a request of ${method}: its id ${id.text} waits for an answer already`,
      );
      const error = new RpcError(CODE.invalidRequest, `the id ${id.text} waits for an answer already`);
      process.send(responseLine('null', errorReply(error)));
      return;
    }
    if (!params) {
      const error = new RpcError(CODE.invalidRequest, `the params of ${method} are no object`);
      process.send(responseLine(id.text, errorReply(error)));
      return;
    }
    const settle = (reply: Reply | undefined) => {
      if (process.pending.get(id.key) !== pending) return;
      process.pending.delete(id.key);
      if (reply) process.send(responseLine(id.text, reply));
    };
    const call: Call = {
      method,
      params,
      caller: this.callerOf(process),
      waiter: {
        answer: settle,
        notify: (name, told) => {
          if (process.pending.get(id.key) !== pending) return;
          process.send(notifyLine(id.text, name, told));
        },
      },
    };
    const pending: Pending = {
      id,
      fail: (reply) => {
        abandon(call);
        settle(reply);
      },
    };
    process.pending.set(id.key, pending);
    void this.dispatch(call);
  }

  callerOf(process: Process): Caller {
    let caller = this.#callers.get(process);
    if (!caller) {
      caller = { name: process.pid, process };
      this.#callers.set(process, caller);
    }
    return caller;
  }

  /** Makes a call or sends a notification; a failure is the answer, or a journal line where nobody waits. */
  async dispatch(call: Call): Promise<void> {
    try {
      const dot = call.method.indexOf('.');
      if (dot < 0) {
        throw new RpcError(
          CODE.methodNotFound,
          `${call.method} names no method: write <plugin>.<method>, for example notes.list`,
        );
      }
      const target = call.method.slice(0, dot);
      const method = call.method.slice(dot + 1);
      if (target === 'core') await this.#core(call, method);
      else {
        const started = this.#plugin(call, target, method);
        if (started) await started;
      }
    } catch (error) {
      this.#fail(call, error);
    }
  }

  async #core(call: Call, method: string): Promise<void> {
    const handler = this.#host.methods.get(method);
    if (!handler) throw new RpcError(CODE.methodNotFound, `core has no method ${method}`);
    const reply = await handler(call);
    if (reply) call.waiter?.answer(reply);
  }

  #plugin(call: Call, plugin: string, method: string): void | Promise<void> {
    if (method.startsWith('rpc.') && !RESERVED.has(method)) {
      throw new RpcError(
        CODE.methodNotFound,
        `${method} is reserved: names that begin with rpc. belong to the protocol`,
      );
    }
    const version = this.#host.plugins.current(plugin);
    if (version instanceof Promise) return version.then((read) => this.#start(call, plugin, method, read));
    this.#start(call, plugin, method, version);
  }

  #start(call: Call, plugin: string, method: string, version: Version | undefined): void {
    if (call.abandoned) return;
    if (!version) {
      const message = plugin ? `there is no plugin ${plugin} in this world` : `${call.method} names no plugin`;
      throw new RpcError(CODE.noPlugin, message);
    }
    this.begin(call, version, method);
  }

  /** Starts the process of a call and writes its request. */
  begin(call: Call, version: Version, method: string): Process {
    const detached = call.detach ?? false;
    const parent = detached ? undefined : call.caller.process;
    const process = this.#host.processes.start({
      plugin: version.plugin,
      version,
      method,
      params: call.params,
      parent,
      parentName: detached ? 'core' : call.caller.name,
      detached,
      waiter: call.waiter,
    });
    call.process = process;
    call.onStart?.(process);
    process.send(requestLine(call.waiter || detached ? JSON.stringify(process.pid) : undefined, method, call.params));
    // what a stopping process still starts has the time that is left to the tree (R3.6-5)
    if (parent && parent.state !== 'running') void this.#host.processes.stop(process, parent.untilKill?.left());
    return process;
  }

  #fail(call: Call, error: unknown): void {
    const failure =
      error instanceof RpcError
        ? error
        : new RpcError(CODE.internal, error instanceof Error ? error.message : String(error));
    if (call.waiter) {
      call.waiter.answer(errorReply(failure));
      return;
    }
    const { process } = call.caller;
    this.#host.journal.append({
      pid: process?.pid ?? call.caller.name,
      plugin: process?.plugin ?? 'core',
      stream: 'core',
      line: `the notification of ${call.method} failed: ${failure.message} (${failure.code})`,
    });
  }
}

/** Nobody waits for the call any more: its process is stopped by who knows it, its place in a queue is given up. */
export function abandon(call: Call): void {
  call.abandoned = true;
  call.onAbandon?.();
}

/** Whether the core itself had no room for the process of this call; a callee may answer the same error, and has run then. */
export const foundNoRoom = (call: Call, error: RpcError): boolean =>
  isTooMany(error) && (call.process?.foundNoRoom ?? true);

/** What arrives at a caller when its callee tells something (R3.5-1). */
function notifyLine(id: string, name: string, params: Uint8Array): Uint8Array {
  const told = line(`{"call":${id},"name":`, stringify(name), ',"params":', params, '}');
  return requestLine(undefined, 'core.notify', told);
}
