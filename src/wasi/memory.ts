/**
 * The linear memory of a guest, and how values of the component model lie in it (the "canonical ABI"): a list or a
 * string is an address and a length, a variant is a number of its case and the payload at its alignment, a function
 * with more than one flat result gets the address for it as its last argument.
 */

type Realloc = (old: number, oldSize: number, align: number, size: number) => number;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Guest {
  memory: WebAssembly.Memory | undefined;
  realloc: Realloc | undefined;
  #bytes = new Uint8Array(0);
  #view = new DataView(this.#bytes.buffer);

  /** The whole memory as bytes; to be asked for again after each `allocate`, since memory that grows moves. */
  get bytes(): Uint8Array<ArrayBuffer> {
    // A memory that grew leaves its old buffer detached, with length 0.
    if (this.#bytes.length === 0) this.#renew();
    return this.#bytes;
  }

  /** As `bytes`, for numbers. All of them are little endian. */
  get view(): DataView {
    if (this.#bytes.length === 0) this.#renew();
    return this.#view;
  }

  #renew(): void {
    const { memory } = this;
    if (!memory) throw new WebAssembly.RuntimeError('the component has no memory for this call');
    this.#bytes = new Uint8Array(memory.buffer as ArrayBuffer);
    this.#view = new DataView(memory.buffer);
  }

  /** Lets go of a memory whose process has ended. */
  release(): void {
    this.memory = undefined;
    this.realloc = undefined;
    this.#bytes = new Uint8Array(0);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Room in the guest's own heap, which the guest frees. It is asked for nothing too: it may know where that is to be. */
  allocate(align: number, size: number): number {
    const { realloc } = this;
    if (!realloc && size === 0) return align;
    if (!realloc) throw new WebAssembly.RuntimeError('the component has no allocator for this call');
    return realloc(0, 0, align, size) >>> 0;
  }

  /** The bytes of a `list<u8>` argument, in place: they are good until the guest runs again. */
  list(at: number, length: number): Uint8Array<ArrayBuffer> {
    const start = at >>> 0;
    const end = start + (length >>> 0);
    const { bytes } = this;
    if (end > bytes.length) throw new WebAssembly.RuntimeError('a list lies outside of the memory');
    return bytes.subarray(start, end);
  }

  string(at: number, length: number): string {
    return decoder.decode(this.list(at, length));
  }

  /** Stores a `list<u8>` that stands at `data` of the guest. */
  setList(at: number, data: number, length: number): void {
    const { view } = this;
    view.setUint32(at, data, true);
    view.setUint32(at + 4, length, true);
  }

  /** Copies bytes into the guest's heap and stores the list at `at`. */
  putBytes(at: number, bytes: Uint8Array): void {
    const data = this.allocate(1, bytes.length);
    this.bytes.set(bytes, data);
    this.setList(at, data, bytes.length);
  }

  putString(at: number, text: string): void {
    this.putBytes(at, encoder.encode(text));
  }

  /** `result<_, enum>`: ok. Also the ok of any result whose payload follows. */
  ok(at: number): void {
    this.view.setUint8(at, 0);
  }

  /** The error of a `result<_, enum>`; `payload` is where the payload begins: the larger alignment of its two cases. */
  fail(at: number, code: number, payload = 1): void {
    const { view } = this;
    view.setUint8(at, 1);
    view.setUint8(at + payload, code);
  }

  /** The ok of a `result<own<…>, …>` or of another 32-bit number. */
  ok32(at: number, value: number): void {
    const { view } = this;
    view.setUint8(at, 0);
    view.setUint32(at + 4, value, true);
  }

  /** The ok of a `result<u64, …>`. */
  ok64(at: number, value: number | bigint): void {
    const { view } = this;
    view.setUint8(at, 0);
    view.setBigUint64(at + 8, BigInt(value), true);
  }
}

/** A `u64` argument as a number; anything beyond 2^53 - 1, which is too much for every file, is 2^53. */
export function u64(value: bigint): number {
  return Math.min(Number(BigInt.asUintN(64, value)), 2 ** 53);
}
