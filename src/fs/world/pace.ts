/** Milliseconds of work in the background before the core gets its turn: none of its turns may take over 8 ms. */
const SLICE = 3;

let channel: MessageChannel | undefined;
const waiting: (() => void)[] = [];

/** Resolves when everything else that waits has had its turn. Unlike a time-out it is not slowed down by browsers. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    // Node's channels keep its process alive, and it has the real thing.
    if (typeof setImmediate === 'function') {
      setImmediate(resolve);
      return;
    }
    if (!channel) {
      channel = new MessageChannel();
      channel.port1.onmessage = () => waiting.shift()?.();
    }
    waiting.push(resolve);
    channel.port2.postMessage(0);
  });
}

/** Does pieces of work one after another, and lets others have their turn when the pieces have taken long. */
export class Pace {
  private last: Promise<unknown> = Promise.resolve();
  private spent = 0;

  run<T>(work: () => T): Promise<T> {
    const done = this.last.then(async () => {
      if (this.spent >= SLICE) {
        await nextTurn();
        this.spent = 0;
      }
      const began = performance.now();
      try {
        return work();
      } finally {
        this.spent += performance.now() - began;
      }
    });
    this.last = done.catch(() => {});
    return done;
  }
}
