/** Puts the parts of a world together that only a browser has: files in OPFS, workers, components, the journal. */

import { proxy, transfer } from 'comlink';
import sqliteUrl from 'wa-sqlite/dist/wa-sqlite.wasm?url';
import protocolText from '../../docs/PROTOCOL.md?raw';
import { openCacheDirectory } from '../components/directory.ts';
import { defaultMemoryLimit } from '../components/limits.ts';
import { ComponentStore } from '../components/store.ts';
import type { Core } from '../core/core.ts';
import type { Journal } from '../core/host.ts';
import { instantiateSqlite, SqliteJournal } from '../core/journal/index.ts';
import { fileOf, folder, jsonFile, textFile, WorldTree } from '../core/proc.ts';
import type {
  BootProgress,
  JournalEntry,
  OpenOptions,
  OutsideState,
  PortInfo,
  StorageKind,
  WorkerFactory,
} from '../core/protocol.ts';
import { openMemoryWorld, openWorldFileSystem, type WorldFileSystem } from '../fs/world/index.ts';
import { WayOut } from '../net/way-out.ts';
import { COMPONENTS_PACK } from '../shipped.ts';
import { WorkerMachines } from '../syscall/machines.ts';
import { BuildWorker } from './build-worker.ts';
import { lockWorld, takeOverWorld } from './lock.ts';
import { importWorld } from './zip.ts';

/** Programs at once: Chromium has 125 WebAssembly memories a page, of which jco and SQLite take some (R3.3-12). */
const PROCESS_LIMIT = 100;
/** Idle workers that are kept; fewer on devices with little memory. */
const WARM = { usual: 8, small: 2 } as const;

/** What the parts tell while the world runs; the core is asked for only then. */
export interface PartsListener {
  onEntry(entry: JournalEntry): void;
  core(): Core;
  onRelay(state: OutsideState): void;
  onPorts(ports: PortInfo[]): void;
}

export interface WorldParts {
  storage: StorageKind;
  tree: WorldTree;
  components: ComponentStore;
  machines: WorkerMachines;
  build: BuildWorker;
  wayOut: WayOut;
  journal: Journal;
  /** Loads SQLite and begins to write the journal: when the world answers. */
  startJournal(): void;
  /** Runs `task` while nothing is written to the journal's file. */
  whileJournalRests<T>(task: () => Promise<T>): Promise<T>;
  /** What was mended at the opening, in sentences for the journal. */
  repairs: readonly string[];
  onChange: WorldFileSystem['onChange'];
  close(): Promise<void>;
}

export async function openParts(
  options: OpenOptions,
  factory: WorkerFactory,
  onProgress: (progress: BootProgress) => void,
  listener: PartsListener,
): Promise<WorldParts> {
  const lock = await (options.takeOver ? takeOverWorld : lockWorld)(options.id, options.name);
  let opened: WorldFileSystem | undefined;
  try {
    onProgress({ step: 'open', done: 0, total: 0 });
    const container = await openContainer(options);
    const world = container ? await openWorldFileSystem(container) : openMemoryWorld();
    opened = world;
    const workers = localFactory(factory);
    const memory = (navigator as { deviceMemory?: number }).deviceMemory;
    const build = new BuildWorker(workers);
    const journal = { current: undefined as SqliteJournal | undefined };
    const tree = new WorldTree(world, () => journal.current!, {
      core: folder({
        'PROTOCOL.md': textFile(() => protocolText),
        'locks.json': jsonFile(() => listener.core().locks.toJSON()),
        'graph.json': fileOf(() => listener.core().graph.json),
        'graph.dot': fileOf(() => listener.core().graph.dot),
      }),
      plugins: {
        names: () => listener.core().graph.plugins.names(),
        child: (name) => listener.core().graph.plugins.child(name),
      },
    });
    if (options.from) {
      const { quota, usage } = (await navigator.storage.estimate?.()) ?? {};
      await importWorld(options.from, tree.files, {
        ...(container && quota !== undefined && { available: quota - (usage ?? 0) }),
        onProgress: (done, total) => onProgress({ step: 'unpack', done, total }),
      });
    }
    const sqlite: SqliteJournal = new SqliteJournal({
      namespace: tree.files,
      loadSqlite: async () => instantiateSqlite(new Uint8Array(await (await fetch(sqliteUrl)).arrayBuffer())),
      isBusy: () => machines.isBusy,
      onProblem: (message) => sqlite.append({ pid: 'core', plugin: 'core', stream: 'core', line: message }),
    });
    journal.current = sqlite;
    const machines = new WorkerMachines({
      factory: workers,
      limit: PROCESS_LIMIT,
      warm: memory !== undefined && memory <= 4 ? WARM.small : WARM.usual,
      journalBacklog: () => sqlite.backlog,
      trace: options.trace,
      network: {
        log: ({ pid, plugin }, line) => listener.onEntry(sqlite.append({ pid, plugin, stream: 'core', line })),
        onPorts: (ports) => listener.onPorts(ports),
      },
    });
    const wayOut = new WayOut({
      choice: options,
      base: new URL(options.base),
      held: !options.services,
      network: machines.network,
      onState: (state) => listener.onRelay(state),
    });
    return {
      storage: container ? 'opfs' : 'memory',
      tree,
      components: new ComponentStore({
        directory: openCacheDirectory(),
        build: () => build.api(),
        pack: COMPONENTS_PACK,
        memoryLimit: defaultMemoryLimit(memory),
        onProblem: (message) => sqlite.append({ pid: 'core', plugin: 'core', stream: 'core', line: message }),
      }),
      machines,
      build,
      wayOut,
      journal: telling(sqlite, listener.onEntry),
      startJournal: () => sqlite.start(),
      whileJournalRests: (task) => sqlite.paused(task),
      repairs: world.repairs,
      onChange: (changed) => world.onChange(changed),
      async close() {
        machines.close();
        wayOut.close();
        build.close();
        await world.close();
        await lock.release();
      },
    };
  } catch (error) {
    await opened?.close().catch(() => {});
    await lock.release();
    throw error;
  }
}

/** The folder of a world in the origin private file system; undefined where the browser keeps nothing. */
async function openContainer({ id, name }: OpenOptions): Promise<FileSystemDirectoryHandle | undefined> {
  let root: FileSystemDirectoryHandle;
  try {
    root = await navigator.storage.getDirectory();
  } catch {
    return undefined; // a private window
  }
  const worlds = await root.getDirectoryHandle('sausage', { create: true });
  try {
    // it was made with the world's record; to make it here would bring a world back that was deleted a moment ago
    return await worlds.getDirectoryHandle(id);
  } catch (cause) {
    throw new Error(`The world ${name} was deleted meanwhile, or the browser cleared it.`, { cause });
  }
}

/** The journal, with somebody who hears of each entry. */
function telling(journal: Journal, onEntry: (entry: JournalEntry) => void): Journal {
  return {
    append(entry) {
      const appended = journal.append(entry);
      onEntry(appended);
      return appended;
    },
    query: (filter) => journal.query(filter),
    tail: (pid, count) => journal.tail(pid, count),
    log: (pid) => journal.log(pid),
    forget: (pid) => journal.forget(pid),
    get backlog() {
      return journal.backlog;
    },
    flush: () => journal.flush(),
    close: () => journal.close(),
  };
}

/** The page's factory with its ports and listeners marked for the way to the page. */
function localFactory(page: WorkerFactory): WorkerFactory {
  return {
    create: (id, kind, port) => void page.create(id, kind, transfer(port, [port])),
    terminate: (id) => void page.terminate(id),
    onFailure: (listener) => void page.onFailure(proxy(listener)),
  };
}
