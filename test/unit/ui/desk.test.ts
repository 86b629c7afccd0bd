import { afterEach, describe, expect, it } from 'vitest';
import { Desk } from '../../../src/ui/editor/desk.ts';
import type { OpenFile } from '../../../src/ui/editor/open-file.ts';
import { FakeWorld } from './fake-world.ts';

const desks: Desk[] = [];
afterEach(() => {
  for (const desk of desks.splice(0)) desk.leave();
});

function deskWith(files: Record<string, string>): { world: FakeWorld; desk: Desk } {
  const world = new FakeWorld('w');
  for (const [path, text] of Object.entries(files)) world.write(path, text);
  const desk = new Desk(world);
  desks.push(desk);
  return { world, desk };
}

/** Resolves when the file was read. */
const read = (file: OpenFile): Promise<OpenFile> =>
  new Promise((resolve) => {
    const look = () => file.standing === 'saved' && resolve(file);
    file.subscribe(look);
    look();
  });

describe('what is open in a world', () => {
  it('goes along when its file gets another name, with what was typed until then', async () => {
    const { world, desk } = deskWith({ '/a.txt': 'one', '/b.txt': 'two' });
    await read(desk.show('/b.txt'));
    (await read(desk.show('/a.txt'))).edit('one more');
    await desk.rename('/a.txt', '/c.md');
    expect(desk.open.map(({ path }) => path)).toEqual(['/b.txt', '/c.md']);
    expect(desk.current?.path).toBe('/c.md');
    await read(desk.current!);
    expect([...world.files.keys()].filter((path) => /^.[abc]/.test(path))).toEqual(['/b.txt', '/c.md']);
    expect(await world.fs.readTextFile('/c.md')).toBe('one more');
  });

  it('goes along with its folder, and keeps a text that waits for a decision', async () => {
    const { world, desk } = deskWith({ '/dir/a.txt': 'one', '/dirt.txt': 'other' });
    await read(desk.show('/dirt.txt'));
    const file = await read(desk.show('/dir/a.txt'));
    file.edit('mine');
    world.write('/dir/a.txt', 'theirs');
    await desk.rename('/dir', '/new');
    expect(desk.open.map(({ path }) => path)).toEqual(['/dirt.txt', '/new/a.txt']);
    expect(desk.current).toMatchObject({ path: '/new/a.txt', text: 'mine', isUnsaved: true });
    expect(await world.fs.readTextFile('/new/a.txt')).toBe('theirs');
  });

  it('stays where it is when the other name is not given', async () => {
    const { world, desk } = deskWith({ '/a.txt': 'one' });
    const file = await read(desk.show('/a.txt'));
    world.fs.rename = async () => {
      throw new Error('no');
    };
    await expect(desk.rename('/a.txt', '/b.txt')).rejects.toThrow('no');
    expect(desk.open).toEqual([file]);
  });

  it('names what could not be saved', async () => {
    const { world, desk } = deskWith({ '/a.txt': 'one', '/b.txt': 'two' });
    (await read(desk.show('/a.txt'))).edit('mine');
    (await read(desk.show('/b.txt'))).edit('mine');
    world.write('/b.txt', 'theirs');
    expect(await desk.saveAll()).toEqual(['/b.txt']);
    expect(desk.isUnsaved).toBe(true);
    expect(await world.fs.readTextFile('/a.txt')).toBe('mine');
  });
});
