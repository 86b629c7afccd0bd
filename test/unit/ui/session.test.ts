import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/ui/model/session.ts';
import { FakeApi } from './fake-api.ts';
import { playground, sessionOn, shelfOf, until } from './sessions.ts';

/** Resolves when the session is as `test` wants it. */
const changed = (session: Session, test: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    const stop = session.subscribe(() => {
      if (!test()) return;
      stop();
      resolve();
    });
    if (test()) resolve();
  });

describe('the session of the page', () => {
  it('makes the playground of the shipped file on the first visit, and trusts it', async () => {
    const api = new FakeApi();
    const session = sessionOn(api);
    const { ready } = session;
    await session.open('playground');
    expect(await ready).toBe(session.world);
    expect(api.opened[0]).toMatchObject({ name: 'playground', from: playground, trusted: true });
  });

  it('R8-5 does not trust a world that only has the name of the playground', async () => {
    const api = new FakeApi().add('playground', undefined, false);
    const session = sessionOn(api);
    await session.open('playground');
    expect(api.opened[0]).not.toHaveProperty('trusted');
    expect(api.opened[0]).not.toHaveProperty('from');
    expect(session.held).toBe(true);
    await session.consent();
    expect(session.held).toBe(false);
  });

  it('follows what other pages do to the list of worlds, but for the time of a boot', async () => {
    const waits: (() => void)[] = [];
    const api = new FakeApi({ onStep: () => new Promise<void>((resolve) => waits.push(resolve)) });
    const session = sessionOn(api);
    const names = () => session.worlds.map(({ name }) => name);
    const opening = session.open('playground');
    await until(session, 'booting');
    api.changeElsewhere(() => api.add('during'));
    const turn = setInterval(() => {
      for (const go of waits.splice(0)) go();
    });
    await opening;
    clearInterval(turn);
    await changed(session, () => names().join() === 'during,playground');
    api.changeElsewhere(() => api.add('made elsewhere'));
    await changed(session, () => names().includes('made elsewhere'));
    api.changeElsewhere(() => api.infos.delete('made elsewhere'));
    await changed(session, () => !names().includes('made elsewhere'));
  });

  it('asks before it makes a world of an unknown name', async () => {
    const api = new FakeApi();
    const session = sessionOn(api);
    await session.open('nowhere');
    expect([session.phase.kind, api.opened.length]).toEqual(['unknown', 0]);
    await session.open('nowhere', { create: true });
    expect(session.world?.name).toBe('nowhere');
    expect(api.opened[0]).not.toHaveProperty('from');
  });

  it('keeps for each world what is open there, with what could not be saved', async () => {
    const api = new FakeApi().add('other');
    const session = sessionOn(api);
    await session.open('playground');
    const first = api.world!;
    first.write('/list.md', 'one');
    const file = session.desk!.show('/list.md');
    await new Promise<void>((resolve) => file.subscribe(() => file.standing === 'saved' && resolve()));
    file.edit('mine');
    first.write('/list.md', 'theirs');
    await session.open('other');
    expect(session.desk?.open).toEqual([]);
    expect(session.isUnsaved).toBe(true);
    await session.open('playground');
    expect(session.desk?.open[0]).toMatchObject({ path: '/list.md', text: 'mine' });
    await session.open('other');
    await session.deleteWorld('playground');
    expect(session.isUnsaved).toBe(false);
  });

  it('closes the open world before it opens another, and tells the address', async () => {
    const api = new FakeApi().add('other');
    const names: string[] = [];
    const session = sessionOn(api, { onOpening: (name) => names.push(name) });
    await session.open('playground');
    const first = api.world!;
    const { ready } = session;
    await session.open('other');
    await first.closed;
    expect(session.world?.name).toBe('other');
    expect(names).toEqual(['playground', 'other']);
    expect(session.ready).not.toBe(ready);
  });

  it('closes a world that comes when another was asked for meanwhile', async () => {
    const waits: (() => void)[] = [];
    const api = new FakeApi({ onStep: () => new Promise<void>((resolve) => waits.push(resolve)) }).add('a').add('b');
    const session = sessionOn(api);
    const [a, b] = [session.open('a'), session.open('b')];
    const turn = setInterval(() => {
      for (const go of waits.splice(0)) go();
    });
    await Promise.all([a, b]);
    clearInterval(turn);
    expect(session.world?.name).toBe('b');
    expect(api.opened.map(({ name }) => name)).not.toContain('a');
  });

  it('says why a world did not start, and rejects `ready`', async () => {
    const api = new FakeApi();
    api.openWorld = async () => {
      throw new Error('Another page has this world open.');
    };
    const session = sessionOn(api);
    const { ready } = session;
    await session.open('playground');
    expect(session.phase).toMatchObject({ kind: 'failed', problem: { sentence: 'Another page has this world open.' } });
    await expect(ready).rejects.toThrow('Another page');
  });

  it('R9-2 starts the world again after core.exit, three times a minute at most, with its console', async () => {
    const api = new FakeApi();
    const session = sessionOn(api);
    await session.open('playground');
    const { console } = session;
    for (let restart = 1; restart <= 3; restart++) {
      await session.world!.call('core.exit');
      await until(session, 'booting');
      await until(session, 'open');
    }
    expect(api.opened).toHaveLength(4);
    expect(session.console).toBe(console);
    await session.world!.call('core.exit');
    await until(session, 'ended');
    expect(session.phase).toEqual({ kind: 'ended', exitCode: 75, tooOften: true, takenOver: false });
  });

  it('leaves a world ended that ended with another code', async () => {
    const api = new FakeApi();
    const session = sessionOn(api);
    await session.open('playground');
    api.world!.exit(1);
    await until(session, 'ended');
    expect([session.world, session.console.ready, api.opened.length]).toEqual([undefined, false, 1]);
  });

  it('deletes the open world after it has closed it, and opens the playground', async () => {
    const api = new FakeApi().add('lesson');
    const session = sessionOn(api);
    await session.open('lesson');
    const { world } = api;
    await session.deleteWorld('lesson');
    await world!.closed;
    await until(session, 'open');
    expect(session.world?.name).toBe('playground');
    expect(session.worlds.map(({ name }) => name)).not.toContain('lesson');
  });

  it('lists a world that was imported, and not one whose zip was refused', async () => {
    const api = new FakeApi();
    const session = sessionOn(api);
    await session.open('playground');
    const steps: string[] = [];
    await session.importWorld('copy', new Blob(['PK']), ({ step }) => steps.push(step));
    await expect(session.importWorld('bad', new Blob(['broken']), () => {})).rejects.toThrow('damaged');
    expect(session.worlds.map(({ name }) => name)).toEqual(['copy', 'playground']);
    expect(steps).toEqual(['unpack']);
  });

  it('brings the journal and the processes of the world', async () => {
    const api = new FakeApi();
    const session = sessionOn(api);
    await session.open('playground');
    const counts: number[] = [];
    session.processes.subscribe(() => counts.push(session.processes.count));
    const written = new Promise<void>((resolve) => session.journal.subscribe(resolve));
    await session.world!.call('notes.list');
    await written;
    expect(counts).toContain(1);
    expect(session.processes.count).toBe(0);
    expect(session.journal.entries.map(({ line }) => line)).toContain('started notes.list {}');
  });

  it('gives the open world another name, and its history and its files go along', async () => {
    const map = new Map<string, string>();
    const api = new FakeApi();
    const session = sessionOn(api, { shelf: shelfOf(map) });
    await session.open('old', { create: true });
    session.console.run('ls');
    session.desk?.show('/config/boot.json');
    await session.renameWorld('old', 'new');
    await until(session, 'open');
    expect([session.name, api.opened.at(-1)?.name]).toEqual(['new', 'new']);
    expect(session.console.history.lines).toEqual(['ls']);
    expect(session.desk?.open.map(({ path }) => path)).toEqual(['/config/boot.json']);
    expect([...map.keys()].filter((key) => key.includes('old'))).toEqual([]);

    await session.open('playground');
    api.elsewhere.set('new', 'awake');
    await expect(session.renameWorld('new', 'newer')).rejects.toThrow('open in another tab');
  });

  it('R8-5 follows a link to a world once, and asks when it is followed again', async () => {
    const api = new FakeApi();
    const session = sessionOn(api);
    const zip = new URL('http://site/a%20lesson.zip');
    await session.follow({ zip, hash: 'ab'.repeat(16) });
    await until(session, 'open');
    expect(api.opened.at(-1)).toMatchObject({ name: 'a lesson', from: zip, origin: zip.href, hash: 'ab'.repeat(16) });
    expect(api.opened.at(-1)).not.toHaveProperty('trusted');

    await session.follow({ zip });
    expect(session.phase).toMatchObject({ kind: 'linked', name: 'a lesson', begin: { from: zip } });
    const { begin } = session.phase as Extract<typeof session.phase, { kind: 'linked' }>;
    await session.open('a lesson');
    expect(api.resets).toEqual([]);
    await session.follow({ zip });
    await session.openNew(begin);
    expect(session.name).toBe('a lesson 2');
    await session.follow({ zip });
    await session.open('a lesson', { resetTo: begin });
    await until(session, 'open');
    expect(api.resets).toEqual([['a lesson', expect.objectContaining({ from: zip })]]);

    await session.follow({ zip: new URL('http://site/50%.zip') });
    await until(session, 'open');
    expect(session.name).toBe('50-');

    await session.follow({ problem: 'ftp://x' });
    expect(session.phase).toMatchObject({ kind: 'failed', problem: { sentence: expect.stringContaining('ftp://x') } });
  });

  it('tries again what it was to make, and nothing empty in its place', async () => {
    const api = new FakeApi();
    const session = sessionOn(api);
    const from = new URL('http://site/b.zip');
    const { openWorld } = api;
    api.openWorld = () => Promise.reject(new Error('no network'));
    await session.open('b', { create: true, begin: { from, origin: from.href } });
    expect(session.phase.kind).toBe('failed');
    api.openWorld = openWorld;
    await session.retry();
    await until(session, 'open');
    expect(api.opened.at(-1)).toMatchObject({ name: 'b', from });
  });

  it('makes a world anew of what it was made of, and only where that is known', async () => {
    const api = new FakeApi().add('imported');
    const session = sessionOn(api);
    await session.open('made', {
      create: true,
      begin: { from: new URL('http://site/a.zip'), origin: 'http://site/a.zip' },
    });
    await session.refreshWorlds();
    const info = (name: string) => session.worlds.find((each) => each.name === name)!;
    session.desk?.show('/a');
    await session.resetWorld(info('made'), () => {});
    await until(session, 'open');
    expect(api.resets).toEqual([['made', expect.objectContaining({ from: new URL('http://site/a.zip') })]]);
    expect(api.resets[0]?.[1]).not.toHaveProperty('trusted');
    expect(session.desk?.open).toEqual([]);
    expect(session.beginningOf(info('imported'))).toBeUndefined();
    await expect(session.resetWorld(info('imported'), () => {})).rejects.toThrow('Nobody knows');
    await session.open('playground');
    expect(session.beginningOf(info('playground'))).toMatchObject({ from: playground, trusted: true });
  });
});
