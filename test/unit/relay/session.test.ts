import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { encode, PROTOCOL, VERSION } from '../../../src/relay/protocol.ts';
import { LARGEST_FRAME } from '../../../src/relay/session.ts';
import { checkSecret, issueToken, verifyToken } from '../../../src/relay/token.ts';
import { listen, listenEcho, Raw, startRelay, until } from './support/relay.ts';

const SECRET = 'a secret of 32 characters or more';
const ORIGIN = 'https://world.school.example';
const now = () => Date.now() / 1000;
const token = (more: Partial<{ sub: string; exp: number; origin: string }> = {}, secret = SECRET) =>
  issueToken(secret, { sub: 'ada', exp: now() + 600, origin: ORIGIN, ...more });

/** A relay that others can reach, as far as it can know. */
const startShared = async (more: Parameters<typeof startRelay>[0] = {}) => {
  const relay = await startRelay({ secret: SECRET, origins: [ORIGIN], ...more }, { host: '0.0.0.0' });
  return { ...relay, url: `http://127.0.0.1:${relay.port}/` };
};

/** What HELLO leads to. */
async function greet(url: string, options: Parameters<typeof Raw.connect>[1]): Promise<string> {
  const raw = await Raw.connect(url, options).catch((error: Error) => error.message);
  if (typeof raw === 'string') return raw;
  const frame = await raw.take(({ op }) => op === 'welcome' || op === 'reset', 'an answer');
  return frame.op === 'reset' ? `${frame.code}: ${frame.message}` : frame.op;
}

describe('relay 5: tokens', () => {
  it('hold for their time, their origin and their relay', async () => {
    const { url } = await startShared();
    expect(await greet(url, { origin: ORIGIN, token: token() })).toBe('welcome');
    const refused = 'access-denied: The token is not valid for this relay and page, or no longer.';
    for (const [why, wrong] of Object.entries({
      expired: token({ exp: now() - 1 }),
      'for more than a day': token({ exp: now() + 90_000 }),
      'for another page': token({ origin: 'https://other.example' }),
      'of another relay': token({}, 'another secret, long enough for it'),
      'no token': 'v1.e30.AAAA',
      changed: token().replace(/.$/, (letter) => (letter === 'A' ? 'E' : 'A')),
      'with other claims': token().replace(/\.[^.]+\./, `.${Buffer.from('{"sub":"eve"}').toString('base64url')}.`),
    })) {
      expect([why, await greet(url, { origin: ORIGIN, token: wrong })]).toEqual([why, refused]);
    }
    expect(await greet(url, { origin: ORIGIN })).toBe('access-denied: This relay wants a token.');
    expect(await greet(url, { token: token() })).toBe(refused);
  });

  it('are checked in constant shape: any text is a token or none', () => {
    const good = token();
    expect(verifyToken(SECRET, good, ORIGIN, now())).toMatchObject({ sub: 'ada', origin: ORIGIN });
    for (const claims of ['null', '[]', '1', '{}', '{"sub":"","exp":9e9,"origin":"x"}', 'not json']) {
      const body = `v1.${Buffer.from(claims).toString('base64url')}`;
      const forged = issueToken(SECRET, { sub: 'x', exp: 1, origin: 'x' }).replace(/^v1\.[^.]+/, body);
      expect(verifyToken(SECRET, forged, 'x', 0)).toBeUndefined();
    }
    expect(verifyToken(SECRET, `${good}x`, ORIGIN, now())).toBeUndefined();
    expect(verifyToken(SECRET, 'v1.'.padEnd(5000, 'a'), ORIGIN, now())).toBeUndefined();
  });

  it('need a secret worth the name', () => {
    expect(() => checkSecret('short')).toThrow(/shorter than 16 characters/);
  });

  it('are not wanted on the loopback, and only there: others never come in without one', async () => {
    expect(await greet((await startRelay()).url, {})).toBe('welcome');
    const open = await startRelay({}, { host: '0.0.0.0' });
    const url = `http://127.0.0.1:${open.port}/`;
    expect(open.relay?.usable).toBe(false);
    expect(await greet(url, {})).toBe('access-denied: This relay wants a token.');
    expect(await (await fetch(new URL('relay.json', url))).json()).toEqual({ relay: null });
    const behind = await startRelay({ trustProxy: true });
    expect(await greet(behind.url, {})).toBe('access-denied: This relay wants a token.');
  });

  it('are wanted from what a proxy passes on, or another name leads to', async () => {
    const { url } = await startRelay();
    const denied = 'access-denied: This relay wants a token.';
    expect(await greet(url, { headers: { 'X-Forwarded-For': '1.2.3.4' } })).toBe(denied);
    expect(await greet(url, { headers: { Forwarded: 'for=1.2.3.4' } })).toBe(denied);
    expect(await greet(url, { headers: { Host: 'evil.example' } })).toBe(denied);
  });
});

