import { afterEach, describe, expect, it, vi } from 'vitest';
import { OpenFile, type Standing } from '../../../src/ui/editor/open-file.ts';
import { FakeWorld } from './fake-world.ts';

const PATH = '/notes.txt';
const opened: OpenFile[] = [];
afterEach(() => {
  for (const file of opened.splice(0)) file.close();
});

function world(text: string): FakeWorld {
  const made = new FakeWorld('w');
  made.write(PATH, text);
  return made;
}

/** Resolves when the file stands so. */
function until(file: OpenFile, standing: Standing): Promise<void> {
  return new Promise((resolve) => {
    const look = () => file.standing === standing && resolve();
    file.subscribe(look);
    look();
  });
}

async function open(from: FakeWorld, unsaved?: { base: string; text: string }): Promise<OpenFile> {
  const file = new OpenFile(PATH, from.fs, { ...(unsaved && { unsaved }) });
  opened.push(file);
  if (!unsaved) await until(file, 'saved');
  return file;
}

describe('a file that is open', () => {
  it('is saved by itself a while after the last change', async () => {
    vi.useFakeTimers();
    try {
      const here = world('one');
      const file = await open(here);
      file.edit('two');
      expect(file.standing).toBe('unsaved');
      await vi.advanceTimersByTimeAsync(900);
      file.edit('three');
      await vi.advanceTimersByTimeAsync(900);
      expect(await here.fs.readTextFile(PATH)).toBe('one');
      await vi.advanceTimersByTimeAsync(200);
      expect(await here.fs.readTextFile(PATH)).toBe('three');
      expect(file.standing).toBe('saved');
    } finally {
      vi.useRealTimers();
    }
  });

  it('shows what a process wrote where nothing was changed here', async () => {
    const here = world('one');
    const file = await open(here);
    const changed = new Promise<void>((resolve) => file.subscribe(() => file.text === 'theirs' && resolve()));
    await here.fs.writeFile(PATH, 'theirs');
    await changed;
    expect(file.standing).toBe('saved');
  });

  it('never writes over what a process wrote meanwhile: either side is chosen', async () => {
    const here = world('one');
    const mine = await open(here);
    mine.edit('mine');
    await here.fs.writeFile(PATH, 'theirs');
    await until(mine, 'conflict');
    expect(await mine.save()).toBe(false);
    expect(await here.fs.readTextFile(PATH)).toBe('theirs');
    await mine.keepMine();
    expect(await here.fs.readTextFile(PATH)).toBe('mine');
    expect(mine.standing).toBe('saved');

    mine.edit('mine again');
    await here.fs.writeFile(PATH, 'theirs again');
    await until(mine, 'conflict');
    const { revision } = mine;
    await mine.takeTheirs();
    expect([mine.text, mine.standing]).toEqual(['theirs again', 'saved']);
    expect(mine.revision).toBe(revision + 1);
    expect(await here.fs.readTextFile(PATH)).toBe('theirs again');
  });

  it('notices before it writes what no event told of', async () => {
    const here = world('one');
    const file = await open(here);
    file.edit('mine');
    here.write(PATH, 'behind its back');
    expect(await file.save()).toBe(false);
    expect(file.standing).toBe('conflict');
    expect(await here.fs.readTextFile(PATH)).toBe('behind its back');
  });

  it('says that the file is gone, and can put it back', async () => {
    const here = world('one');
    const file = await open(here);
    await here.fs.remove(PATH);
    await until(file, 'gone');
    await file.keepMine();
    expect(await here.fs.readTextFile(PATH)).toBe('one');
  });

  it('is put back in a folder that is gone too', async () => {
    const here = world('one');
    const file = await open(here);
    await here.fs.remove(PATH);
    await until(file, 'gone');
    let folder = '';
    here.fs.mkdir = async (path, options) => {
      if (options?.recursive) folder = path;
    };
    await file.keepMine();
    expect(folder).toBe('/');
    expect(await here.fs.readTextFile(PATH)).toBe('one');
  });

  it('writes nothing in the place of what is no text', async () => {
    const here = world('');
    here.files.set(PATH, new Uint8Array([0, 255, 1]));
    const file = await open(here);
    await here.fs.remove(PATH);
    await until(file, 'gone');
    await file.keepMine();
    expect(here.files.has(PATH)).toBe(false);
  });

  it('is read once more, and not once for each change that came while it was being read', async () => {
    const here = world('one');
    const file = await open(here);
    const { readFile } = here.fs;
    const reads: (() => void)[] = [];
    here.fs.readFile = async (path) => {
      await new Promise<void>((go) => reads.push(go));
      return readFile(path);
    };
    for (let at = 0; at < 50; at++) await here.fs.writeFile(PATH, `line ${at}`);
    const seen = new Promise<void>((resolve) => file.subscribe(() => file.text === 'line 49' && resolve()));
    let total = 0;
    const turn = setInterval(() => {
      for (const go of reads.splice(0)) {
        total++;
        go();
      }
    });
    await seen;
    clearInterval(turn);
    expect(total).toBeLessThanOrEqual(2);
  });

  it('does nothing by itself any more once it is closed', async () => {
    vi.useFakeTimers();
    try {
      const here = world('one');
      const file = await open(here);
      here.fs.writeFile = async () => {
        throw new Error('the world is closed');
      };
      file.edit('two');
      const saving = file.save();
      file.close();
      await saving;
      expect(vi.getTimerCount()).toBe(0);
      expect(file.unsaved).toEqual({ base: 'one', text: 'two' });
    } finally {
      vi.useRealTimers();
    }
  });

  it('keeps what was not saved for the world when it is open again', async () => {
    const here = world('one');
    const first = await open(here);
    first.edit('two');
    const { unsaved } = first;
    first.close();
    expect(unsaved).toEqual({ base: 'one', text: 'two' });
    const second = await open(here, unsaved);
    await until(second, 'unsaved');
    expect(await second.save()).toBe(true);
    expect(await here.fs.readTextFile(PATH)).toBe('two');

    here.write(PATH, 'changed in between');
    const third = await open(here, unsaved);
    await until(third, 'conflict');
  });

  it('says why it cannot be saved, and keeps the text', async () => {
    const here = world('one');
    const file = await open(here);
    here.fs.writeFile = async () => {
      throw Object.assign(new Error('no space'), { code: 'insufficient-space' });
    };
    file.edit('two');
    expect(await file.save()).toBe(false);
    expect(file.problem?.doing).toBe(`saving ${PATH}`);
    expect(file.text).toBe('two');
  });

  it('shows what is no text by what it is', async () => {
    const here = world('');
    here.files.set(PATH, new Uint8Array([0, 255, 1]));
    expect((await open(here)).content).toMatchObject({ kind: 'bytes', size: 3 });
    here.files.set(PATH, new TextEncoder().encode('\ufeffmark'));
    expect((await open(here)).text).toBe('\ufeffmark');
  });
});
