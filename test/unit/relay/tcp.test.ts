import { createHash, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Frame } from '../../../src/relay/protocol.ts';
import { MOST_WINDOW, WINDOW } from '../../../src/relay/session.ts';
import { listen, listenEcho, Raw, startRelay, until } from './support/relay.ts';

const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const text = (words: string) => new TextEncoder().encode(words);

/** Sends bytes as the credit allows, in pieces. */
async function sendAll(raw: Raw, stream: number, bytes: Uint8Array): Promise<void> {
  let credit = WINDOW;
  for (let at = 0; at < bytes.length; ) {
    if (credit === 0) credit += (await raw.next('credit', stream)).bytes;
    const piece = bytes.subarray(at, at + Math.min(credit, 60_000));
    raw.send({ op: 'data', stream, data: piece });
    credit -= piece.length;
    at += piece.length;
  }
}

/** Reads until the end of the other side, giving credit for what came. */
async function readAll(raw: Raw, stream: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for (;;) {
    const frame = await raw.take((one) => one.stream === stream && (one.op === 'data' || one.op === 'end'), 'the end');
    if (frame.op !== 'data') return Buffer.concat(pieces);
    pieces.push(frame.data);
    raw.send({ op: 'credit', stream, bytes: frame.data.length });
  }
}

describe('a TCP stream through the relay', () => {
  it('says where it leads, and nothing of where the relay is', async () => {
    const port = await listenEcho();
    const relay = await startRelay({ allow: [`127.0.0.1:${port}`] });
    const raw = await Raw.open(relay.url);
    const opened = await raw.tcp(1, port);
    expect(opened).toMatchObject({ op: 'opened', remote: { ip: Uint8Array.of(127, 0, 0, 1), port } });
    expect(opened).toMatchObject({ local: { ip: new Uint8Array(4), port: expect.any(Number) } });
  });

  it('carries both halves whole, each ended by itself', async () => {
    const port = await listen((socket) => {
      const pieces: Buffer[] = [];
      socket.on('data', (piece) => pieces.push(piece));
      // The answer comes after the whole question, on the half that is still open.
      socket.on('end', () => socket.end(Buffer.concat([Buffer.from('got '), ...pieces])));
    });
    const relay = await startRelay({ allow: [`127.0.0.1:${port}`] });
    const raw = await Raw.open(relay.url);
    await raw.tcp(1, port);
    const question = randomBytes(300_000);
    await sendAll(raw, 1, question);
    raw.send({ op: 'end', stream: 1 });
    const answer = await readAll(raw, 1);
    expect(sha(answer.subarray(4))).toBe(sha(question));
    await until(() => relay.log.length === 1, 'the log');
    expect(relay.log[0]).toMatchObject({ event: 'tcp', up: 300_000, down: 300_004, outcome: 'closed' });
  });

  it('goes on sending after the other side has ended', async () => {
    let got = 0;
    const port = await listen((socket) => {
      socket.end('bye');
      socket.on('data', (piece) => {
        got += piece.length;
      });
    });
    const relay = await startRelay({ allow: [`127.0.0.1:${port}`] });
    const raw = await Raw.open(relay.url);
    await raw.tcp(1, port);
    expect((await readAll(raw, 1)).toString()).toBe('bye');
    await sendAll(raw, 1, randomBytes(200_000));
    raw.send({ op: 'end', stream: 1 });
    await until(() => got === 200_000, 'all bytes at the server');
  });

  it('delivers what was sent before END though the client resets, closes or vanishes at once', async () => {
    for (const leave of [
      (raw: Raw) => raw.send({ op: 'reset', stream: 1, code: 'connection-aborted', message: '' }),
      (raw: Raw) => raw.socket.close(),
      (raw: Raw) => raw.send({ op: 'reset', stream: 0, code: 'connection-aborted', message: '' }),
    ]) {
      const sent = randomBytes(6_000_000);
      const pieces: Buffer[] = [];
      let ended = false;
      const port = await listen((socket) => {
        socket.write('unread words');
        socket.on('data', (piece) => pieces.push(piece));
        socket.on('end', () => {
          ended = true;
        });
      });
      const relay = await startRelay({ allow: [`127.0.0.1:${port}`] });
      const raw = await Raw.open(relay.url);
      await raw.tcp(1, port, { credit: 0 });
      await sendAll(raw, 1, sent);
      raw.send({ op: 'end', stream: 1 });
      leave(raw);
      await until(() => ended, 'the end');
      expect(sha(Buffer.concat(pieces))).toBe(sha(sent));
    }
  });

  it('is reset at the server when the client vanishes in the middle', async () => {
    let error: NodeJS.ErrnoException | undefined;
    const port = await listen((socket) => {
      socket.resume();
      socket.on('error', (reason) => {
        error = reason;
      });
    });
    const relay = await startRelay({ allow: [`127.0.0.1:${port}`] });
    const raw = await Raw.open(relay.url);
    await raw.tcp(1, port);
    raw.socket.terminate();
    await until(() => error !== undefined, 'the reset');
    expect(error?.code).toBe('ECONNRESET');
  });

  it('tells how a connection failed', async () => {
    const port = await listen((socket) => socket.resetAndDestroy());
    const refusing = await listen(() => {});
    const relay = await startRelay({ allow: [`127.0.0.1:${port}`, '127.0.0.1:1'] });
    expect(refusing).toBeGreaterThan(0);
    const raw = await Raw.open(relay.url);
    expect(await raw.tcp(1, 1)).toMatchObject({ op: 'failed', code: 'connection-refused' });
    const opened = await raw.tcp(2, port);
    if (opened.op === 'opened') expect(await raw.next('reset', 2)).toMatchObject({ code: 'connection-reset' });
    else expect(opened).toMatchObject({ op: 'failed', code: 'connection-reset' });
  });

  it('can be called off while it opens', async () => {
    const port = await listenEcho();
    const relay = await startRelay({ allow: [`127.0.0.1:${port}`] });
    const raw = await Raw.open(relay.url);
    raw.send({ op: 'open', stream: 1, credit: 10, port, host: '127.0.0.1' });
    raw.send({ op: 'reset', stream: 1, code: 'connection-aborted', message: '' });
    await until(() => relay.log.length === 1, 'the log');
    expect(relay.log[0]).toMatchObject({ outcome: 'connection-aborted' });
    expect(await raw.tcp(2, port)).toMatchObject({ op: 'opened' });
    expect(raw.frames.filter(({ stream }) => stream === 1)).toEqual([]);
  });
});

