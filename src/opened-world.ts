import { proxy, type Remote, releaseProxy, transfer, wrap } from 'comlink';
import type {
  CallOptions,
  ExportOptions,
  OpenWorldOptions,
  OutsideOptions,
  PreviewSource,
  World,
  WorldEvents,
  WorldFiles,
} from './api.ts';
import { encodeParams } from './call-params.ts';
import { RpcError } from './core/errors.ts';
import type {
  CoreApi,
  OutsideOptions as CoreOutside,
  FromCore,
  Opened,
  OutsideState,
  Reply,
  ToCore,
} from './core/protocol.ts';
import { type ErrorCode, FsError } from './fs/errors.ts';
import { Lifeline } from './lifeline.ts';
import { bodyOf, portRequest } from './net/port-request.ts';
import './remote-errors.ts';
import { PageWorkers } from './workers.ts';
import { worldFiles } from './world-files.ts';
import { WorldList } from './worlds/list.ts';
import { WorldBusyError } from './worlds/lock.ts';

/** The exit code of a world whose core was lost. */
const BROKEN = 70;

const decoder = new TextDecoder();

/** The worlds of this origin. */
export const worlds = new WorldList();

/** What only a page with previews needs is fetched then. */
const previews = () => import('./net/preview/page.ts');

/** As it goes to the core, which takes no address as an object. */
export function coreOutside({ relay, relayToken, http }: OutsideOptions): CoreOutside {
  return {
    ...(relay !== undefined && { relay: relay === null ? null : relay.href }),
    ...(relayToken !== undefined && { relayToken }),
    ...(http !== undefined && { http }),
  };
}

interface Opening {
  services: boolean;
  from?: Blob | undefined;
  onProgress?: OpenWorldOptions['onProgress'] | undefined;
  outside?: CoreOutside;
  takeOver?: boolean;
}

