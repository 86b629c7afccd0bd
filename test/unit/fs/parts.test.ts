import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8Length } from '../../../src/fs/names.ts';
import { ByteReader, ByteWriter } from '../../../src/fs/world/bytes.ts';
import { xxHash32 } from '../../../src/fs/world/checksum.ts';
import { Extents } from '../../../src/fs/world/extents.ts';
import { type LogRecord, readRecord, recordRoom, writeRecord } from '../../../src/fs/world/records.ts';
import { escapeName, unescapeName } from '../../../src/fs/world/stored-names.ts';

describe('the parts of the world store', () => {
  it('R1-5 an escaped name comes back, and no two names are stored as one', () => {
    const name = fc.string({
      unit: fc.constantFrom('a', 'A', '%', '5', 'C', 'c', '\\', 'ä', 'Ä', '🎉', ' ', '2'),
      minLength: 1,
      maxLength: 8,
    });
    for (const folds of [false, true]) {
      fc.assert(
        fc.property(name, name, (one, two) => {
          const [a, b] = [escapeName(one, folds), escapeName(two, folds)];
          expect(unescapeName(a, folds)).toBe(one);
          expect(a).not.toContain('\\');
          const key = (stored: string): string => (folds ? stored.toLowerCase().normalize('NFC') : stored);
          if (one !== two) expect(key(a)).not.toBe(key(b));
        }),
      );
    }
  });

  it('R1-5 a name that somebody else stored stands for itself when it is no escape of ours', () => {
    expect(unescapeName('%41', false)).toBe('%41');
    expect(unescapeName('%5C', false)).toBe('\\');
    expect(unescapeName('%FF', true)).toBe('%FF');
  });

  it('R4-11 the checksum is xxHash32', () => {
    const words = (text: string): Uint32Array => new Uint32Array(new TextEncoder().encode(text).slice().buffer);
    expect(xxHash32(words(''), 0, 0, 0)).toBe(0x02cc5d05);
    expect(xxHash32(words('abcd'), 0, 1, 0)).toBe(0xa3643705);
  });

  it('R4-11 pending pieces read as the last write to each byte', () => {
    const write = fc.record({ start: fc.nat(60), length: fc.integer({ min: 1, max: 20 }), cut: fc.option(fc.nat(80)) });
    fc.assert(
      fc.property(fc.array(write, { maxLength: 25 }), (writes) => {
        const extents = new Extents();
        const expected = new Array<number>(100).fill(0);
        writes.forEach(({ start, length, cut }, index) => {
          extents.write(start, new Uint8Array(length).fill(index + 1));
          expected.fill(index + 1, start, start + length);
          if (cut === null) return;
          extents.cut(cut);
          expected.fill(0, cut);
        });
        const into = new Uint8Array(100);
        extents.read(0, into);
        expect([...into]).toEqual(expected);
        expect(extents.bytes).toBe(expected.filter((byte) => byte !== 0).length);
        const joined = new Uint8Array(100);
        for (const { start, data } of extents.runs(30)) joined.set(data, start);
        expect(joined).toEqual(into);
        for (let at = 0; at < 95; at += 7) {
          expect(extents.covers(at, at + 5)).toBe(expected.slice(at, at + 5).every((byte) => byte !== 0));
        }
      }),
    );
  });

  it('R4-11 every record of the log is read as it was written, within the room that it asks for', () => {
    const inode = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    const time = fc.bigInt({ min: 0n, max: 2n ** 62n });
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 });
    const record: fc.Arbitrary<LogRecord> = fc.oneof(
      fc.record({
        type: fc.constant('create' as const),
        inode,
        kind: fc.constantFrom('file' as const, 'directory' as const, 'link' as const),
        directory: inode,
        name,
        target: name,
        time,
      }),
      fc.record({ type: fc.constant('link' as const), inode, directory: inode, name, time }),
      fc.record({ type: fc.constant('remove' as const), directory: inode, name, time }),
      fc.record({ type: fc.constant('rename' as const), from: inode, oldName: name, to: inode, newName: name, time }),
      fc.record({ type: fc.constant('times' as const), inode, accessed: time, modified: time, time }),
      fc.record({ type: fc.constant('write' as const), inode, offset: inode, data: fc.uint8Array(), time }),
      fc.record({ type: fc.constant('size' as const), inode, size: inode, time }),
      fc.record({ type: fc.constant('direct' as const), inode, end: inode, time }),
      fc.record({ type: fc.constant('applied' as const), inode, size: inode }),
      fc.record({
        type: fc.constant('place' as const),
        inode,
        state: fc.constantFrom('gone' as const, 'moving' as const, 'there' as const),
        path: name,
      }),
      fc.record({ type: fc.constant('folder' as const), there: fc.boolean(), path: name }),
    );
    fc.assert(
      fc.property(record, (written) => {
        const room = recordRoom(written);
        const writer = new ByteWriter(8);
        writer.ensure(room);
        writeRecord(writer, written);
        expect(writer.at).toBeLessThanOrEqual(room);
        expect(readRecord(new ByteReader(writer.bytes, 0, writer.at))).toEqual(written);
      }),
    );
  });

  it('R4-10 the length of a name in UTF-8 is counted right', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
      }),
    );
  });
});