describe('relay 6: credit', () => {
  it('that is broken ends the connection', async () => {
    const sockets: Socket[] = [];
    const port = await listen((socket) => {
      socket.pause();
      sockets.push(socket);
    });
    const relay = await startRelay({ allow: [`127.0.0.1:${port}`] });
    const raw = await Raw.open(relay.url);
    await raw.tcp(1, port);
    // The socket takes what it can; with more than the window at once no CREDIT can have come between.
    raw.send({ op: 'data', stream: 1, data: new Uint8Array(WINDOW) });
    raw.send({ op: 'data', stream: 1, data: new Uint8Array(60_000) });
    raw.send({ op: 'data', stream: 1, data: new Uint8Array(60_000) });
    raw.send({ op: 'data', stream: 1, data: new Uint8Array(60_000) });
    expect(await raw.end()).toMatchObject({
      code: 'invalid-argument',
      message: expect.stringMatching(/more data than the credit allows/),
    });
    expect(relay.relay?.sessions).toBe(0);
  });

  it('that adds up to more than there can be ends the connection', async () => {
    const port = await listenEcho();
    const relay = await startRelay({ allow: [`127.0.0.1:${port}`] });
    const raw = await Raw.open(relay.url);
    await raw.tcp(1, port, { credit: 2 ** 31 - 1 });
    raw.send({ op: 'credit', stream: 1, bytes: 1 });
    expect(await raw.end()).toMatchObject({ message: expect.stringMatching(/more credit/) });
  });

  it('is kept by the relay to the byte', async () => {
    const port = await listen((socket) => socket.end(Buffer.alloc(100_000, 'x')));
    const relay = await startRelay({ allow: [`127.0.0.1:${port}`] });
    const raw = await Raw.open(relay.url);
    await raw.tcp(1, port, { credit: 1000 });
    let got = 0;
    const take = async (upTo: number) => {
      while (got < upTo) got += (await raw.next('data', 1)).data.length;
      // Nothing more is under way: the answer to a PING overtakes nothing.
      raw.send({ op: 'ping', stream: 0, data: Uint8Array.of(1) });
      await raw.next('pong');
      expect(got).toBe(upTo);
      expect(raw.frames).toEqual([]);
    };
    await take(1000);
    raw.send({ op: 'credit', stream: 1, bytes: 1 });
    await take(1001);
    raw.send({ op: 'credit', stream: 1, bytes: 98_999 });
    while (got < 100_000) got += (await raw.next('data', 1)).data.length;
    await raw.next('end', 1);
    expect(got).toBe(100_000);
  });

  it('grows for a server that reads, and stays at the first window for one that does not', async () => {
    const held: Socket[] = [];
    const slow = await listen((socket) => void held.push(socket.pause()));
    const fast = await listen((socket) => socket.resume());
    const relay = await startRelay({ allow: [`127.0.0.1:${slow}`, `127.0.0.1:${fast}`] });
    const raw = await Raw.open(relay.url);
    const send = async (stream: number, most: number): Promise<{ sent: number; window: number }> => {
      let credit = WINDOW;
      let window = 0;
      let sent = 0;
      const fits = (frame: Frame) => frame.op === 'credit' && frame.stream === stream;
      while (sent < most) {
        if (credit === 0) {
          // Nothing more comes when the answer to a PING comes first, twice: writes end in their own time.
          for (let tries = 0; tries < 20 && !raw.frames.some(fits); tries++) {
            raw.send({ op: 'ping', stream: 0, data: Uint8Array.of(tries) });
            await raw.next('pong');
          }
          const given = raw.frames.splice(0).filter(fits);
          if (given.length === 0) break;
          credit = given.reduce((sum, frame) => sum + (frame as { bytes: number }).bytes, 0);
        }
        window = Math.max(window, credit);
        const data = new Uint8Array(Math.min(credit, 60_000));
        raw.send({ op: 'data', stream, data });
        credit -= data.length;
        sent += data.length;
      }
      return { sent, window };
    };
    await raw.tcp(1, fast);
    const read = await send(1, 40_000_000);
    expect(read.sent).toBeGreaterThanOrEqual(40_000_000);
    expect(read.window).toBeGreaterThan(WINDOW);
    expect(read.window).toBeLessThanOrEqual(2 * MOST_WINDOW);
    raw.frames.length = 0;
    await raw.tcp(2, slow);
    // The system's own buffers take some megabytes, then it stops for good.
    const { sent } = await send(2, 40_000_000);
    expect(sent).toBeLessThan(20_000_000);
  });
});

