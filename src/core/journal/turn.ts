/** Resolves in another turn of the event loop, at once when nothing else wants to run: without the 4 ms of `setTimeout`. */
export function nextTurn(): Promise<void> {
  if (typeof setImmediate === 'function') return new Promise((resolve) => setImmediate(resolve));
  return new Promise((resolve) => {
    waiting.push(resolve);
    channel ??= open();
    channel.port2.postMessage(null);
  });
}

/** Leaves the thread to others for so long. */
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

const waiting: (() => void)[] = [];
let channel: MessageChannel | undefined;

function open(): MessageChannel {
  const made = new MessageChannel();
  made.port1.onmessage = () => waiting.shift()?.();
  return made;
}

/** Runs one task after another, in the order in which they came, each when the one before it has ended. */
export class Queue {
  private last: Promise<unknown> = Promise.resolve();

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.last.then(task);
    this.last = result.catch(() => {});
    return result;
  }
}
