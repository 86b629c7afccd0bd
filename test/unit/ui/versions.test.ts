import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Desk } from '../../../src/ui/editor/desk.ts';
import {
  forgetVersions,
  moveVersions,
  VERSIONS_APART,
  VERSIONS_KEPT,
  type Version,
  Versions,
  type VersionsKey,
  type VersionsStore,
} from '../../../src/ui/editor/versions.ts';
import { FakeWorld } from './fake-world.ts';

class MemoryVersions implements VersionsStore {
  readonly #kept = new Map<string, Version[]>();

  async read(key: VersionsKey) {
    return structuredClone(this.#kept.get(JSON.stringify(key)));
  }

  async write(key: VersionsKey, versions: Version[]) {
    if (versions.length > 0) this.#kept.set(JSON.stringify(key), structuredClone(versions));
    else this.#kept.delete(JSON.stringify(key));
  }

  async keys() {
    return [...this.#kept.keys()].map((key) => JSON.parse(key) as VersionsKey);
  }
}

const FORBIDDEN: VersionsStore = {
  read: () => Promise.reject(new Error('forbidden')),
  write: () => Promise.reject(new Error('forbidden')),
  keys: () => Promise.reject(new Error('forbidden')),
};

const texts = async (versions: Versions, path = '/a'): Promise<string[]> =>
  (await versions.of(path)).map(({ text }) => text);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});
const later = () => vi.setSystemTime(Date.now() + VERSIONS_APART);

describe('versions of a file', () => {
  it('are the newest 20, the newest first', async () => {
    const versions = new Versions('w', new MemoryVersions());
    for (let each = 1; each <= VERSIONS_KEPT + 3; each++) {
      await versions.keep('/a', `text ${each}`);
      later();
    }
    const kept = await texts(versions);
    expect(kept).toHaveLength(20);
    expect([kept[0], kept.at(-1)]).toEqual(['text 23', 'text 4']);
  });

  it('are a minute apart while one types, but nothing that something else replaces is lost', async () => {
    const versions = new Versions('w', new MemoryVersions());
    await versions.keep('/a', 'one');
    await versions.keep('/a', 'two');
    expect(await texts(versions)).toEqual(['one']);
    await versions.keep('/a', 'three', true);
    await versions.keep('/a', 'three', true);
    expect(await texts(versions)).toEqual(['three', 'one']);
    later();
    await versions.keep('/a', 'four');
    expect(await texts(versions)).toEqual(['four', 'three', 'one']);
  });

  it('go along when a file, a folder or a world has another name, and go with the world', async () => {
    const store = new MemoryVersions();
    const versions = new Versions('w', store);
    await versions.keep('/f/a', 'one');
    await versions.keep('/fa', 'other');
    await versions.move('/f', '/g');
    expect([await texts(versions, '/f/a'), await texts(versions, '/g/a')]).toEqual([[], ['one']]);
    await moveVersions('w', 'v', store);
    expect(await texts(new Versions('v', store), '/fa')).toEqual(['other']);
    await forgetVersions('v', store);
    expect(await store.keys()).toEqual([]);
  });

  it('are none where the browser keeps nothing, which disturbs nobody', async () => {
    const versions = new Versions('w', FORBIDDEN);
    await versions.keep('/a', 'one');
    await versions.move('/a', '/b');
    await forgetVersions('w', FORBIDDEN);
    expect(await versions.of('/a')).toEqual([]);
  });
});

describe('a file that is edited', () => {
  it('is a version before each change, and can be set back and forth', async () => {
    const world = new FakeWorld('w');
    world.write('/a', 'one');
    const desk = new Desk(world, undefined, new MemoryVersions());
    const file = desk.show('/a');
    await file.save();
    file.edit('two');
    await file.save();
    expect(await texts(desk.versions)).toEqual(['one']);
    await file.setBack('one');
    expect([file.text, file.standing, await world.fs.readTextFile('/a')]).toEqual(['one', 'saved', 'one']);
    expect(await texts(desk.versions)).toEqual(['two', 'one']);

    // a snippet of a page writes into it
    await desk.write('/a', 'of a page');
    expect(await texts(desk.versions)).toEqual(['one', 'two', 'one']);
    desk.leave();
  });

  it('keeps what is thrown away in a conflict, on either side', async () => {
    const world = new FakeWorld('w');
    world.write('/a', 'one');
    const desk = new Desk(world, undefined, new MemoryVersions());
    const file = desk.show('/a');
    await file.save();
    file.edit('mine');
    await world.fs.writeFile('/a', 'theirs');
    await file.save();
    expect(file.standing).toBe('conflict');
    await file.keepMine();
    expect(await texts(desk.versions)).toEqual(['theirs']);
    file.edit('mine again');
    await world.fs.writeFile('/a', 'theirs again');
    await file.save();
    await file.takeTheirs();
    expect(file.text).toBe('theirs again');
    expect((await texts(desk.versions))[0]).toBe('mine again');
    desk.leave();
  });
});
