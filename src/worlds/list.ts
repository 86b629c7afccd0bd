import { type Containers, openContainers } from './containers.ts';
import { type LockOptions, lockFilling, lockWorld, WorldBusyError, type WorldLock, withListLock } from './lock.ts';
import { checkNewName, checkWorldName, formatLabel, parseLabel, type WorldRecord, type WorldStore } from './record.ts';
import { IndexedStore, MemoryStore } from './stores.ts';

/** A page that was closed a moment ago may still have the lock of its world for so many milliseconds. */
const PATIENCE = 1000;

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
  private parts: Promise<{ store: WorldStore; containers: Containers | undefined }> | undefined;
  /** The worlds that this page is filling: others must not take them for leftovers. */
  private readonly filling = new Map<string, WorldLock>();

  constructor(options: WorldListOptions = {}) {
    this.options = options;
  }

  /** All whole worlds, by name. What an import that was cut left behind is removed. */
  list(): Promise<WorldRecord[]> {
    return this.changing(async () => {
      const records = await this.reconcile();
      return records.filter((record) => record.complete).sort((a, b) => (a.name < b.name ? -1 : 1));
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
    return this.changing(async () => {
      const checked = checkWorldName(name);
      checkNewName(checked, namesOf(await this.reconcile(checked)));
      const record: WorldRecord = {
        id: crypto.randomUUID(),
        name: checked,
        created: this.now(),
        consented: options.consented ?? false,
        ...(options.origin !== undefined && { origin: options.origin }),
        complete: false,
      };
      this.filling.set(record.id, (await lockFilling(record.id, { locks: this.locks }))!);
      await this.save(record);
      return record;
    });
  }

  /** The first content of the world is all there. */
  async complete(id: string): Promise<void> {
    await this.update(id, (record) => ({ ...record, complete: true }));
    await this.filled(id);
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
    return this.changing(async () => {
      const records = await this.reconcile();
      const others = records.filter((record) => record.id !== id);
      const checked = checkNewName(name, namesOf(others));
      await this.save({ ...existing(records, id), name: checked });
    });
  }

  /** Deletes a world with all its files. Throws `WorldBusyError` while a page has it open. */
  delete(id: string): Promise<void> {
    return this.changing(async () => {
      const { store } = await this.opening();
      const record = (await store.all()).find((one) => one.id === id);
      const lock = await lockWorld(id, record?.name ?? id, { locks: this.locks, patience: PATIENCE });
      try {
        await this.remove(id);
      } finally {
        await lock.release();
      }
    });
  }

  private update(id: string, change: (record: WorldRecord) => WorldRecord): Promise<void> {
    return this.changing(async () => {
      const { store } = await this.opening();
      await this.save(change(existing(await store.all(), id)));
    });
  }

  /** Brings list and containers together. For a leftover named `wanted` its page is waited for: it may just be going. */
  private async reconcile(wanted?: string): Promise<WorldRecord[]> {
    const { store, containers } = await this.opening();
    const records = await store.all();
    if (!containers) return this.withoutRests(records, wanted);
    const ids = new Set(await containers.ids());
    for (const record of records) if (!ids.has(record.id)) await store.delete(record.id);
    const kept = records.filter((record) => ids.has(record.id));
    for (const id of ids) {
      if (kept.some((record) => record.id === id)) continue;
      const found = await this.recover(containers, id, kept);
      if (found) kept.push(found);
    }
    return this.withoutRests(kept, wanted);
  }

  /** The record of a container that is not in the list; undefined when there is nothing in it. */
  private async recover(containers: Containers, id: string, others: WorldRecord[]): Promise<WorldRecord | undefined> {
    const label = await containers.readLabel(id);
    // Files without a readable label are somebody's world all the same; whether its services may start is not known.
    let record = label === undefined ? undefined : parseLabel(label, id);
    if (!record) {
      if (await containers.isEmpty(id)) {
        await containers.remove(id);
        return undefined;
      }
      record = { id, name: `recovered ${id.slice(0, 8)}`, created: this.now(), consented: false, complete: true };
    }
    const name = record.name;
    for (let n = 2; others.some((other) => other.name === record!.name); n++) record.name = `${name} (${n})`;
    await this.save(record);
    return record;
  }

  /** Removes incomplete worlds, except those that a page fills at this moment. */
  private async withoutRests(records: WorldRecord[], wanted: string | undefined): Promise<WorldRecord[]> {
    const whole: WorldRecord[] = [];
    for (const record of records) {
      if (record.complete || this.filling.has(record.id)) {
        whole.push(record);
        continue;
      }
      const locks = { locks: this.locks, ...(record.name === wanted && { patience: PATIENCE }) };
      const removed = await this.removeRest(record, locks);
      if (!removed && record.name === wanted) throw new WorldBusyError(record.id, record.name);
      if (!removed) whole.push(record);
    }
    return whole;
  }

  private async removeRest(record: WorldRecord, options: LockOptions): Promise<boolean> {
    const filling = await lockFilling(record.id, options);
    if (!filling) return false;
    try {
      const lock = await lockWorld(record.id, record.name, options);
      try {
        await this.remove(record.id);
      } finally {
        await lock.release();
      }
      return true;
    } catch (error) {
      if (error instanceof WorldBusyError) return false;
      throw error;
    } finally {
      await filling.release();
    }
  }

  private async save(record: WorldRecord): Promise<void> {
    const { store, containers } = await this.opening();
    await containers?.writeLabel(record.id, formatLabel(record));
    await store.set(record);
  }

  private async remove(id: string): Promise<void> {
    const { store, containers } = await this.opening();
    await containers?.remove(id);
    await store.delete(id);
    await this.filled(id);
  }

  private async filled(id: string): Promise<void> {
    await this.filling.get(id)?.release();
    this.filling.delete(id);
  }

  private changing<T>(task: () => Promise<T>): Promise<T> {
    return withListLock(this.locks, task);
  }

  private get locks(): LockManager {
    return this.options.locks ?? navigator.locks;
  }

  private now(): number {
    return (this.options.now ?? Date.now)();
  }

  private opening(): Promise<{ store: WorldStore; containers: Containers | undefined }> {
    this.parts ??= (async () => {
      const given = this.options.containers;
      const containers = given === undefined ? await openContainers() : (given ?? undefined);
      return { store: this.options.store ?? (containers ? new IndexedStore() : new MemoryStore()), containers };
    })();
    return this.parts;
  }
}

const namesOf = (records: WorldRecord[]): string[] => records.map(({ name }) => name);

function existing(records: WorldRecord[], id: string): WorldRecord {
  const record = records.find((one) => one.id === id);
  if (!record) throw new Error('That world is no longer there.');
  return record;
}
