/** The settings of the page: kept, understood again, and applied to the open world. */

import { describe, expect, it } from 'vitest';
import { type PageSettings, type SettingsStore, understand } from '../../../src/settings/settings.ts';
import { FakeApi } from './fake-api.ts';
import { sessionOn } from './sessions.ts';

function keeping(kept?: unknown): SettingsStore & { kept: unknown } {
  const store = {
    kept,
    read: async () => store.kept,
    write: async (settings: PageSettings) => void (store.kept = structuredClone(settings)),
  };
  return store;
}

const broken: SettingsStore = {
  read: () => Promise.reject(new Error('blocked')),
  write: () => Promise.reject(new Error('blocked')),
};

const elsewhere = { at: 'address', address: 'wss://relay.example/relay', token: 'v1.x.y' } as const;

describe('the settings of the page', () => {
  it('go with the world that is opened, as the embedding API takes them', async () => {
    const opened = async (relay: unknown) => {
      const api = new FakeApi();
      await sessionOn(api, { settings: keeping({ relay }) }).open('playground');
      const { relay: address, relayToken } = api.opened[0]!;
      return [address instanceof URL ? address.href : address, relayToken];
    };
    expect(await opened(undefined)).toEqual([undefined, undefined]);
    expect(await opened({ at: 'none' })).toEqual([null, undefined]);
    expect(await opened(elsewhere)).toEqual(['wss://relay.example/relay', 'v1.x.y']);
  });

  it('are kept, and hold for the open world at once', async () => {
    const store = keeping();
    const api = new FakeApi();
    const session = sessionOn(api, { settings: store });
    await session.open('playground');
    expect(await session.changeSettings({ relay: { at: 'none' } })).toBe(true);
    expect(store.kept).toEqual({ relay: { at: 'none' }, http: 'relay' });
    expect(api.world!.outside).toEqual([{ relay: null, http: 'relay' }]);
  });

  it('that change while a world starts hold for it too', async () => {
    const api = new FakeApi({
      onStep: async ({ step }) => step === 'open' && session.changeSettings({ relay: { at: 'none' } }),
    });
    const session = sessionOn(api, { settings: keeping() });
    await session.open('playground');
    expect(api.opened[0]).not.toHaveProperty('relay');
    expect(api.world!.outside).toEqual([{ relay: null, http: 'relay' }]);
  });

  it('hold as long as the page where the browser keeps nothing, and the page says so', async () => {
    const api = new FakeApi();
    const session = sessionOn(api, { settings: broken });
    await session.open('playground');
    expect(await session.changeSettings({ relay: { at: 'none' } })).toBe(false);
    await session.open('playground');
    expect(api.opened.at(-1)).toMatchObject({ relay: null });
  });

  it.each([
    ['nothing', undefined],
    ['no object', 'relay'],
    ['a way of HTTP that is unknown', { http: 'pigeon' }],
    ['a word that is unknown', { relay: { at: 'moon' } }],
    ['no address', { relay: { at: 'address', address: 'relay' } }],
    ['an address of another kind', { relay: { at: 'address', address: 7 } }],
  ])('are those of a first visit where %s was kept', (_, kept) => {
    expect(understand(kept)).toEqual({ relay: { at: 'host' }, http: 'relay' });
  });
});
