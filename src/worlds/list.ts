import { announceChange } from './channel.ts';
import { type Containers, openContainers } from './containers.ts';
import { browserLocks, lockWorld, withListLock } from './lock.ts';
import { checkNewName, checkWorldName, type WorldRecord, type WorldStore } from './record.ts';
import { PATIENCE, WorldRecords } from './records.ts';
import { IndexedStore, MemoryStore } from './stores.ts';

export interface WorldListOptions {
  /** Where the list is kept; IndexedDB when not given, memory where the browser keeps no files. */
  store?: WorldStore;
  /** The folders of the worlds; those in OPFS when not given. Null: there are none, worlds are in memory. */
  containers?: Containers | null;
  locks?: LockManager;
  now?: () => number;
}

/**
 * The worlds of this origin. The list is in IndexedDB, and each container has a copy of its record in `world.json`: the
 * list is made anew from those when the browser lost it, and forgets worlds whose container is gone.
 */
export class WorldList {
  private readonly options: WorldListOptions;
  private records: Promise<WorldRecords> | undefined;

  constructor(options: WorldListOptions = {}) {
    this.options = options;
  }

  /** All whole worlds, by name. What an import or a deletion that was cut left behind is removed. */
  list(): Promise<WorldRecord[]> {
    return this.changing(async (records) => {
      const all = await records.reconcile();
      return all.filter((record) => record.complete).sort((a, b) => (a.name < b.name ? -1 : 1));
    });
  }

  /** Throws `WorldNameError` for a name that no world can have. */
  async find(name: string): Promise<WorldRecord | undefined> {
    const wanted = checkWorldName(name);
    return (await this.list()).find((record) => record.name === wanted);
  }

  /** Throws `WorldNameError` for a name that a new world cannot have, before anything is done for it. */
  async checkFree(name: string): Promise<void> {
    const wanted = checkWorldName(name);
    checkNewName(wanted, namesOf(await this.list()));
  }

  /**
   * Makes a record and a container for a new world; the record is incomplete until `complete`. Throws `WorldNameError`
   * for a name that is taken or cannot be one, `WorldBusyError` while another page makes a world of that name.
   */
  create(name: string, options: { consented?: boolean; origin?: string } = {}): Promise<WorldRecord> {
    return this.changing(async (records) => {
      const checked = checkWorldName(name);
      checkNewName(checked, namesOf(await records.reconcile(checked)));
      const record: WorldRecord = {
        id: crypto.randomUUID(),
        name: checked,
        created: this.now(),
        consented: options.consented ?? false,
        ...(options.origin !== undefined && { origin: options.origin }),
        complete: false,
      };
      await records.begin(record);
      return record;
    });
  }

  /** The first content of the world is all there. */
  async complete(id: string): Promise<void> {
    await this.update(id, (record) => ({ ...record, complete: true }));
    await (await this.opening()).filled(id);
  }

  opened(id: string): Promise<void> {
    return this.update(id, (record) => ({ ...record, opened: this.now() }));
  }

  /** What comes with a new world after its zip is all there. */
  furnished(id: string): Promise<void> {
    return this.update(id, (record) => ({ ...record, furnished: true }));
  }

  /** The visitor agreed that the services of the world start (R8-5). */
  consent(id: string): Promise<void> {
    return this.update(id, (record) => ({ ...record, consented: true }));
  }

  /** Gives a world another name; its container stays. Throws `WorldNameError`. */
  rename(id: string, name: string): Promise<void> {
    return this.changing(async (records) => {
      const all = await records.reconcile();
      const others = all.filter((record) => record.id !== id);
      const checked = checkNewName(name, namesOf(others));
      await records.save({ ...existing(all.find((record) => record.id === id)), name: checked });
    });
  }

  /** As `rename`, of a world that no page has open; throws `WorldBusyError` otherwise. */
  async renameClosed(id: string, name: string): Promise<void> {
    const lock = await lockWorld(id, name, { locks: this.locks, patience: PATIENCE });
    try {
      await this.rename(id, name);
    } finally {
      await lock.release();
    }
  }

  /** Throws `WorldBusyError` while a page has the world open. */
  async checkClosed(id: string, name: string): Promise<void> {
    await (await lockWorld(id, name, { locks: this.locks, patience: PATIENCE })).release();
  }

  /** Puts a whole world in the place of another, which is deleted, under its name. */
  replace(id: string, by: string): Promise<void> {
    return this.changing(async (records) => {
      const old = existing(await records.get(id));
      const fresh = existing(await records.get(by));
      const lock = await lockWorld(id, old.name, { locks: this.locks, patience: PATIENCE });
      try {
        await records.remove(old);
      } finally {
        await lock.release();
      }
      await records.save({ ...fresh, name: old.name });
    });
  }

  /** Deletes a world with all its files; one that is gone already is no error. Throws `WorldBusyError` while a page has it open. */
  delete(id: string): Promise<void> {
    return this.changing(async (records) => {
      const record = await records.get(id);
      if (!record) return records.filled(id);
      const lock = await lockWorld(id, record.name, { locks: this.locks, patience: PATIENCE });
      try {
        await records.remove(record);
      } finally {
        await lock.release();
      }
    });
  }

  private update(id: string, change: (record: WorldRecord) => WorldRecord): Promise<void> {
    return this.changing(async (records) => records.save(change(existing(await records.get(id)))));
  }

  /** Runs `task` on the records while no other page changes the list, and tells all pages when they changed. */
  private async changing<T>(task: (records: WorldRecords) => Promise<T>): Promise<T> {
    let records: WorldRecords | undefined;
    try {
      return await withListLock(this.locks, async () => {
        records = await this.opening();
        return task(records);
      });
    } finally {
      if (records?.takeChange()) announceChange();
    }
  }

  private get locks(): LockManager {
    return this.options.locks ?? browserLocks();
  }

  private now(): number {
    return (this.options.now ?? Date.now)();
  }

  private opening(): Promise<WorldRecords> {
    this.records ??= (async () => {
      const given = this.options.containers;
      const containers = given === undefined ? await openContainers() : (given ?? undefined);
      const store = this.options.store ?? (containers ? new IndexedStore() : new MemoryStore());
      return new WorldRecords({ store, containers, locks: this.locks, now: () => this.now() });
    })();
    return this.records;
  }
}

const namesOf = (records: WorldRecord[]): string[] => records.map(({ name }) => name);

function existing(record: WorldRecord | undefined): WorldRecord {
  if (!record) throw new Error('That world is no longer there.');
  return record;
}
