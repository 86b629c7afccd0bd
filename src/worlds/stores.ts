import { createStore, del, set, type UseStore, values } from 'idb-keyval';
import type { WorldRecord, WorldStore } from './record.ts';

/** The list in IndexedDB. */
export class IndexedStore implements WorldStore {
  private database: UseStore | undefined;

  set(record: WorldRecord): Promise<void> {
    return set(record.id, record, this.store());
  }
  delete(id: string): Promise<void> {
    return del(id, this.store());
  }
  all(): Promise<WorldRecord[]> {
    return values<WorldRecord>(this.store());
  }

  private store(): UseStore {
    this.database ??= createStore('sausage-worlds', 'worlds');
    return this.database;
  }
}

/** The list in memory: where the browser keeps no files, a list that outlives them would promise worlds that are gone. */
export class MemoryStore implements WorldStore {
  private readonly records = new Map<string, WorldRecord>();

  async set(record: WorldRecord): Promise<void> {
    this.records.set(record.id, structuredClone(record));
  }
  async delete(id: string): Promise<void> {
    this.records.delete(id);
  }
  async all(): Promise<WorldRecord[]> {
    return [...this.records.values()].map((record) => structuredClone(record));
  }
}
