import { describe, expect, it } from 'vitest';
import { compareLines, type DiffRow } from '../../../src/ui/parts/diff-lines.ts';

const drawn = (rows: DiffRow[]): string[] =>
  rows.map((row) =>
    row.kind === 'skipped' ? `⋯${row.count}` : `${{ same: ' ', added: '+', removed: '-' }[row.kind]}${row.line}`,
  );
const numbers = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `${from + at}\n`).join('');

describe('the comparison of two texts', () => {
  it('has no rows when they are the same', () => {
    expect(compareLines('a\n', 'a\n')).toEqual([]);
  });

  it('has the lines that differ, three around them, and counts the others', () => {
    const rows = compareLines(`${numbers(1, 20)}old\n${numbers(21, 30)}`, `${numbers(1, 20)}new\n${numbers(21, 30)}`);
    expect(drawn(rows)).toEqual(['⋯17', ' 18', ' 19', ' 20', '-old', '+new', ' 21', ' 22', ' 23', '⋯7']);
  });

  it('has all lines of a text that there was nothing of, empty ones too', () => {
    expect(drawn(compareLines('', 'a\n\nb'))).toEqual(['+a', '+', '+b']);
    expect(drawn(compareLines('a\n\nb', ''))).toEqual(['-a', '-', '-b']);
  });

  it('is given up for texts that have nothing in common and are long', () => {
    const long = (letter: string) => Array.from({ length: 60_000 }, (_, at) => `${letter}${at}\n`).join('');
    const rows = compareLines(long('a'), long('b'));
    expect(rows.filter(({ kind }) => kind === 'removed')).toHaveLength(60_000);
    expect(rows.filter(({ kind }) => kind === 'added')).toHaveLength(60_000);
  });
});
