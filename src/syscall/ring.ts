/**
 * A single-producer single-consumer queue of bytes in shared memory: two counters among the control words of a channel
 * and a power of two of bytes. Nothing in here blocks; the process side adds its waits in `client.ts`.
 *
 * The counters only grow (modulo 2^32), so `written - read` is what the ring holds, and a full ring differs from an
 * empty one. Each side stores only its own counter, after it has touched the bytes: the other never sees a count
 * before the bytes that it stands for.
 */

class Ring {
  protected readonly words: Int32Array;
  protected readonly bytes: Uint8Array;
  protected readonly read: number;
  protected readonly written: number;
  readonly capacity: number;

  /** `read` and `written` are the indexes of the counters in `words`. */
  constructor(words: Int32Array, read: number, written: number, bytes: Uint8Array) {
    if ((bytes.length & (bytes.length - 1)) !== 0) throw new RangeError('a ring needs a power of two of bytes');
    this.words = words;
    this.read = read;
    this.written = written;
    this.bytes = bytes;
    this.capacity = bytes.length;
  }

  /** The bytes in the ring. */
  get held(): number {
    return (Atomics.load(this.words, this.written) - Atomics.load(this.words, this.read)) >>> 0;
  }
}

export class RingWriter extends Ring {
  /** The bytes that would be taken now. */
  get free(): number {
    return this.capacity - this.held;
  }

  /** Puts in as much of `data` from `offset` on as there is room for, and returns how much. */
  write(data: Uint8Array, offset = 0): number {
    const count = Math.min(this.free, data.length - offset);
    if (count <= 0) return 0;
    const position = Atomics.load(this.words, this.written);
    const at = (position >>> 0) & (this.capacity - 1);
    const first = Math.min(count, this.capacity - at);
    this.bytes.set(data.subarray(offset, offset + first), at);
    if (first < count) this.bytes.set(data.subarray(offset + first, offset + count), 0);
    Atomics.store(this.words, this.written, (position + count) | 0);
    return count;
  }
}

export class RingReader extends Ring {
  /** Fills `into` from its start with what is there, and returns how many bytes that was. */
  readInto(into: Uint8Array): number {
    const count = Math.min(this.held, into.length);
    if (count === 0) return 0;
    const at = (Atomics.load(this.words, this.read) >>> 0) & (this.capacity - 1);
    const first = Math.min(count, this.capacity - at);
    into.set(this.bytes.subarray(at, at + first), 0);
    if (first < count) into.set(this.bytes.subarray(0, count - first), first);
    this.skip(count);
    return count;
  }

  /** Takes `count` bytes out, which must be there, without looking at them. */
  skip(count: number): void {
    Atomics.store(this.words, this.read, (Atomics.load(this.words, this.read) + count) | 0);
  }
}
