import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');
const protocol = read('docs/PROTOCOL.md');
const rules = [...protocol.matchAll(/^- \*\*(R[\d.]+-\d+)\*\* ((?:.+\n?)(?: {2,}.+\n?)*)/gm)].map(([, name, text]) => ({
  name: name ?? '',
  text: text ?? '',
}));

/** How many rules each section has: a rule may come, but none may go, and no number is left out. */
const COUNTS: Record<string, number> = {
  R1: 6,
  'R3.1': 9,
  'R3.2': 3,
  'R3.3': 12,
  'R3.4': 5,
  'R3.5': 3,
  'R3.6': 10,
  'R3.7': 8,
  'R3.8': 5,
  'R3.9': 3,
  R4: 12,
  R5: 6,
  R6: 7,
  R7: 8,
  R8: 5,
  R9: 4,
  R10: 11,
  R11: 9,
};

test('every section has all of its rules, numbered from 1 without a gap', () => {
  const names = rules.map(({ name }) => name);
  const expected = Object.entries(COUNTS).flatMap(([section, count]) =>
    Array.from({ length: count }, (_, index) => `${section}-${index + 1}`),
  );
  expect(names.toSorted()).toEqual(expected.toSorted());
});

test('the chapters of the contract are there, in order', () => {
  const chapters = [...protocol.matchAll(/^## (\d+) /gm)].map(([, number]) => Number(number));
  expect(chapters).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});

test('every rule stands in the section that its name says', () => {
  let section = '';
  for (const line of protocol.split('\n')) {
    section = /^##+ ([\d.]+) /.exec(line)?.[1] ?? section;
    const named = /^- \*\*R([\d.]+)-\d+\*\*/.exec(line)?.[1];
    if (named === undefined) continue;
    const here = named.includes('.') || named === '1' ? section : section.split('.')[0];
    expect(named === '1' ? ['1', '2'] : [named], line).toContain(here);
  }
});

test('every rule that the text mentions exists', () => {
  const names = new Set(rules.map(({ name }) => name));
  for (const file of ['docs/PROTOCOL.md', 'docs/DECISIONS.md', 'README.md', 'SECURITY.md']) {
    for (const [mention] of read(file).matchAll(/\bR\d+(?:\.\d+)?-\d+\b/g))
      expect(names, `${mention} in ${file}`).toContain(mention);
  }
});

test('every decision of this host has its dated paragraph, and only those', () => {
  const decided = rules.filter(({ text }) => text.includes('**B**')).map(({ name }) => name);
  const paragraphs = [...read('docs/DECISIONS.md').matchAll(/^### (R[\d.]+-\d+) · .+\n\n(\d{4}-\d\d-\d\d)\. \S/gm)];
  expect(paragraphs.map(([, name]) => name).toSorted()).toEqual(decided.toSorted());
});

test('every message in the examples of the wire is JSON of version 2.0', () => {
  const lines = [...protocol.matchAll(/[←→] (\{.*\n(?: {5}.*\n)*)/g)].map(([, text]) => text ?? '');
  expect(lines.length).toBeGreaterThan(10);
  for (const line of lines) expect(JSON.parse(line), line).toMatchObject({ jsonrpc: '2.0' });
});

test('every example of JSON can be parsed', () => {
  const blocks = [...protocol.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, text]) => text ?? '');
  expect(blocks.length).toBeGreaterThan(3);
  for (const block of blocks) expect(() => JSON.parse(block), block).not.toThrow();
});
