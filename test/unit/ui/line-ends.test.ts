import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineEnd, toEditor, toFile } from '../../../src/ui/editor/line-ends.ts';

describe('line ends', () => {
  it.each([
    ['', '\n'],
    ['one', '\n'],
    ['one\ntwo\n', '\n'],
    ['one\r\ntwo\r\n', '\r\n'],
    ['\r\n', '\r\n'],
    ['one\r\ntwo\n', '\n'],
    ['\none\r\n', '\n'],
    ['10%\r20%\r', '\n'],
  ])('of %j are %j', (text, end) => {
    expect(lineEnd(text)).toBe(end);
  });

  it('come back as they were, whatever they are', () => {
    const pieces = fc.array(fc.constantFrom('a', '\r', '\n', '\r\n'), { maxLength: 12 });
    fc.assert(
      fc.property(pieces, (all) => {
        const text = all.join('');
        const end = lineEnd(text);
        expect(toFile(toEditor(text, end), end)).toBe(text);
      }),
    );
  });
});
