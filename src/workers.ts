/** The page's side of the worker factory: only the page makes and ends workers (design, section 2). */

import type { WorkerFactory } from './core/protocol.ts';

const make = {
  process: () => new Worker(new URL('../workers/process.ts', import.meta.url), { type: 'module', name: 'process' }),
  build: () => new Worker(new URL('../workers/build.ts', import.meta.url), { type: 'module', name: 'build' }),
};

export class PageWorkers implements WorkerFactory {
  readonly #workers = new Map<number, Worker>();
  #onFailure: (id: number, message: string) => void = () => {};

  create(id: number, kind: 'process' | 'build', port: MessagePort): void {
    const worker = make[kind]();
    worker.onerror = (event) => {
      event.preventDefault();
      this.#onFailure(id, event.message || `the script of the ${kind} worker could not be loaded`);
    };
    worker.postMessage({ port }, [port]);
    this.#workers.set(id, worker);
  }

  terminate(id: number): void {
    this.#workers.get(id)?.terminate();
    this.#workers.delete(id);
  }

  onFailure(listener: (id: number, message: string) => void): void {
    this.#onFailure = listener;
  }

  terminateAll(): void {
    for (const id of [...this.#workers.keys()]) this.terminate(id);
  }
}
