/** The embedding API on its list of worlds: names, worlds that go while somebody opens them, listeners that throw. */

import { beforeAll, expect, test } from 'vitest';
import { openBrowser, openSite, type Tab, type TestBrowser } from './harness.ts';

let browser: TestBrowser;
let url: string;
let tab: Tab;

beforeAll(async () => {
  ({ url } = await openSite());
  browser = await openBrowser();
  tab = await browser.open(url);
});

test('R1-6 what cannot be the name of a world is refused in one sentence, by every function', async () => {
  const said = await tab.evaluate(async () => {
    const zip = new Blob([]);
    const uses: ((name: string) => Promise<unknown>)[] = [
      (name) => sausage.openWorld({ name }),
      (name) => sausage.importWorld(name, zip),
      (name) => sausage.copyWorld('playground', name),
      (name) => sausage.copyWorld(name, 'free'),
      (name) => sausage.deleteWorld(name),
    ];
    const said: Record<string, string[]> = {};
    for (const name of [5, null, undefined, {}, '', ' ', 'a\nb', 'x'.repeat(101)] as string[]) {
      const all = await Promise.all(uses.map((use) => use(name).then(() => 'done', String)));
      said[JSON.stringify(name) ?? 'undefined'] = [...new Set(all)];
    }
    const taken = await Promise.all(uses.slice(1, 3).map((use) => use('playground').then(() => 'done', String)));
    const none = await (sausage.openWorld as () => Promise<unknown>)().catch(String);
    return { said, taken, none, worlds: (await sausage.listWorlds()).map(({ name }) => name) };
  });
  const no = (sentence: string) => [`WorldNameError: ${sentence}`];
  expect(said.said).toEqual({
    ...Object.fromEntries(['5', 'null', 'undefined', '{}'].map((name) => [name, no('The name of a world is a text.')])),
    ...Object.fromEntries(['""', '" "'].map((name) => [name, no('A world needs a name.')])),
    '"a\\nb"': no('The name of a world has no control characters in it.'),
    [`"${'x'.repeat(101)}"`]: no('The name of a world has at most 100 characters.'),
  });
  const sentence = 'WorldNameError: There is a world named playground already.';
  expect(said).toMatchObject({ taken: [sentence, sentence], none: no('The name of a world is a text.')[0] });
  expect(said.worlds).toEqual(['playground']);
});

test('R1-6 a name with anything in it opens, is copied and deleted', async () => {
  const worlds = await tab.evaluate(async () => {
    const name = ' 🎈/../a\\b "%5C" ';
    const world = await sausage.openWorld({ name });
    await world.fs.writeFile('/x', 'here');
    await world.close();
    await sausage.copyWorld(name, '.hidden');
    const copy = await sausage.openWorld({ name: '.hidden' });
    const text = await copy.fs.readTextFile('/x');
    await copy.close();
    const before = (await sausage.listWorlds()).map(({ name }) => name);
    for (const each of [name, '.hidden']) await sausage.deleteWorld(each);
    return [text, before, (await sausage.listWorlds()).map(({ name }) => name)];
  });
  expect(worlds).toEqual(['here', ['.hidden', 'playground', '🎈/../a\\b "%5C"'], ['playground']]);
});

test('R1-6 a world that is deleted while another page is opening it stays deleted', async () => {
  const second = await browser.open(url, { ready: false });
  const opening = await tab.evaluate(async () => {
    await (await sausage.openWorld({ name: 'doomed' })).close();
    const worlds = await (await navigator.storage.getDirectory()).getDirectoryHandle('sausage');
    let id = '';
    for await (const [name, world] of worlds.entries()) {
      if (world.kind !== 'directory') continue;
      const label = await world.getFileHandle('world.json').catch(() => undefined);
      if (label && JSON.parse(await (await label.getFile()).text()).name === 'doomed') id = name;
    }
    const lock = `sausage/world/${id}`;
    // this page deletes the world: it has the lock, and the other page waits for it
    await new Promise<void>((held) => {
      void navigator.locks.request(lock, async () => {
        held();
        while (!(await navigator.locks.query()).pending!.some(({ name }) => name === lock));
        await worlds.removeEntry(id, { recursive: true });
      });
    });
    return id;
  });
  expect(opening).not.toBe('');
  const outcome = await second.evaluate(async () => {
    while (!('sausage' in globalThis)) await new Promise(requestAnimationFrame);
    return sausage.openWorld({ name: 'doomed', takeOver: true }).then(() => 'opened', String);
  });
  expect(outcome).toMatch(/The world doomed was deleted/);
  for (const each of [tab, second]) {
    expect((await each.evaluate(() => sausage.listWorlds())).map(({ name }) => name)).toEqual(['playground']);
  }
  await second.close();
});

