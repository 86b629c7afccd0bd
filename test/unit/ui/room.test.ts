/** The space that the browser gives. */

import { describe, expect, it } from 'vitest';
import { Room, type Warehouse } from '../../../src/ui/model/room.ts';
import { FakeWorld } from './fake-world.ts';
import { shelfOf } from './sessions.ts';

/** `navigator.storage` with a count of how often it was asked to keep things. */
function warehouse(usage: number, quota: number, answer = true) {
  const asked = { count: 0 };
  const storage: Warehouse = {
    estimate: async () => ({ usage, quota }),
    persisted: async () => false,
    persist: async () => {
      asked.count++;
      return answer;
    },
  };
  return { storage, asked };
}

const changed = (room: Room) => new Promise<void>((resolve) => room.subscribe(resolve));

describe('the space of the browser', () => {
  it('R4-12 is nearly full from 80 % on', async () => {
    for (const [used, full] of [
      [79, false],
      [80, true],
      [100, true],
    ] as const) {
      const room = new Room(warehouse(used, 100).storage, undefined);
      expect(room.nearlyFull).toBe(false);
      await room.measure();
      expect([room.nearlyFull, room.percent], String(used)).toEqual([full, used]);
    }
  });

  it('is not known where the browser does not say, and nothing is nearly full then', async () => {
    const failing: Warehouse = { ...warehouse(0, 0).storage, estimate: () => Promise.reject(new TypeError('no')) };
    for (const storage of [undefined, failing, warehouse(5, 0).storage]) {
      const room = new Room(storage, undefined);
      await room.measure();
      expect([room.use, room.nearlyFull]).toEqual([undefined, false]);
    }
  });

  it('the browser is asked to keep the worlds at the first write of the visitor, once', async () => {
    const { storage, asked } = warehouse(0, 100);
    const shelf = shelfOf();
    const world = new FakeWorld('a');
    const room = new Room(storage, shelf);
    room.watch(world);
    await world.fs.writeFile('/state/core/journal.sqlite', 'x');
    await world.fs.writeFile('/proc/x', 'x');
    expect(asked.count).toBe(0);
    const kept = changed(room);
    await world.fs.writeFile('/state/notes/notes.json', '[]');
    await world.fs.writeFile('/state/notes/notes.json', '[1]');
    await kept;
    expect([room.lasting, asked.count]).toEqual([true, 1]);

    const later = new Room(storage, shelf);
    later.watch(world);
    const known = changed(later);
    await world.fs.writeFile('/config/boot.json', '[]');
    await known;
    expect([later.lasting, asked.count]).toEqual([false, 1]);
  });

  it('a world in memory asks for nothing', async () => {
    const { storage, asked } = warehouse(0, 100);
    const world = new FakeWorld('a', 'memory');
    new Room(storage, undefined).watch(world);
    await world.fs.writeFile('/a', 'x');
    await new Promise(setImmediate);
    expect(asked.count).toBe(0);
  });
});
