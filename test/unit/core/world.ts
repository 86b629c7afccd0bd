/** A core over fakes: plugins are JavaScript functions, files are in memory, the journal is a list. */

import { v7 as uuidv7 } from 'uuid';
import { Core } from '../../../src/core/core.ts';
import type {
  Components,
  Journal,
  JournalFilter,
  Machine,
  MachineEvents,
  MachineSpec,
  Machines,
} from '../../../src/core/host.ts';
import { TooManyMachines } from '../../../src/core/host.ts';
import { compileFilter } from '../../../src/core/journal/filter.ts';
import { decode, encode, parse, stringify } from '../../../src/core/message.ts';
import type { NativeTarget } from '../../../src/core/native.ts';
import { fileOf, folder, jsonFile, WorldTree } from '../../../src/core/proc.ts';
import type { JournalEntry } from '../../../src/core/protocol.ts';
import { MemoryFileSystem } from '../../../src/fs/memory.ts';
import type { Exit } from '../../../src/syscall/protocol.ts';

/** What a fake program can do. */
export interface Program {
  env: Map<string, string>;
  namespace: MachineSpec['namespace'];
  /** The next line of stdin as JSON, undefined at its end. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into any message
  read(): Promise<any>;
  /** The next line of stdin as text. */
  readText(): Promise<string | undefined>;
  write(text: string): void;
  send(message: object): void;
  error(text: string): void;
  exit(exit: Exit): void;
}

export type Behaviour = (program: Program) => Promise<unknown> | undefined;

class FakeMachine implements Machine {
  readonly #queue: string[] = [];
  #waiting: ((line: string | undefined) => void) | undefined;
  #closed = false;
  #ended = false;
  readonly #events: MachineEvents;
  readonly #onEnd: () => void;

