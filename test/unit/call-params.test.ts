import { describe, expect, it } from 'vitest';
import { encodeParams } from '../../src/call-params.ts';

const text = (params: unknown) => new TextDecoder().decode(encodeParams('a.b', params));

describe('the params that a page gives to a call', () => {
  it('R3.1-7 are an object, or the text of one, which goes as it is but on one line (R3.1-2)', () => {
    expect(text({ n: 1 })).toBe('{"n":1}');
    expect(text('{"n": 12345678901234567890}')).toBe('{"n": 12345678901234567890}');
    expect(text(' {\r\n"n":\n1.0}\n')).toBe('{ "n": 1.0}');
  });

  it('R3.1-7 are refused in a sentence when they are anything else', () => {
    const refusals: [unknown, string][] = [
      [[1], 'the params of a.b are no object'],
      ['[1]', 'the params of a.b are no object'],
      [null, 'the params of a.b are no object'],
      [() => 1, 'the params of a.b are no object'],
      ['{"n": }', 'the params of a.b are no JSON: '],
      ['', 'the params of a.b are no JSON: '],
      [{ n: 1n }, 'the params of a.b are no JSON: '],
    ];
    for (const [params, sentence] of refusals) {
      expect(() => text(params), String(params)).toThrow(expect.objectContaining({ code: -32600 }));
      expect(() => text(params), String(params)).toThrow(sentence);
    }
    expect(() => encodeParams(5, {})).toThrow('the method of a call is a string');
  });

  it('R3.1-7 are refused in a sentence when the browser cannot write them for their depth, and go as text', () => {
    let deep: object = {};
    for (let level = 0; level < 1_000_000; level++) deep = { a: deep };
    expect(() => text(deep)).toThrow('the params of a.b are nested too deep');
    const json = `${'{"a":'.repeat(1_000_000)}1${'}'.repeat(1_000_000)}`;
    expect(text(json)).toBe(json);
  });
});
