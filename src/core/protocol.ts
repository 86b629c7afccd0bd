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

export type CoreEvent =
  | { type: 'journal'; entries: JournalEntry[] }
  | { type: 'process'; process: ProcessInfo }
  | { type: 'exit'; exitCode: number };

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
  | CoreEvent;

export interface FileInfo {
  kind: 'file' | 'directory' | 'link';
  /** Bytes. */
  size: number;
  /** Milliseconds since 1970. */
  modified: number;
}

export interface OpenOptions {
  /** The address of the page's folder, to which shipped files are relative. */
  base: string;
  /** The container of the world in the origin private file system; unique for the world, never renamed. */
  id: string;
  name: string;
  /** Fill the world from this zip before it starts; the world must be new. */
  from?: Blob;
  /** Start the services of boot.json. Without consent they are held. */
  services: boolean;
  trace: boolean;
}

export interface Opened {
  storage: StorageKind;
  /** The world has services that were held back for want of consent. */
  servicesHeld: boolean;
  /** How many processes can run at once. */
  processLimit: number;
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
  startServices(): Promise<void>;
  /** Which events the page wants; none at first. `exit` is always told. */
  listen(types: Exclude<CoreEvent['type'], 'exit'>[]): void;
  exportZip(options: { secrets: boolean }): Promise<Blob>;
  /** Stops every process (5 s at most), writes what is pending, gives the lock back. */
  close(): Promise<void>;
}
