import { beforeEach, describe, expect, it, vi } from 'vitest';
import { onChange } from '../../../src/worlds/channel.ts';
import type { Containers } from '../../../src/worlds/containers.ts';
import { WorldList } from '../../../src/worlds/list.ts';
import { lockWorld, WorldBusyError } from '../../../src/worlds/lock.ts';
import { WorldNameError } from '../../../src/worlds/record.ts';
import { MemoryStore } from '../../../src/worlds/stores.ts';
import { PageLocks } from './locks.ts';

const LABEL = 'world.json';

/** Containers in memory: a map of folders, each a map of files. */
class TestContainers implements Containers {
  readonly folders = new Map<string, Map<string, string>>();
  /** Whether a page has files of a container open that keep it from being removed. */
  inUse: (id: string) => boolean = () => false;
  /** Called after each part of a container that is removed. */
  removing?: () => Promise<void>;
  async ids() {
    return [...this.folders.keys()];
  }
  async readLabel(id: string) {
    return this.folders.get(id)?.get(LABEL);
  }
  async writeLabel(id: string, text: string) {
    if (!this.folders.has(id)) this.folders.set(id, new Map());
    this.folders.get(id)!.set(LABEL, text);
  }
  async isEmpty(id: string) {
    return this.folders.get(id)!.size === 0;
  }
  async remove(id: string) {
    if (this.inUse(id)) return false;
    const folder = this.folders.get(id);
    for (const name of [...(folder?.keys() ?? [])].sort((a, b) => Number(a === LABEL) - Number(b === LABEL))) {
      folder!.delete(name);
      await this.removing?.();
    }
    this.folders.delete(id);
    return true;
  }
}

/** `thing`, of whose methods those that change something await `step` before and after they do it. */
function stepwise<T extends object>(thing: T, step: () => Promise<void>): T {
  const changing = ['set', 'delete', 'writeLabel', 'remove'];
  return new Proxy(thing, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (!changing.includes(String(name))) return value.bind(target);
      return async (...given: unknown[]) => {
        await step();
        const result = await value.apply(target, given);
        await step();
        return result;
      };
    },
  });
}

let containers: TestContainers;
let store: MemoryStore;
let page: PageLocks;
let list: WorldList;
let clock: number;

const open = (locks: PageLocks, kept = store) =>
  new WorldList({ containers, store: kept, locks: locks as unknown as LockManager, now: () => clock++ });

beforeEach(() => {
  containers = new TestContainers();
  store = new MemoryStore();
  page = new PageLocks();
  clock = 1000;
  list = open(page);
});

async function makeWorld(name: string, consented = true): Promise<string> {
  const { id } = await list.create(name, { consented });
  await list.complete(id);
  return id;
}

const names = async (of = list) => (await of.list()).map(({ name }) => name);

