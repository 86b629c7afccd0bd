import { expect, it } from 'vitest';
import { addressOf, readLink } from '../../../src/ui/address.ts';

const page = 'https://host/play/?world=x';
const zip = (hash: string) => {
  const link = readLink(page + hash);
  return link && 'zip' in link ? [link.zip.href, link.hash] : link;
};

it('a link to the zip of a world is the fragment of the page', () => {
  const digits = 'AB'.repeat(16);
  expect(zip('')).toBeUndefined();
  expect(zip('#other')).toBeUndefined();
  expect(zip('#world=https://site/a.zip?x=1&y=2')).toEqual(['https://site/a.zip?x=1&y=2', undefined]);
  expect(zip(`#world=https%3A%2F%2Fsite%2Fa%20b.zip&sha256=${digits}`)).toEqual([
    'https://site/a%20b.zip',
    digits.toLowerCase(),
  ]);
  expect(zip('#world=worlds/1234')).toEqual(['https://host/play/worlds/1234', undefined]);
  // a % that escapes nothing is part of the address, which is then said to lead nowhere
  expect(zip('#world=https%3A%2F%2Fsite%2F50%.zip')).toEqual([
    'https://host/play/https%3A%2F%2Fsite%2F50%.zip',
    undefined,
  ]);
  expect(zip('#world=https://site/50%.zip')).toEqual(['https://site/50%.zip', undefined]);
  expect(zip('#world=')).toEqual({ problem: '' });
  for (const text of ['javascript:alert(1)', 'data:text/plain,x', 'file:///etc/passwd', 'http://']) {
    expect(zip(`#world=${text}`)).toEqual({ problem: text });
  }
});

it('the address of a world has no link any more, and keeps other fragments', () => {
  expect(addressOf({ name: 'b', safe: false }, `${page}#world=worlds/1`)).toBe('https://host/play/?world=b');
  expect(addressOf({ name: 'b', safe: false }, `${page}#part`)).toBe('https://host/play/?world=b#part');
});
