import { createHash, randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { IpAddress, SocketAddress } from '../../../src/net/address.ts';
import { checkRelayAddress } from '../../../src/net/relay/address.ts';
import { startNameServer } from './support/dns.ts';
import { blocked, local, openClient, TestStream } from './support/outside.ts';
import { later, listen, listenEcho, startRelay, until } from './support/relay.ts';

const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const signal = new AbortController().signal;

const WAYS = [
  ['WebSocket', {}],
  ['HTTPS', { platform: blocked }],
] as const;

describe.each(WAYS)('the client of the relay, by %s', (way, options) => {
  it('carries 3 MB both ways byte for byte, each half ended by itself', async () => {
    const port = await listen((socket) => {
      const pieces: Buffer[] = [];
      socket.on('data', (piece) => pieces.push(piece));
      socket.on('end', () => socket.end(Buffer.concat(pieces).reverse()));
    });
    const relay = await startRelay({ allow: [`127.0.0.1:${port}`] });
    const client = openClient(relay.url, options);
    const stream = await new TestStream(client, local(port)).opened();
    expect(stream.addresses?.remote).toMatchObject({ family: 4, port });
    const bytes = randomBytes(3_000_000);
    await stream.write(bytes);
    stream.stream.end();
    const answer = await stream.whole();
    await until(() => stream.closed, 'the close');
    expect(sha(answer)).toBe(sha(Buffer.from(bytes).reverse()));
    expect(stream.error).toBeUndefined();
    expect(stream.told).toEqual({ opened: 1, end: 1, closed: 1 });
    expect(client.state).toMatchObject({ kind: 'connected', transport: way === 'HTTPS' ? 'stream' : 'websocket' });
    expect(client.state.message).toContain(way);
  });

  it('delivers six million bytes that were sent before a close', async () => {
    const pieces: Buffer[] = [];
    let ended = false;
    const port = await listen((socket) => {
      socket.on('data', (piece) => pieces.push(piece));
      socket.on('end', () => {
        ended = true;
      });
    });
    const relay = await startRelay({ allow: [`127.0.0.1:${port}`] });
    const client = openClient(relay.url, options);
    const stream = await new TestStream(client, local(port)).opened();
    const bytes = randomBytes(6_000_000);
    await stream.write(bytes);
    stream.stream.end();
    stream.stream.reset();
    await until(() => ended, 'the end');
    expect(sha(Buffer.concat(pieces))).toBe(sha(bytes));
    expect(stream.told.closed).toBe(0);
  });

  it('stops a server whose bytes nobody takes, and no other stream', async () => {
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
    const client = openClient(relay.url, options);
    const stuck = new TestStream(client, local(full), 10_000);
    stuck.generous = false;
    await stuck.opened();
    const stream = await new TestStream(client, local(echo)).opened();
    await stream.write(randomBytes(200_000));
    stream.stream.end();
    expect((await stream.whole()).length).toBe(200_000);
    expect(stuck.received).toBe(10_000);
    stuck.stream.grant(5000);
    await until(() => stuck.received === 15_000, 'what was granted');
    expect(written).toBeLessThan(40_000_000);
  });

  it('resolves names and tells the codes of failures', async () => {
    const dns = await startNameServer({
      'a.test': ['1.1.1.1', '2606:4700::1111'],
      'inner.test': ['10.0.0.1'],
      'broken.test': null,
    });
    later(dns.close);
    const relay = await startRelay({ dns: [dns.address], allow: ['127.0.0.1:1'] });
    const client = openClient(relay.url, options);
    const found = await client.resolve('a.test', signal);
    expect(found.map(({ family, bytes }) => [family, ...bytes.slice(0, 4)])).toEqual([
      [4, 1, 1, 1, 1],
      [6, 0x26, 6, 0x47, 0],
    ]);
    const code = (name: string) => client.resolve(name, signal).catch((error) => error.code);
    expect(await code('none.test')).toBe('name-unresolvable');
    expect(await code('inner.test')).toBe('access-denied');
    expect(await code('broken.test')).toBe('temporary-resolver-failure');
    expect(await code('127.1')).toBe('access-denied');
    await expect(client.resolve('a.test', AbortSignal.abort())).rejects.toMatchObject({ code: 'connection-aborted' });
    const refused = new TestStream(client, local(1));
    await expect(refused.opened()).rejects.toMatchObject({ code: 'connection-refused' });
    const denied = new TestStream(client, { host: { name: 'inner.test' }, port: 80 });
    await expect(denied.opened()).rejects.toMatchObject({ code: 'access-denied' });
  });

  it('sends datagrams, and hears from none but those it wrote to', async () => {
    const servers = await Promise.all(
      [0, 1].map(async () => {
        const server = createSocket('udp4');
        await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
        later(() => server.close());
        return server;
      }),
    );
    const [echo, stranger] = servers as [ReturnType<typeof createSocket>, ReturnType<typeof createSocket>];
    let from = 0;
    echo.on('message', (data, peer) => {
      from = peer.port;
      echo.send(Buffer.concat([Buffer.from('re: '), data]), peer.port, peer.address);
    });
    const { port } = echo.address();
    const relay = await startRelay({ allow: [`127.0.0.1:${port}`] });
    const client = openClient(relay.url, options);
    const heard: [string, number][] = [];
    const socket = client.openDatagrams(4, {
      datagram: (bytes, peer) => heard.push([Buffer.from(bytes).toString(), peer.port]),
      closed: (error) => {
        throw error;
      },
    });
    const peer: SocketAddress = { family: 4, bytes: Uint8Array.of(127, 0, 0, 1), port };
    socket.send(Buffer.from('one'), peer);
    await until(() => heard.length === 1, 'the answer');
    // Not on the list, so never sent: its port is closed to this relay.
    socket.send(Buffer.from('lost'), { ...peer, port: stranger.address().port });
    stranger.send('psst', from, '127.0.0.1');
    await new Promise<void>((resolve) => stranger.send('psst', from, '127.0.0.1', () => resolve()));
    socket.send(randomBytes(0), peer);
    await until(() => heard.length === 2, 'the second answer');
    expect(heard).toEqual([
      ['re: one', port],
      ['re: ', port],
    ]);
    socket.close();
    await until(() => relay.log.length === 1, 'the log');
    expect(relay.log[0]).toMatchObject({ event: 'udp', up: 3, down: 11, outcome: 'closed, 3 dropped' });
  });

  it('sends datagrams to the machine of the relay too, by the name that it has outside of it', async () => {
    const server = createSocket('udp4');
    server.on('message', (data, peer) => server.send(data, peer.port, peer.address));
    await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
    later(() => server.close());
    const { port } = server.address();
    const relay = await startRelay({ allow: [`127.0.0.1:${port}`] });
    const client = openClient(relay.url, options);
    const [address] = await client.resolve('relay.internal', signal);
    expect(address?.family).toBe(6);
    const heard: SocketAddress[] = [];
    const socket = client.openDatagrams(6, {
      datagram: (_, peer) => heard.push(peer),
      closed: (error) => {
        throw error;
      },
    });
    socket.send(Buffer.from('hello'), { ...(address as IpAddress), port });
    await until(() => heard.length === 1, 'the answer');
    expect(heard[0]).toEqual({ ...address, port });
    socket.close();
  });

  it('comes back after the relay was away, and says how it is meanwhile', async () => {
    const echo = await listenEcho();
    const relay = await startRelay({ allow: [`127.0.0.1:${echo}`] });
    const client = openClient(relay.url, options);
    const stream = await new TestStream(client, local(echo)).opened();
    await relay.close();
    await until(() => stream.closed, 'the loss');
    expect(stream.error).toMatchObject({ code: 'connection-reset' });
    expect(client.state).toMatchObject({ kind: 'away', relay: `ws://127.0.0.1:${relay.port}/relay` });
    const second = new TestStream(client, local(echo));
    await expect(second.opened()).rejects.toMatchObject({
      code: 'remote-unreachable',
      message: expect.stringContaining(`ws://127.0.0.1:${relay.port}/relay`),
    });
    await expect(client.resolve('localhost', signal)).rejects.toMatchObject({ code: 'temporary-resolver-failure' });
    const datagrams = await new Promise((resolve) => client.openDatagrams(4, { datagram() {}, closed: resolve }));
    expect(datagrams).toMatchObject({ code: 'remote-unreachable' });
    await startRelay({ allow: [`127.0.0.1:${echo}`] }, { port: relay.port });
    await until(() => client.state.kind === 'connected', 'the return');
    const third = await new TestStream(client, local(echo)).opened();
    await third.write(Buffer.from('again'));
    third.stream.end();
    expect((await third.whole()).toString()).toBe('again');
    const kinds = client.states.map(({ kind }) => kind);
    expect(kinds.slice(0, 3)).toEqual(['connecting', 'connected', 'away']);
  });
});

describe('where the relay is', () => {
  it('says relay.json of the page, and a world that never goes outside never asks', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    later(() => server.close());
    const client = openClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}/some/where/`);
    expect(client.state.kind).toBe('idle');
    expect(asked).toEqual([]);
    const stream = new TestStream(client, local(80));
    await expect(stream.opened()).rejects.toMatchObject({ code: 'remote-unreachable' });
    expect(client.state).toMatchObject({ kind: 'none' });
    expect(asked).toEqual(['/some/where/relay.json']);
    await expect(client.resolve('a.test', signal)).rejects.toMatchObject({ code: 'temporary-resolver-failure' });
    expect(asked).toHaveLength(1);
  });

  it('R3.8-2 none: connect gives remote-unreachable, names temporary-resolver-failure', async () => {
    const client = openClient('http://127.0.0.1:1/', { relay: null });
    expect(client.state).toMatchObject({ kind: 'none' });
    await expect(new TestStream(client, local(80)).opened()).rejects.toMatchObject({ code: 'remote-unreachable' });
    await expect(client.resolve('a.test', signal)).rejects.toMatchObject({ code: 'temporary-resolver-failure' });
  });

  it('R8-5 is not asked before the visitor has agreed: access-denied until then', async () => {
    const echo = await listenEcho();
    const relay = await startRelay({ allow: [`127.0.0.1:${echo}`] });
    const client = openClient(relay.url, { held: true });
    expect(client.state.kind).toBe('held');
    await expect(new TestStream(client, local(echo)).opened()).rejects.toMatchObject({ code: 'access-denied' });
    await expect(client.resolve('localhost', signal)).rejects.toMatchObject({ code: 'access-denied' });
    expect(relay.relay?.sessions).toBe(0);
    client.release();
    await new TestStream(client, local(echo)).opened();
    expect(client.state.kind).toBe('connected');
  });

  it('is told to whoever may not use it, and refuses by both ways alike', async () => {
    const relay = await startRelay({ secret: 'a secret of 32 characters or more' }, { host: '0.0.0.0' });
    for (const [, options] of WAYS) {
      const client = openClient(`http://127.0.0.1:${relay.port}/`, { ...options, token: 'wrong' });
      const error = await new TestStream(client, local(80)).opened().catch((reason) => reason);
      expect(error).toMatchObject({
        code: 'access-denied',
        message: expect.stringContaining('The token is not valid'),
      });
      expect(client.state).toMatchObject({
        kind: 'away',
        message: expect.stringContaining('does not let this page in'),
      });
    }
  });

  it.each([
    ['wss://relay.example/relay', 'https://page.example/', 'https://relay.example/relay'],
    ['https://relay.example/relay', 'http://127.0.0.1:4321/', 'https://relay.example/relay'],
    ['relay', 'https://page.example/some/where/', 'https://page.example/some/where/relay'],
    ['ws://127.0.0.1:4321/relay?token=x#y', 'http://127.0.0.1:4321/', 'http://127.0.0.1:4321/relay'],
  ])('%s for %s is %s', (address, page, url) => {
    expect(checkRelayAddress(address, new URL(page)).href).toBe(url);
  });

  it.each([
    ['ws://127.0.0.1:4321/relay', 'https://page.example/', /must be reached with wss/],
    ['ws://page.example/relay', 'https://page.example/', /must be reached with wss/],
    ['ws://127.0.0.1:9999/relay', 'http://127.0.0.1:4321/', /must be reached with wss/],
    ['ftp://relay.example/', 'https://page.example/', /not ftp:/],
    ['https://', 'https://page.example/', /is no address of a relay/],
  ])('%s for %s is refused with a sentence', (address, page, message) => {
    expect(() => checkRelayAddress(address, new URL(page))).toThrow(message);
  });
});