  constructor(spec: MachineSpec, events: MachineEvents, behaviour: Behaviour, onEnd: () => void) {
    this.#events = events;
    this.#onEnd = onEnd;
    const readText = () =>
      new Promise<string | undefined>((resolve) => {
        const line = this.#queue.shift();
        if (line !== undefined || this.#closed) resolve(line);
        else this.#waiting = resolve;
      });
    const write = (text: string) => {
      if (!this.#ended) events.stdout(encode(text));
    };
    const program: Program = {
      env: new Map(spec.env),
      namespace: spec.namespace,
      readText,
      read: async () => {
        const line = await readText();
        return line === undefined ? undefined : JSON.parse(line);
      },
      write,
      send: (message) => write(`\n${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
      error: (text) => events.stderr(encode(text)),
      exit: (exit) => this.end(exit),
    };
    queueMicrotask(async () => {
      try {
        await behaviour(program);
        this.end({ kind: 'code', code: 0 });
      } catch (error) {
        this.end({ kind: 'trap', message: (error as Error).message });
      }
    });
  }

  end(exit: Exit | { kind: 'killed' }): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd();
    this.#events.ended(exit);
  }

  write(bytes: Uint8Array): void {
    for (const line of decode(bytes).trimEnd().split('\n')) {
      const waiting = this.#waiting;
      this.#waiting = undefined;
      if (waiting) waiting(line);
      else this.#queue.push(line);
    }
  }

  closeStdin(): void {
    this.#closed = true;
    this.#waiting?.(undefined);
    this.#waiting = undefined;
  }

  kill(): void {
    this.end({ kind: 'killed' });
  }
}

export class ListJournal implements Journal {
  readonly entries: JournalEntry[] = [];
  readonly backlog = 0;
  append(entry: Pick<JournalEntry, 'pid' | 'plugin' | 'stream' | 'line'>): JournalEntry {
    const whole = { id: uuidv7(), time: new Date().toISOString(), ...entry };
    this.entries.push(whole);
    return whole;
  }
  async query(filter: JournalFilter): Promise<JournalEntry[]> {
    const search = await compileFilter(filter);
    return this.entries.filter((entry) => search.matches(entry)).slice(-search.limit);
  }
  tail(pid: string, count: number): string[] {
    return this.lines(pid).slice(-count);
  }
  lines(pid: string): string[] {
    return this.entries.filter((entry) => entry.pid === pid).map(({ line }) => line);
  }
  log(pid: string) {
    const bytes = encode(
      this.lines(pid)
        .map((line) => `${line}\n`)
        .join(''),
    );
    return { size: bytes.length, read: () => bytes };
  }
  forget(): void {}
  async flush(): Promise<void> {}
  async close(): Promise<void> {}
}

export interface TestWorld {
  core: Core;
  journal: ListJournal;
  files: WorldTree['files'];
  /** Calls as the console and gives the result, or throws the error object of the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into any result
  call(method: string, params?: object, onNotify?: (name: string, params: unknown) => void): Promise<any>;
  /** All journal lines of the core and of stderr. */
  lines(): string[];
  /** Puts a plugin into the world, or a new version of it, as a copy by hand does. */
  install(name: string, behaviour: Behaviour, version?: string): Promise<void>;
  /** Writes a file that is a component of this behaviour; `version` makes its bytes others. */
  component(path: string, behaviour: Behaviour, version?: string): Promise<void>;
}

export async function testWorld(
  plugins: Record<string, Behaviour>,
  options: { limit?: number; boot?: unknown; native?: readonly NativeTarget[] } = {},
): Promise<TestWorld> {
  const behaviours = new Map<string, Behaviour>();
  const journal = new ListJournal();
  const components: Components = {
    load: async (_sha256, wasm) => {
      const key = decode(wasm);
      if (!behaviours.has(key)) throw new Error(`${key} is no component`);
      return { key, script: '', modules: {} };
    },
  };
  let running = 0;
  const machines: Machines = {
    limit: options.limit ?? 100,
    start(spec, events) {
      if (running >= machines.limit) throw new TooManyMachines('too many processes');
      running++;
      return new FakeMachine(spec, events, behaviours.get(spec.component.key)!, () => running--);
    },
  };
  const world = new MemoryFileSystem({ device: 1, limit: 1e9 });
  let core!: Core;
  const tree = new WorldTree(world, () => journal, {
    core: folder({
      'locks.json': jsonFile(() => core.locks.toJSON()),
      'graph.json': fileOf(() => core.graph.json),
      'graph.dot': fileOf(() => core.graph.dot),
    }),
    plugins: { names: () => core.graph.plugins.names(), child: (name) => core.graph.plugins.child(name) },
  });
  core = new Core({
    files: tree.files,
    components,
    machines,
    journal,
    folders: tree,
    ...(options.native && { native: options.native }),
  });
  const component = async (path: string, behaviour: Behaviour, version = '1') => {
    const key = `${path} ${version}`;
    behaviours.set(key, behaviour);
    await tree.files.createDirectories(path.slice(0, path.lastIndexOf('/')) || '/');
    await tree.files.writeFile(path, encode(key));
  };
  const install = async (name: string, behaviour: Behaviour, version?: string) => {
    await component(`/plugins/${name}/plugin.wasm`, behaviour, version);
    core.watcher.changed({ path: `/plugins/${name}/plugin.wasm`, kind: 'close' });
  };
  for (const [name, behaviour] of Object.entries(plugins)) {
    await component(`/plugins/${name}/plugin.wasm`, behaviour);
  }
  if (options.boot !== undefined) {
    await tree.files.createDirectories('/config');
    const text = typeof options.boot === 'string' ? options.boot : JSON.stringify(options.boot);
    await tree.files.writeFile('/config/boot.json', encode(text));
  }
  return {
    core,
    journal,
    files: tree.files,
    install,
    component,
    lines: () => journal.entries.map(({ line }) => line),
    async call(method, params = {}, onNotify) {
      const told = onNotify && ((name: string, json: Uint8Array) => onNotify(name, parse(json)));
      const reply = await core.call(method, stringify(params), told).reply;
      if ('error' in reply) throw parse(reply.error);
      return parse(reply.result);
    },
  };
}

/** A program that answers its request with what `handle` makes of it. */
export const answers =
  // biome-ignore lint/suspicious/noExplicitAny: params of any shape
    (handle: (params: any, method: string, program: Program) => unknown): Behaviour =>
    async (program) => {
      const { id, method, params } = await program.read();
      program.send({ id, result: await handle(params, method, program) });
    };

/** A program that answers its request with this text in place of an error. */
export const fails =
  (error: string): Behaviour =>
  async (program) => {
    const { id } = await program.read();
    program.write(`\n{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${error}}\n`);
  };

/** A program that lives until the end of its stdin. */
export const waits: Behaviour = async (program) => {
  while ((await program.readText()) !== undefined) {}
};

/** Sends a request and reads the next message. */
export async function ask(program: Program, method: string, params: object = {}, id: unknown = 1): Promise<unknown> {
  program.send({ id, method, params });
  return program.read();
}

interface Interface {
  methods?: Record<string, { params?: object; result?: object }>;
  /** By provider, the methods that are used of it. */
  imports?: Record<string, Record<string, { params?: object; result?: object }>>;
  grace?: number;
}

const methodsOf = (methods: NonNullable<Interface['methods']>) =>
  Object.entries(methods).map(
    ([name, { params = { type: 'object', properties: {} }, result = { type: 'object', properties: {} } }]) => ({
      name,
      params: [],
      paramStructure: 'by-name',
      'x-sausage-params': params,
      result: { name: 'result', schema: result },
    }),
  );

/** An OpenRPC document. */
export function document({ methods = {}, imports = {}, grace }: Interface): object {
  return {
    openrpc: '1.2.6',
    info: { title: 'test', version: '1' },
    methods: methodsOf(methods),
    'x-sausage-imports': Object.fromEntries(
      Object.entries(imports).map(([provider, used]) => [provider, { methods: methodsOf(used) }]),
    ),
    ...(grace !== undefined && { 'x-sausage-grace': grace }),
  };
}

/** A program that answers rpc.discover, after `before`, with a document and leaves other methods to `handle`. */
export const described =
  (shape: Interface, handle: Parameters<typeof answers>[0] = () => null, before = async () => {}): Behaviour =>
  async (program) => {
    const { id, method, params } = await program.read();
    if (method === 'rpc.discover') {
      await before();
      program.send({ id, result: document(shape) });
    } else program.send({ id, result: (await handle(params, method, program)) ?? null });
  };
