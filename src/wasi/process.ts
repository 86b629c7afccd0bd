import { MEMORY_IMPORT, type MemoryLimits } from '../components/limits.ts';
import { Client } from '../syscall/client.ts';
import { EXIT, type ReadyComponent, type ToProcess } from '../syscall/protocol.ts';
import { type CoreFunction, type Imports, MissingImport } from './bind.ts';
import { Host, ProcessExit } from './host.ts';
import { wasi } from './imports.ts';
import { Memories } from './memories.ts';
import { adapterInstance, isAdapter } from './preview1/adapter.ts';
import { traced, tracedCall } from './trace.ts';

type Start = Extract<ToProcess, { type: 'start' }>;

/** What jco's JavaScript exports. */
export interface ComponentScript {
  instantiate(
    getCoreModule: (name: string) => WebAssembly.Module,
    imports: Imports,
    instantiateCore?: (module: WebAssembly.Module, imports?: WebAssembly.Imports) => WebAssembly.Instance,
  ): Record<string, { run?: () => void }>;
}

type Run = () => void;

interface Kept {
  script: ComponentScript;
  modules: ReadyComponent['modules'];
  /** How large the memory is that a module gets from the worker. */
  memories: ReadonlyMap<WebAssembly.Module, MemoryLimits>;
  /** Its instances cannot be made ahead of their process. */
  onDemand?: boolean;
}

/** What stays the same for all processes of a worker. */
interface Worker {
  host: Host;
  imports: Imports;
}

/** An instance that was made ahead and is large would hold memory that others need more. */
const PREPARED_BYTES = 16 * 1024 * 1024;

interface Outcome {
  kind: number;
  code: number;
  message: string;
}

/**
 * Runs processes in a worker, one after the other: a new instance for each, of scripts and modules that are kept. It
 * works on the messages of the worker's port, one a turn of the event loop, which gives an ended instance and its
 * memory back before the next begins (design, section 3).
 */
export class ProcessRunner {
  readonly #load: (script: string) => Promise<ComponentScript>;
  readonly #components = new Map<string, Promise<Kept>>();
  readonly #memories = new Memories();
  /** An instance that no process has used yet, and the turn in which the next one will be made. */
  #prepared: { key: string; run: Run | undefined } | undefined;
  #preparing: ReturnType<typeof setTimeout> | undefined;
  #worker: Worker | undefined;

  /** `load` makes a module of a source text, as `import` of a `blob:` URL does. */
  constructor(load: (script: string) => Promise<ComponentScript>) {
    this.#load = load;
  }

  /** Never rejects after the channel is there: whatever goes wrong is how the process ended. */
  async handle(message: ToProcess): Promise<void> {
    if (message.type === 'channel') {
      const host = new Host(new Client(message.channel, message.doorbell, message.slot, message.network));
      this.#worker = { host, imports: wasi(host) };
      return;
    }
    if (!this.#worker) throw new Error('a start came before the channel');
    clearTimeout(this.#preparing);
    if (message.type === 'prepare') {
      this.#prepareSoon(message.component.key, await this.#keep(message.component));
      return;
    }
    const { host } = this.#worker;
    host.client.begin();
    let outcome: Outcome;
    let kept: Kept | undefined;
    try {
      kept = await this.#keep(message.component, message.key);
      outcome = this.#run(message, kept);
    } catch (error) {
      outcome = { kind: EXIT.link, code: 0, message: text(error) };
    }
    this.#release();
    host.client.end(outcome.kind, outcome.code, outcome.message);
    if (kept) this.#prepareSoon(message.key, kept);
  }

  /** Loads a component once, also when a second message of it comes meanwhile. */
  #keep(component: ReadyComponent | undefined, key = component?.key ?? ''): Promise<Kept> {
    let kept = this.#components.get(key);
    if (!kept) {
      if (!component) return Promise.reject(new Error('the component was never given to this worker'));
      const { modules, memories = {} } = component;
      const limits = new Map(Object.entries(memories).map(([name, memory]) => [modules[name]!, memory]));
      kept = this.#load(component.script).then((script) => ({ script, modules, memories: limits }));
      this.#components.set(key, kept);
    }
    return kept;
  }

  /** In a later turn, so that the memory of the instance before is free by then (design, section 3). */
  #prepareSoon(key: string, kept: Kept): void {
    this.#preparing = setTimeout(() => this.#prepare(key, kept));
  }

  /** Makes the instance of the next process while nobody waits for it. Half the time of a short call is saved so. */
  #prepare(key: string, kept: Kept): void {
    const { host } = this.#worker!;
    if (kept.onDemand || this.#prepared?.key === key) return;
    this.#discard();
    try {
      this.#prepared = { key, run: instantiate(kept, this.#worker!, this.#memories) };
    } catch {
      // it asks for something before it runs, or is broken: its process will tell
      kept.onDemand = true;
    }
    if ((host.guest.memory?.buffer.byteLength ?? 0) > PREPARED_BYTES) kept.onDemand = true;
    if (kept.onDemand) this.#discard();
  }

