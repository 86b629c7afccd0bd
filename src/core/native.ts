/**
 * Targets that the host has built in, `cargo` and `js` for example (R11-8). A call to one is a process like any other:
 * it has an ID, a folder in /proc, journal entries, and it can be stopped (R11-2). Only its program is not WebAssembly.
 */

import type { Namespace } from '../fs/filesystem.ts';
import { CODE, RpcError } from './errors.ts';
import type { Machine, MachineEvents } from './host.ts';
import {
  encode,
  errorOf,
  errorReply,
  type Message,
  MessageReader,
  parse,
  requestLine,
  responseLine,
  stringify,
} from './message.ts';
import type { Version } from './plugins.ts';

/** What a method of a built-in target gets. */
export interface NativeContext {
  readonly pid: string;
  /** The world as this process sees it, with its /self. */
  readonly files: Namespace;
  /** Aborted when the process is stopped: the method has 5 s from then on. */
  readonly signal: AbortSignal;
  /** Writes a line to stderr, which goes to the journal. */
  log(line: string): void;
  /** Tells the caller something before the answer (R3.5-1). */
  notify(name: string, params: object): void;
  /** Calls a method as this process; rejects with `RpcError`. */
  call(method: string, params: object): Promise<unknown>;
}

export interface NativeTarget {
  readonly name: string;
  /** What `rpc.discover` answers: an OpenRPC document. */
  readonly document: object;
  readonly methods: Readonly<Record<string, (params: unknown, context: NativeContext) => Promise<unknown>>>;
}

/** The version of a built-in target: it never changes while the page is open. */
export function nativeVersion(target: NativeTarget): Version {
  const component = Promise.reject(new Error(`${target.name} is built in and has no component`));
  component.catch(() => {});
  return { plugin: target.name, sha256: `native-${target.name}`, component, native: target };
}

/** Runs one call of a built-in target behind the streams of a process. */
export class NativeMachine implements Machine {
  readonly #target: NativeTarget;
  readonly #events: MachineEvents;
  readonly #context: NativeContext;
  readonly #stop = new AbortController();
  readonly #stdin = new MessageReader(
    (message) => this.#receive(message),
    () => {},
  );
  readonly #calls = new Map<string, { resolve: (result: unknown) => void; reject: (error: RpcError) => void }>();
  #nextCall = 0;
  #ended = false;

  constructor(target: NativeTarget, pid: string, files: Namespace, events: MachineEvents) {
    this.#target = target;
    this.#events = events;
    this.#context = {
      pid,
      files,
      signal: this.#stop.signal,
      log: (line) => this.#ended || events.stderr(encode(`${line}\n`)),
      notify: (name, params) => this.#say(requestLine(undefined, 'core.notify', stringify({ name, params }))),
      call: (method, params) =>
        new Promise((resolve, reject) => {
          const id = String(++this.#nextCall);
          this.#calls.set(id, { resolve, reject });
          this.#say(requestLine(id, method, stringify(params)));
        }),
    };
  }

  write(bytes: Uint8Array): void {
    this.#stdin.push(bytes);
  }

  closeStdin(): void {
    this.#stop.abort();
  }

  kill(): void {
    this.#stop.abort();
    this.#end({ kind: 'killed' });
  }

  #receive(message: Message): void {
    if (message.kind === 'response') {
      const call = this.#calls.get(message.id.key);
      this.#calls.delete(message.id.key);
      if ('error' in message.reply) call?.reject(errorOf(message.reply));
      else call?.resolve(parse(message.reply.result));
    } else if (message.kind === 'request') {
      void this.#run(message.method, message.params, message.id.text);
    } else if (message.kind === 'notification' && message.method !== 'core.notify') {
      void this.#run(message.method, message.params, undefined);
    }
  }

  async #run(name: string, params: Uint8Array | undefined, id: string | undefined): Promise<void> {
    try {
      const result = await this.#call(name, params);
      if (id !== undefined) this.#say(responseLine(id, { result: stringify(result ?? null) }));
      this.#end({ kind: 'code', code: 0 });
    } catch (error) {
      const failure =
        error instanceof RpcError
          ? error
          : new RpcError(CODE.internal, error instanceof Error ? error.message : String(error));
      if (id !== undefined) this.#say(responseLine(id, errorReply(failure)));
      this.#end({ kind: 'code', code: 1 });
    }
  }

  async #call(name: string, params: Uint8Array | undefined): Promise<unknown> {
    if (name === 'rpc.discover') return this.#target.document;
    const method = Object.hasOwn(this.#target.methods, name) ? this.#target.methods[name] : undefined;
    if (!method) throw new RpcError(CODE.methodNotFound, `${this.#target.name} has no method ${name}`);
    return method(params ? parse(params) : {}, this.#context);
  }

  #say(line: Uint8Array): void {
    if (!this.#ended) this.#events.stdout(line);
  }

  #end(exit: Parameters<MachineEvents['ended']>[0]): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#events.ended(exit);
  }
}