describe('the list of worlds', () => {
  it('R1-6 a world is listed once its first content is there, and found by its name', async () => {
    const { id } = await list.create(' mine ', { consented: true, origin: 'playground' });
    expect(await list.list()).toEqual([]);
    await list.complete(id);
    await list.opened(id);
    expect(await list.find('mine')).toEqual({
      id,
      name: 'mine',
      created: 1000,
      opened: 1001,
      consented: true,
      origin: 'playground',
      complete: true,
    });
    expect(await list.find('Mine')).toBeUndefined();
  });

  it('R1-6 a name is 1 to 100 characters without control characters, and of one world only', async () => {
    for (const name of ['', '  ', 'a\nb', 'x'.repeat(101), 'half \ud83c']) {
      await expect(list.create(name)).rejects.toThrow(WorldNameError);
    }
    for (const name of [5, null, undefined, {}, ['a']] as unknown as string[]) {
      for (const use of [list.create(name), list.find(name), list.checkFree(name)]) {
        await expect(use).rejects.toThrow('The name of a world is a text.');
      }
    }
    await makeWorld('🎈'.repeat(100));
    await makeWorld('a/b\\..');
    for (const use of [list.create('a/b\\..'), list.checkFree(' a/b\\.. ')]) {
      await expect(use).rejects.toThrow('There is a world named a/b\\.. already.');
    }
    await makeWorld('A/B\\..');
  });

  it('R1-6 renaming keeps the container; deleting takes it away', async () => {
    const id = await makeWorld('old');
    await makeWorld('other');
    await list.rename(id, 'new');
    expect(await names()).toEqual(['new', 'other']);
    expect((await list.find('new'))!.id).toBe(id);
    await expect(list.rename(id, 'other')).rejects.toThrow(WorldNameError);
    await list.rename(id, ' new ');
    await list.delete(id);
    expect(await names()).toEqual(['other']);
    expect(containers.folders.has(id)).toBe(false);
  });

  it('R1-6 another world takes the place of one, unless a page has that open', async () => {
    const old = await makeWorld('mine');
    const fresh = await makeWorld('mine anew');
    const lock = await lockWorld(old, 'mine', { locks: page as unknown as LockManager });
    await expect(list.checkClosed(old, 'mine')).rejects.toThrow(WorldBusyError);
    await expect(list.renameClosed(old, 'yours')).rejects.toThrow(WorldBusyError);
    await expect(list.replace(old, fresh)).rejects.toThrow(WorldBusyError);
    expect(await names()).toEqual(['mine', 'mine anew']);
    await lock.release();
    await list.checkClosed(old, 'mine');
    await list.replace(old, fresh);
    expect(await names()).toEqual(['mine']);
    expect((await list.find('mine'))!.id).toBe(fresh);
    expect(containers.folders.has(old)).toBe(false);
    await list.renameClosed(fresh, 'yours');
    expect(await names()).toEqual(['yours']);
  });

  it('R1-6 a world that a page has open is not deleted', async () => {
    const id = await makeWorld('mine');
    const lock = await lockWorld(id, 'mine', { locks: page as unknown as LockManager });
    await expect(list.delete(id)).rejects.toThrow(WorldBusyError);
    await lock.release();
    await list.delete(id);
    expect(await names()).toEqual([]);
  });

  it('R1-6 what a page left half filled when it went away is removed at the next look', async () => {
    const gone = page.newPage();
    const { id } = await open(gone).create('half');
    expect(await names()).toEqual([]);
    expect(containers.folders.has(id)).toBe(true);
    gone.close();
    expect(await names()).toEqual([]);
    expect(containers.folders.has(id)).toBe(false);
    await makeWorld('half');
  });

  it('R1-6 a deletion that is cut anywhere is finished at the next look, and its name is free', async () => {
    let cuts = 0;
    for (let whole = false; !whole; cuts++) {
      const id = await makeWorld('doomed');
      containers.folders.get(id)!.set('files', 'of somebody');
      const gone = page.newPage();
      let steps = 0;
      const cut = new Promise<void>((resolve) => {
        const step = async () => {
          if (steps++ < cuts) return;
          resolve();
          await new Promise(() => {});
        };
        containers.removing = step;
        const dying = new WorldList({
          containers: stepwise(containers, step),
          store: stepwise(store, step),
          locks: gone as unknown as LockManager,
        });
        void dying.delete(id).then(() => {
          whole = true;
          resolve();
        });
      });
      await cut;
      delete containers.removing;
      gone.close();
      // before the first step is done nothing has begun
      const begun = cuts > 0 ? [] : ['doomed'];
      expect(await names(), `cut before step ${cuts}`).toEqual(begun);
      if (cuts === 0) await list.delete(id);
      expect([...containers.folders.keys()]).toEqual([]);
      expect(await store.all()).toEqual([]);
      expect(await names(open(page, new MemoryStore()))).toEqual([]);
      await list.delete(await makeWorld('doomed'));
    }
    expect(cuts).toBeGreaterThan(6);
  });

  it('R1-6 a world whose files are still in use is in no list once it is deleted, and goes when they are free', async () => {
    const id = await makeWorld('doomed');
    containers.inUse = (each) => each === id;
    await list.delete(id);
    expect(await names()).toEqual([]);
    expect(await names(open(page, new MemoryStore()))).toEqual([]);
    await expect(list.consent(id)).rejects.toThrow('That world is no longer there.');
    const another = await makeWorld('doomed');
    expect([...containers.folders.keys()]).toEqual([id, another]);
    containers.inUse = () => false;
    expect(await names()).toEqual(['doomed']);
    expect([...containers.folders.keys()]).toEqual([another]);
  });

  it('R1-6 a disk that is too full for a note keeps nobody from deleting', async () => {
    const id = await makeWorld('large');
    const full = async () => {
      throw new DOMException('no space', 'QuotaExceededError');
    };
    store.set = containers.writeLabel = full;
    await list.delete(id);
    expect(await store.all()).toEqual([]);
    expect(containers.folders.size).toBe(0);
  });

  it('R1-6 what is left of an import whose files are in use a moment longer is waited for, but not for ever', async () => {
    const gone = page.newPage();
    const { id } = await open(gone).create('half');
    gone.close();
    let asked = 0;
    containers.inUse = () => ++asked <= 3;
    await makeWorld('half');
    expect(containers.folders.has(id)).toBe(false);

    const late = page.newPage();
    await open(late).create('late');
    late.close();
    containers.inUse = () => true;
    await expect(list.create('late')).rejects.toThrow(
      'Another tab is making a world named late, or was closed while it did. Try again in a moment, or take another name.',
    );
    expect(await names()).toEqual(['half']);
  });

  it('R1-6 a name that another page is making a world of is busy', async () => {
    await open(page.newPage()).create('half');
    await expect(list.create('half')).rejects.toThrow(WorldBusyError);
  });

  it('R8-5 consent is kept, also in the container beside the world', async () => {
    const id = await makeWorld('foreign', false);
    expect((await list.find('foreign'))!.consented).toBe(false);
    await list.consent(id);
    expect((await list.find('foreign'))!.consented).toBe(true);
    expect(JSON.parse(containers.folders.get(id)!.get('world.json')!).consented).toBe(true);
  });

  it('R1-6 when the browser lost the list it is made anew from the containers', async () => {
    const id = await makeWorld('mine');
    await makeWorld('foreign', false);
    const before = await list.list();
    const again = open(page, new MemoryStore());
    expect(await again.list()).toEqual(before);
    containers.folders.get(id)!.set('world.json', 'torn');
    containers.folders.set('00000000-0000-4000-8000-000000000000', new Map());
    const recovered = await open(page, new MemoryStore()).list();
    expect(recovered.map(({ name, consented }) => [name, consented])).toEqual([
      ['foreign', false],
      [`recovered ${id.slice(0, 8)}`, false],
    ]);
    expect(containers.folders.size).toBe(2);
  });

  it('tells every page after each change, and only then', async () => {
    let told = 0;
    let wake = () => {};
    const stop = onChange(() => {
      told++;
      wake();
    });
    /** Runs `change` and waits until it is told; resolves to how often anything was told in all. */
    const during = async (change: () => Promise<unknown>) => {
      const before = told;
      const woken = new Promise<void>((resolve) => (wake = resolve));
      await change();
      if (told === before) await woken;
      return told;
    };
    let id = '';
    await during(async () => ({ id } = await list.create('mine')));
    await during(() => list.complete(id));
    await during(() => list.rename(id, 'yours'));
    await list.list();
    await list.find('yours');
    await during(() => list.delete(id));
    expect(told).toBe(4);
    stop();
  });

  it('R1-6 a browser without locks is told so in a sentence', async () => {
    vi.stubGlobal('navigator', {});
    const without = new WorldList({ containers, store });
    await expect(without.list()).rejects.toThrow('This browser gives the page no Web Locks');
    await expect(without.create('mine')).rejects.toThrow('Use https, or a newer one.');
    vi.unstubAllGlobals();
  });

  it('R1-6 two containers of one name are both kept', async () => {
    const id = await makeWorld('mine');
    const other = crypto.randomUUID();
    const label = JSON.parse(containers.folders.get(id)!.get('world.json')!);
    await containers.writeLabel(other, JSON.stringify({ ...label, id: other }));
    expect(await names()).toEqual(['mine', 'mine (2)']);
  });

  it('R1-6 a world whose files are gone is forgotten', async () => {
    containers.folders.delete(await makeWorld('mine'));
    expect(await names()).toEqual([]);
  });

  it('R1-6 where the browser keeps no files, worlds are listed as long as the page lives', async () => {
    const memory = new WorldList({ containers: null, locks: page as unknown as LockManager });
    const { id } = await memory.create('short');
    await memory.complete(id);
    expect(await names(memory)).toEqual(['short']);
    expect(await names(new WorldList({ containers: null, locks: page as unknown as LockManager }))).toEqual([]);
  });
});

describe('the lock of a world', () => {
  it('R1-6 the second page is told at once, in a sentence with the name', async () => {
    const locks = page as unknown as LockManager;
    const lock = await lockWorld('1', 'mine', { locks });
    await expect(lockWorld('1', 'mine', { locks: page.newPage() as unknown as LockManager })).rejects.toThrow(
      'The world mine is open in another tab or window.',
    );
    await lockWorld('2', 'other', { locks });
    await lock.release();
    await lockWorld('1', 'mine', { locks });
  });

  it('R1-6 who has patience gets the lock of a page that goes meanwhile', async () => {
    const other = page.newPage();
    await lockWorld('1', 'mine', { locks: other as unknown as LockManager });
    const waiting = lockWorld('1', 'mine', { locks: page as unknown as LockManager, patience: 5000 });
    other.close();
    await (await waiting).release();
  });
});
