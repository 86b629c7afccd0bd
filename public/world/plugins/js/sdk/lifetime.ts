/** A process lives as long as something runs in it: a handler or a background task (R3.6-10). */

import { end } from 'sausage:host';

const controller = new AbortController();
const hooks: (() => unknown)[] = [];
let running = 0;
/** Nothing is to come any more unless it runs already. */
let complete = false;

/** Aborted when this process is being stopped: it has 5 s from then on (R3.6-2). */
export const stopping: AbortSignal = controller.signal;

/** Runs when this process is being stopped, in the order in which the hooks were given. */
export function onStop(hook: () => unknown): void {
  hooks.push(hook);
}

/**
 * Work that goes on after the answer: the process ends when it is done. A task that fails is an uncaught error, which ends
 * the process with a stack in the journal.
 */
export function background<T>(task: Promise<T> | (() => Promise<T>)): Promise<T> {
  return run(async () => (typeof task === 'function' ? task() : task));
}

/** Keeps the process alive while `task` runs. */
export async function run<T>(task: () => Promise<T>): Promise<T> {
  running++;
  try {
    return await task();
  } finally {
    running--;
    settle();
  }
}

/** The call has come: when nothing runs any more the process ends. */
export function begun(): void {
  complete = true;
}

/** stdin has ended. */
export function stop(): void {
  complete = true;
  void run(async () => {
    controller.abort(new DOMException('this process is being stopped', 'AbortError'));
    for (const hook of hooks) await hook();
  });
}

function settle(): void {
  // what has been settled just now may start something: its jobs run first
  if (complete && running === 0) queueMicrotask(() => running === 0 && end());
}
