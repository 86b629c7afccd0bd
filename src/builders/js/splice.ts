/**
 * Puts a bundle into the runner, and takes it out again. The runner is a component; its core module has a marked slot in
 * its static data and an empty passive segment behind that (`../runner/runner.c`). The bundle becomes the content of the
 * segment, and its lengths stand in the slot. So a plugin in JavaScript is made of bytes alone, without a linker.
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
/** Where the numbers stand in the slot, from its magic on: lengths of the code and of the map. */
const CODE = 16;
const MAP = 20;
/** The number that the passive segment has in the code of the runner. */
const SEGMENT = 2;
const PASSIVE = 1;
/** The largest program; more is surely a mistake, such as a data file among the imports. */
const MOST = 32 * 1024 * 1024;

export interface Program {
  /** Source text or bytecode of one module. */
  code: Uint8Array;
  /** Where its lines come from (`lines.ts`). */
  map: Uint8Array;
}

/** The component with `program` in its slot; the inverse is `unsplice`. Throws when it is no runner. */
export function splice(runner: Uint8Array, program: Program): Uint8Array<ArrayBuffer> {
  const module = sectionOf(runner);
  if (!module) throw new Error('this is not a runner: it has no slot');
  const content = join([program.code, Uint8Array.of(0), program.map]);
  if (content.length > MOST) {
    throw new Error(`the bundle has ${content.length} bytes with its source map, and ${MOST} is the most`);
  }
  const filled = fill(runner.subarray(module.start, module.end), content, program);
  return replace(runner, module, filled);
}

export interface Spliced {
  runner: Uint8Array<ArrayBuffer>;
  program: Program;
}

/** What `splice` was given, undefined for a component that it did not make, and for one that is damaged. */
export function unsplice(component: Uint8Array): Spliced | undefined {
  try {
    return taken(component);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function taken(component: Uint8Array): Spliced | undefined {
  const module = sectionOf(component);
  if (!module) return undefined;
  const bytes = component.subarray(module.start, module.end);
  const slot = slotOf(bytes) as number;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const [code, map] = [view.getUint32(slot + CODE, true), view.getUint32(slot + MAP, true)];
  const content = programOf(bytes);
  if (code === 0 || content?.length !== code + 1 + map) return undefined;
  const none = { code: new Uint8Array(), map: new Uint8Array() };
  const runner = replace(component, module, fill(bytes, new Uint8Array(), none));
  return { runner, program: { code: content.slice(0, code), map: content.slice(code + 1) } };
}

/** The bytes of the core module that has the slot; undefined for a component that is no runner. */
export function runnerModule(component: Uint8Array): Uint8Array | undefined {
  const section = sectionOf(component);
  return section && component.subarray(section.start, section.end);
}

/** The core module as the linker made it, with the empty passive segment that its code refers to. For the runner's build. */
export function addSlot(module: Uint8Array): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [module.subarray(0, 8)];
  for (const section of sections(module)) {
    if (section.id === MODULE_SECTION.dataCount) continue;
    // the count of the segments stands before the code, which speaks of one
    if (section.id === MODULE_SECTION.code) parts.push(...sized(MODULE_SECTION.dataCount, [leb(SEGMENT + 1)]));
    if (section.id !== MODULE_SECTION.data) {
      parts.push(module.subarray(section.at, section.end));
      continue;
    }
    const reader = new Reader(module, section.start, section.end);
    const count = reader.u32();
    if (count !== SEGMENT) throw new Error(`the linker made ${count} segments and not ${SEGMENT}`);
    const rest = module.subarray(reader.at, section.end);
    parts.push(...sized(section.id, [leb(SEGMENT + 1), rest, Uint8Array.of(PASSIVE, 0)]));
  }
  return join(parts);
}

/** The section of the component that holds the core module with the slot. */
function sectionOf(component: Uint8Array): Section | undefined {
  if (preamble(component)?.layer !== 'component') return undefined;
  for (const section of sections(component)) {
    if (section.id !== COMPONENT_SECTION.coreModule) continue;
    if (slotOf(component.subarray(section.start, section.end)) !== undefined) return section;
  }
  return undefined;
}

function dataOf(module: Uint8Array): Section | undefined {
  return Array.from(sections(module)).find(({ id }) => id === MODULE_SECTION.data);
}

/** Where the slot begins in the core module. */
function slotOf(module: Uint8Array): number | undefined {
  const data = dataOf(module);
  return data && indexOf(module, MAGIC, data.start, data.end);
}

/** The content of the last segment, which is the passive one; undefined for another shape. */
function programOf(module: Uint8Array): Uint8Array | undefined {
  const data = dataOf(module);
  const at = data && lastSegment(module, data);
  if (at === undefined) return undefined;
  const reader = new Reader(module, at + 1, data?.end);
  return reader.skip(reader.u32());
}

/** Where the last segment begins; undefined when it is not the passive one. */
function lastSegment(module: Uint8Array, data: Section): number | undefined {
  const reader = new Reader(module, data.start, data.end);
  if (reader.u32() !== SEGMENT + 1) return undefined;
  for (let left = SEGMENT; left > 0; left--) {
    if (reader.byte() !== 0 || reader.byte() !== 0x41) return undefined;
    reader.skipNumber();
    reader.byte();
    reader.skip(reader.u32());
  }
  return module[reader.at] === PASSIVE ? reader.at : undefined;
}

/** The core module with `content` in its last segment and the lengths of `program` in its slot. */
function fill(module: Uint8Array, content: Uint8Array, program: Program): Uint8Array<ArrayBuffer> {
  const data = dataOf(module);
  const last = data && lastSegment(module, data);
  if (!data || last === undefined) throw new Error('this is not a runner: it has no segment for a program');
  const parts = [module.subarray(data.start, last), Uint8Array.of(PASSIVE), leb(content.length), content];
  const filled = join([module.subarray(0, data.at), ...sized(data.id, parts), module.subarray(data.end)]);
  const slot = slotOf(filled) as number;
  const view = new DataView(filled.buffer);
  view.setUint32(slot + CODE, program.code.length, true);
  view.setUint32(slot + MAP, program.map.length, true);
  return filled;
}

function replace(component: Uint8Array, section: Section, content: Uint8Array): Uint8Array<ArrayBuffer> {
  const { at, end, id } = section;
  return join([component.subarray(0, at), ...sized(id, [content]), component.subarray(end)]);
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

function indexOf(bytes: Uint8Array, text: string, start: number, end: number): number | undefined {
  const first = text.charCodeAt(0);
  for (let at = bytes.indexOf(first, start); at >= 0 && at + text.length <= end; at = bytes.indexOf(first, at + 1)) {
    let same = 1;
    while (same < text.length && bytes[at + same] === text.charCodeAt(same)) same++;
    if (same === text.length) return at;
  }
  return undefined;
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
