/**
 * The boundary between a process and the core: the memory that they share, the calls that a process makes over it,
 * and the messages on the port that starts a process. Types and the numbers of the layout, nothing else.
 *
 * One `SharedArrayBuffer` per process worker (`CHANNEL_BYTES`), made by the core:
 *
 *   words     control words (Int32), below
 *   args      8 float64: arguments of a call, then its results
 *   payload   bytes of a call: paths and data on the way in, data on the way out
 *   stdin     ring, core to process
 *   stdout    ring, process to core
 *   stderr    ring, process to core
 *
 * One `SharedArrayBuffer` for the core (`DOORBELL_BYTES`): word 0 is the core's event word, byte `4 + slot` says that
 * the process in that slot has something to say. A process sets its byte, adds 1 to the word and notifies; the core
 * reads the word, drains every ring that is marked, then waits on the word with what it read. After the bytes comes the
 * event word of each slot: it grows with every event for the process there (stdin got data or its end, a socket is
 * ready), and a sleeping process waits on it. The core and other processes ring it.
 *
 * One growing `SharedArrayBuffer` for the network of the world, see `src/net/arena.ts`.
 *
 * A ring is two ever-growing 32-bit counters (bytes read, bytes written, both modulo 2^32) over a power of two of bytes.
 * Who waits for space waits on the `read` counter, who waits for data waits on its event word.
 */

import type { MemoryLimits } from '../components/limits.ts';

export const SLOTS = 128;
export const EVENTS_AT = 4 + SLOTS;
export const DOORBELL_BYTES = EVENTS_AT + 4 * SLOTS;

export const PAYLOAD_BYTES = 128 * 1024;
export const RING_BYTES = { stdin: 64 * 1024, stdout: 64 * 1024, stderr: 64 * 1024 } as const;

/** Indexes of the control words. */
export const WORD = {
  /** A descriptor that the process needs no more, or 0: the core takes it before the next call. */
  unused: 0,
  /** 0 idle, 1 asked by the process, 2 answered by the core. The process waits on it. */
  call: 1,
  /** The number of the call, from `OP`. */
  op: 2,
  /** 0, or 1 + the position of the error in `ERROR_CODES`, of a socket in `NET_CODES`. */
  error: 3,
  /** Bytes in the payload. */
  length: 4,
  /** 0 none, 1 running, 2 ended: `exitKind` and `exitCode` are set, a trap's text stands in the payload (`length`). */
  state: 5,
  /** From `EXIT`. */
  exitKind: 6,
  exitCode: 7,
  stdinRead: 8,
  stdinWritten: 9,
  /** 1: no more will be written to stdin. */
  stdinClosed: 10,
  stdoutRead: 11,
  stdoutWritten: 12,
  stderrRead: 13,
  stderrWritten: 14,
  /** 1: the core has more for stdin than had room; the process rings when it has made some. */
  stdinWaits: 15,
} as const;

/**
 * The calls of a process. `args` and the payload carry arguments in and results out as each line says; a path is UTF-8
 * in the payload, from its start when nothing is said. `fd` is a number of the process's descriptor table in the core,
 * where `ROOT_FD` is the preopened `/`. Paths are relative to the folder `fd`. `follow` is 0 or 1: follow a link at the
 * last step. A call fails with one of `ERROR_CODES`, and its results then mean nothing.
 *
 * Node: `args` = [-, kind (`KIND`), size, links, inode, device]. Stat: a node, and in the payload three int64 in
 * nanoseconds since 1970: accessed, modified, changed.
 */
