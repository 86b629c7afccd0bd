import { expect, test } from 'vitest';
import {
  ADDRESS_BYTES,
  addressText,
  ipText,
  isMapped,
  isOwn,
  parseIp,
  putAddress,
  takeAddress,
} from '../../../src/net/address.ts';

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['0.0.0.0', '0.0.0.0'],
  ['::1', '::1'],
  ['::', '::'],
  ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['2001:DB8::', '2001:db8::'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
  ['1:0:3:4:5:6:7:8', '1:0:3:4:5:6:7:8'],
  ['::ffff:10.0.0.1', '::ffff:a00:1'],
  ['[::1]', '::1'],
])('%s is the address %s', (text, usual) => {
  const ip = parseIp(text)!;
  expect(ipText(ip)).toBe(usual);
  expect(parseIp(usual)).toEqual(ip);
});

test.each([
  '',
  'localhost',
  '1.2.3',
  '1.2.3.4.5',
  '256.0.0.1',
  '01.2.3.4',
  '1.2.3.x',
  '0x7f.0.0.1',
  ':::',
  '1::2::3',
  '1:2:3',
  '1:2:3:4:5:6:7:8:9',
  'g::1',
  '::1.2.3',
  '12345::',
])('%j is no address', (text) => {
  expect(parseIp(text)).toBeUndefined();
});

test('R5-1 the addresses of the world itself', () => {
  const own = (text: string) => isOwn(parseIp(text)!);
  expect(['127.0.0.1', '127.8.9.1', '0.0.0.0', '::1', '::'].map(own)).toEqual(Array(5).fill(true));
  expect(['128.0.0.1', '10.0.0.1', '::2', '::ffff:127.0.0.1', 'fe80::1'].map(own)).toEqual(Array(5).fill(false));
  expect(isMapped(parseIp('::ffff:127.0.0.1')!)).toBe(true);
});

test('an address crosses to the core and back as it was', () => {
  const bytes = new Uint8Array(ADDRESS_BYTES + 3);
  const v6 = { ...parseIp('2001:db8::7')!, port: 65_535, flow: 7, scope: 0xffff_ffff };
  putAddress(bytes, 3, v6);
  expect(takeAddress(bytes, 3)).toEqual(v6);
  expect(addressText(v6)).toBe('[2001:db8::7]:65535');
  const v4 = { ...parseIp('10.1.2.3')!, port: 1, flow: 0, scope: 0 };
  putAddress(bytes, 0, v4);
  expect(takeAddress(bytes, 0)).toEqual(v4);
  expect(addressText(v4)).toBe('10.1.2.3:1');
});
