/** Records on a stream of bytes: a line of JSON and, where its `size` says so, that many bytes. */

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const NEWLINE = 10;

export interface Framed<T> {
  record: T;
  /** What follows the line; empty for a record without `size`. */
  bytes: Uint8Array<ArrayBuffer>;
}

/** The line of a record; its bytes are to follow. */
export const recordLine = (record: object): Uint8Array<ArrayBuffer> => encoder.encode(`${JSON.stringify(record)}\n`);

/** A stream that is no stream of records, or one that is cut. */
export class BadRecords extends Error {
  override readonly name = 'BadRecords';
}

/** Takes records out of pieces of bytes as they come. Its inverse is `recordLine`. */
export class RecordReader<T extends object> {
  readonly #limits: { line: number; bytes: number };
  #pieces: Uint8Array[] = [];
  #length = 0;
  #waiting: { record: T; size: number } | undefined;

  /** The most bytes that a line, and what follows one, may have. */
  constructor(limits: { line: number; bytes: number }) {
    this.#limits = limits;
  }

  /** The records that are whole with this piece. Throws `BadRecords`. */
  *push(piece: Uint8Array): Generator<Framed<T>> {
    this.#pieces.push(piece);
    this.#length += piece.length;
    for (;;) {
      if (!this.#waiting) {
        const line = this.#line();
        if (line === undefined) return;
        const record = parse<T>(line);
        const { size } = record as { size?: unknown };
        if (size === undefined) {
          yield { record, bytes: new Uint8Array() };
          continue;
        }
        if (!Number.isSafeInteger(size) || (size as number) < 0 || (size as number) > this.#limits.bytes) {
          throw new BadRecords(`a size of ${size} is more than ${this.#limits.bytes}, or no size`);
        }
        this.#waiting = { record, size: size as number };
      }
      if (this.#length < this.#waiting.size) return;
      const { record, size } = this.#waiting;
      this.#waiting = undefined;
      yield { record, bytes: this.#take(size) };
    }
  }

  /** To be called at the end of the stream. Throws `BadRecords` when it ends within a record. */
  end(): void {
    if (this.#waiting || this.#length > 0) throw new BadRecords('the stream ends within a record');
  }

  #line(): string | undefined {
    let before = 0;
    for (const piece of this.#pieces) {
      const at = piece.indexOf(NEWLINE);
      if (at >= 0) return decoder.decode(this.#take(before + at + 1));
      before += piece.length;
    }
    if (this.#length > this.#limits.line) throw new BadRecords(`a line has more than ${this.#limits.line} bytes`);
    return undefined;
  }

  /** The first bytes of what has come. */
  #take(count: number): Uint8Array<ArrayBuffer> {
    const taken = new Uint8Array(count);
    for (let filled = 0; filled < count; ) {
      const piece = this.#pieces[0]!;
      const part = piece.subarray(0, count - filled);
      taken.set(part, filled);
      filled += part.length;
      if (part.length === piece.length) this.#pieces.shift();
      else this.#pieces[0] = piece.subarray(part.length);
    }
    this.#length -= count;
    return taken;
  }
}

function parse<T>(line: string): T {
  try {
    const value = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as T;
  } catch {
    // said below
  }
  throw new BadRecords(`this is no record: ${line.slice(0, 80)}`);
}
