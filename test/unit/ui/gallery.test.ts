import { describe, expect, it } from 'vitest';
import { Beginnings, loadGallery } from '../../../src/ui/model/beginnings.ts';
import { FakeApi } from './fake-api.ts';
import { playground, sessionOn, until } from './sessions.ts';

const BASE = new URL('https://h.example/page/');
const answering = (body: unknown, status = 200) =>
  (async () => new Response(JSON.stringify(body), { status })) as typeof fetch;
const chat = { name: 'chat', title: 'Chat', text: 'talk', zip: 'worlds/chat-1.bin', hash: 'ab' };

describe('the gallery', () => {
  it('is what the host of the page names and serves itself', async () => {
    const list = [
      chat,
      { name: 'empty', title: 'Empty', text: 'nothing' },
      { ...chat, name: 'elsewhere', zip: 'https://other.example/x.bin' },
      { ...chat, name: 'code', zip: 'javascript:alert(1)' },
      { ...chat, name: 7 },
      null,
    ];
    expect(await loadGallery(BASE, answering(list))).toEqual([
      { ...chat, zip: new URL('https://h.example/page/worlds/chat-1.bin') },
      { name: 'empty', title: 'Empty', text: 'nothing' },
    ]);
  });

  it('is empty where there is none, or nonsense', async () => {
    expect(await loadGallery(BASE, answering([chat], 404))).toEqual([]);
    expect(await loadGallery(BASE, answering({ chat }))).toEqual([]);
    expect(await loadGallery(BASE, () => Promise.reject(new TypeError('no network')))).toEqual([]);
  });

  it('opens a world that can be reset to it, and is trusted as the page is', async () => {
    const [sample] = await loadGallery(BASE, answering([chat]));
    const api = new FakeApi();
    const session = sessionOn(api, { gallery: async () => [sample!] });
    await session.open('playground');
    await session.loadGallery();
    await session.openSample(session.beginnings.gallery[0]!);
    await until(session, 'open');
    expect(api.opened.at(-1)).toMatchObject({ name: 'chat', from: sample!.zip, trusted: true, hash: 'ab' });
    expect(session.beginnings.of('gallery:chat')).toMatchObject({ from: sample!.zip, trusted: true });
    expect(new Beginnings(playground).of('gallery:chat')).toBeUndefined();
  });
});
