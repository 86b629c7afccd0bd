/** The build worker as the core uses it: made at the first need, ended when it has been idle. */

import { type Remote, releaseProxy, wrap } from 'comlink';
import type { JsBuildResult } from '../builders/js/protocol.ts';
import type { BuildApi } from '../components/protocol.ts';
import type { WorkerFactory } from '../core/protocol.ts';

/** jco holds WebAssembly memories, of which a page has few: an idle worker gives them back (R3.3-12). */
const IDLE_MS = 20_000;
/** Process workers count from 1 up. */
const ID = -1;

export class BuildWorker {
  readonly #factory: WorkerFactory;
  #api: Remote<BuildApi> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #working = 0;

  constructor(factory: WorkerFactory) {
    this.#factory = factory;
  }

  async api(): Promise<BuildApi> {
    return {
      transpile: (component) => this.#work((api) => api.transpile(component)),
      buildJs: (request) => this.#work((api) => api.buildJs(request) as Promise<JsBuildResult>),
    };
  }

  close(): void {
    clearTimeout(this.#timer);
    if (!this.#api) return;
    this.#api[releaseProxy]();
    this.#api = undefined;
    this.#factory.terminate(ID);
  }

  async #work<T>(task: (api: Remote<BuildApi>) => Promise<T>): Promise<T> {
    clearTimeout(this.#timer);
    this.#working++;
    this.#api ??= this.#start();
    try {
      return await task(this.#api);
    } finally {
      if (--this.#working === 0) this.#timer = setTimeout(() => this.close(), IDLE_MS);
    }
  }

  #start(): Remote<BuildApi> {
    const { port1, port2 } = new MessageChannel();
    this.#factory.create(ID, 'build', port2);
    return wrap<BuildApi>(port1);
  }
}
