import type { World } from '../../api.ts';
import { put, type Shelf, take } from './shelf.ts';
import { Store } from './store.ts';

/** From this share of what the browser gives on, the visitor is warned. */
const NEARLY_FULL = 0.8;
const ASKED = 'sausage.persistence';
/** What the core writes for itself, and what is in memory only. */
const NOT_THE_VISITORS = /^\/(proc|run|self|state\/core)(\/|$)/;

/** The part of `navigator.storage` that is needed. */
export type Warehouse = Pick<StorageManager, 'estimate' | 'persist' | 'persisted'>;

/** The space that the browser gives to all worlds, and whether it promises not to clear them. */
export class Room extends Store {
  /** Bytes; undefined where the browser does not say. */
  use?: { used: number; quota: number };
  /** The browser promises to keep the worlds; undefined until that is known. */
  lasting?: boolean;
  readonly #warehouse: Warehouse | undefined;
  readonly #shelf: Shelf | undefined;
  /** The first write was seen. */
  #written = false;

  constructor(warehouse: Warehouse | undefined, shelf: Shelf | undefined) {
    super();
    this.#warehouse = warehouse;
    this.#shelf = shelf;
  }

  get nearlyFull(): boolean {
    return this.use !== undefined && this.use.used >= this.use.quota * NEARLY_FULL;
  }

  /** Of the quota, rounded down: 100 only when nothing is left. */
  get percent(): number {
    return this.use ? Math.floor((this.use.used / this.use.quota) * 100) : 0;
  }

  /** Asks again how much is used. */
  async measure(): Promise<void> {
    try {
      const { usage, quota } = (await this.#warehouse?.estimate()) ?? {};
      this.use = usage === undefined || !quota ? undefined : { used: usage, quota };
    } catch {
      this.use = undefined;
    }
    this.changed();
  }

  /**
   * Waits for the first write in a world, and then asks the browser to keep what is written: there is something to lose
   * from then on, and some browsers ask the visitor, who can see what it is about. The function that is returned ends it.
   */
  watch(world: World): () => void {
    if (this.#written || world.storage === 'memory') return () => {};
    const stop = world.fs.watch('/', (path) => {
      if (this.#written || NOT_THE_VISITORS.test(path)) return;
      this.#written = true;
      stop();
      void this.#keep();
    });
    return stop;
  }

  /** A browser is asked once: it remembers a no of the visitor's less well than the visitor does. */
  async #keep(): Promise<void> {
    try {
      this.lasting = await this.#warehouse?.persisted();
      if (this.lasting === false && take(this.#shelf, ASKED) === undefined) {
        put(this.#shelf, ASKED, new Date().toISOString());
        this.lasting = await this.#warehouse?.persist();
      }
    } catch {
      // One that cannot be asked has promised nothing.
    }
    this.changed();
  }
}