describe('relay 7: memory', () => {
  it('is bounded for a client that never reads: the relay stops reading from outside', async () => {
    let written = 0;
    const port = await listen((socket) => {
      const more = () => {
        while (socket.writable && written < 200_000_000) {
          const block = Buffer.alloc(64 * 1024);
          written += block.length;
          if (!socket.write(block)) return void socket.once('drain', more);
        }
      };
      more();
    });
    const relay = await startRelay({ allow: [`127.0.0.1:${port}`] });
    const raw = await Raw.open(relay.url);
    await raw.tcp(1, port, { credit: 2 ** 31 - 1 });
    raw.socket.pause();
    let last = -1;
    await until(async () => {
      const still = written === last;
      last = written;
      await new Promise((resolve) => setTimeout(resolve, 50));
      return still;
    }, 'a standstill');
    // The relay's 4 MiB and what the two systems' sockets hold.
    expect(written).toBeLessThan(40_000_000);
    raw.socket.resume();
    await until(() => written > last, 'more');
  });

  it('is bounded for a stream without credit, of which the rest of a connection takes no notice', async () => {
    let written = 0;
    const full = await listen((socket) => {
      const more = () => {
        while (socket.writable && written < 100_000_000) {
          written += 65536;
          if (!socket.write(Buffer.alloc(65536))) return void socket.once('drain', more);
        }
      };
      more();
    });
    const echo = await listenEcho();
    const relay = await startRelay({ allow: [`127.0.0.1:${full}`, `127.0.0.1:${echo}`] });
    const raw = await Raw.open(relay.url);
    await raw.tcp(1, full, { credit: 5 });
    await raw.tcp(2, echo);
    for (let i = 0; i < 20; i++) {
      raw.send({ op: 'data', stream: 2, data: text(`word ${i}`) });
      expect(Buffer.from((await raw.next('data', 2)).data).toString()).toBe(`word ${i}`);
    }
    expect((await raw.next('data', 1)).data.length).toBe(5);
    expect(raw.frames.filter(({ op, stream }) => op === 'data' && stream === 1)).toEqual([]);
    expect(written).toBeLessThan(40_000_000);
  });
});
