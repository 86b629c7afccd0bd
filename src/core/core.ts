/** A running world: the parts of the core put together. It knows no browser: what it needs comes in as `CoreHost`. */

import type { Namespace } from '../fs/filesystem.ts';
import { Activation } from './activation.ts';
import { coreApi } from './api.ts';
import { Documents } from './documents.ts';
import { CODE, RpcError } from './errors.ts';
import { GraphFiles } from './graph-files.ts';
import type { Components, Journal, Machines } from './host.ts';
import { Locks } from './locks.ts';
import { errorReply, type Reply } from './message.ts';
import type { NativeTarget } from './native.ts';
import { Plugins } from './plugins.ts';
import type { Process } from './process.ts';
import { Processes, STOP_MS } from './processes.ts';
import { Retirements } from './retirements.ts';
import { abandon, type Call, CONSOLE, type CoreMethod, Router } from './router.ts';
import { Services } from './services.ts';
import { Upgrades } from './upgrades.ts';
import { Watcher } from './watcher.ts';

export interface CoreHost {
  /** The world as the core and the page see it: with /proc and /run, without /self. */
  files: Namespace;
  components: Components;
  machines: Machines;
  journal: Journal;
  /** Makes and takes away the folder of a process in /proc, and what the process sees as its world. */
  folders: { add(process: Process): Namespace; remove(process: Process): void };
  /** A process started, changed its state, or ended. */
  onProcess?(process: Process): void;
  /** A service keeps those after it waiting (R8-4). */
  onSlowService?(method: string, waiting: boolean): void;
  /** The targets that the host has built in (R11-8). */
  native?: readonly NativeTarget[];
}

export interface ConsoleCall {
  reply: Promise<Reply>;
  /** Stops the process of the call (R3.6-2); the reply is then what the process still answers, or an error. */
  cancel(): void;
}

export class Core {
  readonly plugins: Plugins;
  readonly processes: Processes;
  readonly locks = new Locks();
  readonly router: Router;
  readonly services: Services;
  readonly documents: Documents;
  readonly graph: GraphFiles;
  readonly watcher: Watcher;
  readonly activation: Activation;
  readonly #upgrades: Upgrades;
  readonly #retirements: Retirements;
  /** Resolves with the exit code when the world has stopped. */
  readonly closed: Promise<number>;
  readonly #host: CoreHost;
  readonly #methods: Map<string, CoreMethod>;
  #resolveClosed!: (code: number) => void;
  #closing: Promise<void> | undefined;

  constructor(host: CoreHost) {
    this.#host = host;
    const { journal, files } = host;
    const { locks } = this;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.plugins = new Plugins(files, host.components, host.native);
    const processes = new Processes({
      machines: host.machines,
      journal,
      locks,
      folders: host.folders,
      documentOf: (process) => this.documents.peek(process.version.sha256)?.document,
      onceDocument: (process, listener) => this.documents.onceKnown(process.version.sha256, listener),
      onMessage: (process, message) => this.router.receive(process, message),
      onRun: (process) => this.#upgrades.ran(process),
      onChange: (process) => {
        host.onProcess?.(process);
        if (process.state === 'ended') this.#upgrades.ended(process);
      },
    });
    this.processes = processes;
    this.#methods = new Map(
      coreApi({
        processes,
        journal,
        locks,
        router: () => this.router,
        // the caller has its answer before it is stopped (R9)
        exit: (code) => void setTimeout(() => this.close(code)),
      }),
    );
    this.router = new Router({ plugins: this.plugins, processes, journal, locks, methods: this.#methods });
    this.services = new Services({
      files,
      journal,
      router: this.router,
      processes,
      onSlow: (method, waiting) => host.onSlowService?.(method, waiting),
    });
    this.documents = new Documents(() => this.router, processes);
    const { plugins, documents } = this;
    this.#retirements = new Retirements(files, journal);
    this.graph = new GraphFiles(plugins, documents);
    this.#upgrades = new Upgrades({
      plugins,
      processes,
      documents,
      retirements: this.#retirements,
      journal,
      services: () => this.services,
      router: () => this.router,
    });
    const upgrades = this.#upgrades;
    this.watcher = new Watcher({ plugins, processes, documents, upgrades, graph: this.graph, journal });
    this.activation = new Activation({
      files,
      plugins,
      documents,
      upgrades,
      journal,
      onActivated: () => this.watcher.tellBroken(),
    });
    for (const [name, method] of this.activation.methods()) this.#methods.set(name, method);
  }

  /** Goes on with what the host before was cut in: an activation, and the end of versions that nobody was told of. */
  async recover(): Promise<void> {
    await this.activation.recover();
    await this.#retirements.load();
  }

  /** A call of the console (R3.3). `params` is the text of an object. */
  call(method: string, params: Uint8Array, onNotify?: (name: string, params: Uint8Array) => void): ConsoleCall {
    let answer!: (reply: Reply) => void;
    const reply = new Promise<Reply>((resolve) => {
      answer = resolve;
    });
    const call: Call = {
      method,
      params,
      caller: CONSOLE,
      waiter: { answer, notify: (name, told) => onNotify?.(name, told) },
    };
    if (this.#closing) answer(errorReply(new RpcError(CODE.internal, 'this world is closed')));
    else void this.router.dispatch(call);
    const cancel = () => {
      abandon(call);
      if (call.process) void this.processes.stop(call.process);
      else answer(errorReply(new RpcError(CODE.noAnswer, `the call of ${method} was cancelled`)));
    };
    return { reply, cancel };
  }

  notify(method: string, params: Uint8Array): void {
    void this.router.dispatch({ method, params, caller: CONSOLE, waiter: undefined });
  }

  /** The text of the document of a plugin.wasm, which need not be active; undefined where it has none. */
  async describe(plugin: string, path: string): Promise<string | undefined> {
    const version = await this.plugins.version(plugin, await this.#host.files.readFile(path));
    return (await this.documents.of(version)).text;
  }

  /** Stops every process, within 5 s, and ends (R3.6-7). The exit code is 75 for core.exit, else 0. */
  close(exitCode = 0): Promise<void> {
    this.#closing ??= this.#close(exitCode);
    return this.#closing;
  }

  async #close(exitCode: number): Promise<void> {
    const { journal } = this.#host;
    journal.append({ pid: 'core', plugin: 'core', stream: 'core', line: `the host stops, exit ${exitCode}` });
    this.watcher.close();
    this.services.close();
    await this.processes.stopAll(STOP_MS);
    await this.#retirements.written();
    await journal.close();
    this.#resolveClosed(exitCode);
  }
}
