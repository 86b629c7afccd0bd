/**
 * The boundary between the page and the core worker, and what the core asks of the page. Types and nothing else.
 * Spoken through comlink, calls over a port beside it; bytes are JSON texts, so that a large message is parsed by those
 * who need it.
 */

/** Steps of a boot, in order, for the progress bar. `done` of `total` are bytes or files; `total` 0 is "unknown". */
export interface BootProgress {
  step: 'lock' | 'download' | 'unpack' | 'open' | 'start' | 'ready';
  done: number;
  total: number;
}

/** Where the files of a world are: in the origin private file system, or only in memory when the browser keeps nothing. */
export type StorageKind = 'opfs' | 'memory';

export interface ProcessInfo {
  pid: string;
  plugin: string;
  /** SHA-256 of the plugin.wasm that runs. */
  version: string;
  method: string;
  params: unknown;
  /** `console`, `core` or a process ID. */
  parent: string;
  detached: boolean;
  /** RFC 3339. */
  started: string;
  state: 'running' | 'stopping' | 'ended';
  /** Milliseconds that a process of an older version had left when this was told (R3.7-2); no member of `info.json`. */
  graceLeft?: number;
}

export interface JournalEntry {
  /** UUIDv7. */
  id: string;
  /** RFC 3339. */
  time: string;
  pid: string;
  plugin: string;
  stream: 'stderr' | 'core';
  line: string;
}

/**
 * The way outside of a world. `held`: the visitor has not agreed yet; `idle`: nothing has gone outside yet, so no relay
 * was asked; `away`: it does not answer, and is tried again at `retry` (milliseconds since 1970) or when it is needed; `none`: there is none.
 * `message` is a sentence for the visitor, `relay` the relay's address. `transport`: a WebSocket, or where none comes through
 * a stream of HTTPS, or where streams are kept back too one answer after the other.
 */
export type RelayState =
  | { kind: 'none' | 'held' | 'idle'; message: string }
  | { kind: 'connecting'; relay: string; message: string }
  | { kind: 'connected'; relay: string; transport: 'websocket' | 'stream' | 'poll'; message: string }
  | { kind: 'away'; relay: string; retry?: number; message: string };

/** What does the HTTP requests of programs to the outside: connections over the relay, the page's own `fetch`, or nothing. */
export type HttpWay = 'relay' | 'fetch' | 'none';

export type OutsideState = RelayState & { http: HttpWay };

/** A TCP port of the world that a process listens on. */
export interface PortInfo {
  port: number;
  pid: string;
  plugin: string;
}

/** A request to an HTTP server of the world. A stream comes over a port (`src/net/port-stream.ts`). */
export interface PortRequest {
  method: string;
  /** Path with query. */
  target: string;
  headers: [name: string, value: string][];
  body?: Uint8Array | MessagePort;
}

export interface PortResponse {
  status: number;
  statusText: string;
  headers: [name: string, value: string][];
  /** Over which the body comes; null for a response that has none. */
  body: MessagePort | null;
}

export type CoreEvent =
  /** All ports that are listened on now. */
  | { type: 'ports'; ports: PortInfo[] }
  | { type: 'journal'; entries: JournalEntry[] }
  | { type: 'processes'; processes: ProcessInfo[] }
  /** `takenOver`: another page asked for the world. */
  | { type: 'exit'; exitCode: number; takenOver: boolean }
  /** A service that has not answered for 60 s, until it does or is skipped (R8-4). */
  | { type: 'service'; method: string; waiting: boolean };

/** The text of the result, or of the error object. */
export type Reply = { result: Uint8Array } | { error: Uint8Array };

/**
 * Calls and what comes of them go over one port of their own, so that what a callee tells arrives before its answer
 * (R3.5-1). `params` is the text of a JSON object; `id` names a call on this port.
 */
export type ToCore =
  | { type: 'call'; id: number; method: string; params: Uint8Array; listens: boolean }
  /** Stops the process of the call, which then ends as its process does. */
  | { type: 'cancel'; id: number }
  | { type: 'notify'; method: string; params: Uint8Array };

export type FromCore =
  | { type: 'answer'; id: number; reply: Reply }
  /** Only for a call that listens. */
  | { type: 'told'; id: number; name: string; params: Uint8Array }
  /** Always told, at each change. */
  | { type: 'relay'; state: OutsideState }
  | CoreEvent;