export const OP = {
  /**
   * [fd, follow, `OPEN` bits] path -> [new fd, ...node, ahead] and in the payload the times of a stat, then `ahead` bytes:
   * the whole content of a file that is not opened for writing, has at most `AHEAD_BYTES`, and is at hand. Else -1.
   */
  openAt: 1,
  /** [fd] */
  close: 2,
  /** [fd] -> stat */
  stat: 3,
  /** [fd, follow] path -> stat */
  statAt: 4,
  /** [fd, offset, most bytes] -> payload; fewer than asked only at the end of the file or of the payload. */
  read: 5,
  /** [fd, offset] payload: all of it is written, or nothing. */
  write: 6,
  /** [fd] payload: all of it at the end of the file in one step -> [offset at which it begins] */
  append: 7,
  /** [fd, size] */
  setSize: 8,
  /** [fd, how accessed, how modified] payload: int64 accessed, int64 modified; how is from `SET_TIME`. */
  setTimes: 9,
  /** As `setTimes`, [fd, how, how, follow], with the path at byte 16 of the payload. */
  setTimesAt: 10,
  /**
   * [fd] -> [list or 0] entries. A snapshot; an entry is u8 kind, u16 length of the name, float64 inode (0 when it is not
   * said), the name; little endian.
   * All of them when `list` is 0; otherwise more come from `nextEntries`, until 0 comes or `closeEntries` ends it.
   */
  readDirectory: 11,
  /** [list] -> [list or 0] entries */
  nextEntries: 12,
  /** [list] */
  closeEntries: 13,
  /** [fd] path */
  createDirectoryAt: 14,
  /** [fd] path */
  removeDirectoryAt: 15,
  /** [fd] path */
  unlinkFileAt: 16,
  /** [fd, new fd, bytes of the old path] both paths, one after the other */
  renameAt: 17,
  /** [fd, new fd, bytes of the old path, follow] both paths, one after the other */
  linkAt: 18,
  /** [fd, bytes of the target] target, then the path of the new link */
  symlinkAt: 19,
  /** [fd] path -> payload: the target */
  readLinkAt: 20,
  /** [fd] Returns when everything written so far survives a crash of the machine. */
  sync: 21,

  // Sockets. A call fails with one of `NET_CODES`; args[0] is then 0, or 1 + the position in
  // `TLS_FAILURES`. `id` is a number of the process's table of sockets, `cell` the index
  // of the word in which the core says what there is to fetch. An address is 28 bytes of the payload (`address.ts`).

  /** [`SOCKET` kind, family 4 or 6] -> [id, cell] */
  socket: 32,
  /** [id, `SOCKET` kind] address */
  bind: 33,
  /** [id, backlog]: the cell counts the connections that wait. */
  listen: 34,
  /** [id] -> [id, cell, place of the connection, its side] */
  accept: 35,
  /** [id] address: the cell changes to 1 when it is decided. */
  connect: 36,
  /** [id, port, 0 or 1: TLS] name or address as text. As `connect`. */
  connectName: 37,
  /** [id] -> [place of the connection, its side] */
  connected: 38,
  /** [id, `SOCKET` kind] -> address */
  localAddress: 39,
  /** [id, `SOCKET` kind] -> address */
  remoteAddress: 40,
  /** [id] Sockets and lookups. */
  closeSocket: 41,
  /** [id, 0 or 1: there is an address] address: the peer of a UDP socket. */
  setPeer: 42,
  /** [id] datagrams -> [how many were sent]. A datagram is u32 length, an address, the bytes. */
  send: 43,
  /** [id, most] -> [how many] datagrams */
  receive: 44,
  /** name -> [id, cell]: the cell changes to 1 when the lookup is done. */
  resolve: 45,
  /** [id] -> addresses, with port 0 */
  addresses: 46,
  /** host as text -> [`HTTP_WAY`]: how a request of HTTP to there goes. */
  httpWay: 47,
  /**
   * A head as JSON (`FetchHead`) -> [id, cell, place of the connection, its side]: the page's own `fetch` does the request.
   * Its body and that of the response go over the connection as they are. The cell changes to 1 when `fetched` has an answer.
   */
  fetch: 48,
  /** [id] -> [0] the head as JSON (`FetchedHead`), or [1 + the position in `HTTP_CODES`] what there is to say about it */
  fetched: 49,
} as const;

export const HTTP_WAY = { connection: 0, fetch: 1 } as const;

/** The kinds of `socket`. */
export const SOCKET = { tcp: 0, udp: 1 } as const;

/** How large a file may be for its content to come with its open. */
export const AHEAD_BYTES = 4096;

/** Bytes of a datagram before its data. */
export const DATAGRAM_HEAD = 32;

/** Bytes of an entry before its name. */
export const ENTRY_HEAD = 11;

export const ROOT_FD = 0;

/** The numbers of `descriptor-type` in `wasi:filesystem/types`. */
export const KIND = { directory: 3, link: 5, file: 6 } as const;

/** The low bits are `open-flags` of `wasi:filesystem/types`; the others say what is to be done with the content. */
export const OPEN = { create: 1, directory: 2, exclusive: 4, truncate: 8, write: 16 } as const;

/** The cases of `new-timestamp` in `wasi:filesystem/types`. */
export const SET_TIME = { noChange: 0, now: 1, timestamp: 2 } as const;

export const EXIT = {
  /** `run` returned or the program called exit; `exitCode` is its number. */
  code: 0,
  /** A WebAssembly trap, or an exception of the host's functions. */
  trap: 1,
  /** The instance could not be made: no memory. The core may try again. */
  noMemory: 2,
  /** The instance could not be made: an import does not exist, the module is broken. */
  link: 3,
} as const;

export const WORDS_AT = 0;
export const ARGS_AT = 64;
export const ARGS = 8;
export const PAYLOAD_AT = 128;
export const STDIN_AT = PAYLOAD_AT + PAYLOAD_BYTES;
export const STDOUT_AT = STDIN_AT + RING_BYTES.stdin;
export const STDERR_AT = STDOUT_AT + RING_BYTES.stdout;
export const CHANNEL_BYTES = STDERR_AT + RING_BYTES.stderr;

/** A component made ready to run: jco's JavaScript and the compiled core modules that it asks for by name. */
export interface ReadyComponent {
  /** SHA-256 of the component: what a warm worker keeps it by. */
  key: string;
  /** Source text of an ES module that exports `instantiate(getCoreModule, imports, instantiateCore)`. */
  script: string;
  modules: Record<string, WebAssembly.Module>;
  /** The modules that get their memory from the worker, and how large it has to be. */
  memories?: Record<string, MemoryLimits>;
}

/** Core to process worker, over the worker's port. */
export type ToProcess =
  | {
      type: 'channel';
      channel: SharedArrayBuffer;
      doorbell: SharedArrayBuffer;
      slot: number;
      network: SharedArrayBuffer;
    }
  | {
      type: 'start';
      /** `component` is left out when this worker was given the component of that key before. */
      key: string;
      component?: ReadyComponent;
      args: string[];
      env: [name: string, value: string][];
      /** Write one line for each host call to the console of the browser. */
      trace: boolean;
    }
  /** Get ready, when idle, to run this component: keep it, and have an instance of it made. */
  | { type: 'prepare'; component: ReadyComponent };

/** Process worker to core: all else goes over shared memory. */
export type FromProcess = { type: 'ready' };

/** How a process ended, as the core sees it. */
export type Exit =
  | { kind: 'code'; code: number }
  | { kind: 'trap'; message: string }
  | { kind: 'no-memory'; message: string }
  | { kind: 'link'; message: string };