describe('relay 5: origins', () => {
  it('are those of the page itself, and those that are named', async () => {
    const { url, port } = await startRelay({ origins: [ORIGIN] });
    for (const origin of [`http://127.0.0.1:${port}`, `http://localhost:${port}`, `http://[::1]:${port}`, ORIGIN]) {
      expect([origin, await greet(url, { origin })]).toEqual([origin, 'welcome']);
    }
    for (const origin of [
      `http://127.0.0.1:${port + 1}`,
      `https://127.0.0.1:${port}`,
      `http://p8080-world.localhost:${port}`,
      'https://evil.example',
      `${ORIGIN}.evil.example`,
      'null',
    ]) {
      expect([origin, await greet(url, { origin })]).toEqual([origin, 'status 403']);
    }
  });

  it('of the options must be origins', async () => {
    await expect(startRelay({ origins: ['world.school.example'] })).rejects.toThrow(/is no origin such as https/);
  });

  it('nobody asks for another protocol, path or method', async () => {
    const { url, port } = await startRelay();
    const status = (path: string, protocols: string[]) =>
      new Promise((resolve) => {
        const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols);
        socket.on('unexpected-response', (_, { statusCode }) => resolve(statusCode));
        socket.on('error', () => resolve('cut'));
        socket.on('open', () => resolve('open'));
      });
    expect(await status('/relay', [])).toBe(400);
    expect(await status('/relay', ['wisp-v1'])).toBe(400);
    expect(await status('/relay?token=x', [PROTOCOL])).toBe('open');
    expect(await status('/other', [PROTOCOL])).toBe('cut');
    expect((await fetch(new URL('relay', url))).status).toBe(404);
  });
});

describe('relay 6: the handshake', () => {
  it('has a time', async () => {
    const { url } = await startRelay({ timeouts: { handshake: 50 } });
    const raw = await Raw.connect(url, { silent: true });
    expect(await raw.end()).toMatchObject({ code: 'timeout', message: 'No HELLO came.' });
  });

  it('is HELLO, once, of this version', async () => {
    const { url } = await startRelay();
    const early = await Raw.connect(url, { silent: true });
    early.send({ op: 'ping', stream: 0, data: new Uint8Array(0) });
    expect(await early.end()).toMatchObject({ message: 'Protocol error: ping before hello.' });
    const twice = await Raw.open(url);
    twice.send({ op: 'hello', stream: 0, version: VERSION, token: '' });
    expect(await twice.end()).toMatchObject({ message: 'Protocol error: a second hello.' });
    const other = await Raw.connect(url, { silent: true });
    other.send({ op: 'hello', stream: 0, version: 2, token: '' });
    expect(await other.end()).toMatchObject({ code: 'not-supported' });
  });
});

