/** `cargo.build`: compiled by a build server, tested in the page (R11-1, R11-6). */

import { CODE, RpcError } from '../../core/errors.ts';
import type { NativeContext } from '../../core/native.ts';
import { sha256 } from '../../core/plugins.ts';
import type { Namespace } from '../../fs/filesystem.ts';
import { find } from '../../fs/find.ts';
import { keepBuild } from '../builds.ts';
import { describe } from '../describe.ts';
import { buildFailure } from '../failure.ts';
import { type BuildServerAddress, NoBuildServer, requestBuild } from './client.ts';
import { BUILD_PATH, type FromBuilder } from './protocol.ts';
import { BadRecords } from './records.ts';
import { packageFolder, readSource } from './source.ts';
import { type CargoHost, readPlugin } from './target.ts';
import { type TestCount, TestRun } from './tests.ts';

export interface CargoBuilt {
  wasm: string;
  tests: Pick<TestCount, 'passed' | 'failed' | 'output'>;
  warnings: string[];
  target?: string;
}

/** Where a world may say where its build server is: `{"server": "https://…", "token": "…"}`. */
const CONFIG = '/config/cargo.json';
const TARGET = 'wasm32-wasip2';
const HOW =
  'No compiler runs in a page, so cargo.build needs a build server. On a computer with Rust, in the folder of the ' +
  'playground, start "npm start -- --build" and open the page from there; or name another in ' +
  `${CONFIG}: {"server": "http://127.0.0.1:4321/build"}.`;
const NO_NETWORK =
  'it was built for wasm32-wasip1, where std::net does not work; the endpoints of the SDK do. Add the target ' +
  'wasm32-wasip2 on the build server for std::net.';

/** One `cargo.build`. */
export class Build {
  readonly #host: CargoHost;
  readonly #context: NativeContext;
  readonly #plugin: string;
  readonly #filter: string | undefined;
  readonly #ignored: boolean;
  readonly #stop = new AbortController();

  constructor(host: CargoHost, params: unknown, context: NativeContext) {
    this.#host = host;
    this.#context = context;
    this.#plugin = readPlugin(params, 'cargo.build');
    const { filter, ignored } = params as { filter?: unknown; ignored?: unknown };
    if (filter !== undefined && typeof filter !== 'string') {
      throw new RpcError(CODE.invalidParams, 'cargo.build: filter must be a text');
    }
    this.#filter = filter;
    this.#ignored = ignored === true;
  }

  async run(): Promise<CargoBuilt> {
    const { signal } = this.#context;
    const stop = () => this.#stop.abort();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    try {
      return await this.#build();
    } catch (error) {
      // whatever was under way fails in its own words when it is stopped
      if (signal.aborted) throw buildFailure('stop', 'the build was stopped');
      if (error instanceof NoBuildServer) throw buildFailure('server', `${error.message.replace(/\.$/, '')}. ${HOW}`);
      if (error instanceof BadRecords)
        throw buildFailure('server', `The build server answered in part: ${error.message}.`);
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      stop();
    }
  }

  async #build(): Promise<CargoBuilt> {
    const { files } = this.#context;
    const folder = packageFolder(this.#plugin);
    if (find(files, `${folder}/Cargo.toml`, { follow: false })?.kind !== 'file') {
      throw buildFailure('read', `${folder}/Cargo.toml is no file: cargo.new makes a plugin`);
    }
    await this.#host.addSdk(files);
    const source = await readSource(files, this.#plugin).catch((error) => {
      throw error instanceof RangeError ? buildFailure('read', error.message) : error;
    });
    const own = new Map([...source].filter(([path]) => path.startsWith(`/plugins/${this.#plugin}/`)));
    const tests = new TestRun(this.#host, {
      plugin: this.#plugin,
      files: own,
      filter: this.#filter,
      ignored: this.#ignored,
      signal: this.#stop.signal,
      onLine: (line) => this.#tell('test', line),
    });
    // tests run while the release is compiled
    let testing: Promise<void> = Promise.resolve();
    const server = await this.#server(files);
    for await (const { record, bytes } of requestBuild(server, this.#plugin, source, this.#stop.signal)) {
      if (record.type === 'compiled') addAt(own, folder, record.folder);
      else if (record.type === 'tests') {
        testing = testing.then(() => tests.run({ name: record.name, component: bytes }));
        testing.catch(stopReading);
      } else if (record.type === 'component') {
        await testing;
        return this.#finish(record, bytes, tests.finish());
      } else this.#heard(record);
    }
    throw new BadRecords('it ended without a result');
  }

  #heard(record: Extract<FromBuilder, { type: 'queued' | 'line' | 'failed' }>): void {
    switch (record.type) {
      case 'queued':
        this.#context.notify('queued', { place: record.place });
        return;
      case 'line':
        this.#tell('line', record.line);
        return;
      case 'failed':
        throw buildFailure(record.step, record.output || record.message);
    }
  }

  async #finish(
    { target, warnings }: Extract<FromBuilder, { type: 'component' }>,
    wasm: Uint8Array<ArrayBuffer>,
    { passed, failed, output, warnings: ofTests }: TestCount,
  ): Promise<CargoBuilt> {
    const { files, signal } = this.#context;
    if (failed > 0) throw buildFailure('test', output);
    const component = await this.#host.components.load(await sha256(wasm), wasm).catch((error) => {
      throw buildFailure('compile', error instanceof Error ? error.message : String(error));
    });
    const described = await describe(this.#host.machines, this.#plugin, component, signal);
    const all = [...warnings, ...ofTests, ...described, ...(target === TARGET ? [] : [NO_NETWORK])];
    const path = await keepBuild(files, 'cargo', this.#plugin, wasm);
    return { wasm: path, tests: { passed, failed, output }, warnings: all, ...(target !== TARGET && { target }) };
  }

  #tell(name: 'line' | 'test', line: string): void {
    this.#context.log(line);
    this.#context.notify(name, { line });
  }

  async #server(files: Namespace): Promise<BuildServerAddress> {
    const beside = { url: new URL(BUILD_PATH.slice(1), this.#host.base).href };
    if (!find(files, CONFIG, { follow: false })) return beside;
    try {
      const { server, token } = JSON.parse(new TextDecoder().decode(await files.readFile(CONFIG)));
      if (server === undefined) return { ...beside, token };
      const { protocol, href } = new URL(server, this.#host.base);
      if (protocol === 'http:' || protocol === 'https:') return { url: href, token };
    } catch {
      // said below
    }
    throw buildFailure('server', `${CONFIG} must be {"server": "http…", "token": "…"}`);
  }
}

/** The failure of the tests is told where they are awaited. */
function stopReading(): void {}

/** A package was compiled in another folder than it has in the world: its files stand there too, for its tests. */
function addAt(files: Map<string, Uint8Array>, from: string, to: string): void {
  if (from === to) return;
  for (const [path, bytes] of [...files]) {
    if (path.startsWith(`${from}/`)) files.set(`${to}${path.slice(from.length)}`, bytes);
  }
}
