/** The way outside when the visitor chooses another one, against real relays on this machine. */

import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { OutsideOptions, OutsideState } from '../../../src/core/protocol.ts';
import { PageFetch } from '../../../src/net/http/page-fetch.ts';
import { RelayAddressError, readRelayAddress } from '../../../src/net/relay/address.ts';
import { WayOut, type WayOutOptions } from '../../../src/net/way-out.ts';
import { local, TestStream } from '../relay/support/outside.ts';
import { later, listenEcho, startRelay, until } from '../relay/support/relay.ts';

function openWay(choice: OutsideOptions, base: string, held = false) {
  const states: OutsideState[] = [];
  const network: WayOutOptions['network'] = { outside: undefined, http: undefined };
  const way = new WayOut({
    ...{ choice, held, network, base: new URL(base), onState: (state: OutsideState) => states.push(state) },
    platform: { WebSocket: WebSocket as unknown as typeof globalThis.WebSocket },
  });
  later(() => way.close());
  return { way, network, states };
}

describe('the way outside', () => {
  it('goes over the relay that was chosen last, and what is open over the one before is reset', async () => {
    const echo = await listenEcho();
    const [first, second] = await Promise.all([0, 1].map(() => startRelay({ allow: [`127.0.0.1:${echo}`] })));
    const { way, network, states } = openWay({}, first!.url);
    const stream = await new TestStream(network.outside!, local(echo)).opened();
    expect(way.state).toMatchObject({ relay: `ws://127.0.0.1:${first!.port}/relay` });

    way.choose({ relay: null });
    await until(() => stream.closed, 'the end of what was open');
    expect(stream.error).toMatchObject({ code: 'connection-reset' });
    expect(way.state.kind).toBe('none');
    await expect(new TestStream(network.outside!, local(echo)).opened()).rejects.toMatchObject({
      code: 'remote-unreachable',
      message: 'No relay is wanted, so no program opens a connection to the outside.',
    });

    // the base is another page's, whose own relay this is
    const { way: other, network: there } = openWay({ relay: null }, second!.url);
    other.choose({ relay: `ws://127.0.0.1:${second!.port}/relay` });
    await new TestStream(there.outside!, local(echo)).opened();
    expect(other.state).toMatchObject({ kind: 'connected', relay: `ws://127.0.0.1:${second!.port}/relay` });
    expect(states.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['connecting', 'connected', 'none']));
    expect(states.at(-1)?.kind).toBe('none');
  });

  it('R8-5 stays shut for a world that waits for consent, whatever is chosen', async () => {
    const echo = await listenEcho();
    const relay = await startRelay({ allow: [`127.0.0.1:${echo}`] });
    const { way, network } = openWay({ relay: null }, relay.url, true);
    way.choose({});
    expect(way.state.kind).toBe('held');
    await expect(new TestStream(network.outside!, local(echo)).opened()).rejects.toMatchObject({
      code: 'access-denied',
    });
    way.release();
    await new TestStream(network.outside!, local(echo)).opened();
    expect(way.state.kind).toBe('connected');
  });
});

describe('HTTP of programs to the outside', () => {
  it('goes over the relay, by the page, or not at all, as was chosen last', () => {
    const { way, network } = openWay({}, 'http://127.0.0.1:1/');
    expect([network.http, way.state.http]).toEqual([undefined, 'relay']);
    way.choose({ http: 'fetch' });
    expect(network.http).toBeInstanceOf(PageFetch);
    expect(way.state.http).toBe('fetch');
    way.choose({ http: 'none' });
    expect(network.http).toMatchObject({ code: 'access-denied' });
  });

  it('R8-5 does not go by the page either before the visitor has agreed', () => {
    const { way, network } = openWay({ relay: null, http: 'fetch' }, 'http://127.0.0.1:1/', true);
    expect(way.state.kind).toBe('held');
    expect(network.http).toMatchObject({ code: 'access-denied', message: expect.stringMatching(/not agreed/) });
    way.choose({ relay: null, http: 'fetch' });
    expect(network.http).toMatchObject({ code: 'access-denied' });
    way.release();
    expect(network.http).toBeInstanceOf(PageFetch);
    expect(way.state).toMatchObject({ kind: 'none', http: 'fetch' });
  });
});

describe('the address of a relay as a visitor types it', () => {
  const secure = new URL('https://page.example/play/');
  const own = new URL('http://127.0.0.1:4321/');

  it.each([
    ['relay.example', 'https://relay.example/relay'],
    [' relay.example:8443/way ', 'https://relay.example:8443/way'],
    ['wss://relay.example/relay', 'https://relay.example/relay'],
    ['https://page.example/', 'https://page.example/relay'],
    ['/relay', 'https://page.example/relay'],
  ])('%s is understood on a page over https', (typed, href) => {
    expect(readRelayAddress(typed, secure).href).toBe(href);
  });

  it.each([
    ['ws://127.0.0.1:4321/relay', /wss/],
    ['http://page.example/relay', /wss/],
    ['ftp://relay.example', /wss/],
    ['javascript:alert(1)', /no address/],
    ['wss://', /no address/],
    ['wss://me:secret@relay.example', /token/],
  ])('%s is refused there, in a sentence', (typed, sentence) => {
    const refused = () => readRelayAddress(typed, secure);
    expect(refused).toThrow(RelayAddressError);
    expect(refused).toThrow(sentence);
  });

  it('may be without TLS on the own host of a page that is', () => {
    expect(readRelayAddress('ws://127.0.0.1:4321', own).href).toBe('http://127.0.0.1:4321/relay');
    expect(() => readRelayAddress('ws://127.0.0.1:9999/relay', own)).toThrow(/own host/);
  });
});
