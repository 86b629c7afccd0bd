/** A relay on a free port of the loopback, and a client that speaks frames to it and waits for what it wants to see. */

import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { WebSocket } from 'ws';
import type { LogEntry } from '../../../../src/relay/log.ts';
import { decode, encode, type Frame, PROTOCOL, VERSION } from '../../../../src/relay/protocol.ts';
import type { RelayOptions } from '../../../../src/relay/relay.ts';
import { type RunningServer, type ServerOptions, startServer } from '../../../../src/relay/server.ts';

const closing: (() => unknown)[] = [];

/** Closes something after the test, the youngest first. */
export function later(close: () => unknown): void {
  closing.push(close);
}

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

export interface TestRelay extends RunningServer {
  log: LogEntry[];
}

export async function startRelay(relay: RelayOptions = {}, options: Partial<ServerOptions> = {}): Promise<TestRelay> {
  const dist = await mkdtemp(join(tmpdir(), 'sausage-relay-'));
  await writeFile(join(dist, 'index.html'), '<!doctype html>');
  const log: LogEntry[] = [];
  const server = await startServer({
    dist,
    port: 0,
    host: '127.0.0.1',
    relay: { log: (entry) => log.push(entry), ...relay },
    ...options,
  });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= server.close().then(() => rm(dist, { recursive: true, force: true })));
  later(close);
  return Object.assign(Object.create(server), { url: server.url, port: server.port, relay: server.relay, log, close });
}

/** A TCP server of a test: each connection is handed to `onSocket`. Returns its port. */
export async function listen(onSocket: (socket: Socket) => void, allowHalfOpen = true): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer({ allowHalfOpen }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    onSocket(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  later(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A TCP server that sends back what it gets, and ends when its client does. */
export const listenEcho = (): Promise<number> => listen((socket) => socket.pipe(socket));

export interface RawOptions {
  token?: string;
  origin?: string | undefined;
  /** Send no HELLO. */
  silent?: boolean;
  headers?: Record<string, string>;
}

/** A client that does what a test says, right or wrong. */
export class Raw {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  readonly #waiting = new Set<() => void>();
  closed = false;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.binaryType = 'nodebuffer';
    socket.on('message', (data: Buffer) => {
      const frame = decode(Uint8Array.from(data), 'relay');
      if (frame.op === 'ping') return;
      this.frames.push(frame);
      this.#wake();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.closed = true;
      this.#wake();
    });
  }

  /** Resolves when the socket is open; rejects with the status when it was refused. */
  static async connect(url: string, { origin, silent, token = '', headers = {} }: RawOptions = {}): Promise<Raw> {
    const address = new URL('relay', url.replace(/^http/, 'ws'));
    const socket = new WebSocket(address, [PROTOCOL], {
      headers: { ...headers, ...(origin !== undefined && { Origin: origin }) },
      rejectUnauthorized: false,
    });
    const raw = new Raw(socket);
    later(() => socket.terminate());
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => resolve());
      socket.once('unexpected-response', (_, response) => reject(new Error(`status ${response.statusCode}`)));
      socket.once('error', reject);
    });
    if (!silent) raw.send({ op: 'hello', stream: 0, version: VERSION, token });
    return raw;
  }

  /** With WELCOME waited for. */
  static async open(url: string, options?: RawOptions): Promise<Raw> {
    const raw = await Raw.connect(url, options);
    await raw.next('welcome');
    return raw;
  }

  send(frame: Frame): void {
    this.socket.send(encode(frame));
  }

  bytes(bytes: Uint8Array): void {
    this.socket.send(bytes);
  }

  /** Takes the first frame that fits, once there is one. */
  async take(fits: (frame: Frame) => boolean, what: string): Promise<Frame> {
    for (;;) {
      const at = this.frames.findIndex(fits);
      if (at >= 0) return this.frames.splice(at, 1)[0] as Frame;
      if (this.closed) throw new Error(`the relay closed the connection before ${what}`);
      await this.change();
    }
  }

  next<O extends Frame['op']>(op: O, stream?: number): Promise<Extract<Frame, { op: O }>> {
    const fits = (frame: Frame) => frame.op === op && (stream === undefined || frame.stream === stream);
    return this.take(fits, `${op} of ${stream}`) as Promise<Extract<Frame, { op: O }>>;
  }

  /** What an OPEN or another request leads to. */
  outcome(stream: number): Promise<Frame> {
    const last: Frame['op'][] = ['opened', 'failed', 'resolved'];
    return this.take((frame) => frame.stream === stream && last.includes(frame.op), `an answer to ${stream}`);
  }

  async tcp(stream: number, port: number, more: Partial<Extract<Frame, { op: 'open' }>> = {}): Promise<Frame> {
    this.send({ op: 'open', stream, credit: 1 << 20, port, host: '127.0.0.1', ...more });
    return this.outcome(stream);
  }

  /** Resolves when something has come. */
  change(): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        resolve();
      };
      this.#waiting.add(wake);
    });
  }

  /** Resolves when the relay has closed the connection, with what it said last. */
  async end(): Promise<Frame | undefined> {
    while (!this.closed) await this.change();
    return this.frames.findLast((frame) => frame.op === 'reset' && frame.stream === 0);
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}

/** Resolves when `check` holds; looks again and again, so that a test needs no fixed sleep. */
export async function until(check: () => boolean | Promise<boolean>, what = 'it'): Promise<void> {
  const end = performance.now() + 10_000;
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`${what} did not come about in 10 s`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
