/** What an open world tells beside its journal and its processes. */

import { describe, expect, it } from 'vitest';
import { Signals } from '../../../src/ui/model/signals.ts';
import { FakeApi } from './fake-api.ts';
import { FakeWorld } from './fake-world.ts';
import { sessionOn } from './sessions.ts';

const www = { port: 8080, pid: 'www-1', plugin: 'www' };
const mail = { port: 25, pid: 'mail-1', plugin: 'mail' };

describe('the signals of a world', () => {
  it('R8-4 a service that keeps others waiting is named until it answers or is skipped', async () => {
    const api = new FakeApi();
    const session = sessionOn(api);
    await session.open('playground');
    const seen: (string | undefined)[] = [];
    session.signals.subscribe(() => seen.push(session.signals.slowService));
    api.world!.slowService('www.start');
    expect(session.signals.slowService).toBe('www.start');
    session.world!.skipService();
    expect(session.signals.slowService).toBeUndefined();
    api.world!.slowService('mail.start');
    await session.open('playground');
    expect(session.signals.slowService).toBeUndefined();
    expect(seen).toContain('mail.start');
  });

  it('the ports are there from the start, sorted, and follow each change', async () => {
    const world = new FakeWorld('a');
    world.listenOn(www, mail);
    const signals = new Signals();
    const filled = new Promise<void>((resolve) => signals.subscribe(resolve));
    const stop = signals.follow(world);
    await filled;
    expect(signals.ports).toEqual([mail, www]);
    world.listenOn(www);
    expect(signals.ports).toEqual([www]);
    stop();
    world.listenOn(mail);
    expect(signals.ports).toEqual([]);
  });

  it('a list of ports that comes after a change is older than it', async () => {
    const world = new FakeWorld('a');
    let answer!: (ports: (typeof www)[]) => void;
    world.ports = () => new Promise((resolve) => (answer = resolve));
    const signals = new Signals();
    signals.follow(world);
    world.listenOn(www);
    answer([mail]);
    await Promise.resolve();
    expect(signals.ports).toEqual([www]);
  });

  it('the way outside is known at once and at each change, and nothing of it when the world is gone', () => {
    const world = new FakeWorld('a');
    const signals = new Signals();
    const stop = signals.follow(world);
    expect(signals.relay).toMatchObject({ kind: 'none' });
    world.reach({ kind: 'away', http: 'relay', relay: 'wss://r', message: 'The relay is away.' });
    expect(signals.relay?.message).toBe('The relay is away.');
    stop();
    expect(signals.relay).toBeUndefined();
  });
});
