import type {
  CallOptions,
  JournalEntry,
  OutsideOptions,
  OutsideState,
  PortInfo,
  PreviewSource,
  ProcessInfo,
  Stat,
  World,
  WorldEvents,
  WorldFiles,
} from '../../../src/api.ts';
import { RpcError } from '../../../src/core/errors.ts';
import { FsError } from '../../../src/fs/errors.ts';
import discover from './notes-discover.json' with { type: 'json' };

/** What a fake method gets of the world that runs it. */
export interface FakeProcess {
  world: FakeWorld;
  pid: string;
  params: Record<string, unknown>;
  signal?: AbortSignal;
  stderr(line: string): void;
  notify(name: string, params: unknown): void;
}

export type FakeMethod = (process: FakeProcess) => unknown;

/** A world in memory with the embedding API's face: files are a map, methods are functions. */
export class FakeWorld implements World {
  readonly name: string;
  readonly storage: World['storage'];
  readonly processLimit = 100;
  relay: OutsideState = { kind: 'none', http: 'relay', message: 'This world has no relay.' };
  readonly files = new Map<string, Uint8Array>();
  readonly methods = new Map<string, FakeMethod>();
  readonly fs: WorldFiles;
  held = false;
  bootProblem: string | undefined;
  readonly closed: Promise<{ exitCode: number }>;
  readonly #journal: JournalEntry[] = [];
  readonly #processes = new Map<string, ProcessInfo>();
  readonly #listeners = {
    journal: new Set(),
    process: new Set(),
    exit: new Set(),
    service: new Set(),
    port: new Set(),
    relay: new Set(),
  } as {
    [E in keyof WorldEvents]: Set<(value: WorldEvents[E]) => void>;
  };
  #end!: (value: { exitCode: number }) => void;
  #slow: string | undefined;
  #ports: PortInfo[] = [];
  #count = 0;

  constructor(name: string, storage: World['storage'] = 'opfs') {
    this.name = name;
    this.storage = storage;
    this.closed = new Promise((resolve) => (this.#end = resolve));
    this.fs = fakeFiles(this.files);
    this.methods.set('core.log', () => [...this.#journal]);
    this.methods.set('core.exit', () => {
      setTimeout(() => this.exit(75));
      return {};
    });
    this.methods.set('core.rpc.discover', () => ({
      methods: [
        {
          name: 'log',
          description: 'Answers lines of the journal.',
          params: [{ name: 'limit', schema: { type: 'integer' } }],
        },
        {
          name: 'stop',
          description: 'Stops a process.',
          params: [{ name: 'pid', required: true, schema: { type: 'string' } }],
        },
      ],
    }));
  }

  /** Gives the world a plugin: its methods by name, and its document where there is one. */
  plugin(name: string, methods: Record<string, FakeMethod>, document?: unknown): this {
    this.write(`/plugins/${name}/plugin.wasm`, '\0asm');
    if (document) this.write(`/proc/plugins/${name}/discover.json`, JSON.stringify(document));
    for (const [method, run] of Object.entries(methods)) this.methods.set(`${name}.${method}`, run);
    return this;
  }

  write(path: string, text: string): void {
    this.files.set(path, new TextEncoder().encode(text));
  }

  async call(method: string, given: object | string = {}, { onNotify, signal }: CallOptions = {}): Promise<unknown> {
    const params = typeof given === 'string' ? JSON.parse(given) : given;
    const plugin = method.slice(0, method.indexOf('.'));
    const run = this.methods.get(method);
    if (!run) {
      const known = this.files.has(`/plugins/${plugin}/plugin.wasm`) || plugin === 'core';
      throw known
        ? new RpcError(-32601, `${plugin} has no method ${method.slice(plugin.length + 1)}`)
        : new RpcError(-32001, `no plugin ${plugin}`);
    }
    const bound = { world: this, params: params as Record<string, unknown>, ...(signal && { signal }) };
    if (plugin === 'core') return run({ ...bound, pid: 'core', stderr: () => {}, notify: () => {} });
    const pid = `${plugin}-0197f3a2-7c1e-7${String(++this.#count).padStart(3, '0')}-8a5b-3f2d9c81e604`;
    const process: ProcessInfo = {
      pid,
      plugin,
      version: 'f'.repeat(64),
      method: method.slice(plugin.length + 1),
      params,
      parent: 'console',
      detached: false,
      started: new Date().toISOString(),
      state: 'running',
    };
    this.#tell(process, 'core', `started ${method} ${JSON.stringify(params)}`);
    this.#set(process);
    try {
      const result = await run({
        ...bound,
        pid,
        stderr: (line) => this.#tell(process, 'stderr', line),
        notify: (name, value) => onNotify?.(name, value),
      });
      this.#tell(process, 'core', 'ended with exit status 0');
      return result;
    } finally {
      this.#set({ ...process, state: 'ended' });
    }
  }

  notify(method: string, params?: object | string): void {
    void this.call(method, params);
  }

  async processes(): Promise<ProcessInfo[]> {
    return [...this.#processes.values()];
  }

  /** By the path of the plugin.wasm. */
  readonly documents = new Map<string, unknown>();

  async describe(_plugin: string, wasm: string): Promise<unknown> {
    return this.documents.get(wasm);
  }

  async ports(): Promise<PortInfo[]> {
    return this.#ports;
  }

  listenOn(...ports: PortInfo[]): void {
    this.#ports = ports;
    for (const listener of this.#listeners.port) listener(ports);
  }

  reach(relay: OutsideState): void {
    this.relay = relay;
    for (const listener of this.#listeners.relay) listener(relay);
  }

  /** Why there are no previews. */
  previewProblem = 'Previews are off: this page has one host name.';
  preview(): PreviewSource {
    const refuse = () => Promise.reject(new Error(this.previewProblem));
    return { place: refuse, connect: refuse };
  }

  async fetch(port: number): Promise<Response> {
    throw new Error(`No answer from port ${port} of this world: nothing listens there.`);
  }

  /** What each call of `setOutside` wanted. */
  readonly outside: OutsideOptions[] = [];
  async setOutside(options: OutsideOptions): Promise<void> {
    this.outside.push(options);
  }

  async consent(): Promise<void> {
    this.held = false;
  }

  skipService(): void {
    this.slowService(undefined);
  }

  /** As after a service has kept the others waiting for 60 s; undefined: it waits no more. */
  slowService(method: string | undefined): void {
    const about = method ?? this.#slow;
    this.#slow = method;
    if (about)
      for (const listener of this.#listeners.service) listener({ method: about, waiting: method !== undefined });
  }

  async exportZip(): Promise<Blob> {
    return new Blob(['PK', ...[...this.files.values()].map((each) => new Uint8Array(each))]);
  }

  on<E extends keyof WorldEvents>(event: E, listener: (value: WorldEvents[E]) => void): () => void {
    const listeners: Set<(value: WorldEvents[E]) => void> = this.#listeners[event];
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#end({ exitCode: 0 });
  }

  exit(exitCode: number, takenOver = false): void {
    for (const listener of this.#listeners.exit) listener({ exitCode, takenOver });
    this.#end({ exitCode });
  }

  #tell({ pid, plugin }: ProcessInfo, stream: JournalEntry['stream'], line: string): void {
    const id = `0197f3a2-7c1e-7000-8000-${String(this.#journal.length).padStart(12, '0')}`;
    const entry: JournalEntry = { id, time: new Date().toISOString(), pid, plugin, stream, line };
    this.#journal.push(entry);
    for (const listener of this.#listeners.journal) listener([entry]);
  }

  #set(process: ProcessInfo): void {
    if (process.state === 'ended') this.#processes.delete(process.pid);
    else this.#processes.set(process.pid, process);
    for (const listener of this.#listeners.process) listener(process);
  }
}

/** As the playground: `notes` with its document, and `demo`, without one, for what a plugin can do wrong or slowly. */
export function fakePlayground(name = 'playground', storage: World['storage'] = 'opfs'): FakeWorld {
  const notes: { id: number; text: string }[] = [];
  const world = new FakeWorld(name, storage).plugin(
    'notes',
    {
      add: ({ params }) => {
        if (typeof params.text !== 'string') throw new RpcError(-32602, '`text` is missing');
        notes.push({ id: notes.length + 1, text: params.text });
        return notes.at(-1);
      },
      list: () => ({ notes }),
    },
    discover,
  );
  world.write('/config/boot.json', '[{"method": "clock.run"}]\n');
  world.write('/README.md', '# The playground\n\nA world with one plugin.\n');
  return world.plugin('demo', {
    crash: ({ stderr }) => {
      stderr("thread 'main' panicked at src/main.rs:12:5:");
      stderr('index out of bounds: the len is 3 but the index is 7');
      throw new RpcError(-32002, 'demo ended without an answer', {
        exit: { code: 134, trap: 'unreachable executed' },
        log: ["thread 'main' panicked at src/main.rs:12:5:", 'index out of bounds: the len is 3 but the index is 7'],
      });
    },
    count: ({ params, notify, stderr, signal }) => count(Number(params.to ?? 5), { notify, stderr, signal }),
    wait: ({ signal }) =>
      new Promise((_, reject) =>
        signal?.addEventListener('abort', () => reject(new RpcError(-32002, 'stopped', { exit: { code: 0 } }))),
      ),
  });
}

async function count(to: number, { notify, stderr, signal }: Pick<FakeProcess, 'notify' | 'stderr' | 'signal'>) {
  for (let done = 1; done <= to; done++) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    signal?.throwIfAborted();
    notify('progress', { done, total: to, message: `Counting to ${to}` });
    stderr(`at ${done}`);
  }
  return { counted: to };
}

function fakeFiles(files: Map<string, Uint8Array>): WorldFiles {
  const watches = new Set<(path: string) => void>();
  const tell = (path: string) => {
    for (const watch of [...watches]) watch(path);
  };
  const below = (path: string) => {
    const prefix = path === '/' ? '/' : `${path}/`;
    const names = new Map<string, Stat['kind']>();
    for (const each of [...files.keys(), '/proc/core/PROTOCOL.md', '/run/.', '/self/.']) {
      if (!each.startsWith(prefix)) continue;
      const [name, ...deeper] = each.slice(prefix.length).split('/');
      if (name !== '.') names.set(name!, deeper.length > 0 ? 'directory' : 'file');
    }
    return [...names].map(([name, kind]) => ({ name, kind }));
  };
  const readFile = async (path: string) => {
    const data = files.get(path);
    if (!data) throw new FsError('no-entry', `${path} does not exist`);
    return data;
  };
  return {
    readFile,
    readTextFile: async (path) => new TextDecoder().decode(await readFile(path)),
    writeFile: async (path, data) => {
      files.set(path, typeof data === 'string' ? new TextEncoder().encode(data) : data);
      tell(path);
    },
    readDir: async (path) => {
      const entries = below(path);
      if (entries.length === 0 && path !== '/' && !/^\/(run|self)$/.test(path)) throw new FsError('no-entry');
      return entries;
    },
    stat: async (path) => {
      const file = files.get(path);
      if (!file && below(path).length === 0) throw new FsError('no-entry');
      return { kind: file ? 'file' : 'directory', size: file?.length ?? 0, modified: new Date(0) };
    },
    // a folder is there as long as a file is in it
    mkdir: async () => {},
    rename: async (from, to) => {
      for (const [path, data] of [...files]) {
        if (path !== from && !path.startsWith(`${from}/`)) continue;
        files.delete(path);
        files.set(to + path.slice(from.length), data);
      }
      tell(from);
      tell(to);
    },
    remove: async (path) => {
      files.delete(path);
      tell(path);
    },
    watch(path, listener) {
      const below = path.endsWith('/') ? path : `${path}/`;
      const watch = (changed: string) =>
        (changed === path || changed.startsWith(below) || path.startsWith(`${changed}/`)) && listener(changed);
      watches.add(watch);
      return () => watches.delete(watch);
    },
  };
}