export interface FileInfo {
  kind: 'file' | 'directory' | 'link';
  /** Bytes. */
  size: number;
  /** Milliseconds since 1970. */
  modified: number;
}

/** How a world reaches what is outside of the page. */
export interface OutsideOptions {
  /** The address of the relay; null for none, left out for the one that the page's host names. */
  relay?: string | null;
  relayToken?: string;
  /** `relay` when not given. */
  http?: HttpWay;
}

export interface OpenOptions extends OutsideOptions {
  /** The address of the page's folder, to which shipped files are relative. */
  base: string;
  /** The container of the world in the origin private file system; unique for the world, never renamed. */
  id: string;
  name: string;
  /** Fill the world from this zip before it starts; the world must be new. */
  from?: Blob;
  /** Start the services of boot.json, and let the world go outside. Without consent both are held. */
  services: boolean;
  /** A page that has the world is asked to stop it. */
  takeOver?: boolean;
  trace: boolean;
}

export interface Opened {
  storage: StorageKind;
  /** The world has services that were held back for want of consent. */
  servicesHeld: boolean;
  /** What is wrong with boot.json, so that there are no services (R8-2). */
  bootProblem?: string;
  /** How many processes can run at once. */
  processLimit: number;
  relay: OutsideState;
}

/** What the page offers to the core: workers can only be made and ended by the page. */
export interface WorkerFactory {
  /** Makes a worker and sends the port to it; the worker is known by `id` from then on. */
  create(id: number, kind: 'process' | 'build', port: MessagePort): void;
  terminate(id: number): void;
  /** Called when a worker could not be loaded or threw outside of a process. */
  onFailure(listener: (id: number, message: string) => void): void;
}

export interface CoreApi {
  open(
    options: OpenOptions,
    factory: WorkerFactory,
    onProgress: (progress: BootProgress) => void,
    /** Speaks `ToCore` and `FromCore`. */
    calls: MessagePort,
  ): Promise<Opened>;
  /**
   * The page has the world: what nobody waits for loads from now on, the journal's SQLite and documents. With `furnish`
   * also what the page ships beside the world's zip; resolves when all of that is in the world.
   */
  settle(furnish: boolean): Promise<void>;

  readFile(path: string): Promise<Uint8Array>;
  writeFile(path: string, data: Uint8Array): Promise<void>;
  readDir(path: string): Promise<{ name: string; kind: FileInfo['kind'] }[]>;
  stat(path: string): Promise<FileInfo>;
  mkdir(path: string, recursive: boolean): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string, recursive: boolean): Promise<void>;
  watch(id: number, path: string, listener: (path: string) => void): Promise<void>;
  unwatch(id: number): Promise<void>;

  processes(): Promise<ProcessInfo[]>;
  /** The text of the document of a plugin.wasm of the world, which need not be active; undefined where it has none. */
  describe(plugin: string, wasm: string): Promise<string | undefined>;
  ports(): Promise<PortInfo[]>;
  /** Sends a request into the world; `id` names it for `cancelFetch`. Rejects with a sentence when no answer comes. */
  fetch(id: number, port: number, request: PortRequest): Promise<PortResponse>;
  cancelFetch(id: number): void;
  /** Answers requests that come over `channel` (`src/net/preview/protocol.ts`) with those of a port; `id` names it for `closePreview`. */
  openPreview(id: number, port: number, channel: MessagePort): void;
  closePreview(id: number): void;
  /** Another way outside from now on; what is open by the way of before is reset. */
  setOutside(options: OutsideOptions): Promise<void>;
  /** The visitor has agreed: the services start, and the world may go outside (R8-5). */
  release(): Promise<void>;
  /** Goes on with the next service although the present one has not answered (R8-4). */
  skipService(): void;
  /** Which events the page wants; none at first. `exit` is always told. */
  listen(types: Exclude<CoreEvent['type'], 'exit'>[]): void;
  exportZip(options: { secrets: boolean; journal: boolean }): Promise<Blob>;
  /** Stops every process (5 s at most), writes what is pending, gives the lock back. */
  close(): Promise<void>;
}
