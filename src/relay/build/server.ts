/**
 * The build server, as a part of a server (R11-6): a POST with a package at `BUILD_PATH` is answered by its tests and its
 * component, in records. Off unless asked for: it runs programs that the page sends.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { BUILD_PATH, BUILD_TYPE, type FromBuilder, type ToBuilder } from '../../builders/cargo/protocol.ts';
import { BadRecords, RecordReader, recordLine } from '../../builders/cargo/records.ts';
import { isLocal, isLoopbackHost, ownOrigins, parseOrigin } from '../origins.ts';
import { verifyToken } from '../token.ts';
import { CargoBuild, type CargoOptions } from './cargo.ts';
import { BuildQueue } from './queue.ts';
import { findSandbox, type Limits, type Sandbox } from './sandbox.ts';
import { findToolchain, NoToolchain, type Toolchain } from './toolchain.ts';
import { vendorCrates } from './vendor.ts';
import { BadPath, checkPath, Workspace } from './workspace.ts';

export interface BuildOptions {
  /** The folder of the SDK whose crates builds may use. */
  sdk: string;
  /** Where crates, and what compilers keep between builds, are put. */
  cache: string;
  /** Makes a component of a core module for wasm32-wasip1. */
  componentOf(module: Uint8Array): Promise<Uint8Array>;
  /** Builds may download what they need. */
  network?: boolean;
  /** Origins of pages on other hosts that may build here. */
  origins?: readonly string[];
  /** The key of tokens, that of the relay. Without it, only pages on this machine can build. */
  secret?: string;
  /** A folder with `bin/cargo`; looked for when not given. */
  toolchain?: string;
  sandbox?: 'bubblewrap' | 'user' | 'none';
  limits?: Partial<Limits>;
  /** Builds at once; half of the processors when not given. */
  together?: number;
}

const LIMITS: Limits = { time: 10 * 60_000, memory: 6 * 1024 ** 3, output: 32 * 1024 ** 2 };
/** Bytes of the body, of one file in it, of a line. */
const BODY = 80 * 1024 * 1024;
const RECORDS = { line: 64 * 1024, bytes: 64 * 1024 * 1024 };
/** Builds that may wait. */
const MOST = 100;

/** What a request is refused with. */
class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** What must be there before the first build. */
interface Ready {
  toolchain: Toolchain;
  vendor: string | undefined;
}

export class BuildServer {
  readonly #options: BuildOptions;
  readonly #sandbox: Sandbox;
  readonly #origins: ReadonlySet<string>;
  readonly #anonymous: boolean;
  readonly #queue: BuildQueue;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #ready: Promise<Ready>;

  private constructor(url: string, host: string, options: BuildOptions, sandbox: Sandbox) {
    this.#options = options;
    this.#sandbox = sandbox;
    this.#anonymous = isLoopbackHost(host);
    this.#origins = new Set([...ownOrigins(url, host), ...(options.origins ?? []).map(parseOrigin)]);
    this.#queue = new BuildQueue(options.together ?? Math.max(1, Math.floor(availableParallelism() / 2)), MOST);
    this.#ready = this.#prepare();
    this.#ready.catch(() => {}); // told to each who wants to build
  }

  /**
   * `url` is where pages find the server, `host` the address that it listens on. Throws `RangeError` when others could
   * reach it and there is no sandbox, or for options that say nothing.
   */
  static async create(url: string, host: string, options: BuildOptions): Promise<BuildServer> {
    const sandbox = await findSandbox(options.sandbox);
    if (!isLoopbackHost(host) && !sandbox.safe) {
      throw new RangeError(
        'without a sandbox for builds, --build works with --host 127.0.0.1 only: install bubblewrap',
      );
    }
    if (!isLoopbackHost(host) && options.secret === undefined) {
      throw new RangeError('builds for others than this machine need tokens, and tokens a secret');
    }
    return new BuildServer(url, host, options, sandbox);
  }

  /** In a sentence, for whoever starts it. */
  async describe(): Promise<string> {
    const who = this.#anonymous ? 'the page on this machine' : 'pages with a token';
    try {
      const { toolchain } = await this.#ready;
      return `Builds: ${toolchain.target} with ${toolchain.version}, ${this.#sandbox.description}, for ${who}.`;
    } catch (error) {
      return `Builds: not possible. ${sentence(error)}`;
    }
  }

