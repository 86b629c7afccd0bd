/** Caps the memory of a core module before it is compiled, by writing the maximum in its memory section (R3.8-5). */

import { MODULE_SECTION, Reader, type Section, sections } from './binary.ts';
import { ComponentError } from './errors.ts';

const PAGE = 65536;
const MIB = 1024 * 1024;

/** Bytes of memory for one process: 512 MiB, or 128 MiB on a device with 4 GB or less (`navigator.deviceMemory`). */
export const defaultMemoryLimit = (deviceMemory?: number): number =>
  deviceMemory !== undefined && deviceMemory <= 4 ? 128 * MIB : 512 * MIB;

const HAS_MAXIMUM = 1;
const SHARED = 2;
const IMPORTED_MEMORY = 2;
const WIDE = 4;
const CUSTOM_PAGE = 8;

/** How large the memory of a module is at its start and at most, in pages of 64 KiB. */
export interface MemoryLimits {
  initial: number;
  maximum: number;
}

/** The import by which a module gets its memory from the worker (see `hostedMemory`). */
export const MEMORY_IMPORT = { module: 'sausage', name: 'memory' } as const;

/**
 * The module with no memory of its own that can grow beyond `limit` bytes; the same bytes when there is nothing to
 * change. A module that needs more than that at its start cannot run here and throws `ComponentError`.
 */
export function capMemory(module: Uint8Array<ArrayBuffer>, limit: number): Uint8Array<ArrayBuffer> {
  const section = sectionOf(module, MODULE_SECTION.memory);
  if (!section) return module;
  const memories = readMemories(module, section, limit);
  const content = [...leb(memories.length), ...memories.flatMap(encoded)];
  const changed = [MODULE_SECTION.memory, ...leb(content.length), ...content];
  if (changed.length === section.end - section.at && changed.every((byte, at) => module[section.at + at] === byte)) {
    return module;
  }
  return replaced(module, [[section, changed]]);
}

/**
 * As `capMemory`, and the memory of the module becomes an import, so that a worker can give the same memory to one
 * process after the other: a page has few of them, and a dropped one counts until its worker collects it (R3.3-12).
 * `memory` is undefined, and the module only capped, when it does not have just one memory.
 */
export function hostedMemory(
  module: Uint8Array<ArrayBuffer>,
  limit: number,
): { module: Uint8Array<ArrayBuffer>; memory?: MemoryLimits } {
  const section = sectionOf(module, MODULE_SECTION.memory);
  const imports = sectionOf(module, MODULE_SECTION.import);
  // without imports there would be a section to make, and no such module comes out of a component with WASI
  if (!section || !imports || importsMemory(module, imports)) return { module: capMemory(module, limit) };
  const [memory, ...others] = readMemories(module, section, limit);
  if (!memory || others.length > 0 || memory.flags & SHARED) return { module: capMemory(module, limit) };
  const reader = new Reader(module, imports.start, imports.end);
  const count = reader.u32();
  const content = [
    ...leb(count + 1),
    ...module.subarray(reader.at, imports.end),
    ...name(MEMORY_IMPORT.module),
    ...name(MEMORY_IMPORT.name),
    IMPORTED_MEMORY,
    ...encoded(memory),
  ];
  const { initial, maximum } = memory;
  return {
    module: replaced(module, [
      [imports, [MODULE_SECTION.import, ...leb(content.length), ...content]],
      [section, []],
    ]),
    memory: { initial, maximum },
  };
}

interface Memory extends MemoryLimits {
  flags: number;
}

const sectionOf = (module: Uint8Array, wanted: number) => Array.from(sections(module)).find(({ id }) => id === wanted);

const encoded = ({ flags, initial, maximum }: Memory): number[] => [flags, ...leb(initial), ...leb(maximum)];

const name = (text: string): number[] => [...leb(text.length), ...new TextEncoder().encode(text)];

/** The memories that a module defines, each with the maximum that it will have. */
function readMemories(module: Uint8Array, section: Section, limit: number): Memory[] {
  const pages = Math.floor(limit / PAGE);
  const reader = new Reader(module, section.start, section.end);
  return Array.from({ length: reader.u32() }, () => {
    const flags = reader.byte();
    if (flags & (WIDE | CUSTOM_PAGE)) {
      throw new ComponentError(
        'unsupported',
        'The component uses 64-bit memory or pages of another size. Build it for wasm32-wasip2.',
      );
    }
    const initial = reader.u32();
    const maximum = flags & HAS_MAXIMUM ? reader.u32() : Number.POSITIVE_INFINITY;
    if (initial > pages) {
      const sizes = `${(initial * PAGE) / MIB} MiB of memory at its start, and a process gets ${limit / MIB} MiB`;
      throw new ComponentError(
        'memory',
        `The component needs ${sizes}. Build it with less static data, or raise the limit.`,
      );
    }
    return { flags: flags | HAS_MAXIMUM, initial, maximum: Math.min(maximum, pages) };
  });
}

/** Whether a module gets a memory from outside already. Kinds: function, table, memory, global, tag. */
function importsMemory(module: Uint8Array, section: Section): boolean {
  const reader = new Reader(module, section.start, section.end);
  for (let left = reader.u32(); left > 0; left--) {
    reader.skip(reader.u32());
    reader.skip(reader.u32());
    const kind = reader.byte();
    if (kind === IMPORTED_MEMORY) return true;
    if (kind === 0) reader.u32();
    else if (kind === 1) {
      // a reference type, which may be followed by a heap type, then limits
      const type = reader.byte();
      if (type === 0x63 || type === 0x64) reader.skipNumber();
      const flags = reader.byte();
      reader.u32();
      if (flags & HAS_MAXIMUM) reader.u32();
    } else if (kind === 3) {
      const type = reader.byte();
      if (type === 0x63 || type === 0x64) reader.skipNumber();
      reader.byte();
    } else {
      reader.byte();
      reader.u32();
    }
  }
  return false;
}

/** The module with other bytes in the place of some sections, which are given in their order. */
function replaced(module: Uint8Array, changes: [Section, number[]][]): Uint8Array<ArrayBuffer> {
  const growth = changes.reduce((sum, [section, bytes]) => sum + bytes.length - (section.end - section.at), 0);
  const result = new Uint8Array(module.length + growth);
  let from = 0;
  let to = 0;
  for (const [section, bytes] of changes) {
    const before = module.subarray(from, section.at);
    result.set(before, to);
    result.set(bytes, to + before.length);
    to += before.length + bytes.length;
    from = section.end;
  }
  result.set(module.subarray(from), to);
  return result;
}

/** A number as unsigned LEB128. */
function leb(value: number): number[] {
  const bytes: number[] = [];
  do {
    const rest = Math.floor(value / 128);
    bytes.push((value % 128) | (rest > 0 ? 128 : 0));
    value = rest;
  } while (value > 0);
  return bytes;
}
