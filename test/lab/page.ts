/**
 * The page of the lab: runs components with arguments over the files of a world, as the core runs plugins, but without
 * the protocol between. Everything else is the real thing: the file system in OPFS, the system calls, the workers.
 */

import { proxy, type Remote, transfer, wrap } from 'comlink';
import type { LabCore } from './core.ts';
import type { RawFiles } from './raw.ts';

const workers = new Map<number, Worker>();

const core: Remote<LabCore> = wrap<LabCore>(
  new Worker(new URL('./core.ts', import.meta.url), { type: 'module', name: 'core' }),
);

const factory = {
  create(id: number, port: MessagePort): void {
    const worker = new Worker(new URL('../../workers/process.ts', import.meta.url), {
      type: 'module',
      name: 'process',
    });
    worker.postMessage({ port }, [port]);
    workers.set(id, worker);
  },
  terminate(id: number): void {
    workers.get(id)?.terminate();
    workers.delete(id);
  },
};

/** What the tests call from outside. */
const offered = {
  core,
  /** Opens the files of a world under a name of the test's own; resolves with the milliseconds that it took. */
  open: (id: string) => core.open(id, proxy(factory)),
  /** A worker of its own that uses sync handles with nothing between. */
  raw: wrap<RawFiles>(new Worker(new URL('./raw.ts', import.meta.url), { type: 'module', name: 'raw' })),
  proxy,
  transfer,
};

declare global {
  var lab: typeof offered;
}

globalThis.lab = offered;
