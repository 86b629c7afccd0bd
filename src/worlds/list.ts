import type { Containers } from './containers.ts';
import type { WorldRecord, WorldStore } from './record.ts';

export interface WorldListOptions {
  /** Where the list is kept; IndexedDB when not given. */
  store?: WorldStore;
  /** The folders of the worlds; those in OPFS when not given, none where there is no OPFS. */
  containers?: Containers;
  locks?: LockManager;
  now?: () => number;
}
export class WorldList {
  constructor(_options: WorldListOptions = {}) {}
  /** All whole worlds, by name. Removes what an import that was cut left behind. */
  list(): Promise<WorldRecord[]> {
    throw new Error('being written');
  }
  find(_name: string): Promise<WorldRecord | undefined> {
    throw new Error('being written');
  }
  /** Throws `WorldNameError` for a name that is taken or cannot be one. The record is incomplete until `complete`. */
  create(_name: string, _options?: { consented?: boolean; origin?: string }): Promise<WorldRecord> {
    throw new Error('being written');
  }
  complete(_id: string): Promise<void> {
    throw new Error('being written');
  }
  opened(_id: string): Promise<void> {
    throw new Error('being written');
  }
  consent(_id: string): Promise<void> {
    throw new Error('being written');
  }
  rename(_id: string, _name: string): Promise<void> {
    throw new Error('being written');
  }
  /** Throws `WorldBusyError` while a page has it open. */
  delete(_id: string): Promise<void> {
    throw new Error('being written');
  }
}