  /** Takes a request; false when it is for another path. */
  request(request: IncomingMessage, response: ServerResponse): boolean {
    if ((request.url ?? '').replace(/[?#].*$/s, '') !== BUILD_PATH) return false;
    const work = this.#answer(request, response).catch((error) => {
      if (response.headersSent) return void response.destroy();
      const known = error instanceof Refusal || error instanceof BadRecords || error instanceof BadPath;
      const status = error instanceof Refusal ? error.status : known ? 400 : 500;
      response.writeHead(status, { ...this.#headers(request), 'Content-Type': 'text/plain', Connection: 'close' });
      response.end(`${known ? error.message : 'The build server failed.'}\n`);
    });
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
    return true;
  }

  /** Stops all builds. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running);
  }

  async #prepare(): Promise<Ready> {
    const { sdk, cache, network, toolchain: root } = this.#options;
    const toolchain = await findToolchain(root);
    const vendor = network ? undefined : await vendorCrates(toolchain, sdk, cache);
    return { toolchain, vendor };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { origin } = request.headers;
    if (this.#closing.signal.aborted) throw new Refusal(503, 'The build server stops.');
    if (origin !== undefined && !this.#origins.has(origin)) {
      throw new Refusal(403, `Pages of ${origin} may not build here. The --origin option names those that may.`);
    }
    const headers = this.#headers(request);
    if (request.method === 'OPTIONS') {
      const allowed = {
        'Access-Control-Allow-Methods': 'POST',
        'Access-Control-Allow-Headers': 'authorization, content-type',
        'Access-Control-Allow-Private-Network': 'true',
      };
      response.writeHead(204, { ...headers, ...allowed }).end();
      return;
    }
    if (request.method !== 'POST') throw new Refusal(405, 'Only POST is possible here.');
    // a page elsewhere can send this type only after it was asked for, and then the origin was looked at
    if (request.headers['content-type'] !== BUILD_TYPE) throw new Refusal(415, `The body must be ${BUILD_TYPE}.`);
    const owner = this.#owner(request);
    if (this.#queue.isFull) throw new Refusal(503, `${MOST} builds wait already. Try again in some minutes.`);
    const { plugin, files } = await readBody(request);

    const left = new AbortController();
    response.on('close', () => left.abort());
    const signal = AbortSignal.any([left.signal, this.#closing.signal]);
    response.writeHead(200, { ...headers, 'Content-Type': BUILD_TYPE, 'Cache-Control': 'no-store' });
    response.flushHeaders();
    const say = (record: FromBuilder, bytes?: Uint8Array) => {
      if (signal.aborted) return;
      response.write(recordLine(record));
      if (bytes) response.write(bytes);
    };
    await this.#build({ owner, plugin, files, signal, say }).catch((error) => {
      const message = sentence(error);
      say({ type: 'failed', step: 'server', message, output: message });
    });
    response.end();
  }

  async #build(build: {
    owner: string;
    plugin: string;
    files: Map<string, Uint8Array>;
    signal: AbortSignal;
    say: (record: FromBuilder, bytes?: Uint8Array) => void;
  }): Promise<void> {
    const { owner, plugin, files, signal, say } = build;
    const { toolchain, vendor } = await this.#ready;
    const moved = (place: number) => say({ type: 'queued', place });
    await this.#queue.run(owner, signal, moved, async () => {
      const { cache, componentOf, limits } = this.#options;
      const workspace = new Workspace(join(cache, 'tokens'), owner);
      await workspace.lay(files);
      const options: CargoOptions = {
        toolchain,
        vendor,
        componentOf,
        sandbox: this.#sandbox,
        limits: { ...LIMITS, ...limits },
        home: join(cache, 'home'),
      };
      await new CargoBuild(options, workspace, plugin, signal, say).run();
    });
  }

  /** Who builds: builds of one owner share a folder, and nobody else sees it. */
  #owner(request: IncomingMessage): string {
    const { secret } = this.#options;
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (token !== undefined && secret !== undefined) {
      const claims = verifyToken(secret, token, request.headers.origin, Date.now() / 1000);
      if (claims) return `token ${claims.sub}`;
      throw new Refusal(401, 'The token is not valid for this build server and page, or no longer.');
    }
    if (this.#anonymous && isLocal(request)) return 'anonymous';
    throw new Refusal(401, 'This build server wants a token.');
  }

  #headers({ headers: { origin } }: IncomingMessage): Record<string, string> {
    const known = origin !== undefined && this.#origins.has(origin);
    return {
      Vary: 'Origin',
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      ...(known && { 'Access-Control-Allow-Origin': origin }),
    };
  }
}

async function readBody(request: IncomingMessage): Promise<{ plugin: string; files: Map<string, Uint8Array> }> {
  const records = new RecordReader<ToBuilder>(RECORDS);
  const files = new Map<string, Uint8Array>();
  let plugin: string | undefined;
  let total = 0;
  for await (const piece of request) {
    total += piece.length;
    if (total > BODY) throw new Refusal(413, `A package may have ${BODY / 1048576} MiB at most.`);
    for (const { record, bytes } of records.push(piece)) {
      if (record.type === 'build' && typeof record.plugin === 'string' && plugin === undefined) plugin = record.plugin;
      else if (record.type === 'file' && plugin !== undefined) {
        checkPath(String(record.path), plugin);
        files.set(record.path, bytes);
      } else throw new BadRecords('the body is no build');
    }
  }
  records.end();
  if (plugin === undefined || !/^[a-z0-9_-]+$/.test(plugin)) throw new BadRecords('the body names no plugin');
  return { plugin, files };
}

function sentence(error: unknown): string {
  if (error instanceof NoToolchain) return error.message;
  const text = error instanceof Error ? error.message : String(error);
  return `The build server failed: ${text}`;
}
