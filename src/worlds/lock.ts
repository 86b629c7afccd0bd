/** One page owns a world at a time: the Web Lock of its container (R1-6). */

import { askToTakeOver, asleep, PATIENCE_MS } from './channel.ts';

/** Another page has the world. */
export class WorldBusyError extends Error {
  override readonly name = 'WorldBusyError';
  /** The container of the world: whom to ask for a take-over, once there is one. */
  readonly id: string;

  constructor(id: string, name: string, message = `The world ${name} is open in another tab or window.`) {
    super(message);
    this.id = id;
  }

  /** The error as it was on the other side of a thread, where it lost its class. */
  static from(error: Error): WorldBusyError {
    return new WorldBusyError('', '', error.message);
  }
}

export interface WorldLock {
  /** Resolves when the next one can have it. */
  release(): Promise<void>;
}

export interface LockOptions {
  locks?: LockManager;
  /** Milliseconds to wait for the page that has it; none when not given. */
  patience?: number;
}

/** As `lockWorld`; when another page has the world it is asked to stop it, and gets 10 s for that (R1-6). */
export async function takeOverWorld(
  id: string,
  name: string,
  options: Pick<LockOptions, 'locks'> = {},
): Promise<WorldLock> {
  const free = await hold(`sausage/world/${id}`, options);
  if (free) return free;
  askToTakeOver(id);
  const lock = await hold(`sausage/world/${id}`, { ...options, patience: PATIENCE_MS });
  if (!lock) throw new WorldBusyError(id, name, asleep(name));
  return lock;
}

/** Takes the lock of a world or throws `WorldBusyError`. Held until `release`, or until the worker or page ends. */
export async function lockWorld(id: string, name: string, options: LockOptions = {}): Promise<WorldLock> {
  const lock = await hold(`sausage/world/${id}`, options);
  if (!lock) throw new WorldBusyError(id, name);
  return lock;
}

/** Taken by the page that fills a new world, before there is a core worker: undefined when another page has it. */
export function lockFilling(id: string, options: LockOptions = {}): Promise<WorldLock | undefined> {
  return hold(`sausage/filling/${id}`, options);
}

/** The locks of the browser. An old one has none, and none has them for a page that came over plain http. */
export function browserLocks(): LockManager {
  const { locks } = globalThis.navigator ?? {};
  if (locks) return locks;
  throw new Error(
    'This browser gives the page no Web Locks, without which no world is safe. Use https, or a newer one.',
  );
}

function hold(name: string, { locks = browserLocks(), patience }: LockOptions): Promise<WorldLock | undefined> {
  const how = patience === undefined ? { ifAvailable: true } : { signal: AbortSignal.timeout(patience) };
  return new Promise((resolve, reject) => {
    const ended = locks.request(name, how, (lock) => {
      if (!lock) return resolve(undefined);
      return new Promise<void>((free) => {
        const release = async () => {
          free();
          await ended;
        };
        resolve({ release });
      });
    });
    ended.catch((error) => {
      if ((error as Error).name === 'TimeoutError') resolve(undefined);
      else if (isDenied(error)) resolve({ release: async () => {} });
      else reject(error);
    });
  });
}

/** Runs `task` while no other page changes the list of worlds. */
export async function withListLock<T>(locks: LockManager, task: () => Promise<T>): Promise<T> {
  let began = false;
  try {
    return await locks.request('sausage/worlds', () => {
      began = true;
      return task();
    });
  } catch (error) {
    if (began || !isDenied(error)) throw error;
    return task();
  }
}

/** A browser that keeps nothing for this page has no locks for it either: there is nothing that two pages could share. */
function isDenied(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'SecurityError';
}
