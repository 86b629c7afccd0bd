/** What the core worker offers to the page: opens the one world of this worker and passes on what the page asks. */

import { type ProxyMarked, releaseProxy, transfer } from 'comlink';
import '../remote-errors.ts';
import { cargoTarget } from '../builders/cargo/target.ts';
import { jsTarget } from '../builders/js/target.ts';
import { type ConsoleCall, Core } from '../core/core.ts';
import { JOURNAL_PATH } from '../core/journal/index.ts';
import { markStart } from '../core/last-run.ts';
import { report } from '../core/process.ts';
import type {
  BootProgress,
  CoreApi,
  CoreEvent,
  FileInfo,
  FromCore,
  Opened,
  OpenOptions,
  OutsideOptions,
  PortInfo,
  PortRequest,
  PortResponse,
  ProcessInfo,
  ToCore,
  WorkerFactory,
} from '../core/protocol.ts';
import type { Namespace } from '../fs/filesystem.ts';
import { fetchPort } from '../net/port-fetch.ts';
import { servePreview } from '../net/preview/serve.ts';
import { answerOthers } from './channel.ts';
import { EventBatches } from './events.ts';
import { openParts, type WorldParts } from './parts.ts';
import { addPrograms } from './programs.ts';
import { addSdk, wantsCargoSdk } from './sdk.ts';
import { exportWorld } from './zip.ts';

type Callback<F> = F & Partial<ProxyMarked> & { [releaseProxy]?: () => void };

export class WorldServer implements CoreApi {
  readonly #calls = new Map<number, ConsoleCall>();
  readonly #watches = new Map<number, () => void>();
  readonly #fetches = new Map<number, AbortController>();
  readonly #previews = new Map<number, () => void>();
  #port!: MessagePort;
  #parts!: WorldParts;
  #core!: Core;
  #events!: EventBatches;
  #servicesHeld = 0;
  #takenOver = false;
  #stopAnswering: () => void = () => {};
  #tellLastRun: () => Promise<void> = async () => {};
  #ended?: Promise<void>;

