import type { Containers } from './containers.ts';
import { type LockOptions, lockFilling, lockWorld, WorldBusyError, type WorldLock } from './lock.ts';
import { formatLabel, parseLabel, type WorldRecord, type WorldStore } from './record.ts';

/** A page that was closed a moment ago may still have the lock of its world, or files of it open, for so many milliseconds. */
export const PATIENCE = 1000;
/** How often files that are still open are tried again, in milliseconds. */
const AGAIN = 50;

export interface RecordsOptions {
  store: WorldStore;
  /** Undefined: worlds are in memory. */
  containers: Containers | undefined;
  locks: LockManager;
  now: () => number;
}

/**
 * The records of all worlds in their two places, the store and the labels of the containers, and what makes the two
 * agree again after a page or a browser ended in the middle of something. Whoever calls has the lock of the list.
 */
export class WorldRecords {
  private readonly options: RecordsOptions;
  /** The worlds that this page is filling: others must not take them for leftovers. */
  private readonly filling = new Map<string, WorldLock>();
  private changed = false;

  constructor(options: RecordsOptions) {
    this.options = options;
  }

  /** Whether anything has changed since this was asked last. */
  takeChange(): boolean {
    const { changed } = this;
    this.changed = false;
    return changed;
  }

  /** The record of a world that is there, be it whole or not. */
  async get(id: string): Promise<WorldRecord | undefined> {
    return (await this.options.store.all()).find((record) => record.id === id && !record.going);
  }

  async save(record: WorldRecord): Promise<void> {
    const { store, containers } = this.options;
    await containers?.writeLabel(record.id, formatLabel(record));
    await store.set(record);
    this.changed = true;
  }

  /** Saves the record of a world that this page fills from now on. */
  async begin(record: WorldRecord): Promise<void> {
    this.filling.set(record.id, (await lockFilling(record.id, this.options))!);
    await this.save(record);
  }

  /** The first content of a world is all there, or given up. */
  async filled(id: string): Promise<void> {
    await this.filling.get(id)?.release();
    this.filling.delete(id);
  }

  /** Removes a world with all its files; whoever calls has its lock. False: files are in use, and the next look removes it. */
  async remove(record: WorldRecord): Promise<boolean> {
    await this.filled(record.id);
    const marked = await this.mark({ ...record, going: true });
    const removed = await this.erase(record.id, PATIENCE);
    if (!removed && !marked) throw new WorldBusyError(record.id, record.name);
    return removed;
  }

  /**
   * Brings store and containers together, and removes what is left of worlds that are going or were never whole. For a
   * leftover named `wanted` its page is waited for: it may just be going.
   */
  async reconcile(wanted?: string): Promise<WorldRecord[]> {
    const { store, containers } = this.options;
    const records = await store.all();
    if (!containers) return this.withoutRests(records, wanted);
    const ids = new Set(await containers.ids());
    for (const record of records) if (!ids.has(record.id)) await this.forget(record.id);
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
    if (record?.going) return record;
    if (!record) {
      if (await containers.isEmpty(id)) {
        await containers.remove(id);
        return undefined;
      }
      const name = `recovered ${id.slice(0, 8)}`;
      record = { id, name, created: this.options.now(), consented: false, complete: true };
    }
    const name = record.name;
    for (let n = 2; others.some((other) => other.name === record!.name); n++) record.name = `${name} (${n})`;
    await this.save(record);
    return record;
  }

  /** Removes worlds that are going, and incomplete ones except those that a page fills at this moment. */
  private async withoutRests(records: WorldRecord[], wanted: string | undefined): Promise<WorldRecord[]> {
    const there: WorldRecord[] = [];
    for (const record of records) {
      if (record.going) {
        await this.removeRest(record);
        continue;
      }
      if (record.complete || this.filling.has(record.id)) {
        there.push(record);
        continue;
      }
      const patience = record.name === wanted ? PATIENCE : undefined;
      if (await this.removeRest(record, patience)) continue;
      if (patience !== undefined) throw new WorldBusyError(record.id, record.name, beingMade(record.name));
      there.push(record);
    }
    return there;
  }

  private async removeRest(record: WorldRecord, patience?: number): Promise<boolean> {
    const options: LockOptions = { locks: this.options.locks, ...(patience !== undefined && { patience }) };
    const filling = await lockFilling(record.id, options);
    if (!filling) return false;
    try {
      const lock = await lockWorld(record.id, record.name, options);
      try {
        return await this.erase(record.id, patience ?? 0);
      } finally {
        await lock.release();
      }
    } catch (error) {
      if (error instanceof WorldBusyError) return false;
      throw error;
    } finally {
      await filling.release();
    }
  }

  /**
   * Notes that a world is going. In the store first: from then on no page shows it; in the label for a browser that loses
   * the store. False where a full disk does not take the note, which must not keep anybody from deleting.
   */
  private async mark(record: WorldRecord): Promise<boolean> {
    const { store, containers } = this.options;
    try {
      await store.set(record);
    } catch {
      return false;
    }
    this.changed = true;
    await containers?.writeLabel(record.id, formatLabel(record)).catch(() => {});
    return true;
  }

  /** Removes the files, then the record; within `patience` milliseconds, as long as files are in use. */
  private async erase(id: string, patience: number): Promise<boolean> {
    const { containers } = this.options;
    const end = performance.now() + patience;
    while (containers && !(await containers.remove(id))) {
      if (performance.now() >= end) return false;
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
    }
    await this.forget(id);
    return true;
  }

  private async forget(id: string): Promise<void> {
    await this.options.store.delete(id);
    this.changed = true;
  }
}

const beingMade = (name: string): string =>
  `Another tab is making a world named ${name}, or was closed while it did. Try again in a moment, or take another name.`;
