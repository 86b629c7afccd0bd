import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** Something that changes and says so. Every model of the page is one; elements follow it with `Follow`. */
export class Store {
  readonly #listeners = new Set<() => void>();

  /** Calls `listener` after each change until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  protected changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Draws its element again whenever the store that it follows changes; it follows one at a time. */
export class Follow<S extends Store> implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  #store?: S;
  #stop?: () => void;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  /** Follows `store` from now on; called from `willUpdate` it is cheap when nothing changed. */
  set(store: S | undefined): void {
    if (store === this.#store) return;
    this.hostDisconnected();
    this.#store = store;
    this.hostConnected();
  }

  hostConnected(): void {
    this.#stop ??= this.#store?.subscribe(() => this.#host.requestUpdate());
  }

  hostDisconnected(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}
