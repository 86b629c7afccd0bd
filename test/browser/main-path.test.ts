/** The main job, end to end: visit, call, reload, export, import elsewhere. */

import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { type BrowserName, findFirefox, openBrowser, openSite, type Tab } from './harness.ts';
import { call } from './probe.ts';

const engines: { name: BrowserName; missing: string | undefined }[] = [
  { name: 'chromium', missing: undefined },
  { name: 'firefox', missing: (await findFirefox()) ? undefined : 'no Firefox is installed' },
];

const exported = async (tab: Tab): Promise<Buffer> => {
  const text = await tab.evaluate(async () => {
    const bytes = new Uint8Array(await (await sausage.world.exportZip()).arrayBuffer());
    let binary = '';
    for (const byte of bytes) binary += String.fromCharCode(byte);
    return btoa(binary);
  });
  return Buffer.from(text, 'base64');
};

const imported = (tab: Tab, name: string, zip: Buffer) =>
  tab.evaluate(
    async ({ name, zip }) => {
      const bytes = Uint8Array.from(atob(zip), (letter) => letter.charCodeAt(0));
      await sausage.importWorld(name, new Blob([bytes]));
    },
    { name, zip: zip.toString('base64') },
  );

/** What the `sqlite3` program says about a file; undefined where there is no such program. */
async function sqlite3(file: Uint8Array, sql: string): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'sausage-journal-'));
  try {
    await writeFile(join(folder, 'journal.sqlite'), file);
    return execFileSync('sqlite3', [join(folder, 'journal.sqlite'), sql], { encoding: 'utf8' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe.each(engines)('the main path in $name', ({ name, missing }) => {
  test.skipIf(missing)(
    `R1-1 R7-1 a world is called, reloaded, exported and imported elsewhere ${missing ?? ''}`,
    async () => {
      const site = await openSite();
      const browser = await openBrowser(name);
      const tab = await browser.open(site.url);
      expect(await call(tab, 'notes.add', { text: 'milk' })).toMatchObject({ result: { text: 'milk' } });
      expect(await call(tab, 'notes.add', { text: 'eggs — ½ dozen' })).toMatchObject({
        result: { text: 'eggs — ½ dozen' },
      });
      const listed = (await call(tab, 'notes.list')).result;
      expect(listed.notes).toHaveLength(2);

      // The journal's lines of the first moments wait in memory until SQLite is there.
      await tab.evaluate(async () => {
        const written = async () => {
          const file = await sausage.world.fs.readFile('/state/core/journal.sqlite').catch(() => new Uint8Array());
          return new TextDecoder('latin1').decode(file).split('start add').length - 1;
        };
        while ((await written()) < 2) await new Promise((resolve) => setTimeout(resolve, 10));
      });
      await tab.reload();
      expect((await call(tab, 'notes.list')).result).toEqual(listed);

      const zip = await exported(tab);
      const files = unzipSync(zip);
      expect(JSON.parse(Buffer.from(files['state/notes/notes.json']!).toString())).toMatchObject({
        notes: [{ text: 'milk' }, { text: 'eggs — ½ dozen' }],
      });
      const journal = files['state/core/journal.sqlite']!;
      const check = await sqlite3(journal, 'pragma integrity_check');
      if (check !== undefined) {
        expect(check.trim()).toBe('ok');
        const [table] = (await sqlite3(journal, "select name from sqlite_master where type = 'table' limit 1"))!.split(
          '\n',
        );
        const count = await sqlite3(journal, `select count(*) from "${table}" where line like 'start add%'`);
        expect(Number(count)).toBe(2);
      }
      expect(Object.keys(files).filter((path) => /^(proc|run|self)\//.test(path))).toEqual([]);
      await tab.close();

      const elsewhere = await openBrowser(name);
      const other = await elsewhere.open(site.url);
      await imported(other, 'taken along', zip);
      await other.evaluate(() => sausage.world.close());
      const result = await other.evaluate(async () => {
        const world = await sausage.openWorld({ name: 'taken along' });
        const notes = await world.call('notes.list');
        await world.close();
        return { notes, worlds: (await sausage.listWorlds()).map(({ name }) => name).sort() };
      });
      expect(result).toEqual({ notes: listed, worlds: ['playground', 'taken along'] });
      expect(other.problems).toEqual([]);
    },
  );
});

test('R8-5 an imported world does not start its services before the visitor says so', async () => {
  const site = await openSite();
  const browser = await openBrowser();
  const tab = await browser.open(site.url);
  await tab.evaluate(() =>
    sausage.world.fs.writeFile('/config/boot.json', '[{"method":"notes.add","params":{"text":"by a service"}}]'),
  );
  const zip = await exported(tab);
  await imported(tab, 'with services', zip);
  const seen = await tab.evaluate(async () => {
    const list = async (world: Awaited<ReturnType<typeof sausage.openWorld>>) =>
      ((await world.call('notes.list')) as { notes: { text: string }[] }).notes.map(({ text }) => text);
    let world = await sausage.openWorld({ name: 'with services' });
    const held = { flag: world.held, notes: await list(world) };
    const done = new Promise<void>((resolve) => {
      const off = world.on('process', (process) => {
        if (process.plugin !== 'notes' || process.method !== 'add' || process.state !== 'ended') return;
        off();
        resolve();
      });
    });
    await world.consent();
    await done;
    const agreed = { flag: world.held, notes: await list(world) };
    await world.close();
    world = await sausage.openWorld({ name: 'with services' });
    const later = world.held;
    await world.close();
    return { held, agreed, later };
  });
  expect(seen).toEqual({
    held: { flag: true, notes: [] },
    agreed: { flag: false, notes: ['by a service'] },
    later: false,
  });
});

test('R1-6 a second page of the same world says so and touches nothing', async () => {
  const site = await openSite();
  const browser = await openBrowser();
  const tab = await browser.open(site.url);
  const second = await browser.open(site.url, { ready: false });
  const message = await second.evaluate(async () => {
    for (;;) {
      const { sausage } = globalThis as { sausage?: { ready: Promise<unknown> } };
      if (sausage) return sausage.ready.then(() => 'opened').catch((error: Error) => error.message);
      await new Promise(requestAnimationFrame);
    }
  });
  expect(message).toMatch(/another (tab|page|window)|open elsewhere|already open/i);
  expect(await call(tab, 'notes.list')).toMatchObject({ result: { notes: [] } });
});

test('R1-6 a second page takes the world over, the first stops it properly; a copy leaves it alone', async () => {
  const site = await openSite();
  const browser = await openBrowser();
  const tab = await browser.open(site.url);
  await call(tab, 'notes.add', { text: 'milk' });
  const second = await browser.open(site.url, { ready: false });
  const copied = await second.evaluate(async () => {
    while (!('sausage' in globalThis)) await new Promise(requestAnimationFrame);
    await sausage.copyWorld('playground', 'a copy');
    const world = await sausage.openWorld({ name: 'a copy' });
    const notes = await world.call('notes.list');
    await world.close();
    return notes;
  });
  expect(copied).toMatchObject({ notes: [{ text: 'milk' }] });
  expect((await call(tab, 'notes.list')).result, 'the first goes on').toMatchObject({ notes: [{ text: 'milk' }] });

  const exit = tab.evaluate(() => new Promise((resolve) => sausage.world.on('exit', resolve)));
  const taken = await second.evaluate(async () => {
    const world = await sausage.openWorld({ name: 'playground', takeOver: true });
    return world.call('notes.list');
  });
  expect(taken).toMatchObject({ notes: [{ text: 'milk' }] });
  expect(await exit).toEqual({ exitCode: 0, takenOver: true });
});
