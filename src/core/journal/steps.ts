import type { MaybePromise } from '../../fs/filesystem.ts';

/** Steps that may each have to be waited for: a generator that yields what a file operation returned. */
export type Steps<T> = Generator<MaybePromise<unknown>, T, unknown>;

/**
 * Runs steps without a break in one turn as long as nothing has to be waited for, and goes on later where something has:
 * what is done in one turn is seen by nobody half done. Errors are thrown into the steps where they arose.
 */
export function runSteps<T>(steps: Steps<T>): MaybePromise<T> {
  let next = steps.next();
  while (!next.done) {
    if (next.value instanceof Promise) return finish(steps, next.value);
    next = steps.next(next.value);
  }
  return next.value;
}

async function finish<T>(steps: Steps<T>, first: Promise<unknown>): Promise<T> {
  let awaited: MaybePromise<unknown> = first;
  for (;;) {
    let next: IteratorResult<MaybePromise<unknown>, T>;
    try {
      const value = await awaited;
      next = steps.next(value);
    } catch (error) {
      next = steps.throw(error);
    }
    if (next.done) return next.value;
    awaited = next.value;
  }
}

/** One step with the type of what it gives: `const node = yield* step(files.open(…))`. */
export function* step<T>(value: MaybePromise<T>): Steps<T> {
  return (yield value) as T;
}
