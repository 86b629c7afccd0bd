/** The types of the embedding API (`index.ts`). */

import type {
  BootProgress,
  HttpWay,
  JournalEntry,
  OutsideState,
  PortInfo,
  ProcessInfo,
  StorageKind,
} from './core/protocol.ts';

import type { PreviewChannel, PreviewOptions, PreviewSource, PreviewState } from './net/preview/frame.ts';

export type {
  BootProgress,
  HttpWay,
  JournalEntry,
  OutsideState,
  PortInfo,
  PreviewChannel,
  PreviewOptions,
  PreviewSource,
  PreviewState,
  ProcessInfo,
  StorageKind,
};

export interface WorldInfo {
  name: string;
  /** When the world was made and last opened. */
  created: Date;
  opened?: Date;
  /** What the world was made of, as the page that made it called it; nothing where nobody said so. */
  origin?: string;
  /** The visitor agreed that the services of this world, which came from outside, start, and that it goes outside. */
  consented: boolean;
}

/** How a world reaches what is outside of the page. */
export interface OutsideOptions {
  /** The relay for sockets to the outside; null is "none". Without it, the one that the page's host names, if it does. */
  relay?: URL | null;
  /** For a relay that wants one. */
  relayToken?: string;
  /**
   * What does the HTTP requests of programs to the outside (`wasi:http`): `relay`, which is meant when nothing is said; `fetch`,
   * the page's own, which needs no relay and reaches sites with https that let other pages read them (CORS); or `none`.
   */
  http?: HttpWay;
}

/** What a new world is made of. */
export interface Beginning {
  /** A zip, or where it is. Without it the world is empty. */
  from?: Blob | URL;
  /** The SHA-256 of the zip at an address, in hexadecimal digits, or the first 32 and more of them: another one is refused. */
  hash?: string;
  /** A world whose content comes from outside is `held` until the visitor agrees, unless this says it is trusted (the playground's own world). */
  trusted?: boolean;
  /** How the page calls what the world is made of, for `WorldInfo.origin`; the address of the zip when not given. */
  origin?: string;
  onProgress?: (progress: BootProgress) => void;
}

/** What of a `Beginning` is there already when the world exists is ignored. */
export interface OpenWorldOptions extends OutsideOptions, Beginning {
  /** 1 to 100 characters without control characters, blanks at the ends aside; else `WorldNameError`. */
  name: string;
  /** When another page has the world it is asked to stop it, and gets 10 s; without this, opening rejects with `WorldBusyError`. */
  takeOver?: boolean;
  /** Opens without the services, whatever was agreed before. */
  safe?: boolean;
}

export interface ExportOptions {
  /** `config/secrets.json` and the token in `config/agent.json`; false when not given. */
  secrets?: boolean;
  /** The journal; true when not given. */
  journal?: boolean;
}

export interface CallOptions {
  /** Receives what the callee sends with `core.notify`, in order, before the result. */
  onNotify?: (name: string, params: unknown) => void;
  /** Stops the process of the call. */
  signal?: AbortSignal;
}

export interface Stat {
  kind: 'file' | 'directory' | 'link';
  /** Bytes. */
  size: number;
  modified: Date;
}

/** Absolute paths of the world, its mounts (`/proc`, `/run`) included. Errors are `FsError`s with a WASI error code. */
export interface WorldFiles {
  readFile(path: string): Promise<Uint8Array>;
  readTextFile(path: string): Promise<string>;
  writeFile(path: string, data: Uint8Array | string): Promise<void>;
  readDir(path: string): Promise<{ name: string; kind: Stat['kind'] }[]>;
  stat(path: string): Promise<Stat>;
  mkdir(path: string, options?: { recursive?: boolean }): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string, options?: { recursive?: boolean }): Promise<void>;
  /**
   * Calls `listener` with the path of each change at or below `path`, and of a folder above it that comes, goes or gets
   * another name; returns the function that ends it.
   */
  watch(path: string, listener: (path: string) => void): () => void;
}

export interface WorldEvents {
  journal: JournalEntry[];
  process: ProcessInfo;
  /** `takenOver`: another page has the world now. */
  exit: { exitCode: number; takenOver: boolean };
  /** A service keeps those after it waiting for more than 60 s; `waiting` false: it has answered, or was skipped. */
  service: { method: string; waiting: boolean };
  /** All TCP ports that are listened on, at each change. */
  port: PortInfo[];
  relay: OutsideState;
}

/** The pages of a port in a frame. */
export interface Preview {
  /** Shows another page of the port; the path begins with `/`. */
  go(path: string): void;
  reload(): void;
  /** Says in the frame that there is no world behind it any more. */
  end(message: string): void;
  close(): void;
}

/** An open world. Its calls reject with `RpcError`. */
export interface World {
  readonly name: string;
  readonly storage: StorageKind;
  /**
   * Something of the world waits for `consent`: its services, its way outside, or both (R8-5). It came from outside and
   * the visitor has not agreed yet, or it was opened `safe`.
   */
  readonly held: boolean;
  /** Why `/config/boot.json` cannot be understood, in a sentence; the world runs without services then (R8-2). */
  readonly bootProblem: string | undefined;
  /** How many processes can run at once in this browser. */
  readonly processLimit: number;
  /** The way outside, now; the event `relay` tells each change. */
  readonly relay: OutsideState;
  /**
   * Another way outside from now on, as `openWorld` takes it. Sockets that are open by the way of before are reset; a world
   * that waits for consent goes on waiting.
   */
  setOutside(options: OutsideOptions): Promise<void>;
  /** Params can also be the JSON text of an object, which reaches the plugin as it is: with numbers that JavaScript would round. */
  call(method: string, params?: object | string, options?: CallOptions): Promise<unknown>;
  notify(method: string, params?: object | string): void;
  readonly fs: WorldFiles;
  processes(): Promise<ProcessInfo[]>;
  /**
   * What a plugin.wasm of the world says of itself (`rpc.discover`) when it is to be the plugin of that name; it need not be
   * active. Undefined where it says nothing.
   */
  describe(plugin: string, wasm: string): Promise<unknown>;
  /** The TCP ports of the world's loopback that processes listen on. */
  ports(): Promise<PortInfo[]>;
  /**
   * Sends a request to the HTTP server at a port of the world; of the address only path and query count. Rejects with a
   * sentence when nobody answers. Redirects are not followed, bodies stream both ways, and `request.signal` gives up.
   */
  fetch(port: number, request: Request): Promise<Response>;
  /** What `showPreview` needs to show the pages of the HTTP server at a port, on a host name of their own. */
  preview(port: number): PreviewSource;
  /** The visitor agrees: starts the services that were held, lets the world go outside, and remembers it (R8-5). */
  consent(): Promise<void>;
  /** Goes on with the next service although the present one has not answered. */
  skipService(): void;
  /** Without its secrets unless they are asked for, and with its journal unless it is to be left out. */
  exportZip(options?: ExportOptions): Promise<Blob>;
  on<E extends keyof WorldEvents>(event: E, listener: (value: WorldEvents[E]) => void): () => void;
  readonly closed: Promise<{ exitCode: number }>;
  close(): Promise<void>;
}
