import { createStore, del, get, keys, set, type UseStore } from 'idb-keyval';

/** A text that a file had before the visitor changed it. */
export interface Version {
  /** When it was replaced, in milliseconds since 1970. */
  time: number;
  text: string;
}

/** So many versions of a file are kept, the newest. */
export const VERSIONS_KEPT = 20;
/** Changes within so many milliseconds are one: a text that is saved after each word has no version for each. */
export const VERSIONS_APART = 60_000;

/** World and path. */
export type VersionsKey = [world: string, path: string];

/** Where versions are kept, the oldest of a file first. All of it may reject, where the browser keeps nothing. */
export interface VersionsStore {
  read(key: VersionsKey): Promise<Version[] | undefined>;
  /** Without versions there is nothing to keep. */
  write(key: VersionsKey, versions: Version[]): Promise<void>;
  keys(): Promise<VersionsKey[]>;
}

/** In IndexedDB, beside the worlds: what is exported of a world has none of it. */
export class IndexedVersions implements VersionsStore {
  #database: UseStore | undefined;

  read(key: VersionsKey): Promise<Version[] | undefined> {
    return get(key, this.#store());
  }

  write(key: VersionsKey, versions: Version[]): Promise<void> {
    return versions.length > 0 ? set(key, versions, this.#store()) : del(key, this.#store());
  }

  keys(): Promise<VersionsKey[]> {
    return keys<VersionsKey>(this.#store());
  }

  #store(): UseStore {
    this.#database ??= createStore('sausage-versions', 'versions');
    return this.#database;
  }
}

/** What the files of one world were before they were edited. Nothing of it fails: what cannot be kept can be done without. */
export class Versions {
  readonly #world: string;
  readonly #store: VersionsStore | undefined;
  /** One change at a time. */
  #work: Promise<unknown> = Promise.resolve();

  /** Without a store nothing is kept. */
  constructor(world: string, store: VersionsStore | undefined) {
    this.#world = world;
    this.#store = store;
  }

  /** The newest first. */
  async of(path: string): Promise<Version[]> {
    await this.#work;
    return (await this.#read(path)).reverse();
  }

  /** `text` is about to be replaced: by somebody who types on, or (`always`) by something else that nobody could undo. */
  keep(path: string, text: string, always = false): Promise<void> {
    return this.#inTurn(async (store) => {
      const versions = await this.#read(path);
      const last = versions.at(-1);
      const now = Date.now();
      if (last?.text === text || (!always && last && now - last.time < VERSIONS_APART)) return;
      await store.write([this.#world, path], [...versions, { time: now, text }].slice(-VERSIONS_KEPT));
    });
  }

  /** A file, or a folder with all below it, has another name. */
  move(from: string, to: string): Promise<void> {
    return this.#inTurn((store) =>
      moveAll(store, ([world, path]) =>
        world === this.#world && (path === from || path.startsWith(`${from}/`))
          ? [world, to + path.slice(from.length)]
          : undefined,
      ),
    );
  }

  async #read(path: string): Promise<Version[]> {
    try {
      return (await this.#store?.read([this.#world, path])) ?? [];
    } catch {
      return [];
    }
  }

  #inTurn(work: (store: VersionsStore) => Promise<void>): Promise<void> {
    const store = this.#store;
    if (!store) return Promise.resolve();
    const done = this.#work.then(() => work(store)).catch(() => {});
    this.#work = done;
    return done;
  }
}

/** A world has another name. */
export async function moveVersions(from: string, to: string, store: VersionsStore | undefined): Promise<void> {
  if (store && from !== to)
    await moveAll(store, ([world, path]) => (world === from ? [to, path] : undefined)).catch(() => {});
}

/** A world is gone, or is made anew. */
export async function forgetVersions(world: string, store: VersionsStore | undefined): Promise<void> {
  try {
    for (const key of (await store?.keys()) ?? []) if (key[0] === world) await store?.write(key, []);
  } catch {
    // as above
  }
}

async function moveAll(store: VersionsStore, target: (key: VersionsKey) => VersionsKey | undefined): Promise<void> {
  for (const key of await store.keys()) {
    const to = target(key);
    const versions = to && (await store.read(key));
    if (!to || !versions) continue;
    await store.write(to, versions);
    await store.write(key, []);
  }
}
