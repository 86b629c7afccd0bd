/** `EventTarget`, `Event`, `AbortController` and `AbortSignal`. There is no tree of targets, so no capture and bubbling. */

type Listener = ((event: Event) => unknown) | { handleEvent(event: Event): unknown } | null;

class Event {
  readonly type: string;
  readonly cancelable: boolean;
  readonly timeStamp = performance.now();
  target: EventTarget | null = null;
  defaultPrevented = false;
  /** Set by `stopImmediatePropagation`. */
  stopped = false;

  constructor(type: string, { cancelable = false }: EventInit = {}) {
    this.type = String(type);
    this.cancelable = cancelable;
  }

  get currentTarget(): EventTarget | null {
    return this.target;
  }

  preventDefault(): void {
    if (this.cancelable) this.defaultPrevented = true;
  }

  stopPropagation(): void {}

  stopImmediatePropagation(): void {
    this.stopped = true;
  }
}

class CustomEvent<T> extends Event {
  readonly detail: T | null;
  constructor(type: string, { detail = null, ...rest }: EventInit & { detail?: T | null } = {}) {
    super(type, rest);
    this.detail = detail;
  }
}

interface Registered {
  type: string;
  listener: NonNullable<Listener>;
  once: boolean;
}

class EventTarget {
  #registered: Registered[] = [];

  addEventListener(type: string, listener: Listener, options?: boolean | AddEventListenerOptions): void {
    if (!listener || this.#registered.some((one) => one.type === type && one.listener === listener)) return;
    const { once = false, signal } = typeof options === 'object' ? options : {};
    if (signal?.aborted) return;
    this.#registered = [...this.#registered, { type, listener, once }];
    signal?.addEventListener('abort', () => this.removeEventListener(type, listener));
  }

  removeEventListener(type: string, listener: Listener): void {
    this.#registered = this.#registered.filter((one) => one.type !== type || one.listener !== listener);
  }

  dispatchEvent(event: Event): boolean {
    event.target = this;
    for (const { type, listener, once } of this.#registered) {
      if (type !== event.type || event.stopped) continue;
      if (once) this.removeEventListener(type, listener);
      try {
        if (typeof listener === 'function') listener.call(this, event);
        else listener.handleEvent(event);
      } catch (error) {
        // an error of a listener is nobody's who dispatches: it is an uncaught one
        Promise.reject(error);
      }
    }
    return !event.defaultPrevented;
  }
}

let making = false;

class AbortSignal extends EventTarget {
  reason: unknown = undefined;
  aborted = false;
  onabort: ((event: Event) => unknown) | null = null;

  constructor() {
    if (!making) throw new TypeError('an AbortSignal comes from an AbortController');
    super();
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  static abort(reason?: unknown): AbortSignal {
    const controller = new AbortController();
    controller.abort(reason);
    return controller.signal;
  }

  static timeout(milliseconds: number): AbortSignal {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException('the time is over', 'TimeoutError')), milliseconds);
    return controller.signal;
  }

  static any(signals: Iterable<AbortSignal>): AbortSignal {
    const controller = new AbortController();
    const all = [...signals];
    const aborted = all.find((signal) => signal.aborted);
    if (aborted) controller.abort(aborted.reason);
    else {
      for (const signal of all) {
        signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true });
      }
    }
    return controller.signal;
  }
}

class AbortController {
  readonly signal: AbortSignal;

  constructor() {
    making = true;
    try {
      this.signal = new AbortSignal();
    } finally {
      making = false;
    }
  }

  abort(reason: unknown = new DOMException('this was aborted', 'AbortError')): void {
    const { signal } = this;
    if (signal.aborted) return;
    signal.aborted = true;
    signal.reason = reason;
    const event = new Event('abort');
    signal.onabort?.(event);
    signal.dispatchEvent(event);
  }
}

for (const [name, value] of Object.entries({ Event, CustomEvent, EventTarget, AbortController, AbortSignal })) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
}

export {};
