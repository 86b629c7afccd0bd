/** What a client can make the relay hold that sends in the worst way, and reads nothing. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { Kept } from '../../../src/relay/kept.ts';
import { encode, VERSION } from '../../../src/relay/protocol.ts';
import { WINDOW } from '../../../src/relay/session.ts';
import { later, listen, Raw, startRelay, until } from './support/relay.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const heap = (): number => {
  collect();
  return process.memoryUsage().heapUsed;
};

/** A client frame of WebSocket, with a mask of zeros. */
function masked(payload: Uint8Array, opcode = 2, last = true): Buffer {
  const { length } = payload;
  const head = length < 126 ? [0x80 | length] : [0x80 | 126, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([(last ? 0x80 : 0) | opcode, ...head, 0, 0, 0, 0]), payload]);
}

/** A WebSocket to the relay that nobody reads from. */
async function deaf(url: string): Promise<Socket> {
  const { port, host } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  later(() => socket.destroy());
  socket.write(
    `GET /relay HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n` +
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: sausage-relay.1\r\n\r\n',
  );
  await once(socket, 'data');
  socket.pause();
  socket.write(masked(encode({ op: 'hello', stream: 0, version: VERSION, token: '' })));
  return socket;
}

describe('relay 7: memory is bounded', () => {
  it('for a client that asks for more and more answers and reads none', { timeout: 60_000 }, async () => {
    const relay = await startRelay();
    const socket = await deaf(relay.url);
    const pings = Buffer.concat(Array(5000).fill(masked(encode({ op: 'ping', stream: 0, data: new Uint8Array(0) }))));
    const before = process.memoryUsage().rss;
    let most = 0;
    let gone = false;
    socket.on('close', () => {
      gone = true;
    });
    while (!gone) {
      most = Math.max(most, process.memoryUsage().rss);
      if (!socket.write(pings)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {});
    }
    expect(relay.log).toContainEqual(expect.objectContaining({ why: 'the client does not read' }));
    // The system's own buffers hold up to a million of these answers; what the relay itself held was over a gigabyte.
    expect(most - before).toBeLessThan(400_000_000);
  });

  it('for a client that sends byte by byte to a server that does not read', async () => {
    const held: Socket[] = [];
    const port = await listen((socket) => void held.push(socket.pause()));
    const relay = await startRelay({ allow: [`127.0.0.1:${port}`] });
    const raw = await Raw.open(relay.url);
    await raw.tcp(1, port);
    /** Resolves when all that was sent has been looked at. */
    const settled = async () => {
      raw.send({ op: 'ping', stream: 0, data: new Uint8Array(0) });
      await raw.next('pong');
    };
    let credit = WINDOW;
    // Until nothing goes out any more, but a window is open.
    for (let quiet = 0; quiet < 20; ) {
      const data = new Uint8Array(Math.max(0, Math.min(60_000, credit - WINDOW / 2)));
      if (data.length > 0) raw.send({ op: 'data', stream: 1, data });
      credit -= data.length;
      await settled();
      const given = raw.frames.splice(0).reduce((sum, frame) => sum + (frame.op === 'credit' ? frame.bytes : 0), 0);
      credit += given;
      quiet = given > 0 || data.length > 0 ? 0 : quiet + 1;
    }
    const before = heap();
    for (let sent = 0; sent < WINDOW / 2; sent++) raw.send({ op: 'data', stream: 1, data: Uint8Array.of(sent & 255) });
    await settled();
    // When each waited for itself it took 250 bytes.
    expect(heap() - before).toBeLessThan(50 * (WINDOW / 2));
    let got = 0;
    let tail = Buffer.alloc(0);
    held[0]?.on('data', (chunk) => {
      got += chunk.length;
      tail = Buffer.concat([tail, chunk]).subarray(-WINDOW / 2);
    });
    held[0]?.resume();
    raw.send({ op: 'end', stream: 1 });
    await once(held[0] as Socket, 'end');
    expect(got).toBeGreaterThan(WINDOW / 2);
    expect(tail.equals(Buffer.from(Array.from({ length: WINDOW / 2 }, (_, at) => at & 255)))).toBe(true);
  });

  it('for a frame in very many pieces', async () => {
    const relay = await startRelay();
    const socket = await deaf(relay.url);
    for (let at = 0; at < 1000; at++) socket.write(masked(Uint8Array.of(0), at === 0 ? 2 : 0, false));
    socket.resume();
    await once(socket, 'close');
    await until(() => relay.relay?.sessions === 0, 'the end of the session');
  });
});

describe('relay 5, 6: before HELLO', () => {
  const post = (url: string, length: number, body: Uint8Array): Socket => {
    const { port, host } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => {});
    later(() => socket.destroy());
    socket.write(`POST /relay/session HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${length}\r\n\r\n`);
    socket.write(body);
    return socket;
  };

  it('a POST is no larger than a HELLO', async () => {
    const relay = await startRelay();
    const socket = post(relay.url, 100_000, new Uint8Array(10));
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 413 /);
  });

  it('a POST that does not come has the time of the handshake', async () => {
    const relay = await startRelay({ timeouts: { handshake: 200 } });
    const socket = post(relay.url, 1000, new Uint8Array(10));
    socket.resume();
    await once(socket, 'close');
    expect(relay.log.filter(({ event }) => event === 'fault')).toEqual([]);
  });
});

describe('what a session by HTTPS keeps', () => {
  it('is what came, from any place that was not forgotten', () => {
    const kept = new Kept();
    const all = Uint8Array.from({ length: 300_000 }, (_, at) => at % 251);
    for (let at = 0, step = 1; at < all.length; at += step, step = (step * 7) % 5003) {
      kept.append(all.subarray(at, at + step));
    }
    const from = (start: number): Buffer => {
      const pieces: Uint8Array[] = [];
      for (let at = start; at < kept.end; at += (pieces.at(-1) as Uint8Array).length) pieces.push(kept.after(at));
      return Buffer.concat(pieces);
    };
    for (const start of [0, 1, 65_535, 65_536, 65_537, 131_072, 299_999, 300_000]) {
      kept.forget(start);
      expect([kept.start, kept.end]).toEqual([start, all.length]);
      expect(from(start).equals(all.subarray(start))).toBe(true);
    }
    kept.append(Uint8Array.of(9));
    expect([...from(300_000)]).toEqual([9]);
  });
});
