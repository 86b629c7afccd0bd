/** What a visitor has chosen for this page. It is kept in the browser beside the worlds, and never in one. */

import { createStore, get, set, type UseStore } from 'idb-keyval';
import type { HttpWay } from '../api.ts';

/** Where the relay is: where the host of the page says, nowhere, or at an address. */
export type RelayChoice = { at: 'host' } | { at: 'none' } | { at: 'address'; address: string; token?: string };

export interface PageSettings {
  relay: RelayChoice;
  /** What does the HTTP requests of programs. */
  http: HttpWay;
}

const HTTP_WAYS: readonly HttpWay[] = ['relay', 'fetch', 'none'];

export const DEFAULT_SETTINGS: PageSettings = { relay: { at: 'host' }, http: 'relay' };

/** Where settings are kept. Both reject where the browser keeps nothing. */
export interface SettingsStore {
  read(): Promise<unknown>;
  write(settings: PageSettings): Promise<void>;
}

/** What was kept, as far as it can be understood: an older or a newer page may have written it. */
export function understand(kept: unknown): PageSettings {
  const { relay, http } = (typeof kept === 'object' && kept !== null ? kept : {}) as {
    relay?: unknown;
    http?: unknown;
  };
  return {
    relay: relayChoice(relay) ?? DEFAULT_SETTINGS.relay,
    http: HTTP_WAYS.find((way) => way === http) ?? DEFAULT_SETTINGS.http,
  };
}

function relayChoice(kept: unknown): RelayChoice | undefined {
  if (typeof kept !== 'object' || kept === null) return undefined;
  const { at, address, token } = kept as Record<string, unknown>;
  if (at === 'host' || at === 'none') return { at };
  if (at !== 'address' || typeof address !== 'string' || !URL.canParse(address)) return undefined;
  return { at, address, ...(typeof token === 'string' && token !== '' && { token }) };
}

const KEY = 'page';

/** The settings in IndexedDB, the same for all pages of one origin. */
export class IndexedSettings implements SettingsStore {
  #database: UseStore | undefined;

  read(): Promise<unknown> {
    return get(KEY, this.#store());
  }

  write(settings: PageSettings): Promise<void> {
    return set(KEY, settings, this.#store());
  }

  #store(): UseStore {
    this.#database ??= createStore('sausage-settings', 'settings');
    return this.#database;
  }
}
