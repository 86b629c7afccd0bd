/**
 * TCP: `import { connect, listen } from 'sausage/net'`. 127.0.0.1 is the world's own loopback, which other worlds and the
 * machine are not on (R5-1). HTTP is what `fetch` is for.
 */

import * as host from 'sausage:host';

const { input, output, tcp, lookup } = host.KIND;
const LOOPBACK = '127.0.0.1';
/** Bytes that a read takes at most. */
const PIECE = 64 * 1024;

/** A side of a connection. */
export interface Place {
  address: string;
  port: number;
}

/** Waits for resources; `end` forgets all that is awaited and lets it fail. */
class Waits {
  readonly #rejects = new Map<number, (error: Error) => void>();
  #ended: Error | undefined;

  ready(kind: number, handle: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(this.#ended);
      const id = host.whenReady(kind, handle, () => {
        this.#rejects.delete(id);
        resolve();
      });
      this.#rejects.set(id, reject);
    });
  }

  check(): void {
    if (this.#ended) throw this.#ended;
  }

  end(error: Error): boolean {
    if (this.#ended) return false;
    this.#ended = error;
    for (const [id, reject] of this.#rejects) {
      host.forget(id);
      reject(error);
    }
    return true;
  }
}

export class Connection {
  readonly #socket: number;
  readonly #input: number;
  readonly #output: number;
  readonly #waits = new Waits();
  /** What was written last; each write waits for the one before. */
  #last: Promise<void> = Promise.resolve();

  /** `connect` and `listen` make connections. */
  constructor([socket, read, write]: [socket: number, input: number, output: number]) {
    this.#socket = socket;
    this.#input = read;
    this.#output = write;
  }

  get local(): Place {
    return place(this.#socket, false);
  }

  get remote(): Place {
    return place(this.#socket, true);
  }

  /** The next bytes; null at the end. Rejects when the connection was reset, and when it is closed here. */
  async read(): Promise<Uint8Array<ArrayBuffer> | null> {
    for (;;) {
      this.#waits.check();
      const bytes = host.readStream(this.#input, PIECE);
      if (bytes === null || bytes.length > 0) return bytes;
      await this.#waits.ready(input, this.#input);
    }
  }

  /** Resolves when all of it is on its way. Writes go out in the order of the calls. */
  write(data: Uint8Array | string): Promise<void> {
    const bytes = typeof data === 'string' ? host.encodeUtf8(data) : data;
    const written = this.#last.then(() => this.#write(bytes));
    this.#last = written.catch(() => {});
    return written;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      this.#waits.check();
      const count = host.writeStream(this.#output, bytes.subarray(at));
      at += count;
      if (count === 0) await this.#waits.ready(output, this.#output);
    }
  }

  /** The other side sees the end when all was sent; reading goes on. */
  async end(): Promise<void> {
    await this.#last;
    this.#waits.check();
    host.shutdownSend(this.#socket);
  }

  /** Gives the connection up at once. */
  close(): void {
    if (!this.#waits.end(new TypeError('this connection was closed'))) return;
    host.drop(input, this.#input);
    host.drop(output, this.#output);
    host.drop(tcp, this.#socket);
  }

  /** What comes, in pieces as they come, and closes in the end. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    try {
      for (let bytes = await this.read(); bytes; bytes = await this.read()) yield bytes;
    } finally {
      this.close();
    }
  }

  /** What comes, as lines of UTF-8 without their newlines. */
  async *lines(): AsyncGenerator<string, void> {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const bytes of this) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
      rest = lines.pop() as string;
      yield* lines;
    }
    if (rest !== '') yield rest;
  }
}

export interface Server {
  readonly port: number;
  close(): void;
}

/**
 * Listens on a port of the world's loopback, a free one when none is given, and calls for each connection. What `each`
 * throws closes its connection and stands in the journal. A server alone keeps no process alive: a handler or a background
 * task does.
 */
export function listen(each: (connection: Connection) => unknown, { port = 0, address = LOOPBACK } = {}): Server {
  const socket = named(() => host.tcpListen(numbers(address) ?? [], port), `${address}:${port}`);
  const waits = new Waits();
  const server = {
    port: place(socket, false).port,
    close() {
      if (waits.end(new TypeError('this server was closed'))) host.drop(tcp, socket);
    },
  };
  void accept(socket, waits, each).catch((error) => {
    console.error(error);
    server.close();
  });
  return server;
}

async function accept(socket: number, waits: Waits, each: (connection: Connection) => unknown): Promise<void> {
  for (;;) {
    const accepted = host.tcpAccept(socket);
    if (accepted) {
      const connection = new Connection(accepted);
      void (async () => each(connection))().catch((error) => {
        console.error(error);
        connection.close();
      });
      continue;
    }
    try {
      await waits.ready(tcp, socket);
    } catch {
      return; // the server was closed
    }
  }
}

/** Connects to a port, of this world when no host is given. Rejects with a `TypeError` that has the `code` of the failure. */
export async function connect(port: number, name = LOOPBACK): Promise<Connection> {
  const waits = new Waits();
  const addresses = await addressesOf(name, waits);
  for (let i = 0; ; i++) {
    try {
      return await connectTo(addresses[i] as host.Address, port, waits);
    } catch (error) {
      if (i === addresses.length - 1) throw explain(error, `${name}:${port}`);
    }
  }
}

async function connectTo(address: host.Address, port: number, waits: Waits): Promise<Connection> {
  const socket = host.tcpConnect(address, port);
  try {
    for (;;) {
      const streams = host.tcpConnected(socket);
      if (streams) return new Connection([socket, ...streams]);
      await waits.ready(tcp, socket);
    }
  } catch (error) {
    host.drop(tcp, socket);
    throw error;
  }
}

async function addressesOf(name: string, waits: Waits): Promise<host.Address[]> {
  const written = numbers(name);
  if (written) return [written];
  const found: host.Address[] = [];
  const search = named(() => host.lookup(name), name);
  try {
    for (;;) {
      const address = host.nextAddress(search);
      if (address) found.push(address);
      else if (address === undefined) await waits.ready(lookup, search);
      else break;
    }
  } catch (error) {
    throw explain(error, name);
  } finally {
    host.drop(lookup, search);
  }
  if (found.length === 0) throw new TypeError(`${name} has no address`);
  return found;
}

function named<T>(work: () => T, what: string): T {
  try {
    return work();
  } catch (error) {
    throw explain(error, what);
  }
}

/** The error of the host, with what it was about. */
function explain(error: unknown, what: string): unknown {
  const { code, message } = error as { code?: string; message: string };
  return code ? Object.assign(new TypeError(`${what}: ${message}`, { cause: error }), { code }) : error;
}

function place(socket: number, remote: boolean): Place {
  const [port, ...address] = host.tcpAddress(socket, remote);
  return {
    port,
    address: address.length === 4 ? address.join('.') : address.map((word) => word.toString(16)).join(':'),
  };
}

/** An address that is written as numbers; undefined for a name. */
function numbers(text: string): host.Address | undefined {
  if (text === 'localhost') return [127, 0, 0, 1];
  if (/^(\d{1,3}\.){3}\d{1,3}$/.test(text)) return text.split('.').map(Number);
  if (!text.includes(':')) return undefined;
  const [before = '', after] = text.split('::');
  const words = (part: string) => (part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16)));
  const [head, tail] = [words(before), words(after ?? '')];
  const gap = after === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...new Array<number>(Math.max(0, gap)).fill(0), ...tail];
}
