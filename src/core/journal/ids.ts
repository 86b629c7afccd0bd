import { v7, validate, version } from 'uuid';

/** Entries within one millisecond; beyond it the next millisecond is used ahead of its time. */
const PER_MS = 4096;

/** When an entry was made and which one of its millisecond it is: the first 60 bits of its ID without the version. */
export interface Position {
  /** Milliseconds since 1970. */
  ms: number;
  count: number;
}

/** Makes the IDs of entries: UUIDv7 whose text grows strictly, also within a millisecond and when the clock goes back (R7-2). */
export class EntryIds {
  private readonly now: () => number;
  private last: Position = { ms: 0, count: PER_MS - 1 };

  constructor(now: () => number = Date.now) {
    this.now = now;
  }

  next(): { id: string; seq: bigint; ms: number } {
    const ms = this.now();
    if (ms > this.last.ms) this.last = { ms, count: 0 };
    else if (this.last.count < PER_MS - 1) this.last = { ms: this.last.ms, count: this.last.count + 1 };
    else this.last = { ms: this.last.ms + 1, count: 0 };
    // The count stands in the first 12 bits of uuid's 32-bit sequence; the other 20 are random like the rest.
    const seq = (this.last.count << 20) | Math.floor(Math.random() * 0x100000);
    return { id: v7({ msecs: this.last.ms, seq }), seq: toSeq(this.last), ms: this.last.ms };
  }

  /** What comes next is later than this, whatever the clock says. */
  startAfter(seq: bigint): void {
    if (seq > toSeq(this.last)) this.last = { ms: Number(seq >> 12n), count: Number(seq & 0xfffn) };
  }
}

/** The number by which entries are kept in order: 48 bits of milliseconds, 12 bits of count. */
export function toSeq(position: Position): bigint {
  return BigInt(position.ms) * BigInt(PER_MS) + BigInt(position.count);
}

export function isEntryId(text: string): boolean {
  return validate(text) && version(text) === 7;
}

/** The number of an entry by its ID. */
export function seqOfId(id: string): bigint {
  return BigInt(`0x${id.slice(0, 8)}${id.slice(9, 13)}${id.slice(15, 18)}`);
}

export function timeOfId(id: string): string {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toISOString();
}
