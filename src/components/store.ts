/** Makes components ready to run, each the shortest way: from memory, the cache, the shipped pack, the build worker. */

import { runnerModule, unsplice } from '../builders/js/splice.ts';
import type { Components } from '../core/host.ts';
import { sha256 } from '../core/plugins.ts';
import type { ReadyComponent } from '../syscall/protocol.ts';
import { ComponentCache } from './cache.ts';
import type { CacheDirectory } from './directory.ts';
import { ComponentError } from './errors.ts';
import { decode } from './frame.ts';
import { checkPlugin } from './interfaces.ts';
import { defaultMemoryLimit, hostedMemory, type MemoryLimits } from './limits.ts';
import { readPack } from './pack.ts';
import type { BuildApi, Transpiled } from './protocol.ts';

export interface StoreOptions {
  directory: CacheDirectory | Promise<CacheDirectory>;
  /** The build worker, asked for when a component comes that was never seen. */
  build: () => Promise<Pick<BuildApi, 'transpile'>>;
  /** The shipped pack; fetched at the first component that is not in the cache. */
  pack?: URL;
  /** Bytes of memory for one process; `defaultMemoryLimit()` when not given. */
  memoryLimit?: number;
  /** Bytes of WebAssembly that stay compiled, 32 MiB when not given; the newest component stays in any case. */
  compiledBudget?: number;
  /** Hears of what went wrong and was got over: a cache that cannot be written, a pack that cannot be fetched. */
  onProblem?: (message: string) => void;
}

interface Loaded {
  component: Promise<ReadyComponent>;
  /** Bytes of WebAssembly. */
  size: number;
}

const COMPILED_BUDGET = 32 * 1024 * 1024;

export class ComponentStore implements Components {
  readonly #options: StoreOptions;
  readonly #cache: Promise<ComponentCache>;
  #pack: Promise<Map<string, Uint8Array<ArrayBuffer>>> | undefined;
  /** By SHA-256; least recently used first. */
  readonly #loaded = new Map<string, Loaded>();

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#cache = Promise.resolve(options.directory).then((directory) => new ComponentCache(directory));
    this.#cache.catch(() => undefined);
  }

  /**
   * Throws `ComponentError` for bytes that are no plugin of this host. Loads of one component at the same time are one;
   * a load that failed is tried again by the next.
   */
  load(sha256: string, wasm: Uint8Array<ArrayBuffer>): Promise<ReadyComponent> {
    let loaded = this.#loaded.get(sha256);
    if (loaded) {
      this.#loaded.delete(sha256);
    } else {
      loaded = { component: this.#make(sha256, wasm), size: wasm.length };
      const mine = loaded;
      loaded.component.catch(() => this.#loaded.get(sha256) === mine && this.#loaded.delete(sha256));
    }
    this.#loaded.set(sha256, loaded);
    this.#evict();
    return loaded.component;
  }

  #evict(): void {
    let total = 0;
    for (const { size } of this.#loaded.values()) total += size;
    for (const [key, { size }] of this.#loaded) {
      if (total <= (this.#options.compiledBudget ?? COMPILED_BUDGET) || this.#loaded.size === 1) return;
      this.#loaded.delete(key);
      total -= size;
    }
  }

  async #make(key: string, wasm: Uint8Array<ArrayBuffer>): Promise<ReadyComponent> {
    checkPlugin(wasm);
    const transpiled = (await this.#spliced(wasm)) ?? (await this.#transpiled(key, wasm));
    const limit = this.#options.memoryLimit ?? defaultMemoryLimit();
    const made = await Promise.all(
      Object.entries(transpiled.modules).map(async ([name, bytes]) => ({ name, ...(await compile(bytes, limit)) })),
    );
    return {
      key,
      script: transpiled.script,
      modules: Object.fromEntries(made.map(({ name, module }) => [name, module])),
      memories: Object.fromEntries(made.flatMap(({ name, memory }) => (memory ? [[name, memory]] : []))),
    };
  }

  async #transpiled(key: string, wasm: Uint8Array<ArrayBuffer>): Promise<Transpiled> {
    return (await this.#cached(key, wasm)) ?? (await this.#shipped(key, wasm)) ?? (await this.#built(key, wasm));
  }

  /**
   * A plugin in JavaScript is the runner with a bundle in its data, and what jco makes of it differs from what it makes of
   * the runner in that one module. The runner is transpiled once, and comes with the page.
   */
  async #spliced(wasm: Uint8Array): Promise<Transpiled | undefined> {
    const runner = unsplice(wasm)?.runner;
    if (!runner) return undefined;
    const { script, modules } = await this.#transpiled(await sha256(runner), runner);
    return { script, modules: { ...modules, ...replaced(modules, runner, wasm) } };
  }

  async #cached(key: string, wasm: Uint8Array): Promise<Transpiled | undefined> {
    try {
      return await (await this.#cache).get(key, wasm);
    } catch (error) {
      this.#problem('The cache of components cannot be read', error);
      return undefined;
    }
  }

  async #shipped(key: string, wasm: Uint8Array): Promise<Transpiled | undefined> {
    const { pack } = this.#options;
    if (!pack) return undefined;
    try {
      this.#pack ??= fetchPack(pack);
      const frame = (await this.#pack).get(key);
      return frame && (await decode(key, frame, wasm));
    } catch (error) {
      this.#pack = undefined;
      this.#problem('The components that come with the page cannot be fetched', error);
      return undefined;
    }
  }

  async #built(key: string, wasm: Uint8Array): Promise<Transpiled> {
    let transpiled: Transpiled;
    try {
      transpiled = await (await this.#options.build()).transpile(wasm);
    } catch (error) {
      throw ComponentError.revive(error) ?? toolsError(error);
    }
    // Nobody waits for the cache: without it the next visit makes the component again.
    this.#cache
      .then((cache) => cache.put(key, transpiled, wasm))
      .catch((error) => this.#problem('The cache of components cannot be written', error));
    return transpiled;
  }

  #problem(what: string, error: unknown): void {
    this.#options.onProblem?.(`${what}: ${error instanceof Error ? error.message : error}`);
  }
}

/** The module that jco takes out of the runner as it is, as it stands in the other component. */
function replaced(modules: Transpiled['modules'], runner: Uint8Array, wasm: Uint8Array): Transpiled['modules'] {
  const [old, now] = [runnerModule(runner), runnerModule(wasm)];
  const name = Object.keys(modules).find((one) => modules[one]?.length === old?.length);
  if (!old || !now || name === undefined) throw new Error('the runner was made ready in another way than expected');
  return { [name]: new Uint8Array(now) };
}

async function fetchPack(url: URL): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  return readPack(new Uint8Array(await response.arrayBuffer()));
}

async function compile(
  bytes: Uint8Array<ArrayBuffer>,
  memoryLimit: number,
): Promise<{ module: WebAssembly.Module; memory?: MemoryLimits }> {
  try {
    const hosted = hostedMemory(bytes, memoryLimit);
    return { ...hosted, module: await WebAssembly.compile(hosted.module) };
  } catch (error) {
    if (error instanceof ComponentError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const message = `The component is damaged or uses what this browser cannot run: ${reason}. Build the plugin again.`;
    throw new ComponentError('damaged', message, { cause: error });
  }
}

function toolsError(error: unknown): ComponentError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ComponentError('tools', `The component could not be made ready to run: ${reason}.`, { cause: error });
}