describe('relay 6: frames', () => {
  it('are bounded in size', async () => {
    const { url } = await startRelay();
    const raw = await Raw.open(url);
    let code = 0;
    raw.socket.on('close', (number) => {
      code = number;
    });
    raw.bytes(new Uint8Array(LARGEST_FRAME + 1));
    await raw.end();
    expect(code).toBe(1009);
  });

  it.each([
    ['text', (raw: Raw) => raw.socket.send('hello')],
    ['nonsense', (raw: Raw) => raw.bytes(Uint8Array.of(99, 0, 0, 0, 1))],
    ['nothing', (raw: Raw) => raw.bytes(new Uint8Array(0))],
    ['a frame of the relay', (raw: Raw) => raw.send({ op: 'failed', stream: 1, code: 'unknown', message: '' })],
    [
      'data of a stream that was never opened',
      (raw: Raw) => raw.send({ op: 'data', stream: 7, data: Uint8Array.of(1) }),
    ],
    [
      'a stream twice',
      (raw: Raw) => {
        raw.send({ op: 'resolve', stream: 5, name: 'localhost' });
        raw.send({ op: 'resolve', stream: 5, name: 'localhost' });
      },
    ],
    [
      'a stream with a smaller number',
      (raw: Raw) => {
        raw.send({ op: 'resolve', stream: 5, name: 'localhost' });
        raw.send({ op: 'resolve', stream: 4, name: 'localhost' });
      },
    ],
    [
      'data before OPENED',
      (raw: Raw) => {
        raw.send({ op: 'open', stream: 1, credit: 1, port: 80, host: 'localhost' });
        raw.send({ op: 'data', stream: 1, data: Uint8Array.of(1) });
      },
    ],
  ])('that are wrong (%s) end their connection and no other', async (_, misbehave) => {
    const { url } = await startRelay();
    const good = await Raw.open(url);
    const bad = await Raw.open(url);
    misbehave(bad);
    await bad.end();
    good.send({ op: 'ping', stream: 0, data: Uint8Array.of(1) });
    await good.next('pong');
    expect(good.closed).toBe(false);
  });

  it('of streams that are over are passed over', async () => {
    const port = await listenEcho();
    const { url } = await startRelay({ allow: [`127.0.0.1:${port}`] });
    const raw = await Raw.open(url);
    await raw.tcp(1, port);
    raw.send({ op: 'reset', stream: 1, code: 'connection-aborted', message: '' });
    raw.send({ op: 'data', stream: 1, data: Uint8Array.of(1) });
    raw.send({ op: 'credit', stream: 1, bytes: 10 });
    expect(await raw.tcp(2, port)).toMatchObject({ op: 'opened' });
  });
});

describe('relay 6: time-outs', () => {
  it('end a stream on which nothing moves, not one that is used', async () => {
    const port = await listenEcho();
    const { url } = await startRelay({ allow: [`127.0.0.1:${port}`], timeouts: { idle: 1200 } });
    const raw = await Raw.open(url);
    await raw.tcp(1, port);
    await raw.tcp(2, port);
    let quiet = true;
    const talk = setInterval(() => {
      if (!raw.closed) raw.send({ op: 'data', stream: 2, data: Uint8Array.of(1) });
      if (raw.frames.some(({ op, stream }) => op === 'reset' && stream === 2)) quiet = false;
    }, 30);
    expect(await raw.next('reset', 1)).toMatchObject({ code: 'timeout' });
    clearInterval(talk);
    expect(quiet).toBe(true);
  });

  it('end the opening of a connection that nobody answers', async () => {
    // A backlog that is full answers no more: the kernel drops what else knocks.
    const { startNameServer } = await import('./support/dns.ts');
    const { createSocket } = await import('node:dgram');
    const mute = createSocket('udp4');
    await new Promise<void>((resolve) => mute.bind(0, '127.0.0.1', resolve));
    const names = await startNameServer({});
    await names.close();
    const { url } = await startRelay({ dns: [`127.0.0.1:${mute.address().port}`], timeouts: { connect: 100 } });
    const raw = await Raw.open(url);
    expect(await raw.tcp(1, 80, { host: 'slow.test' })).toMatchObject({ op: 'failed', code: 'timeout' });
    mute.close();
  });

  it('cut off a client that fell silent', async () => {
    const { url, log } = await startRelay({ timeouts: { ping: 50 } });
    const raw = await Raw.open(url);
    // It answers PINGs of the protocol no more (this client never does).
    await raw.end();
    await until(() => log.length > 0, 'the log');
    expect(log[0]).toMatchObject({ event: 'session', why: 'the client fell silent' });
  });
});

