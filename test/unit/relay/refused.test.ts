/** What the relay refuses to reach, however it is spelt: with a server that listens and must never be found. */

import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isPublic, OwnAddresses, parseIp } from '../../../src/relay/addresses.ts';
import { Policy } from '../../../src/relay/policy.ts';
import type { Frame } from '../../../src/relay/protocol.ts';
import { type NameServer, startNameServer } from './support/dns.ts';
import { listen, Raw, startRelay } from './support/relay.ts';

const NAMES: Record<string, string[] | ((times: number) => string[])> = {
  'private4.test': ['127.0.0.1'],
  'private10.test': ['10.1.2.3'],
  'metadata.test': ['169.254.169.254'],
  'private6.test': ['::1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'nat64.test': ['64:ff9b::7f00:1'],
  'local6.test': ['fd00::1'],
  'zero.test': ['0.0.0.0'],
  'both.test': ['127.0.0.1', '::1'],
};

/** What a client might write to get at the machine or the network that the relay stands in. */
const SPELLINGS: [host: string, why: string][] = [
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'the end of the loopback'],
  ['localhost', 'a name of the machine'],
  ['LOCALHOST.', 'the same, absolute'],
  ['anything.localhost', 'below it'],
  ['relay.internal', 'the name of the relay'],
  ['0.0.0.0', 'unspecified'],
  ['0', 'unspecified, as a number'],
  ['2130706433', 'decimal'],
  ['0x7f000001', 'hexadecimal'],
  ['0X7F.1', 'hexadecimal and short'],
  ['0x7f.0x0.0x0.0x1', 'hexadecimal parts'],
  ['017700000001', 'octal'],
  ['0177.0.0.1', 'octal part'],
  ['127.1', 'short'],
  ['127.0.1', 'less short'],
  ['127.000.000.001', 'with zeros'],
  ['127.0.0.1.', 'absolute'],
  ['１２７.0.0.1', 'full-width digits'],
  ['127。0。0。1', 'ideographic full stops'],
  ['①②⑦.0.0.1', 'digits in circles'],
  ['%31%32%37.0.0.1', 'percent signs'],
  ['127.0.0.1:80', 'with a port'],
  ['user@127.0.0.1', 'with a user'],
  ['[::1]', 'in brackets'],
  ['::1', 'loopback of IPv6'],
  ['0:0:0:0:0:0:0:1', 'written out'],
  ['::', 'unspecified'],
  ['::ffff:127.0.0.1', 'mapped'],
  ['::ffff:7f00:1', 'mapped, hexadecimal'],
  ['::127.0.0.1', 'compatible'],
  ['::7f00:1', 'compatible, hexadecimal'],
  ['::ffff:0:127.0.0.1', 'translated'],
  ['64:ff9b::127.0.0.1', 'NAT64'],
  ['64:ff9b::a9fe:a9fe', 'NAT64 of the metadata service'],
  ['64:ff9b:1::7f00:1', 'NAT64 of a local network'],
  ['2002:7f00:1::', '6to4'],
  ['2002:a00:1::1', '6to4 of a private network'],
  ['2001:0:7f00:1::', 'Teredo with a private server'],
  ['2001:0:808:808::80ff:fffe', 'Teredo with a loopback client'],
  ['2606:4700::5efe:127.0.0.1', 'ISATAP'],
  ['fe80::1', 'link-local'],
  ['fe80::1%lo', 'link-local with a zone'],
  ['fec0::1', 'site-local'],
  ['fd00:ec2::254', 'unique-local metadata service'],
  ['ff02::1', 'multicast'],
  ['100::1', 'discard'],
  ['2001:db8::1', 'documentation'],
  ['10.0.0.1', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['169.254.169.254', 'the metadata service of clouds'],
  ['100.64.0.1', 'the network of a provider'],
  ['192.0.0.8', 'reserved'],
  ['198.18.0.1', 'benchmarks'],
  ['192.88.99.1', 'anycast of 6to4'],
  ['224.0.0.1', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ...Object.keys(NAMES).map((name): [string, string] => [name, `a name for ${NAMES[name]}`]),
];

let dns: NameServer;
let connections: number;

beforeAll(async () => {
  dns = await startNameServer({
    ...NAMES,
    // Public the first time, and the machine itself ever after.
    'rebinding.test': (times) => (times === 1 ? ['192.0.2.1', '8.8.8.8'] : ['127.0.0.1']),
    'mixed.test': ['127.0.0.1', '10.0.0.1', '1.1.1.1', '2606:4700::1111'],
    'broken.test': null as unknown as string[],
  });
});
afterAll(() => dns.close());
beforeEach(() => {
  connections = 0;
});

const listenForNobody = (): Promise<number> =>
  listen((socket) => {
    connections++;
    socket.destroy();
  });

describe('relay 1, 2: inner addresses', () => {
  it(`are refused in ${SPELLINGS.length} spellings, by OPEN and by OPEN with TLS, all in the same words`, async () => {
    expect(SPELLINGS.length).toBeGreaterThanOrEqual(40);
    const port = await listenForNobody();
    const relay = await startRelay({ dns: [dns.address], limits: { token: { opens: 0 }, address: { opens: 0 } } });
    const raw = await Raw.open(relay.url);
    const answers = new Map<string, Frame>();
    for (const [at, [host]] of SPELLINGS.entries()) {
      answers.set(host, await raw.tcp(2 * at + 1, port, { host }));
      const secure = await raw.tcp(2 * at + 2, port, { host, tls: { serverName: 'example.org' } });
      expect({ host, ...secure, stream: 0 }).toEqual({ host, ...answers.get(host), stream: 0 });
    }
    for (const [host, why] of SPELLINGS) {
      const frame = answers.get(host) as Frame;
      expect({ host, why, op: frame.op }).toEqual({ host, why, op: 'failed' });
      const { code, message } = frame as Extract<Frame, { op: 'failed' }>;
      // What is no name at all is not looked up; all else is refused in one sentence, name or address.
      if (/[%@[\]:]/.test(host) && !parseIp(host)) expect(['access-denied', 'name-unresolvable']).toContain(code);
      else
        expect({ host, code, message }).toEqual({
          host,
          code: 'access-denied',
          message: expect.stringMatching(/does not open connections to this address and port/),
        });
    }
    expect(connections).toBe(0);
  });

  it('are refused to datagrams too', () => {
    const policy = new Policy();
    for (const [host] of SPELLINGS) {
      const ip = parseIp(host);
      if (ip) expect({ host, open: policy.allows('udp', ip, 4000) }).toEqual({ host, open: false });
    }
  });

  it('are not told by RESOLVE', async () => {
    const relay = await startRelay({ dns: [dns.address] });
    const raw = await Raw.open(relay.url);
    for (const [at, name] of [...Object.keys(NAMES), 'localhost', '0x7f.1', '::1'].entries()) {
      raw.send({ op: 'resolve', stream: at + 1, name });
      expect({ name, ...(await raw.outcome(at + 1)) }).toMatchObject({ name, op: 'failed', code: 'access-denied' });
    }
  });

  it('are left out of an answer that has public ones too', async () => {
    const relay = await startRelay({ dns: [dns.address] });
    const raw = await Raw.open(relay.url);
    raw.send({ op: 'resolve', stream: 1, name: 'mixed.test' });
    const { addresses } = await raw.next('resolved', 1);
    expect(addresses.map((ip) => [...ip].join())).toEqual(['1,1,1,1', '38,6,71,0,0,0,0,0,0,0,0,0,0,0,17,17']);
  });

  it('are not reached by a name whose answer changes: there is no second look-up', async () => {
    const { asked } = dns;
    const policy = new Policy();
    const { Resolver } = await import('../../../src/relay/resolver.ts');
    const { destinations } = await import('../../../src/relay/destinations.ts');
    const resolver = new Resolver([dns.address]);
    const found = await destinations(resolver, policy, 'rebinding.test', 80);
    // The address that was checked, for the connection; the reserved one beside it was dropped.
    expect(found.map(String)).toEqual(['8.8.8.8']);
    expect([asked.get('rebinding.test A'), asked.get('rebinding.test AAAA')]).toEqual([1, 1]);
    await expect(destinations(resolver, policy, 'rebinding.test', 80)).rejects.toMatchObject({ code: 'access-denied' });
  });

  it('are connected to by the address that was checked, with one question for each kind', async () => {
    const port = await listen((socket) => socket.end('inside'));
    const relay = await startRelay({ dns: [dns.address], allow: [`127.0.0.1:${port}`] });
    const raw = await Raw.open(relay.url);
    const before = dns.asked.get('both.test A') ?? 0;
    expect(await raw.tcp(1, port, { host: 'both.test' })).toMatchObject({ op: 'opened', remote: { port } });
    expect(dns.asked.get('both.test A')).toBe(before + 1);
    expect(relay.log).toEqual([]);
  });
});

describe('relay 2: addresses', () => {
  it.each([
    '1.1.1.1',
    '93.184.216.34',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '2606:4700::1111',
    '::ffff:1.1.1.1',
    '64:ff9b::1.1.1.1',
    '2002:101:101::1',
    '2001:0:101:101::fefe:fefe',
    '2a00:1450::5efe:1.1.1.1',
  ])('%s is public', (text) => {
    expect(isPublic(parseIp(text)!)).toBe(true);
  });

  it('of this machine are refused, the public ones too', () => {
    const own = new OwnAddresses(['93.184.216.34', '2606:4700::1234']);
    for (const text of [
      '93.184.216.34',
      '::ffff:93.184.216.34',
      '64:ff9b::5db8:d822',
      '2606:4700::1234',
      '127.0.0.1',
    ]) {
      expect({ text, own: own.has(parseIp(text)!) }).toEqual({ text, own: true });
    }
    expect(own.has(parseIp('93.184.216.35')!)).toBe(false);
    for (const list of Object.values(networkInterfaces())) {
      for (const { address } of list ?? []) expect(own.has(parseIp(address.replace(/%.*/, ''))!)).toBe(true);
    }
    const policy = new Policy({ own: ['93.184.216.34'] });
    expect(policy.allows('tcp', parseIp('93.184.216.34')!, 443)).toBe(false);
    expect(policy.allows('tcp', parseIp('93.184.216.35')!, 443)).toBe(true);
  });
});

describe('relay 2: the allow-list', () => {
  it('opens the address and port that it names, however that is wrapped, and nothing beside', async () => {
    const port = await listen((socket) => socket.end('inside'));
    const other = await listenForNobody();
    const relay = await startRelay({ allow: [`127.0.0.1:${port}`] });
    const raw = await Raw.open(relay.url);
    expect(await raw.tcp(1, port)).toMatchObject({ op: 'opened' });
    expect(await raw.tcp(2, port, { host: '::ffff:127.0.0.1' })).toMatchObject({ op: 'opened' });
    expect(await raw.tcp(3, port, { host: 'localhost' })).toMatchObject({ op: 'opened' });
    // How programs of a world, whose own loopback 127.0.0.1 is, name the machine of the relay.
    const wrapped = Uint8Array.of(0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, 127, 0, 0, 1);
    expect(await raw.tcp(10, port, { host: 'relay.internal' })).toMatchObject({ remote: { ip: wrapped, port } });
    expect(await raw.tcp(11, port, { host: '64:ff9b::7f00:1' })).toMatchObject({ remote: { ip: wrapped, port } });
    expect(await raw.tcp(12, other, { host: 'relay.internal' })).toMatchObject({ op: 'failed', code: 'access-denied' });
    raw.send({ op: 'resolve', stream: 13, name: 'relay.internal' });
    expect(await raw.outcome(13)).toMatchObject({ op: 'resolved', addresses: [wrapped] });
    expect(await raw.tcp(14, other)).toMatchObject({ op: 'failed', code: 'access-denied' });
    expect(await raw.tcp(15, port, { host: '127.0.0.2' })).toMatchObject({ op: 'failed', code: 'access-denied' });
    expect(await raw.tcp(16, port, { host: '::1' })).toMatchObject({ op: 'failed', code: 'access-denied' });
    expect(await raw.tcp(17, port, { host: '127.1' })).toMatchObject({ op: 'failed', code: 'access-denied' });
    expect(connections).toBe(0);
  });

  it('takes networks, IPv6 and all ports, and says what it opens', () => {
    const policy = new Policy({ allow: ['10.0.0.0/8:*', '[fd00::]/8:5432', '127.0.0.1:25'] });
    const allows = (text: string, port: number) => policy.allows('tcp', parseIp(text)!, port);
    expect(['10.255.0.1', '192.168.0.1'].map((text) => allows(text, 8080))).toEqual([true, false]);
    expect([allows('fd12::1', 5432), allows('fd12::1', 5433), allows('fe80::1', 5432)]).toEqual([true, false, false]);
    // All ports are all but the closed ones; a port that is named is meant.
    expect([allows('10.0.0.1', 25), allows('127.0.0.1', 25)]).toEqual([false, true]);
    expect(policy.describe()).toBe('public addresses and 10.0.0.0/8:*, [fd00::]/8:5432, 127.0.0.1:25');
    expect(new Policy().describe()).toBe('public addresses only');
  });

  it.each(['127.0.0.1', 'localhost:80', '127.1:80', '127.0.0.1:0', '127.0.0.1:65536', '10.0.0.0/33:80', '::1:80', ''])(
    'does not understand "%s" and says so',
    async (text) => {
      await expect(startRelay({ allow: [text] })).rejects.toThrow(
        text === '' ? /is no ADDRESS:PORT/ : new RegExp(text.replace(/[[\].*]/g, '\\$&')),
      );
    },
  );
});

describe('relay 3: ports', () => {
  const open = parseIp('1.1.1.1')!;
  it.each([0, 25, 465, 587])('%d is closed for TCP', async (port) => {
    expect(new Policy().allows('tcp', open, port)).toBe(false);
    const relay = await startRelay();
    const raw = await Raw.open(relay.url);
    expect(await raw.tcp(1, port, { host: '1.1.1.1' })).toMatchObject({ op: 'failed', code: 'access-denied' });
  });

  it.each([0, 19, 53, 123, 161, 389, 1900, 11211])('%d is closed for UDP', (port) => {
    expect(new Policy().allows('udp', open, port)).toBe(false);
  });

  it('others are open', () => {
    const policy = new Policy();
    expect([80, 443, 22, 5432].every((port) => policy.allows('tcp', open, port))).toBe(true);
    expect([443, 4000, 51820].every((port) => policy.allows('udp', open, port))).toBe(true);
  });

  it('names are looked up by RESOLVE, with the right errors', async () => {
    const relay = await startRelay({ dns: [dns.address] });
    const raw = await Raw.open(relay.url);
    const ask = (stream: number, name: string) => {
      raw.send({ op: 'resolve', stream, name });
      return raw.outcome(stream);
    };
    expect(await ask(1, 'none.test')).toMatchObject({ op: 'failed', code: 'name-unresolvable' });
    expect(await ask(2, 'a..b')).toMatchObject({ op: 'failed', code: 'name-unresolvable' });
    expect(await ask(3, `${'a'.repeat(64)}.test`)).toMatchObject({ op: 'failed', code: 'name-unresolvable' });
    expect(await ask(4, 'broken.test')).toMatchObject({ op: 'failed', code: 'temporary-resolver-failure' });
    expect(await ask(5, 'MIXED.test.')).toMatchObject({ op: 'resolved' });
    expect(await ask(6, '1.1.1.1')).toMatchObject({ op: 'resolved', addresses: [Uint8Array.of(1, 1, 1, 1)] });
  });
});
