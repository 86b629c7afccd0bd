import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Address,
  decode,
  ERROR_CODES,
  encode,
  type Frame,
  MOST_CREDIT,
  OP,
  ProtocolError,
  type Side,
} from '../../../src/relay/protocol.ts';

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const text = (text: string) => new TextEncoder().encode(text);
const ip = (hex: string) => bytes(hex);

/** What each line of the document means, in its order. */
const MEANINGS: Frame[] = [
  { op: 'hello', stream: 0, version: 1, token: '' },
  { op: 'hello', stream: 0, version: 1, token: 'v1.x.y' },
  { op: 'welcome', stream: 0, version: 1, window: 65536, largest: 65600, streams: 1000 },
  { op: 'open', stream: 1, credit: 1048576, port: 80, host: 'example.org' },
  { op: 'open', stream: 2, credit: 1024, port: 443, host: '1.2.3.4', tls: { serverName: 'example.org' } },
  {
    op: 'opened',
    stream: 1,
    local: { ip: ip('00000000'), port: 50000 },
    remote: { ip: ip('5db8d822'), port: 80 },
  },
  { op: 'failed', stream: 2, code: 'access-denied', message: 'No.' },
  { op: 'data', stream: 1, data: text('GET') },
  { op: 'data', stream: 1, data: bytes('00ff') },
  { op: 'end', stream: 1 },
  { op: 'reset', stream: 1, code: 'connection-reset', message: '' },
  { op: 'reset', stream: 0, code: 'connection-aborted', message: 'bye' },
  { op: 'credit', stream: 1, bytes: 32768 },
  { op: 'openUdp', stream: 3, family: 6 },
  { op: 'dgram', stream: 3, peer: { ip: ip('20010db8000000000000000000000001'), port: 53 }, data: text('hi') },
  { op: 'dgram', stream: 3, peer: { ip: ip('c0000201'), port: 8080 }, data: bytes('') },
  { op: 'resolve', stream: 4, name: 'example.org' },
  { op: 'resolved', stream: 4, addresses: [ip('5db8d822'), ip('20010db8000000000000000000000001')] },
  { op: 'ping', stream: 0, data: bytes('2a') },
  { op: 'pong', stream: 0, data: bytes('2a') },
];

const document = readFileSync(join(import.meta.dirname, '../../../docs/RELAY.md'), 'utf8');
const vectors = [...document.matchAll(/^([<>]) ((?:[0-9a-f]+ )+) *(\S.*)$/gm)].map(([, arrow, hex, title]) => ({
  side: (arrow === '>' ? 'client' : 'relay') as Side,
  hex: hex as string,
  title: title as string,
}));

describe('the test vectors of docs/RELAY.md', () => {
  it('are as many as this test knows the meaning of, and show every kind of frame', () => {
    expect(vectors.length).toBe(MEANINGS.length);
    expect(new Set(MEANINGS.map(({ op }) => op))).toEqual(new Set(Object.keys(OP)));
  });

  it.each(vectors.map((vector, at) => ({ ...vector, frame: MEANINGS[at] as Frame })))(
    '$title',
    ({ side, hex, frame }) => {
      expect(decode(bytes(hex), side)).toEqual(frame);
      expect(Buffer.from(encode(frame)).toString('hex')).toBe(hex.replaceAll(' ', ''));
    },
  );

  it('name the codes by their positions', () => {
    const told = [...document.matchAll(/`([a-z-]+)` (\d+)/g)].filter(([, name]) =>
      (ERROR_CODES as readonly string[]).includes(name as string),
    );
    expect(told.length).toBeGreaterThanOrEqual(7);
    for (const [, name, position] of told) expect(ERROR_CODES[Number(position)]).toBe(name);
  });
});

