import { call, notify } from './call.ts';

/**
 * Runs `task` while this process holds the lock of a path, and gives it back however the task ends. Locks are a matter of
 * agreement: whoever changes a file that others change too takes the lock of its path first (chapter 6).
 */
export async function lock<T>(path: string, task: () => T | Promise<T>): Promise<T> {
  await call('core.lock', { path });
  try {
    return await task();
  } finally {
    notify('core.unlock', { path });
  }
}

/** As `lock`, but gives up at once when another holds the lock: `undefined` then, and the task did not run. */
export async function tryLock<T>(path: string, task: () => T | Promise<T>): Promise<T | undefined> {
  const { held } = await call<{ held: boolean }>('core.lock', { path, wait: false });
  if (!held) return undefined;
  try {
    return await task();
  } finally {
    notify('core.unlock', { path });
  }
}

/** Writes a line to the journal; `console.log` and its like do the same. */
export function log(...values: unknown[]): void {
  console.error(...values);
}