  #discard(): void {
    this.#prepared = undefined;
    this.#release();
  }

  /** Nothing of the instance is used any more. */
  #release(): void {
    this.#worker!.host.end();
    this.#memories.release();
  }

  /** The instance that was made ahead, if it is of this component, else a new one. */
  #instance({ key, trace, env, args }: Start, kept: Kept): Run | undefined {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    if (prepared?.key === key && !trace) return prepared.run;
    this.#release();
    if (!trace) return instantiate(kept, this.#worker!, this.#memories);
    const pid = env.find(([name]) => name === 'SAUSAGE_PID')?.[1] ?? args[0] ?? '';
    return instantiate(kept, this.#worker!, this.#memories, (line) => console.debug(`${pid} ${line}`));
  }

  #run(start: Start, kept: Kept): Outcome {
    const { host } = this.#worker!;
    host.begin(start.args, start.env);
    let run: Run | undefined;
    try {
      run = this.#instance(start, kept);
    } catch (error) {
      return this.#failedStart(host, error);
    }
    if (!run) return { kind: EXIT.link, code: 0, message: 'the component does not export wasi:cli/run' };
    try {
      run();
      return { kind: EXIT.code, code: host.exitCode ?? 0, message: '' };
    } catch (error) {
      return ended(host, error) ?? trap(error);
    }
  }

  /** An instance that could not be made, or whose start function ended the program. */
  #failedStart(host: Host, error: unknown): Outcome {
    const message = text(error);
    const exit = ended(host, error);
    if (exit) return exit;
    if (error instanceof RangeError && !isStackOverflow(error)) return { kind: EXIT.noMemory, code: 0, message };
    if (/out of memory|allocate memory/i.test(message)) return { kind: EXIT.noMemory, code: 0, message };
    if (error instanceof WebAssembly.RuntimeError || isStackOverflow(error)) return trap(error);
    return { kind: EXIT.link, code: 0, message: error instanceof MissingImport ? error.message : message };
  }
}

/** A new instance; what is returned runs it. `print` gets a line for each call of a program of preview 1. */
function instantiate(
  { script, modules, memories }: Kept,
  { host, imports }: Worker,
  pool: Memories,
  print?: (line: string) => void,
): Run | undefined {
  const getModule = (name: string): WebAssembly.Module => {
    const module = modules[name];
    if (!module) throw new Error(`the component has no core module ${name}`);
    return module;
  };
  const told = print && ((name: string, call: CoreFunction) => tracedCall(`preview1/${name}`, call, print));
  const instantiateCore = (module: WebAssembly.Module, given: WebAssembly.Imports = {}): WebAssembly.Instance => {
    if (isAdapter(module)) return adapterInstance(host, module, given, told);
    const limits = memories.get(module);
    if (!limits) return new WebAssembly.Instance(module, given);
    const own = { [MEMORY_IMPORT.module]: { [MEMORY_IMPORT.name]: pool.take(limits) } };
    return new WebAssembly.Instance(module, { ...given, ...own });
  };
  const exports = script.instantiate(getModule, print ? traced(imports, print) : imports, instantiateCore);
  const name = Object.keys(exports).find((key) => /^wasi:cli\/run(@0\.2\.\d+)?$/.test(key));
  return name === undefined ? undefined : exports[name]?.run;
}

/** R3.3-6: an exit in the middle, or the error of `run`, which is exit code 1. */
function ended(host: Host, error: unknown): Outcome | undefined {
  if (host.exitCode !== undefined) return { kind: EXIT.code, code: host.exitCode, message: '' };
  // jco throws the error of a `result`, which has no content here, as its own kind of error with a `payload`.
  if (error instanceof Error && error.constructor.name === 'ComponentError' && 'payload' in error) {
    return { kind: EXIT.code, code: 1, message: '' };
  }
}

function trap(error: unknown): Outcome {
  const message = text(error);
  const known = error instanceof WebAssembly.RuntimeError || isStackOverflow(error);
  const name = known ? TRAPS.find(([pattern]) => pattern.test(message))?.[1] : undefined;
  return { kind: EXIT.trap, code: 0, message: name ?? message };
}

function isStackOverflow(error: unknown): boolean {
  return error instanceof Error && /call stack|too much recursion|stack overflow/i.test(error.message);
}

/** What engines call their traps, and one word for each, so that a message does not depend on the browser. */
const TRAPS: [RegExp, string][] = [
  [/unreachable/i, 'unreachable'],
  [/stack overflow|call stack|too much recursion/i, 'stack overflow'],
  [/memory access|index out of bounds|out.of.bounds memory/i, 'memory access out of bounds'],
  [/divide by zero|division by zero|remainder by zero/i, 'integer divide by zero'],
  [/integer overflow|unrepresentable/i, 'integer overflow'],
  [/signature|indirect call/i, 'indirect call type mismatch'],
  [/table/i, 'table access out of bounds'],
];

function text(error: unknown): string {
  if (error instanceof ProcessExit) return error.message;
  if (!(error instanceof Error)) return String(error);
  // What wasm traps with says it all; another error comes from the host and its name helps to find it.
  return error instanceof WebAssembly.RuntimeError ? error.message : `${error.name}: ${error.message}`;
}
