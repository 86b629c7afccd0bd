/** The way without WebSocket, request by request, as a client on a bad line makes them. */

import { expect, test } from 'vitest';
import { decode, encode, type Frame, VERSION } from '../../../src/relay/protocol.ts';
import { listenEcho, startRelay, type TestRelay, until } from './support/relay.ts';

const HELLO = encode({ op: 'hello', stream: 0, version: VERSION, token: '' });

const framed = (...frames: Frame[]): Buffer =>
  Buffer.concat(
    frames.map(encode).flatMap((bytes) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );

function frames(bytes: Buffer): Frame[] {
  const all: Frame[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    all.push(decode(Uint8Array.from(bytes.subarray(at + 4, at + 4 + length)), 'relay'));
    at += 4 + length;
  }
  return all;
}

async function begin(relay: TestRelay) {
  const request = (path: string, options: RequestInit = {}) => fetch(new URL(`relay/${path}`, relay.url), options);
  const session = await (await request('session', { method: 'POST', body: HELLO })).text();
  const up = (sequence: number, received: number, body: Uint8Array<ArrayBuffer>) =>
    request('up', {
      method: 'POST',
      body,
      headers: {
        'Sausage-Session': session,
        'Sausage-Sequence': String(sequence),
        'Sausage-Received': String(received),
      },
    });
  const down = async (received: number, poll = true) => {
    const headers = {
      'Sausage-Session': session,
      'Sausage-Received': String(received),
      'Sausage-Poll': poll ? '1' : '0',
    };
    const response = await request('down', { headers });
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  return { request, session, up, down };
}

const body = (...list: Frame[]) => Uint8Array.from(framed(...list));

test('a GET that was cut is made again from where it was, and gives the same bytes', async () => {
  const relay = await startRelay();
  const { down, up } = await begin(relay);
  const first = await down(0);
  expect(frames(first.bytes).map(({ op }) => op)).toEqual(['welcome']);
  expect((await down(0)).bytes).toEqual(first.bytes);
  expect((await down(10)).bytes).toEqual(first.bytes.subarray(10));
  // What was acknowledged is gone.
  expect((await down(9)).status).toBe(409);
  expect((await down(first.bytes.length + 1)).status).toBe(409);
  await up(0, first.bytes.length, body({ op: 'ping', stream: 0, data: Uint8Array.of(5) }));
  expect(frames((await down(first.bytes.length)).bytes)).toEqual([{ op: 'pong', stream: 0, data: Uint8Array.of(5) }]);
});

test('a POST that was repeated is taken once, and none is left out', async () => {
  const relay = await startRelay();
  const { down, up } = await begin(relay);
  const { length } = (await down(0)).bytes;
  const ping = body({ op: 'ping', stream: 0, data: Uint8Array.of(1) });
  expect([(await up(0, length, ping)).status, (await up(0, length, ping)).status]).toEqual([204, 204]);
  expect(frames((await down(length)).bytes)).toHaveLength(1);
  expect((await up(2, length, ping)).status).toBe(409);
  expect((await up(1, length, ping)).status).toBe(404);
  await until(() => relay.relay?.sessions === 0, 'the end of the session');
});

test('a POST that was overtaken by a GET with newer news is taken', async () => {
  const relay = await startRelay();
  const { down, up } = await begin(relay);
  const { length } = (await down(0)).bytes;
  const ping = (byte: number) => body({ op: 'ping', stream: 0, data: Uint8Array.of(byte) });
  await up(0, length, ping(1));
  const pong = (await down(length)).bytes;
  const waiting = down(length + pong.length);
  // Sent before `pong` had come, and on its way until now.
  expect((await up(1, length, ping(2))).status).toBe(204);
  expect(frames((await waiting).bytes)).toEqual([{ op: 'pong', stream: 0, data: Uint8Array.of(2) }]);
});

test('a stream of one GET ends when another begins, and with the session', async () => {
  const relay = await startRelay();
  const { down, up } = await begin(relay);
  const first = down(0, false);
  const second = down(0, false);
  const [one, two] = [first, second].map((got) => got.then(({ bytes }) => frames(bytes).map(({ op }) => op)));
  expect(await one).toEqual(['welcome']);
  await up(
    0,
    0,
    body({ op: 'ping', stream: 0, data: new Uint8Array(0) }, { op: 'hello', stream: 0, version: 1, token: '' }),
  );
  expect(await two).toEqual(['welcome', 'pong', 'reset']);
  expect((await down(0)).status).toBe(404);
});

test('what is wrong ends the session or is refused, and the relay goes on', async () => {
  const port = await listenEcho();
  const relay = await startRelay({ allow: [`127.0.0.1:${port}`] });
  const { down, up, request } = await begin(relay);
  expect((await request('down')).status).toBe(404);
  expect((await request('up')).status).toBe(405);
  expect((await request('down', { headers: { 'Sausage-Session': 'x'.repeat(32) } })).status).toBe(404);
  expect(
    (await request('session', { method: 'POST', body: HELLO, headers: { Origin: 'https://evil.example' } })).status,
  ).toBe(403);
  expect((await up(0, 0, new Uint8Array(1024 * 1024 + 1))).status).toBe(413);
  expect((await up(0, 0, Uint8Array.of(0, 0, 0, 9, 1))).status).toBe(400);
  expect((await down(0)).status).toBe(404);
  expect(await (await fetch(new URL('healthz', relay.url))).text()).toBe('ok\n');
});

test('pages of other hosts that may use it can, and see that in the headers that browsers ask for', async () => {
  const origin = 'https://world.example';
  const relay = await startRelay({ origins: [origin] });
  const { request } = await begin(relay);
  const asked = await request('up', { method: 'OPTIONS', headers: { Origin: origin } });
  expect(asked.status).toBe(204);
  expect(asked.headers.get('access-control-allow-origin')).toBe(origin);
  expect(asked.headers.get('access-control-allow-headers')).toContain('sausage-session');
  const other = await request('up', { method: 'OPTIONS', headers: { Origin: 'https://other.example' } });
  expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([403, null]);
});