describe('relay 6: limits', () => {
  it('of connections count for a token', async () => {
    const { url } = await startShared({ limits: { token: { connections: 2 } } });
    const ada = { origin: ORIGIN, token: token() };
    await Raw.open(url, ada);
    const second = await Raw.open(url, ada);
    expect(await greet(url, ada)).toMatch(/^new-socket-limit: The relay allows 2 connections at once for one visitor/);
    expect(await greet(url, { origin: ORIGIN, token: token({ sub: 'bob' }) })).toBe('welcome');
    second.socket.close();
    await second.end();
    await until(async () => (await greet(url, ada)) === 'welcome', 'room for another');
  });

  it('of streams count for a token, over its connections', async () => {
    const port = await listenEcho();
    const { url } = await startShared({ allow: [`127.0.0.1:${port}`], limits: { token: { streams: 3 } } });
    const ada = { origin: ORIGIN, token: token() };
    const [one, two] = [await Raw.open(url, ada), await Raw.open(url, ada)];
    await one.tcp(1, port);
    await one.tcp(2, port);
    expect(await two.tcp(1, port)).toMatchObject({ op: 'opened' });
    expect(await two.tcp(2, port)).toMatchObject({ op: 'failed', code: 'new-socket-limit' });
    two.send({ op: 'resolve', stream: 3, name: 'localhost' });
    expect(await two.outcome(3)).toMatchObject({ op: 'failed', code: 'new-socket-limit' });
    one.send({ op: 'reset', stream: 1, code: 'connection-aborted', message: '' });
    let stream = 4;
    await until(async () => (await two.tcp(stream++, port)).op === 'opened', 'room for another');
  });

  it('of opens a second hold back a scanner', async () => {
    const port = await listenEcho();
    const { url } = await startShared({ allow: [`127.0.0.1:${port}`], limits: { token: { opens: 2 } } });
    const raw = await Raw.open(url, { origin: ORIGIN, token: token() });
    const outcomes: string[] = [];
    for (let stream = 1; stream <= 25; stream++) {
      const frame = await raw.tcp(stream, port);
      outcomes.push(frame.op === 'failed' ? frame.code : frame.op);
    }
    expect(outcomes).toEqual([...Array(20).fill('opened'), ...Array(5).fill('new-socket-limit')]);
  });

  it('of bytes a second slow a stream down and lose nothing', async () => {
    const port = await listen((socket) => socket.end(Buffer.alloc(1_500_000)));
    const { url } = await startShared({ allow: [`127.0.0.1:${port}`], limits: { token: { bytes: 500_000 } } });
    const raw = await Raw.open(url, { origin: ORIGIN, token: token() });
    const from = performance.now();
    await raw.tcp(1, port, { credit: 10_000_000 });
    let got = 0;
    while (got < 1_500_000) got += (await raw.next('data', 1)).data.length;
    await raw.next('end', 1);
    const took = performance.now() - from;
    expect(got).toBe(1_500_000);
    expect(took).toBeGreaterThan(900);
  });

  it('of datagrams a second drop the rest', async () => {
    const { createSocket } = await import('node:dgram');
    const server = createSocket('udp4');
    let got = 0;
    server.on('message', () => got++);
    await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
    const { port } = server.address();
    const { url, log } = await startShared({ allow: [`127.0.0.1:${port}`], limits: { token: { datagrams: 10 } } });
    const raw = await Raw.open(url, { origin: ORIGIN, token: token() });
    raw.send({ op: 'openUdp', stream: 1, family: 4 });
    await raw.next('opened', 1);
    const peer = { ip: Uint8Array.of(127, 0, 0, 1), port };
    for (let i = 0; i < 30; i++) raw.send({ op: 'dgram', stream: 1, peer, data: Uint8Array.of(i) });
    raw.send({ op: 'ping', stream: 0, data: new Uint8Array(0) });
    await raw.next('pong');
    raw.send({ op: 'end', stream: 1 });
    await until(() => log.length > 0, 'the log');
    expect(log[0]).toMatchObject({ event: 'udp', outcome: expect.stringMatching(/^closed, (19|20) dropped/) });
    await until(() => got >= 10, 'the datagrams');
    expect(got).toBeLessThanOrEqual(11);
    server.close();
  });

  it('for an address are looser: 40 tokens work behind one, 30 clients at once', async () => {
    const port = await listenEcho();
    const { url } = await startShared({ allow: [`127.0.0.1:${port}`] });
    const work = async (name: string) => {
      const raw = await Raw.open(url, { origin: ORIGIN, token: token({ sub: name }) });
      for (let stream = 1; stream <= 5; stream++) {
        expect(await raw.tcp(stream, port)).toMatchObject({ op: 'opened' });
        raw.send({ op: 'data', stream, data: Buffer.from(`${name} ${stream}`) });
        expect(Buffer.from((await raw.next('data', stream)).data).toString()).toBe(`${name} ${stream}`);
      }
      return raw;
    };
    const first = await Promise.all(Array.from({ length: 30 }, (_, i) => work(`pupil ${i}`)));
    const rest = await Promise.all(Array.from({ length: 10 }, (_, i) => work(`pupil ${30 + i}`)));
    expect([...first, ...rest].every(({ closed }) => !closed)).toBe(true);
  });

  it('for an address hold for all its tokens together', async () => {
    const { url } = await startShared({ limits: { address: { connections: 3 } } });
    const pupil = (sub: string) => ({ origin: ORIGIN, token: token({ sub }) });
    for (const sub of ['a', 'b', 'c']) await Raw.open(url, pupil(sub));
    expect(await greet(url, pupil('d'))).toMatch(
      /^new-socket-limit: The relay allows 3 connections at once for one network/,
    );
  });

  it('of connections a second hold for an address before anything is known about it', async () => {
    const { url } = await startShared({ limits: { address: { connections: 1 } } });
    const tries = Array.from({ length: 40 }, () =>
      Raw.connect(url, { silent: true }).then(
        () => 'open',
        (error: Error) => error.message,
      ),
    );
    const outcomes = await Promise.all(tries);
    expect(outcomes.filter((outcome) => outcome === 'status 429').length).toBeGreaterThan(5);
    expect(outcomes.filter((outcome) => outcome === 'open').length).toBeGreaterThanOrEqual(20);
  });
});