  async open(
    options: OpenOptions,
    factory: WorkerFactory,
    onProgress: (progress: BootProgress) => void,
    calls: MessagePort,
  ): Promise<Opened> {
    this.#port = calls;
    const events = new EventBatches((event) => this.#tell(event));
    this.#events = events;
    const parts = await openParts(options, factory, onProgress, {
      onEntry: (entry) => events.journal(entry),
      core: () => this.#core,
      onPorts: (ports) => events.ports(ports),
      onRelay: (state) => this.#tell({ type: 'relay', state }),
    });
    this.#parts = parts;
    onProgress({ step: 'start', done: 0, total: 0 });
    const core = new Core({
      files: parts.tree.files,
      components: parts.components,
      machines: parts.machines,
      journal: parts.journal,
      folders: parts.tree,
      native: [
        jsTarget({
          build: () => parts.build.api(),
          components: parts.components,
          machines: parts.machines,
          addSdk: (files) => addSdk(files, 'js'),
        }),
        cargoTarget({
          components: parts.components,
          machines: parts.machines,
          base: options.base,
          addSdk: (files) => addSdk(files, 'cargo'),
        }),
      ],
      onProcess: (process) => events.process(() => report(process)),
      onSlowService: (method, waiting) => this.#tell({ type: 'service', method, waiting }),
    });
    this.#core = core;
    this.#tellLastRun = markStart(parts.journal);
    await core.recover();
    parts.onChange((change) => core.watcher.changed(change));
    this.#ended = core.closed.then((exitCode) => this.#end(exitCode));
    this.#stopAnswering = answerOthers(options.id, {
      takeOver: () => {
        this.#takenOver = true;
        this.#log('another page takes this world over');
        void core.close();
      },
      copy: () => this.exportZip({ secrets: true, journal: true }),
    });
    for (const repair of parts.repairs) this.#log(repair);
    if (core.plugins.isFile) this.#log('/plugins is no folder: this world has no plugins of its own');
    const services = await core.services.read();
    if (options.services) void core.services.start();
    else {
      this.#servicesHeld = services;
      if (services > 0) this.#log(`${services} services wait for the visitor's consent`);
    }
    calls.onmessage = ({ data }: MessageEvent<ToCore>) => this.#receive(data);
    onProgress({ step: 'ready', done: 1, total: 1 });
    parts.machines.warmUp();
    return {
      storage: parts.storage,
      servicesHeld: this.#servicesHeld > 0,
      ...(core.services.problem !== undefined && { bootProblem: core.services.problem }),
      processLimit: parts.machines.limit,
      relay: parts.wayOut.state,
    };
  }

  async settle(furnish: boolean): Promise<void> {
    this.#parts.startJournal();
    this.#tellLastRun().catch(() => {}); // a journal that cannot be read has said so
    const furnished = furnish ? this.#furnish() : Promise.resolve();
    void this.#core.watcher.start(furnished.catch(() => {}));
    await furnished;
  }

  /** Brings what a new world needs only after its first moments. */
  async #furnish(): Promise<void> {
    try {
      await addPrograms(this.#files);
      if (wantsCargoSdk(this.#files)) await addSdk(this.#files, 'cargo');
    } catch (error) {
      this.#log(`${error}; it is tried again when this world is opened`);
      throw error;
    }
  }

  #receive(message: ToCore): void {
    switch (message.type) {
      case 'call':
        void this.#call(message);
        return;
      case 'cancel':
        this.#calls.get(message.id)?.cancel();
        return;
      case 'notify':
        this.#core.notify(message.method, message.params);
    }
  }

  async #call({ id, method, params, listens }: Extract<ToCore, { type: 'call' }>): Promise<void> {
    // the bytes may be a piece of a larger buffer, which must not travel as a whole: hence the copies
    const told = (name: string, json: Uint8Array) => this.#tell({ type: 'told', id, name, params: json.slice() });
    const call = this.#core.call(method, params, listens ? told : undefined);
    this.#calls.set(id, call);
    const reply = await call.reply;
    this.#calls.delete(id);
    const bytes = ('result' in reply ? reply.result : reply.error).slice();
    const copy = 'result' in reply ? { result: bytes } : { error: bytes };
    this.#tell({ type: 'answer', id, reply: copy }, [bytes.buffer]);
  }

  #tell(message: FromCore, transfer: Transferable[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  async readFile(path: string): Promise<Uint8Array> {
    const bytes = await this.#files.readFile(path);
    return transfer(bytes, [bytes.buffer]);
  }

  async writeFile(path: string, data: Uint8Array): Promise<void> {
    await this.#files.writeFile(path, data);
  }

  async readDir(path: string): Promise<{ name: string; kind: FileInfo['kind'] }[]> {
    const entries = this.#files.list(this.#files.resolve(this.#files.root, path));
    return entries.map(({ name, kind }) => ({ name, kind }));
  }

  async stat(path: string): Promise<FileInfo> {
    const { kind, size, modified } = this.#files.stat(this.#files.resolve(this.#files.root, path, { follow: false }));
    return { kind, size, modified: Number(modified / 1_000_000n) };
  }

  async mkdir(path: string, recursive: boolean): Promise<void> {
    if (recursive) await this.#files.createDirectories(path);
    else await this.#files.createDirectory(this.#files.root, path);
  }

  async rename(from: string, to: string): Promise<void> {
    const { root } = this.#files;
    await this.#files.rename(root, from, root, to);
  }

  async remove(path: string, recursive: boolean): Promise<void> {
    const { root } = this.#files;
    const { kind } = this.#files.stat(this.#files.resolve(root, path, { follow: false }));
    if (kind !== 'directory') await this.#files.unlink(root, path);
    else if (recursive) await this.#files.removeAll(path);
    else await this.#files.removeDirectory(root, path);
  }

  async watch(id: number, path: string, listener: Callback<(path: string) => void>): Promise<void> {
    const below = path.endsWith('/') ? path : `${path}/`;
    const end = this.#parts.onChange(({ path: changed }) => {
      // a folder above it that goes, or gets another name, takes it along
      if (changed === path || changed.startsWith(below) || path.startsWith(`${changed}/`)) listener(changed);
    });
    this.#watches.set(id, () => {
      end();
      listener[releaseProxy]?.();
    });
  }

  async unwatch(id: number): Promise<void> {
    this.#watches.get(id)?.();
    this.#watches.delete(id);
  }

  async describe(plugin: string, wasm: string): Promise<string | undefined> {
    return this.#core.describe(plugin, wasm);
  }

  async processes(): Promise<ProcessInfo[]> {
    return [...this.#core.processes].map(report);
  }

  async ports(): Promise<PortInfo[]> {
    return this.#parts.machines.network.listening();
  }

  async fetch(id: number, port: number, request: PortRequest): Promise<PortResponse> {
    const abort = new AbortController();
    this.#fetches.set(id, abort);
    try {
      const [response, given] = await fetchPort(this.#parts.machines.network, port, request, abort.signal);
      return transfer(response, given);
    } finally {
      this.#fetches.delete(id);
    }
  }

  cancelFetch(id: number): void {
    this.#fetches.get(id)?.abort();
  }

  openPreview(id: number, port: number, channel: MessagePort): void {
    this.#previews.set(id, servePreview(this.#parts.machines.network, port, channel));
  }

  closePreview(id: number): void {
    this.#previews.get(id)?.();
    this.#previews.delete(id);
  }

  async setOutside(options: OutsideOptions): Promise<void> {
    this.#parts.wayOut.choose(options);
  }

  async release(): Promise<void> {
    this.#parts.wayOut.release();
    if (this.#servicesHeld === 0) return;
    this.#servicesHeld = 0;
    void this.#core.services.start();
  }

  skipService(): void {
    this.#core.services.skip();
  }

  listen(types: Exclude<CoreEvent['type'], 'exit'>[]): void {
    this.#events.listen(types);
  }

  exportZip(options: { secrets: boolean; journal: boolean }): Promise<Blob> {
    return exportWorld(this.#files, {
      ...options,
      guard: (path, copy) => (path === JOURNAL_PATH ? this.#parts.whileJournalRests(copy) : copy()),
    });
  }

  /** Returns when the files are closed too: the page then ends this worker, and may delete the world at once. */
  async close(): Promise<void> {
    await this.#core.close();
    await this.#ended;
  }

  async #end(exitCode: number): Promise<void> {
    this.#stopAnswering();
    await this.#parts.close();
    this.#events.exit(exitCode, this.#takenOver);
  }

  #log(line: string): void {
    this.#parts.journal.append({ pid: 'core', plugin: 'core', stream: 'core', line });
  }

  get #files(): Namespace {
    return this.#parts.tree.files;
  }
}