/** A world that is open in this page: the page's end of its core. */
export class OpenedWorld implements World {
  readonly name: string;
  readonly fs: WorldFiles;
  readonly closed: Promise<{ exitCode: number }>;
  readonly #id: string;
  readonly #worker: Worker;
  readonly #core: Remote<CoreApi>;
  readonly #workers = new PageWorkers();
  readonly #listeners: { [E in keyof WorldEvents]: Set<(value: WorldEvents[E]) => void> } = {
    journal: new Set(),
    process: new Set(),
    exit: new Set(),
    service: new Set(),
    port: new Set(),
    relay: new Set(),
  };
  #opened!: Opened;
  /** As the core told it last. */
  #relay: OutsideState | undefined;
  #port!: MessagePort;
  #calls = 0;
  /** The visitor has agreed while the world was open. */
  #agreed = false;
  #released = false;
  /** The calls that wait for their answers. */
  readonly #waiting = new Map<number, { answer: (reply: Reply) => void; onNotify: CallOptions['onNotify'] }>();
  #resolveClosed!: (value: { exitCode: number }) => void;
  /** Cut when the core worker itself is lost: what waits for it would wait for ever. */
  readonly #lifeline = new Lifeline();

  private constructor(name: string, id: string) {
    this.name = name;
    this.#id = id;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.#worker = new Worker(new URL('../workers/core.ts', import.meta.url), { type: 'module', name: 'core' });
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#fail(`The worker of the world failed: ${event.message || 'its script could not be loaded'}`);
    };
    this.#core = wrap<CoreApi>(this.#worker);
    this.fs = worldFiles(
      this.#core,
      (work) => this.#whole(work),
      () => this.#released,
    );
  }

  static async open(name: string, id: string, { services, from, onProgress, ...way }: Opening): Promise<OpenedWorld> {
    const world = new OpenedWorld(name, id);
    try {
      const trace = new URLSearchParams(location.search).get('trace') === '1';
      const base = new URL('.', document.baseURI).href;
      const { port1, port2 } = new MessageChannel();
      world.#port = port1;
      port1.onmessage = ({ data }: MessageEvent<FromCore>) => world.#receive(data);
      world.#opened = await world.#whole(
        world.#core.open(
          {
            ...{ id, name, base, services, trace, takeOver: way.takeOver ?? false },
            ...(from && { from }),
            ...way.outside,
          },
          proxy(world.#workers),
          proxy((progress) => onProgress?.(progress)),
          transfer(port2, [port2]),
        ),
      );
      return world;
    } catch (error) {
      world.#release();
      throw error;
    }
  }

  /**
   * To be called when the world answers; see `CoreApi.settle`. It begins in a task of its own: whoever waits for the world has
   * it before anything that nobody waits for is downloaded.
   */
  settle(furnish: boolean): void {
    setTimeout(() => {
      if (this.#released) return;
      // A world that could not be furnished says so in its journal, and is furnished at its next opening.
      this.#whole(this.#core.settle(furnish))
        .then(() => (furnish ? worlds.furnished(this.#id) : undefined))
        .catch(() => {});
    });
  }

  get storage(): World['storage'] {
    return this.#opened.storage;
  }

  get held(): boolean {
    return !this.#agreed && (this.#opened.servicesHeld || this.relay.kind === 'held');
  }

  get bootProblem(): string | undefined {
    return this.#opened.bootProblem;
  }

  get processLimit(): number {
    return this.#opened.processLimit;
  }

  get relay(): OutsideState {
    return this.#relay ?? this.#opened.relay;
  }

  async call(method: string, params: object | string = {}, { onNotify, signal }: CallOptions = {}): Promise<unknown> {
    signal?.throwIfAborted();
    const bytes = encodeParams(method, params);
    const id = ++this.#calls;
    const cancel = () => this.#send({ type: 'cancel', id });
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      const answered = new Promise<Reply>((answer) => this.#waiting.set(id, { answer, onNotify }));
      const listens = onNotify !== undefined;
      this.#send({ type: 'call', id, method, params: bytes, listens }, [bytes.buffer]);
      const reply = await this.#lifeline.hold(answered);
      signal?.throwIfAborted();
      if ('error' in reply) throw RpcError.from(JSON.parse(decoder.decode(reply.error)));
      return JSON.parse(decoder.decode(reply.result));
    } finally {
      this.#waiting.delete(id);
      signal?.removeEventListener('abort', cancel);
    }
  }

  notify(method: string, params: object | string = {}): void {
    const bytes = encodeParams(method, params);
    this.#send({ type: 'notify', method, params: bytes }, [bytes.buffer]);
  }

  #send(message: ToCore, transferred: Transferable[] = []): void {
    this.#port.postMessage(message, transferred);
  }

  processes(): ReturnType<World['processes']> {
    return this.#whole(this.#core.processes());
  }

  async describe(plugin: string, wasm: string): Promise<unknown> {
    const text = await this.#whole(this.#core.describe(plugin, wasm));
    return text === undefined ? undefined : JSON.parse(text);
  }

  ports(): ReturnType<World['ports']> {
    return this.#whole(this.#core.ports());
  }

  async fetch(port: number, request: Request): Promise<Response> {
    request.signal.throwIfAborted();
    const id = ++this.#calls;
    const cancel = () => void this.#core.cancelFetch(id);
    request.signal.addEventListener('abort', cancel, { once: true });
    try {
      const [sent, transferred] = await portRequest(request);
      const response = await this.#whole(this.#core.fetch(id, port, transfer(sent, transferred)));
      const { status, statusText, headers } = response;
      return new Response(bodyOf(response), { status, statusText, headers });
    } catch (error) {
      request.signal.throwIfAborted();
      throw error;
    } finally {
      request.signal.removeEventListener('abort', cancel);
    }
  }

  preview(port: number): PreviewSource {
    return {
      place: async () => {
        const { findPlace } = await previews();
        return { origin: await findPlace(new URL('.', document.baseURI), this.#id, port), world: this.#id };
      },
      connect: async () => {
        const id = ++this.#calls;
        const { port1, port2 } = new MessageChannel();
        await this.#whole(this.#core.openPreview(id, port, transfer(port2, [port2])));
        // A world that has ended has no channels any more, and cannot be asked.
        return { port: port1, close: () => void (this.#released || this.#core.closePreview(id)) };
      },
    };
  }

  setOutside(options: OutsideOptions): Promise<void> {
    return this.#whole(this.#core.setOutside(coreOutside(options)));
  }

  async consent(): Promise<void> {
    await worlds.consent(this.#id);
    this.#agreed = true;
    await this.#whole(this.#core.release());
  }

  skipService(): void {
    void this.#core.skipService();
  }

  exportZip({ secrets = false, journal = true }: ExportOptions = {}): Promise<Blob> {
    return this.#whole(this.#core.exportZip({ secrets, journal }));
  }

  on<E extends keyof WorldEvents>(event: E, listener: (value: WorldEvents[E]) => void): () => void {
    const listeners: Set<(value: WorldEvents[E]) => void> = this.#listeners[event];
    listeners.add(listener);
    this.#listen();
    return () => {
      listeners.delete(listener);
      this.#listen();
    };
  }

  /** The core is lost. It must not go on with work that the page takes for failed, so all of it ends. */
  #fail(message: string): void {
    if (this.#released) return;
    this.#lifeline.cut(new Error(message));
    this.#tell('exit', { exitCode: BROKEN, takenOver: false });
    this.#resolveClosed({ exitCode: BROKEN });
    this.#release();
  }

  async close(): Promise<void> {
    if (this.#released) return;
    // The news of the exit may come before the answer, and releases the world.
    await Promise.race([this.#whole(this.#core.close()), this.closed]);
    this.#resolveClosed({ exitCode: 0 });
    this.#release();
  }

  #listen(): void {
    if (this.#released) return;
    const wanted: ('journal' | 'processes' | 'ports')[] = [];
    if (this.#listeners.journal.size > 0) wanted.push('journal');
    if (this.#listeners.process.size > 0) wanted.push('processes');
    if (this.#listeners.port.size > 0) wanted.push('ports');
    void this.#core.listen(wanted);
  }

  #receive(event: FromCore): void {
    switch (event.type) {
      case 'answer':
        this.#waiting.get(event.id)?.answer(event.reply);
        return;
      case 'told':
        this.#waiting.get(event.id)?.onNotify?.(event.name, JSON.parse(decoder.decode(event.params)));
        return;
      case 'journal':
        this.#tell('journal', event.entries);
        return;
      case 'processes':
        for (const process of event.processes) this.#tell('process', process);
        return;
      case 'ports':
        this.#tell('port', event.ports);
        return;
      case 'relay':
        this.#relay = event.state;
        this.#tell('relay', event.state);
        return;
      case 'service':
        this.#tell('service', { method: event.method, waiting: event.waiting });
        return;
      case 'exit':
        this.#tell('exit', { exitCode: event.exitCode, takenOver: event.takenOver });
        this.#resolveClosed({ exitCode: event.exitCode });
        this.#release();
    }
  }

  /** A listener that throws is an error of the page, and no reason for the others not to hear. */
  #tell<E extends keyof WorldEvents>(event: E, value: WorldEvents[E]): void {
    const listeners: Set<(value: WorldEvents[E]) => void> = this.#listeners[event];
    for (const listener of listeners) {
      try {
        listener(value);
      } catch (error) {
        reportError(error);
      }
    }
  }

  /** The second time does nothing: a world can end by itself while it is being closed. */
  #release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#lifeline.cut(new Error(`The world ${this.name} is closed.`));
    this.#workers.terminateAll();
    this.#port.close();
    this.#core[releaseProxy]();
    this.#worker.terminate();
  }

  /** The outcome of a request to the core, with its errors as the classes that the API promises. */
  async #whole<T>(work: Promise<T>): Promise<T> {
    try {
      return await this.#lifeline.hold(work);
    } catch (error) {
      throw restored(error);
    }
  }
}

/** Errors lose their class on the way between threads; the core sends what makes them anew. */
function restored(error: unknown): unknown {
  if (error instanceof Error && error.name === 'WorldBusyError') return WorldBusyError.from(error);
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return new FsError(error.code as ErrorCode, error.message);
  }
  return error;
}
