/**
 * Reads the bytes of WebAssembly modules and components: numbers, names, sections. Reading beyond the end throws
 * `RangeError`; what that means is for the caller to say.
 */

const MAGIC = [0x00, 0x61, 0x73, 0x6d];
const utf8 = new TextDecoder('utf-8', { fatal: true });

export class Reader {
  readonly bytes: Uint8Array;
  at: number;
  readonly end: number;
  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  get done(): boolean {
    return this.at >= this.end;
  }

  byte(): number {
    if (this.done) throw new RangeError(`the bytes end at ${this.end}`);
    return this.bytes[this.at++]!;
  }

  /** An unsigned LEB128 number of at most 32 bits. */
  u32(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError(`a number at ${this.at} has more than 32 bits`);
  }

  /** Passes over a number of any width and sign. */
  skipNumber(): void {
    while (this.byte() >= 0x80);
  }

  /** A name: length and UTF-8. */
  name(): string {
    return utf8.decode(this.skip(this.u32()));
  }

  skip(length: number): Uint8Array {
    if (this.at + length > this.end) throw new RangeError(`the bytes end at ${this.end}`);
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

/** What the first eight bytes say. */
export type Preamble = { layer: 'module' | 'component' | 'other'; version: number };

/** Undefined when the bytes do not begin as WebAssembly does. */
export function preamble(bytes: Uint8Array): Preamble | undefined {
  if (bytes.length < 8 || MAGIC.some((byte, at) => bytes[at] !== byte)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const layer = view.getUint16(6, true);
  return { layer: layer === 0 ? 'module' : layer === 1 ? 'component' : 'other', version: view.getUint16(4, true) };
}

/** True for the beginning of a WebAssembly file that ends before its eighth byte. */
export const isCutPreamble = (bytes: Uint8Array): boolean =>
  bytes.length > 0 && bytes.length < 8 && bytes.every((byte, at) => at >= 4 || byte === MAGIC[at]);

export interface Section {
  id: number;
  /** Where the section begins, its ID and size included. */
  at: number;
  /** Where its content begins and ends. */
  start: number;
  end: number;
}

/** The sections of a module or component that begins at `at`, in order. */
export function* sections(bytes: Uint8Array, at = 0, end = bytes.length): Generator<Section> {
  const reader = new Reader(bytes, at + 8, end);
  while (!reader.done) {
    const begin = reader.at;
    const id = reader.byte();
    const size = reader.u32();
    const start = reader.at;
    reader.skip(size);
    yield { id, at: begin, start, end: reader.at };
  }
}

/** Section IDs of components. */
export const COMPONENT_SECTION = { coreModule: 1, component: 4, import: 10, export: 11 } as const;

/** Section IDs of core modules. */
export const MODULE_SECTION = { import: 2, memory: 5, code: 10, data: 11, dataCount: 12 } as const;

/** Where the core modules stand inside a component, those of nested components too, in order. */
export function coreModules(bytes: Uint8Array, at = 0, end = bytes.length): { start: number; end: number }[] {
  return Array.from(sections(bytes, at, end)).flatMap((section) => {
    if (section.id === COMPONENT_SECTION.coreModule) return [{ start: section.start, end: section.end }];
    return section.id === COMPONENT_SECTION.component ? coreModules(bytes, section.start, section.end) : [];
  });
}