/** The IDs of all containers in the origin private file system. */
const containers = (): Promise<string[]> =>
  tab.evaluate(async () => {
    const worlds = await (await navigator.storage.getDirectory()).getDirectoryHandle('sausage');
    const ids: string[] = [];
    for await (const name of worlds.keys()) if (/^[0-9a-f-]{36}$/.test(name)) ids.push(name);
    return ids.sort();
  });

test('R1-6 a tab that is closed in the middle of a deletion leaves nothing of the world, and its name is free', async () => {
  const before = await containers();
  let whole = false;
  for (let cut = 1; !whole; cut++) {
    const dying = await browser.open(url, { ready: false });
    whole = await dying.evaluate(async (cut) => {
      while (!('sausage' in globalThis)) await new Promise(requestAnimationFrame);
      const world = await sausage.openWorld({ name: 'doomed' });
      await world.fs.writeFile('/x', 'old');
      await world.close();
      let removed = 0;
      const reached = new Promise<boolean>((resolve) => {
        const { removeEntry } = FileSystemDirectoryHandle.prototype;
        FileSystemDirectoryHandle.prototype.removeEntry = async function (...given) {
          await removeEntry.apply(this, given);
          if (++removed < cut) return;
          resolve(false);
          await new Promise(() => {});
        };
        void sausage.deleteWorld('doomed').then(() => resolve(true));
      });
      return reached;
    }, cut);
    await dying.close();
    const names = await tab.evaluate(async () => (await sausage.listWorlds()).map(({ name }) => name));
    expect(names, `cut after ${cut} removals`).toEqual(['playground']);
    expect(await containers()).toEqual(before);
    if (whole) expect(cut).toBeGreaterThan(2);
  }
  const files = await tab.evaluate(async () => {
    const world = await sausage.openWorld({ name: 'doomed' });
    const files = (await world.fs.readDir('/')).map(({ name }) => name);
    await world.close();
    await sausage.deleteWorld('doomed');
    return files;
  });
  expect(files).not.toContain('x');
});

test('R1-6 the name of an import whose tab was closed a moment ago is waited for, and else refused in a sentence', async () => {
  const outcome = await tab.evaluate(async () => {
    // what a cut import leaves: a container that is not complete, with a file that a dying worker still has open
    const id = crypto.randomUUID();
    const worlds = await (await navigator.storage.getDirectory()).getDirectoryHandle('sausage');
    const container = await worlds.getDirectoryHandle(id, { create: true });
    const label = { version: 1, id, name: 'half', created: 0, consented: false, complete: false };
    const writing = await (await container.getFileHandle('world.json', { create: true })).createWritable();
    await writing.write(JSON.stringify(label));
    await writing.close();
    const code = `onmessage = async ({ data }) => {
      const handle = await (await data.getFileHandle('log-a', { create: true })).createSyncAccessHandle();
      onmessage = () => (handle.close(), close());
      postMessage('open');
    };`;
    const address = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
    const worker = new Worker(address);
    const opened = new Promise((resolve) => (worker.onmessage = resolve));
    worker.postMessage(container);
    await opened;
    const late = await sausage.openWorld({ name: 'half' }).then(() => 'opened', String);

    let refusals = 0;
    const { removeEntry } = FileSystemDirectoryHandle.prototype;
    FileSystemDirectoryHandle.prototype.removeEntry = async function (...given) {
      try {
        await removeEntry.apply(this, given);
      } catch (error) {
        // the second time it is the new world that waits
        if (++refusals === 2) worker.postMessage('close');
        throw error;
      }
    };
    try {
      const world = await sausage.openWorld({ name: 'half' });
      await world.close();
      return { late, refusals };
    } finally {
      FileSystemDirectoryHandle.prototype.removeEntry = removeEntry;
      URL.revokeObjectURL(address);
      await sausage.deleteWorld('half').catch(() => {});
    }
  });
  expect(outcome.late).toMatch(/WorldBusyError: Another tab is making a world named half, or was closed while it did/);
  expect(outcome.refusals).toBeGreaterThanOrEqual(2);
});

test('a listener of a world that throws keeps no other from hearing, and its error is one of the page', async () => {
  const heard = await tab.evaluate(async () => {
    const errors: string[] = [];
    const onError = (event: ErrorEvent) => {
      event.preventDefault();
      errors.push(event.message);
    };
    addEventListener('error', onError);
    const stops = [
      sausage.world.on('process', () => {
        throw new Error('mine');
      }),
    ];
    const ended = new Promise<string>((resolve) => {
      stops.push(
        sausage.world.on('process', ({ plugin, state }) => {
          if (state === 'ended') resolve(plugin);
        }),
      );
    });
    const notes = await sausage.world.call('notes.list');
    const plugin = await ended;
    for (const stop of stops) stop();
    removeEventListener('error', onError);
    return { plugin, notes, errors: [...new Set(errors)] };
  });
  expect(heard).toEqual({ plugin: 'notes', notes: { notes: [] }, errors: [expect.stringContaining('mine')] });
  expect(tab.problems).toEqual([]);
});
