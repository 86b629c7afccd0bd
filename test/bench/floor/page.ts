/** The page of the raw floors: `floors.<name>(…)` measures one, in a worker of its own where it needs one. */

import { type Remote, wrap } from 'comlink';
import type { FloorWorker } from './worker.ts';

function worker(): Remote<FloorWorker> {
  return wrap<FloorWorker>(new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }));
}

/** Sorted ascending; each run begins in a turn of its own, as processes do. */
async function component(times: number, component: string, requestJson: string, files: Record<string, string>) {
  const floor = worker();
  await floor.prepare(new URL(component, location.href).href, new URL('components.pack', location.href).href, files);
  const took: number[] = [];
  for (let i = 0; i < times; i++) took.push(await floor.run(requestJson));
  return took.sort((a, b) => a - b);
}

/** A message to a worker and back: what a call costs before anything is done. */
async function roundTrip(times: number): Promise<number[]> {
  const floor = worker();
  const took: number[] = [];
  for (let i = 0; i < times; i++) {
    const from = performance.now();
    await floor.nothing();
    took.push(performance.now() - from);
  }
  return took.sort((a, b) => a - b);
}

/** What the bench calls from outside. */
const offered = { component, roundTrip };

declare global {
  var floors: typeof offered;
}

globalThis.floors = offered;
