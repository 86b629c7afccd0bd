import fc from 'fast-check';
import { version } from 'uuid';
import { describe, expect, it } from 'vitest';
import { EntryIds, isEntryId, seqOfId, timeOfId } from '../../../src/core/journal/ids.ts';

describe('IDs of journal entries', () => {
  it('R7-2 IDs are UUIDv7 and grow strictly, within a millisecond and when the clock goes back', () => {
    const times = fc.array(fc.integer({ min: 1_700_000_000_000, max: 1_700_000_000_010 }), { minLength: 1 });
    fc.assert(
      fc.property(times, (clock) => {
        let at = 0;
        const ids = new EntryIds(() => clock[at++ % clock.length]!);
        let last = ids.next();
        for (let i = 0; i < 50; i++) {
          const next = ids.next();
          expect(next.id > last.id && next.seq > last.seq).toBe(true);
          expect(version(next.id)).toBe(7);
          last = next;
        }
      }),
    );
  });

  it('R7-2 more IDs than fit into one millisecond go on in the next', () => {
    const ids = new EntryIds(() => 1_700_000_000_000);
    const made = Array.from({ length: 10_000 }, () => ids.next());
    expect(new Set(made.map(({ id }) => id)).size).toBe(10_000);
    expect([...made].sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(made);
    expect(made.at(-1)!.ms).toBe(1_700_000_000_002);
  });

  it('R7-2 number and time of an entry can be told from its ID', () => {
    const ids = new EntryIds(() => 1_700_000_000_123);
    ids.next();
    const { id, seq } = ids.next();
    expect(seqOfId(id)).toBe(seq);
    expect(timeOfId(id)).toBe('2023-11-14T22:13:20.123Z');
    expect(isEntryId(id)).toBe(true);
    expect(isEntryId('2023-11-14T22:13:20.123Z')).toBe(false);
  });

  it('R7-2 after the newest entry of a file whose clock was ahead, IDs are later still', () => {
    const ids = new EntryIds(() => 1_700_000_000_000);
    const ahead = new EntryIds(() => 1_800_000_000_000).next();
    ids.startAfter(ahead.seq);
    expect(ids.next().id > ahead.id).toBe(true);
  });
});
