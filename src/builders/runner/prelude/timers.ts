/** Timers over the one deadline that the runner waits for. */

import { now, onTimer, setDeadline } from 'sausage:host';

interface Timer {
  id: number;
  /** In milliseconds of `now`. */
  due: number;
  /** Undefined for a time-out, which is called once. */
  every: number | undefined;
  call: () => void;
}

/** In the order in which they are due; those of one time in the order in which they were set. */
const queue: Timer[] = [];
let lastId = 0;

function insert(timer: Timer): void {
  let at = queue.length;
  while (at > 0 && (queue[at - 1] as Timer).due > timer.due) at--;
  queue.splice(at, 0, timer);
  if (at === 0) setDeadline(timer.due);
}

function add(call: unknown, delay: unknown, repeated: boolean, args: unknown[]): number {
  if (typeof call !== 'function') throw new TypeError('a timer needs a function');
  const wait = Math.max(repeated ? 1 : 0, Number(delay) || 0);
  const timer = { id: ++lastId, due: now() + wait, every: repeated ? wait : undefined, call: () => call(...args) };
  insert(timer);
  return timer.id;
}

export const setTimeout = (call: unknown, delay?: unknown, ...args: unknown[]): number => add(call, delay, false, args);
export const setInterval = (call: unknown, delay?: unknown, ...args: unknown[]): number => add(call, delay, true, args);

/** For both kinds; an ID that is unknown is ignored. */
export function clearTimer(id?: unknown): void {
  const at = queue.findIndex((timer) => timer.id === id);
  if (at < 0) return;
  queue.splice(at, 1);
  if (at === 0) setDeadline(queue[0]?.due ?? Number.POSITIVE_INFINITY);
}

// One timer at a time, so that the promise jobs of one run before the next.
onTimer(() => {
  const timer = queue.shift();
  if (!timer) return;
  if (timer.every !== undefined) insert({ ...timer, due: now() + timer.every });
  setDeadline(queue[0]?.due ?? Number.POSITIVE_INFINITY);
  timer.call();
});
