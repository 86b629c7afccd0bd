/** A world that another page has, or takes (R1-6). */

import { describe, expect, it } from 'vitest';
import { stateOf } from '../../../src/ui/model/phase.ts';
import { FakeApi } from './fake-api.ts';
import { sessionOn, until } from './sessions.ts';

describe('a world that is open in another tab', () => {
  it('R1-6 is not touched: the session says so, and `ready` rejects', async () => {
    const api = new FakeApi().add('playground');
    api.elsewhere.set('playground', 'awake');
    const session = sessionOn(api);
    const { ready } = session;
    await session.open('playground');
    expect(session.phase).toEqual({ kind: 'busy' });
    expect(stateOf(session.phase)).toBe('busy');
    expect([session.world, api.elsewhere.size]).toEqual([undefined, 1]);
    await expect(ready).rejects.toThrow('open in another tab');
  });

  it('R1-6 is taken over when the visitor says so, and only then', async () => {
    const api = new FakeApi().add('playground');
    api.elsewhere.set('playground', 'awake');
    const session = sessionOn(api);
    await session.open('playground');
    const phases: unknown[] = [];
    session.subscribe(() => phases.push(session.phase));
    const before = Date.now();
    await session.open('playground', { takeOver: true });
    expect(phases[0]).toMatchObject({ kind: 'booting', progress: { step: 'lock' }, takingOver: expect.any(Number) });
    expect((phases[0] as { takingOver: number }).takingOver).toBeGreaterThanOrEqual(before);
    expect(session.world).toBe(api.world);
    expect(api.opened.map(({ takeOver = false }) => takeOver)).toEqual([false, true]);
  });

  it('R1-6 is not given up by a tab that sleeps: the sentence says what to do', async () => {
    const api = new FakeApi().add('playground');
    api.elsewhere.set('playground', 'asleep');
    const session = sessionOn(api);
    await session.open('playground', { takeOver: true });
    const sentence = expect.stringMatching(/sleeps\. Close that tab/);
    expect(session.phase).toMatchObject({ kind: 'busy', problem: { sentence } });
  });

  it('R1-6 is copied, and the copy is opened', async () => {
    const api = new FakeApi().add('playground');
    api.elsewhere.set('playground', 'awake');
    const session = sessionOn(api);
    await session.open('playground');
    const copied = session.openCopy('playground copy');
    expect(session.phase).toEqual({ kind: 'copying', to: 'playground copy' });
    await copied;
    expect(api.copied).toEqual([['playground', 'playground copy']]);
    expect(session.world?.name).toBe('playground copy');
    expect(session.held).toBe(true);
    expect(api.elsewhere.get('playground')).toBe('awake');
  });

  it('R1-6 that cannot be copied stays a question, with the reason', async () => {
    const api = new FakeApi().add('playground');
    api.elsewhere.set('playground', 'asleep');
    const session = sessionOn(api);
    await session.open('playground');
    await session.openCopy('other');
    expect(session.phase).toMatchObject({ kind: 'busy', problem: { doing: 'copying playground' } });
    expect(session.worlds.map(({ name }) => name)).toEqual(['playground']);
  });

  it('R1-6 the tab it was taken from stays as it is until it is taken back', async () => {
    const api = new FakeApi();
    const session = sessionOn(api);
    await session.open('playground');
    const { console } = session;
    api.elsewhere.set('playground', 'awake');
    api.world!.exit(0, true);
    await until(session, 'ended');
    expect(session.phase).toMatchObject({ kind: 'ended', takenOver: true });
    expect([stateOf(session.phase), api.opened.length]).toEqual(['busy', 1]);
    await session.open('playground', { takeOver: true });
    expect(session.world).toBe(api.world);
    expect(session.console).toBe(console);
  });
});
