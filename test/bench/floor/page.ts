/** The page of the raw floors: `floors.<name>(…)` measures one, in a worker of its own where it needs one. */

import { type Remote, wrap } from 'comlink';
import type { FloorWorker } from './worker.ts';

/** Works with a worker of its own, which is ended: what its instances leave behind counts against the next one. */
async function withWorker<T>(work: (floor: Remote<FloorWorker>) => Promise<T>): Promise<T> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  try {
    return await work(wrap<FloorWorker>(worker));
  } finally {
    worker.terminate();
  }
}

/** Runs of a worker that are not counted: the engine compiles what runs often in a second, better way. */
const WARM = 40;

/** Sorted ascending; each run begins in a turn of its own, as processes do. */
function component(times: number, component: string, requestJson: string, files: Record<string, string>) {
  return withWorker(async (floor) => {
    await floor.prepare(new URL(component, location.href).href, new URL('components.pack', location.href).href, files);
    const took: number[] = [];
    for (let i = 0; i < WARM + times; i++) {
      const one = await floor.run(requestJson);
      if (i >= WARM) took.push(one);
    }
    return took.sort((a, b) => a - b);
  });
}

/** A message to a worker and back: what a call costs before anything is done. */
function roundTrip(times: number): Promise<number[]> {
  return withWorker(async (floor) => {
    const took: number[] = [];
    for (let i = 0; i < times; i++) {
      const from = performance.now();
      await floor.nothing();
      took.push(performance.now() - from);
    }
    return took.sort((a, b) => a - b);
  });
}

/** What the bench calls from outside. */
const offered = { component, roundTrip };

declare global {
  var floors: typeof offered;
}

globalThis.floors = offered;
