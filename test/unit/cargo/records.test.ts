import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BadRecords, RecordReader, recordLine } from '../../../src/builders/cargo/records.ts';

const LIMITS = { line: 1000, bytes: 1000 };

function read(stream: Uint8Array, cuts: number[]) {
  const reader = new RecordReader<{ name: string; size?: number }>(LIMITS);
  const found: { record: { name: string; size?: number }; bytes: number[] }[] = [];
  const at = [0, ...cuts.map((cut) => cut % (stream.length + 1)).sort((a, b) => a - b), stream.length];
  for (let index = 1; index < at.length; index++) {
    for (const { record, bytes } of reader.push(stream.slice(at[index - 1], at[index]))) {
      found.push({ record, bytes: [...bytes] });
    }
  }
  reader.end();
  return found;
}

describe('records of a build', () => {
  test('R11-1 come out as they went in, wherever the stream is cut', () => {
    const record = fc.record({
      name: fc.string(),
      bytes: fc.option(fc.uint8Array({ maxLength: 50 }), { nil: undefined }),
    });
    const cuts = fc.array(fc.nat(5000), { maxLength: 20 });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 10 }), cuts, (records, at) => {
        const parts = records.flatMap(({ name, bytes }) => [
          recordLine({ name, size: bytes?.length }),
          ...(bytes ? [bytes] : []),
        ]);
        const expected = records.map(({ name, bytes }) => ({
          record: bytes ? { name, size: bytes.length } : { name },
          bytes: [...(bytes ?? [])],
        }));
        expect(read(Buffer.concat(parts), at)).toEqual(expected);
      }),
    );
  });

  test.each([
    ['[]\n'],
    ['no json\n'],
    ['{"name":"a","size":-1}\n'],
    ['{"name":"a","size":1001}\n'],
    ['{"name":"a","size":"1"}\n'],
    ['{"name":"a"}'],
    ['{"name":"a","size":3}\nab'],
    ['x'.repeat(1001)],
  ])('R11-1 %j is none', (text) => {
    expect(() => read(Buffer.from(text), [])).toThrow(BadRecords);
  });
});