describe('relay 7', () => {
  it('carries 1,000 streams at once, and not one more', async () => {
    const port = await listenEcho();
    const { url } = await startRelay({
      allow: [`127.0.0.1:${port}`],
      limits: { token: { opens: 0 }, address: { opens: 0 } },
    });
    const raw = await Raw.open(url);
    for (let stream = 1; stream <= 1001; stream++) {
      raw.send({ op: 'open', stream, credit: 1000, port, host: '127.0.0.1' });
    }
    const count = (op: string) => raw.frames.filter((frame) => frame.op === op).length;
    while (count('opened') + count('failed') < 1001) await raw.change();
    expect([count('opened'), count('failed')]).toEqual([1000, 1]);
    raw.frames.length = 0;
    for (let stream = 1; stream <= 1000; stream++) raw.send({ op: 'data', stream, data: Buffer.from(String(stream)) });
    while (count('data') < 1000) await raw.change();
    const right = raw.frames.every(
      (frame) => frame.op !== 'data' || Buffer.from(frame.data).toString() === String(frame.stream),
    );
    expect(right).toBe(true);
  });

  it('logs who, where, how long and how much, and nothing of what', async () => {
    const port = await listenEcho();
    const { url, log } = await startShared({ allow: [`127.0.0.1:${port}`] });
    const raw = await Raw.open(url, { origin: ORIGIN, token: token() });
    await raw.tcp(1, port);
    raw.send({ op: 'data', stream: 1, data: Buffer.from('a very private word') });
    await raw.next('data', 1);
    raw.send({ op: 'end', stream: 1 });
    await raw.next('end', 1);
    raw.socket.close();
    await until(() => log.length === 2, 'the log');
    const at = { who: 'ada', from: '127.0.0.1', ms: expect.any(Number) };
    expect(log).toEqual([
      { ...at, event: 'tcp', to: `127.0.0.1:${port}`, address: '127.0.0.1', up: 19, down: 19, outcome: 'closed' },
      { ...at, event: 'session', transport: 'websocket', why: 'the client left' },
    ]);
    expect(JSON.stringify(log)).not.toMatch(/private|v1\./);
    const { logLine } = await import('../../../src/relay/log.ts');
    const line = logLine({ event: 'refused', from: '::1', why: 'a\nb' });
    expect(line.match(/\n/g)).toHaveLength(1);
    expect(JSON.parse(line)).toMatchObject({ time: expect.any(String), why: 'a\nb' });
  });

  it('stops gracefully: nothing new, what is open may end, then it says so', async () => {
    const port = await listenEcho();
    const relay = await startRelay({ allow: [`127.0.0.1:${port}`] });
    const busy = await Raw.open(relay.url);
    const quiet = await Raw.open(relay.url);
    await busy.tcp(1, port);
    // Its grace is longer than the test may take: it ends because nothing is open any more.
    const closing = relay.relay?.close(60_000);
    expect(await quiet.end()).toMatchObject({ code: 'connection-aborted', message: 'The relay stops.' });
    expect(await busy.tcp(2, port)).toMatchObject({ op: 'failed', code: 'remote-unreachable' });
    busy.send({ op: 'data', stream: 1, data: Buffer.from('last words') });
    expect(Buffer.from((await busy.next('data', 1)).data).toString()).toBe('last words');
    busy.send({ op: 'end', stream: 1 });
    await busy.next('end', 1);
    expect(await busy.end()).toMatchObject({ message: 'The relay stops.' });
    await closing;
    await expect(Raw.connect(relay.url)).rejects.toThrow('status 503');
  });

  it('stops within its grace when a stream never ends', async () => {
    const port = await listenEcho();
    const relay = await startRelay({ allow: [`127.0.0.1:${port}`] });
    const raw = await Raw.open(relay.url);
    await raw.tcp(1, port);
    const from = performance.now();
    await relay.close();
    expect(performance.now() - from).toBeLessThan(8000);
    expect(await raw.end()).toMatchObject({ message: 'The relay stops.' });
  });

  it('outlives what ends in the wrong moment, and answers /healthz', async () => {
    const port = await listen((socket) => socket.resetAndDestroy());
    const { url, log } = await startRelay({ allow: [`127.0.0.1:${port}`] });
    const { connect } = await import('node:net');
    const upgrade = (lines: string) =>
      new Promise<void>((resolve) => {
        const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.end(lines));
        socket.on('error', () => {});
        socket.on('close', () => resolve());
        socket.resume();
      });
    const head = 'Host: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n';
    await upgrade(`GET /relay HTTP/1.1\r\n${head}\r\n`);
    await upgrade(`GET /relay HTTP/1.1\r\n${head}Sec-WebSocket-Protocol: ${PROTOCOL}\r\n\r\n`);
    await upgrade(`GET //%zz HTTP/1.1\r\n${head}\r\n`);
    await upgrade('GET /relay HTTP/1.1\r\n\r\n');
    for (let round = 0; round < 20; round++) {
      const raw = await Raw.connect(url, { silent: round % 2 === 0 });
      raw.send({ op: 'open', stream: 1, credit: 10, port, host: '127.0.0.1' });
      raw.bytes(encode({ op: 'data', stream: 1, data: new Uint8Array(10) }).subarray(0, round));
      raw.socket.terminate();
    }
    expect((await fetch(new URL('healthz', url))).status).toBe(200);
    expect(log.filter(({ event }) => event === 'fault')).toEqual([]);
  });
});
