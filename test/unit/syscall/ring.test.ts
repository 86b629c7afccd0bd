import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RingReader, RingWriter } from '../../../src/syscall/ring.ts';

/** A ring whose counters begin at `start`, so that a test can let them pass 2^31 and 2^32. */
function ring(capacity: number, start = 0): { writer: RingWriter; reader: RingReader } {
  const words = new Int32Array(new SharedArrayBuffer(8)).fill(start | 0);
  const bytes = new Uint8Array(new SharedArrayBuffer(capacity));
  return { writer: new RingWriter(words, 0, 1, bytes), reader: new RingReader(words, 0, 1, bytes) };
}

test('what is read is what was written, in order, for any sizes of writes and reads', () => {
  const start = fc.constantFrom(0, 2 ** 31 - 5, 2 ** 32 - 5, 12345);
  const step = fc.record({ write: fc.nat(40), read: fc.nat(40) });
  fc.assert(
    fc.property(start, fc.array(step, { maxLength: 60 }), (start, steps) => {
      const { writer, reader } = ring(32, start);
      let [written, read] = [0, 0];
      for (const { write, read: most } of steps) {
        const data = Uint8Array.from({ length: write }, (_, i) => (written + i) % 251);
        const taken = writer.write(data);
        expect(taken).toBe(Math.min(write, 32 - (written - read)));
        written += taken;
        const into = new Uint8Array(most);
        const got = reader.readInto(into);
        expect(got).toBe(Math.min(most, written - read));
        for (let i = 0; i < got; i++) expect(into[i]).toBe((read + i) % 251);
        read += got;
        expect(reader.held).toBe(written - read);
        expect(writer.free).toBe(32 - reader.held);
      }
    }),
  );
});

test('a write goes on from an offset in what was given', () => {
  const { writer, reader } = ring(4);
  expect(writer.write(Uint8Array.of(1, 2, 3, 4, 5, 6), 3)).toBe(3);
  const into = new Uint8Array(8);
  expect(reader.readInto(into)).toBe(3);
  expect([...into.subarray(0, 3)]).toEqual([4, 5, 6]);
});

test('skipped bytes are gone', () => {
  const { writer, reader } = ring(4);
  writer.write(Uint8Array.of(1, 2, 3));
  reader.skip(2);
  const into = new Uint8Array(4);
  expect(reader.readInto(into)).toBe(1);
  expect(into[0]).toBe(3);
});

test('a ring of another size than a power of two is refused', () => {
  expect(() => ring(48)).toThrow(RangeError);
});
