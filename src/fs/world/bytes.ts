const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Writes numbers and texts, little-endian, one after another, into a buffer that grows. The inverse of `ByteReader`. */
export class ByteWriter {
  /** The buffer is a multiple of eight bytes long. */
  bytes: Uint8Array<ArrayBuffer>;
  words: Uint32Array<ArrayBuffer>;
  at = 0;
  private view: DataView;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
    this.words = new Uint32Array(this.bytes.buffer);
    this.view = new DataView(this.bytes.buffer);
  }

  /** Makes room for `more` bytes behind `at`. */
  ensure(more: number): void {
    if (this.at + more <= this.bytes.length) return;
    let size = this.bytes.length;
    while (size < this.at + more) size *= 2;
    const grown = new Uint8Array(size);
    grown.set(this.bytes.subarray(0, this.at));
    this.bytes = grown;
    this.words = new Uint32Array(grown.buffer);
    this.view = new DataView(grown.buffer);
  }

  u8(value: number): void {
    this.bytes[this.at++] = value;
  }

  u32(value: number): void {
    this.view.setUint32(this.at, value, true);
    this.at += 4;
  }

  /** A whole number up to 2^53 - 1, as a 64-bit float. */
  number(value: number): void {
    this.view.setFloat64(this.at, value, true);
    this.at += 8;
  }

  /** Nanoseconds since 1970. */
  time(value: bigint): void {
    this.view.setBigInt64(this.at, value, true);
    this.at += 8;
  }

  /** UTF-8 with its length in two bytes before it: at most 65535 bytes. */
  text(text: string): void {
    const start = this.at + 2;
    let end = start;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) {
        end = start + encoder.encodeInto(text, this.bytes.subarray(start)).written;
        break;
      }
      this.bytes[end++] = unit;
    }
    this.view.setUint16(this.at, end - start, true);
    this.at = end;
  }

  raw(data: Uint8Array): void {
    this.bytes.set(data, this.at);
    this.at += data.length;
  }
}

/** Reads what `ByteWriter` wrote; throws `RangeError` beyond the end. */
export class ByteReader {
  private readonly bytes: Uint8Array<ArrayBuffer>;
  private readonly view: DataView;
  private readonly end: number;
  at: number;

  constructor(bytes: Uint8Array<ArrayBuffer>, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, end);
    this.at = at;
    this.end = end;
  }

  /** Bytes not yet read. */
  get left(): number {
    return this.end - this.at;
  }

  u8(): number {
    return this.view.getUint8(this.at++);
  }

  u32(): number {
    const value = this.view.getUint32(this.at, true);
    this.at += 4;
    return value;
  }

  number(): number {
    const value = this.view.getFloat64(this.at, true);
    this.at += 8;
    return value;
  }

  time(): bigint {
    const value = this.view.getBigInt64(this.at, true);
    this.at += 8;
    return value;
  }

  text(): string {
    const length = this.view.getUint16(this.at, true);
    const start = this.at + 2;
    if (start + length > this.end) throw new RangeError('a text leads beyond the end');
    this.at = start + length;
    if (length > 24) return decoder.decode(this.bytes.subarray(start, this.at));
    let text = '';
    for (let i = start; i < this.at; i++) {
      const unit = this.bytes[i] as number;
      if (unit >= 0x80) return decoder.decode(this.bytes.subarray(start, this.at));
      text += String.fromCharCode(unit);
    }
    return text;
  }

  /** What is left, without a copy. */
  rest(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(this.at, this.end);
  }
}
