/**
 * `ReadableStream` as far as bodies need it: sources that are pulled, readers, `for await`, `cancel` and `tee`. There are no
 * writable streams and no pipes, and a source is asked when somebody reads and never before.
 */

interface Source<T> {
  start?(controller: Controller<T>): unknown;
  pull?(controller: Controller<T>): unknown;
  cancel?(reason: unknown): unknown;
}

interface Controller<T> {
  readonly desiredSize: number | null;
  enqueue(chunk: T): void;
  close(): void;
  error(reason: unknown): void;
}

interface Result<T> {
  done: boolean;
  value: T | undefined;
}

type Waiting<T> = { resolve(result: Result<T>): void; reject(reason: unknown): void };

export class ReadableStream<T = unknown> {
  readonly #source: Source<T>;
  readonly #controller: Controller<T>;
  readonly #started: Promise<unknown>;
  readonly #queue: T[] = [];
  readonly #waiting: Waiting<T>[] = [];
  #state: 'open' | 'closed' | 'failed' = 'open';
  #reason: unknown;
  #pulling = false;
  #reader: Reader<T> | undefined;

  constructor(source: Source<T> = {}) {
    this.#source = source;
    const stream = this;
    this.#controller = {
      get desiredSize() {
        return stream.#state === 'failed' ? null : stream.#state === 'closed' ? 0 : stream.#waiting.length;
      },
      enqueue: (chunk) => stream.#enqueue(chunk),
      close: () => stream.#close(),
      error: (reason) => stream.#fail(reason),
    };
    this.#started = Promise.resolve(source.start?.(this.#controller)).catch((reason) => this.#fail(reason));
  }

  /** A stream of what an iterable gives. */
  static from<T>(items: Iterable<T> | AsyncIterable<T>): ReadableStream<T> {
    const each =
      Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : (items as Iterable<T>)[Symbol.iterator]();
    return new ReadableStream<T>({
      async pull(controller) {
        const { done, value } = await each.next();
        if (done) controller.close();
        else controller.enqueue(await value);
      },
      cancel: (reason) => each.return?.(reason),
    });
  }

  get locked(): boolean {
    return this.#reader !== undefined;
  }

  getReader(): Reader<T> {
    if (this.#reader) throw new TypeError('this stream has a reader already');
    this.#reader = new Reader(
      () => this.#read(),
      (reason) => this.#cancel(reason),
      () => {
        this.#reader = undefined;
      },
    );
    return this.#reader;
  }

  async cancel(reason?: unknown): Promise<void> {
    if (this.#reader) throw new TypeError('this stream has a reader: cancel that');
    await this.#cancel(reason);
  }

  /** Two streams of the same chunks; what one of them has not read yet is kept for it. */
  tee(): [ReadableStream<T>, ReadableStream<T>] {
    const reader = this.getReader();
    const controllers: Controller<T>[] = [];
    let left = 2;
    let reading: Promise<void> | undefined;
    const pull = (): Promise<void> => {
      reading ??= reader
        .read()
        .then(({ done, value }) => {
          reading = undefined;
          for (const controller of controllers) done ? controller.close() : controller.enqueue(value as T);
        })
        .catch((reason) => {
          for (const controller of controllers) controller.error(reason);
        });
      return reading;
    };
    const branch = () =>
      new ReadableStream<T>({
        start: (controller) => void controllers.push(controller),
        pull,
        cancel: (reason) => --left === 0 && reader.cancel(reason),
      });
    return [branch(), branch()];
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    const reader = this.getReader();
    let ended = false;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        ended = done;
        if (done) return;
        yield value as T;
      }
    } catch (reason) {
      ended = true;
      throw reason;
    } finally {
      if (!ended) await reader.cancel();
      reader.releaseLock();
    }
  }

  #read(): Promise<Result<T>> {
    return new Promise((resolve, reject) => {
      if (this.#queue.length > 0) resolve({ done: false, value: this.#queue.shift() });
      else if (this.#state === 'failed') reject(this.#reason);
      else if (this.#state === 'closed') resolve({ done: true, value: undefined });
      else {
        this.#waiting.push({ resolve, reject });
        void this.#pull();
      }
    });
  }

  async #pull(): Promise<void> {
    if (this.#pulling || !this.#source.pull) return;
    this.#pulling = true;
    try {
      await this.#started;
      while (this.#waiting.length > 0 && this.#state === 'open') await this.#source.pull(this.#controller);
    } catch (reason) {
      this.#fail(reason);
    } finally {
      this.#pulling = false;
    }
  }

  #enqueue(chunk: T): void {
    if (this.#state === 'failed') return;
    if (this.#state === 'closed') throw new TypeError('this stream is closed');
    const waiting = this.#waiting.shift();
    if (waiting) waiting.resolve({ done: false, value: chunk });
    else this.#queue.push(chunk);
  }

  #close(): void {
    if (this.#state !== 'open') return;
    this.#state = 'closed';
    for (const { resolve } of this.#waiting.splice(0)) resolve({ done: true, value: undefined });
  }

  #fail(reason: unknown): void {
    if (this.#state !== 'open') return;
    this.#state = 'failed';
    this.#reason = reason;
    this.#queue.length = 0;
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
  }

  async #cancel(reason: unknown): Promise<void> {
    if (this.#state === 'failed') throw this.#reason;
    const open = this.#state === 'open';
    this.#queue.length = 0;
    this.#close();
    if (open) await this.#source.cancel?.(reason);
  }
}

class Reader<T> {
  readonly #read: () => Promise<Result<T>>;
  readonly #cancel: (reason: unknown) => Promise<void>;
  readonly #release: () => void;
  #released = false;

  constructor(read: () => Promise<Result<T>>, cancel: (reason: unknown) => Promise<void>, release: () => void) {
    this.#read = read;
    this.#cancel = cancel;
    this.#release = release;
  }

  async read(): Promise<Result<T>> {
    this.#check();
    return this.#read();
  }

  async cancel(reason?: unknown): Promise<void> {
    this.#check();
    await this.#cancel(reason);
  }

  releaseLock(): void {
    if (!this.#released) this.#release();
    this.#released = true;
  }

  #check(): void {
    if (this.#released) throw new TypeError('this reader was released');
  }
}
