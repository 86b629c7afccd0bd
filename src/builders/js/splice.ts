/**
 * Puts a bundle into the runner, and takes it out again. The runner is a component with a marked slot in the static data
 * of its core module (`../runner/runner.c`); the bundle becomes one more data segment at the address that the slot names.
 * So a plugin in JavaScript is made of bytes alone, without a linker.
 */

import {
  COMPONENT_SECTION,
  MODULE_SECTION,
  preamble,
  Reader,
  type Section,
  sections,
} from '../../components/binary.ts';

const MAGIC = 'SAUSAGE-JS-SLOT\0';
/** Where the fields of the slot are, from its magic on: address, capacity, length of the code, length of the map. */
const FIELDS = { at: 16, capacity: 20, code: 24, map: 28 } as const;

export interface Program {
  /** Source text or bytecode of one module. */
  code: Uint8Array;
  /** Where its lines come from (`lines.ts`). */
  map: Uint8Array;
}

/** The core module of a component that is a runner, and its slot. */
interface Runner {
  /** The section of the component that holds the module. */
  section: Section;
  data: Section;
  /** Where the content of the slot begins in the component. */
  slot: number;
}

/** The component with `program` in its slot; the inverse is `unsplice`. Throws when it is no empty runner. */
export function splice(runner: Uint8Array, program: Program): Uint8Array<ArrayBuffer> {
  const found = find(runner);
  if (!found) throw new Error('this is not a runner: it has no slot');
  const slot = new DataView(runner.buffer, runner.byteOffset + found.slot);
  const capacity = slot.getUint32(FIELDS.capacity, true);
  const content = join([program.code, Uint8Array.of(0), program.map]);
  if (content.length >= capacity) {
    throw new Error(
      `the bundle has ${content.length} bytes with its source map, and the runner has room for ${capacity}`,
    );
  }
  const segment = [...[0, 0x41, ...sleb(slot.getUint32(FIELDS.at, true) | 0), 0x0b], ...leb(content.length)];
  const result = edit(runner, found, 1, [Uint8Array.from(segment), content]);
  const filled = find(result) as Runner;
  const view = new DataView(result.buffer, filled.slot);
  view.setUint32(FIELDS.code, program.code.length, true);
  view.setUint32(FIELDS.map, program.map.length, true);
  return result;
}

/** What `splice` was given, undefined for a component that it did not make. */
export function unsplice(component: Uint8Array): { runner: Uint8Array<ArrayBuffer>; program: Program } | undefined {
  const found = find(component);
  if (!found) return undefined;
  const slot = new DataView(component.buffer, component.byteOffset + found.slot);
  const [code, map] = [slot.getUint32(FIELDS.code, true), slot.getUint32(FIELDS.map, true)];
  if (code === 0) return undefined;
  const content = component.subarray(found.data.end - (code + 1 + map), found.data.end);
  const header = [0, 0x41, ...sleb(slot.getUint32(FIELDS.at, true) | 0), 0x0b, ...leb(content.length)];
  const start = found.data.end - content.length - header.length;
  if (header.some((byte, i) => component[start + i] !== byte)) return undefined;
  const runner = edit(component, found, -1, [], found.data.end - start);
  const empty = find(runner) as Runner;
  const view = new DataView(runner.buffer, empty.slot);
  view.setUint32(FIELDS.code, 0, true);
  view.setUint32(FIELDS.map, 0, true);
  return { runner, program: { code: content.slice(0, code), map: content.slice(code + 1) } };
}

/** The bytes of the core module that has the slot; undefined for a component that is no runner. */
export function runnerModule(component: Uint8Array): Uint8Array | undefined {
  const section = find(component)?.section;
  return section && component.subarray(section.start, section.end);
}

/** The core module of a component with a slot in its data. */
function find(component: Uint8Array): Runner | undefined {
  if (preamble(component)?.layer !== 'component') return undefined;
  for (const section of sections(component)) {
    if (section.id !== COMPONENT_SECTION.coreModule) continue;
    for (const data of sections(component, section.start, section.end)) {
      if (data.id !== MODULE_SECTION.data) continue;
      const at = indexOf(component, MAGIC, data.start, data.end);
      if (at >= 0) return { section, data, slot: at };
    }
  }
  return undefined;
}

/**
 * The component with `more` segments in the data section: `tail` is put at its end, after `cut` bytes are taken from
 * there. Sizes around it, and the count that may stand before the code, are written anew.
 */
function edit(
  component: Uint8Array,
  found: Runner,
  more: number,
  tail: Uint8Array[],
  cut = 0,
): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [component.subarray(found.section.start, found.section.start + 8)];
  for (const section of sections(component, found.section.start, found.section.end)) {
    if (section.id === MODULE_SECTION.data) {
      const reader = new Reader(component, section.start, section.end);
      const count = leb(reader.u32() + more);
      parts.push(...sized(section.id, [count, component.subarray(reader.at, section.end - cut), ...tail]));
    } else if (section.id === MODULE_SECTION.dataCount) {
      parts.push(...sized(section.id, [leb(new Reader(component, section.start, section.end).u32() + more)]));
    } else {
      parts.push(component.subarray(section.at, section.end));
    }
  }
  return join([
    component.subarray(0, found.section.at),
    ...sized(COMPONENT_SECTION.coreModule, parts),
    component.subarray(found.section.end),
  ]);
}

function sized(id: number, parts: Uint8Array[]): Uint8Array[] {
  return [Uint8Array.of(id), leb(parts.reduce((sum, part) => sum + part.length, 0)), ...parts];
}

function join(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function indexOf(bytes: Uint8Array, text: string, start: number, end: number): number {
  const first = text.charCodeAt(0);
  for (let at = bytes.indexOf(first, start); at >= 0 && at + text.length <= end; at = bytes.indexOf(first, at + 1)) {
    let same = 1;
    while (same < text.length && bytes[at + same] === text.charCodeAt(same)) same++;
    if (same === text.length) return at;
  }
  return -1;
}

/** A number as unsigned LEB128. */
function leb(value: number): Uint8Array {
  const bytes: number[] = [];
  do {
    const rest = Math.floor(value / 128);
    bytes.push((value % 128) | (rest > 0 ? 128 : 0));
    value = rest;
  } while (value > 0);
  return Uint8Array.from(bytes);
}

/** A 32-bit number as signed LEB128. */
function sleb(value: number): number[] {
  const bytes: number[] = [];
  for (;;) {
    const byte = value & 127;
    value >>= 7;
    const done = (value === 0 && (byte & 64) === 0) || (value === -1 && (byte & 64) !== 0);
    bytes.push(done ? byte : byte | 128);
    if (done) return bytes;
  }
}
