/** The functions that the runner of a plugin in JavaScript offers; the SDK is written with them. */
declare module 'sausage:host' {
  /** Called with each line of stdin, without its newline, and with null at the end; null stops the reading. */
  export function onLine(listener: ((line: string | null) => void) | null): void;
  /** Called when the deadline has come. */
  export function onTimer(listener: () => void): void;
  /** In milliseconds of `now`; Infinity for none. */
  export function setDeadline(time: number): void;
  export function onUncaught(listener: (error: unknown) => void): void;
  export function now(): number;
  /** Writes to stdout. */
  export function write(text: string): void;
  /** Writes to stderr. */
  export function log(text: string): void;
  export function exit(code: number): never;
  /** Ends the program well when the promise jobs that are there have run, whatever it still waits for. */
  export function end(): void;
  export function args(): string[];
  export function env(): Record<string, string>;

  /** A resource of the host; handles are numbers. The first five kinds are those that one can wait for. */
  export const KIND: Record<
    'input' | 'output' | 'tcp' | 'lookup' | 'future' | 'incomingBody' | 'outgoingBody' | 'response',
    number
  >;
  /** Calls once when a resource is ready, and answers a number for `forget`. */
  export function whenReady(kind: number, handle: number, call: () => void): number;
  export function forget(id: number): void;
  /** Gives a resource back. What waits for it is forgotten first, and streams go before what they belong to. */
  export function drop(kind: number, handle: number): void;

  /** Those of the network throw a `TypeError` with `code`, and answer undefined while one has to wait. */
  /** 4 bytes or 8 words. */
  export type Address = readonly number[];
  export function tcpListen(address: Address, port: number): number;
  export function tcpConnect(address: Address, port: number): number;
  export function tcpConnected(socket: number): [input: number, output: number] | undefined;
  export function tcpAccept(listener: number): [socket: number, input: number, output: number] | undefined;
  /** The port, then the address. */
  export function tcpAddress(socket: number, remote: boolean): [port: number, ...address: number[]];
  export function shutdownSend(socket: number): void;
  export function lookup(name: string): number;
  export function nextAddress(search: number): Address | null | undefined;
  /** Bytes, none when there are none yet, null at the end. */
  export function readStream(input: number, most: number): Uint8Array<ArrayBuffer> | null;
  /** How many bytes were taken. Throws with the code `closed` when nobody reads any more. */
  export function writeStream(output: number, bytes: Uint8Array): number;
  /** Headers are names and values by turns. Answers `[future]`, or `[future, body, output]` with a body. */
  export function httpSend(
    method: string,
    scheme: string,
    authority: string,
    path: string,
    headers: string[],
    withBody: boolean,
  ): number[];
  export function httpEndBody(body: number): void;
  export function httpResponse(
    future: number,
  ): [status: number, headers: string[], response: number, body: number, input: number] | undefined;

  export function encodeUtf8(text: string): Uint8Array<ArrayBuffer>;
  /** The text, and how many bytes at the end are the beginning of a character (only with `stream`). */
  export function decodeUtf8(bytes: ArrayBufferView | ArrayBuffer, fatal: boolean, stream: boolean): [string, number];
  /** Fills with random bytes. */
  export function random(bytes: ArrayBufferView): void;

  /** Those of files throw an `Error` with `code` (`ENOENT`) and `path`. */
  export function mkdir(path: string): void;
  export function rmdir(path: string): void;
  export function unlink(path: string): void;
  export function rename(from: string, to: string): void;
  export function link(path: string, to: string): void;
  export function symlink(target: string, path: string): void;
  export function readLink(path: string): string;
  export type Kind = 'file' | 'directory' | 'link';
  export function stat(path: string, follow: boolean): { kind: Kind; size: number; links: number; modified: number };
  /** Names and kinds by turns. */
  export function readDir(path: string): string[];
  /** Letters: r read, w write, c create, x only new, t cut to nothing, a append. */
  export function open(path: string, letters: string): number;
  export function close(fd: number): void;
  /** From the current place when `offset` is negative. Less than asked for only at the end of the file. */
  export function read(fd: number, into: Uint8Array, offset: number): number;
  export function writeFile(fd: number, bytes: Uint8Array, offset: number): number;
  export function size(fd: number): number;
  export function setSize(fd: number, size: number): void;
  export function sync(fd: number): void;
}
