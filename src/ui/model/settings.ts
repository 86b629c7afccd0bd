import type { OutsideOptions } from '../../api.ts';
import { DEFAULT_SETTINGS, type PageSettings, type SettingsStore, understand } from '../../settings/settings.ts';
import { Store } from './store.ts';

/** The settings of the page while it is open: read once, changed by the visitor, and kept where the browser keeps something. */
export class Settings extends Store {
  now: PageSettings = DEFAULT_SETTINGS;
  readonly #kept: SettingsStore | undefined;
  #loading?: Promise<void>;

  /** Without a store they last as long as the page. */
  constructor(kept?: SettingsStore) {
    super();
    this.#kept = kept;
  }

  /** Resolves when `now` is what was kept; a browser that keeps nothing must not keep the page from starting. */
  load(): Promise<void> {
    this.#loading ??= this.#read();
    return this.#loading;
  }

  async #read(): Promise<void> {
    try {
      this.now = understand(await this.#kept?.read());
      this.changed();
    } catch {
      // as if nothing had been chosen yet
    }
  }

  /** Answers whether the change outlives the page. */
  async change(settings: Partial<PageSettings>): Promise<boolean> {
    await this.load();
    this.now = { ...this.now, ...settings };
    this.changed();
    try {
      await this.#kept?.write(this.now);
      return this.#kept !== undefined;
    } catch {
      return false;
    }
  }

  /** What an embedding API wants to know of them. */
  get outside(): OutsideOptions {
    const { relay, http } = this.now;
    if (relay.at === 'host') return { http };
    if (relay.at === 'none') return { http, relay: null };
    return { http, relay: new URL(relay.address), ...(relay.token !== undefined && { relayToken: relay.token }) };
  }
}