const stream = fc.integer({ min: 1, max: 0xffffffff });
const port = fc.integer({ min: 0, max: 65535 });
const data = fc.uint8Array({ maxLength: 2000 });
const address = fc.oneof(
  fc.uint8Array({ minLength: 4, maxLength: 4 }),
  fc.uint8Array({ minLength: 16, maxLength: 16 }),
);
const socketAddress: fc.Arbitrary<Address> = fc.record({ ip: address, port });
const credit = fc.integer({ min: 1, max: MOST_CREDIT });
// Lone surrogates have no UTF-8.
const words = fc.string({ unit: 'grapheme', maxLength: 100 });
const code = fc.constantFrom(...ERROR_CODES);
const of = <O extends Frame['op']>(op: O, more: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({ op: fc.constant(op), stream, ...more });
const whole = { stream: fc.constant(0) };
const ping = { ...whole, data: fc.uint8Array({ maxLength: 64 }) };

const u32 = fc.integer({ min: 0, max: 0xffffffff });
const fromClient = fc.oneof(
  of('hello', { ...whole, version: port, token: words }),
  of('open', { credit: fc.integer({ min: 0, max: MOST_CREDIT }), port, host: words }),
  of('open', { credit, port, host: words, tls: fc.record({ serverName: words }) }),
  of('openUdp', { family: fc.constantFrom(4, 6) }),
  of('resolve', { name: words }),
);
const fromRelay = fc.oneof(
  of('welcome', {
    ...whole,
    version: port,
    window: credit,
    largest: fc.integer({ min: 10, max: 0xffffffff }),
    streams: u32,
  }),
  of('opened', { local: socketAddress, remote: socketAddress }),
  of('failed', { code, message: words }),
  of('resolved', { addresses: fc.array(address, { minLength: 1, maxLength: 64 }) }),
);
const fromBoth = fc.oneof(
  of('data', { data: fc.uint8Array({ minLength: 1, maxLength: 2000 }) }),
  of('end', {}),
  of('reset', { code, message: words }),
  of('reset', { ...whole, code, message: words }),
  of('credit', { bytes: credit }),
  of('dgram', { peer: socketAddress, data }),
  of('ping', ping),
  of('pong', ping),
);

describe('frames', () => {
  it('come back from their bytes as they were', () => {
    const check = (side: Side) => (frame: unknown) => {
      expect(decode(encode(frame as Frame), side)).toEqual(frame);
    };
    fc.assert(fc.property(fc.oneof(fromClient, fromBoth), check('client')));
    fc.assert(fc.property(fc.oneof(fromRelay, fromBoth), check('relay')));
  });

  it('are refused from the side that never sends them', () => {
    const check = (side: Side) => (frame: unknown) => {
      expect(() => decode(encode(frame as Frame), side)).toThrow(/never comes from/);
    };
    fc.assert(fc.property(fromClient, check('relay')));
    fc.assert(fc.property(fromRelay, check('client')));
  });

  it('are refused when a byte is missing, or one too many stands where the length is fixed', () => {
    const cut: Frame['op'][] = ['opened', 'end', 'credit', 'openUdp', 'welcome'];
    for (const [at, frame] of MEANINGS.entries()) {
      const side = (vectors[at] as { side: Side }).side;
      const raw = encode(frame);
      if (!cut.includes(frame.op)) continue;
      expect(() => decode(raw.subarray(0, -1), side), frame.op).toThrow(ProtocolError);
      expect(() => decode(Uint8Array.from([...raw, 0]), side), frame.op).toThrow(ProtocolError);
    }
  });

  it.each([
    ['nothing', '', /shorter than its head/],
    ['a head without its end', '05 000000', /shorter than its head/],
    ['an unknown operation', 'ff 00000001', /no operation 255/],
    ['operation 0', '00 00000001', /no operation 0/],
    ['data of the connection', '05 00000000 00', /data with stream 0/],
    ['hello of a stream', '01 00000001 0001', /hello with stream 1/],
    ['ping of a stream', '0d 00000001', /ping with stream 1/],
    ['data without bytes', '05 00000001', /without bytes/],
    ['a credit of nothing', '08 00000001 00000000', /a credit of 0/],
    ['a credit of 2³¹', '08 00000001 80000000', /a credit of 2147483648/],
    ['open with unknown flags', '02 00000001 02 00000000 0050 0001 61', /unknown flags/],
    ['open with a host longer than the frame', '02 00000001 00 00000000 0050 0009 61', /too short/],
    ['a server name without TLS', '02 00000001 00 00000000 0050 0001 61 62', /no TLS/],
    ['a host that is not UTF-8', '02 00000001 00 00000000 0050 0001 ff', /not UTF-8/],
    ['an address family 5', '0a 00000001 05 00000000 0050', /no address family 5/],
    ['a datagram with half an address', '0a 00000001 04 0000', /too short/],
    ['an error that does not exist', '07 00000001 18', /no error 24/],
    ['a ping of 65 bytes', `0d 00000000 ${'00'.repeat(65)}`, /too long/],
    ['a token of 4097 bytes', `01 00000000 0001 ${'61'.repeat(4097)}`, /too long/],
  ])('refuse %s', (_, hex, message) => {
    expect(() => decode(bytes(hex), 'client')).toThrow(message);
  });

  it('of any bytes are a frame or a ProtocolError, and a frame has no other spelling', () => {
    const any = fc.oneof(
      fc.uint8Array({ maxLength: 64 }),
      // The head is likely, so that the payloads are tried too.
      fc
        .tuple(fc.integer({ min: 0, max: 16 }), fc.integer({ min: 0, max: 2 }), fc.uint8Array({ maxLength: 40 }))
        .map(([op, stream, rest]) => Uint8Array.from([op, 0, 0, 0, stream, ...rest])),
    );
    fc.assert(
      fc.property(any, fc.constantFrom<Side>('client', 'relay'), (raw, side) => {
        let frame: Frame;
        try {
          frame = decode(raw, side);
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolError);
          return;
        }
        expect(encode(frame)).toEqual(raw);
      }),
      { numRuns: 5000 },
    );
  });
});
