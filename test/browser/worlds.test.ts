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
