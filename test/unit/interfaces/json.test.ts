import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isWithinDepth, parseJson, writeJson } from '../../../src/core/interfaces/json.ts';

describe('JSON with exact integers', () => {
  test('R10-4 integers beyond 2^53 keep all their digits, whatever way they are written', () => {
    const text =
      '[9007199254740993, -9223372036854775808, 18446744073709551615, 1e19, 12345678901234567.0, 1234567890123456789e-2]';
    expect(parseJson(text)).toEqual([
      9007199254740993n,
      -9223372036854775808n,
      18446744073709551615n,
      10000000000000000000n,
      12345678901234567n,
      Number('12345678901234567.89'),
    ]);
  });

  test('R10-4 all other values are what JSON.parse makes of them', () => {
    const text = '{"9007199254740993": "9007199254740993 \\" 1e30", "a": [9007199254740991, 1e3, 0.5, -0.0, 1e-400]}';
    expect(parseJson(text)).toEqual(JSON.parse(text));
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(JSON.parse(writeJson(parseJson(json)))).toEqual(JSON.parse(json));
      }),
    );
  });

  test('R10-4 a string that looks like the mark of an integer stays a string', () => {
    const text = '["\ue000123", "\\ue000123", 90071992547409931]';
    expect(parseJson(text)).toEqual(['\ue000123', '\ue000123', 90071992547409931n]);
  });

  test('R10-4 a number that would take gigantic digits is refused', () => {
    expect(() => parseJson('1e999999999')).toThrow(SyntaxError);
    expect(() => parseJson('[1,]')).toThrow(SyntaxError);
  });

  test('R10-4 large integers are written as digits', () => {
    expect(writeJson({ a: [18446744073709551615n, 1, 'x', null], b: undefined })).toBe(
      '{"a":[18446744073709551615,1,"x",null]}',
    );
  });

  test('R10-1 depth is measured without recursion', () => {
    let deep: unknown = 0;
    for (let level = 0; level < 200_000; level++) deep = [deep];
    expect(isWithinDepth(deep, 200)).toBe(false);
    expect(isWithinDepth([[0]], 2)).toBe(true);
    expect(isWithinDepth([[0]], 1)).toBe(false);
  });
});
