/** Caps the memory of a core module before it is compiled, by writing the maximum in its memory section (R3.8-5). */

import { MODULE_SECTION, Reader, sections } from './binary.ts';
import { ComponentError } from './errors.ts';

const PAGE = 65536;
const MIB = 1024 * 1024;

/** Bytes of memory for one process: 512 MiB, or 128 MiB on a device with 4 GB or less (`navigator.deviceMemory`). */
export const defaultMemoryLimit = (deviceMemory?: number): number =>
  deviceMemory !== undefined && deviceMemory <= 4 ? 128 * MIB : 512 * MIB;

const HAS_MAXIMUM = 1;
const WIDE = 4;
const CUSTOM_PAGE = 8;

/**
 * The module with no memory of its own that can grow beyond `limit` bytes; the same bytes when there is nothing to
 * change. A module that needs more than that at its start cannot run here and throws `ComponentError`.
 */
export function capMemory(module: Uint8Array<ArrayBuffer>, limit: number): Uint8Array<ArrayBuffer> {
  const section = Array.from(sections(module)).find(({ id }) => id === MODULE_SECTION.memory);
  if (!section) return module;
  const pages = Math.floor(limit / PAGE);
  const reader = new Reader(module, section.start, section.end);
  const count = reader.u32();
  const content: number[] = [...leb(count)];
  for (let index = 0; index < count; index++) {
    const flags = reader.byte();
    if (flags & (WIDE | CUSTOM_PAGE)) {
      throw new ComponentError(
        'unsupported',
        'The component uses 64-bit memory or pages of another size. Build it for wasm32-wasip2.',
      );
    }
    const minimum = reader.u32();
    const maximum = flags & HAS_MAXIMUM ? reader.u32() : Number.POSITIVE_INFINITY;
    if (minimum > pages) {
      const sizes = `${(minimum * PAGE) / MIB} MiB of memory at its start, and a process gets ${limit / MIB} MiB`;
      throw new ComponentError(
        'memory',
        `The component needs ${sizes}. Build it with less static data, or raise the limit.`,
      );
    }
    content.push(flags | HAS_MAXIMUM, ...leb(minimum), ...leb(Math.min(maximum, pages)));
  }
  const changed = [MODULE_SECTION.memory, ...leb(content.length), ...content];
  if (changed.length === section.end - section.at && changed.every((byte, at) => module[section.at + at] === byte)) {
    return module;
  }
  const result = new Uint8Array(module.length - (section.end - section.at) + changed.length);
  result.set(module.subarray(0, section.at));
  result.set(changed, section.at);
  result.set(module.subarray(section.end), section.at + changed.length);
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
