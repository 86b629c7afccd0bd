import { beforeEach, describe, expect, it } from 'vitest';
import type { Containers } from '../../../src/worlds/containers.ts';
import { WorldList } from '../../../src/worlds/list.ts';
import { lockWorld, WorldBusyError } from '../../../src/worlds/lock.ts';
import { WorldNameError } from '../../../src/worlds/record.ts';
import { MemoryStore } from '../../../src/worlds/stores.ts';
import { PageLocks } from './locks.ts';

/** Containers in memory: a map of folders, each a map of files. */
class TestContainers implements Containers {
  readonly folders = new Map<string, Map<string, string>>();
  async ids() {
    return [...this.folders.keys()];
  }
  async readLabel(id: string) {
    return this.folders.get(id)?.get('world.json');
  }
  async writeLabel(id: string, text: string) {
    if (!this.folders.has(id)) this.folders.set(id, new Map());
    this.folders.get(id)!.set('world.json', text);
  }
  async isEmpty(id: string) {
    return this.folders.get(id)!.size === 0;
  }
  async remove(id: string) {
    this.folders.delete(id);
  }
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
