/**
 * How a transpiled component is kept, in the cache and in the shipped pack (`docs/FORMATS.md`):
 *
 *   'SAUC', u32 version, u32 length of the head, u32 length of the body, head (JSON), body, SHA-256 of all before it
 *
 * The body has the script, then the core modules. A core module that stands in the component as it is (the largest one
 * always does) is not repeated: the head says where in the component it is. Numbers are little-endian.
 */

import { coreModules } from './binary.ts';
import type { Transpiled } from './protocol.ts';
import { GENERATOR } from './version.ts';

const MAGIC = 'SAUC';
const VERSION = 1;
const HEAD_AT = 16;
const DIGEST = 32;

interface Head {
  /** SHA-256 of the component. */
  key: string;
  generator: string;
  /** Bytes. */
  script: number;
  /** Either the length of what stands in the body, or the range in the component. */
  modules: [name: string, where: number | [start: number, end: number]][];
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

async function digest(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

const same = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);

/** The inverse of `decode`. */
export async function encode(
  key: string,
  transpiled: Transpiled,
  component: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  const script = encoder.encode(transpiled.script);
  const head: Head = { key, generator: GENERATOR, script: script.length, modules: [] };
  const body: Uint8Array[] = [script];
  const ranges = coreModules(component);
  for (const [name, bytes] of Object.entries(transpiled.modules)) {
    const range = ranges.find(({ start, end }) => same(component.subarray(start, end), bytes));
    head.modules.push([name, range ? [range.start, range.end] : bytes.length]);
    if (!range) body.push(bytes);
  }
  const headBytes = encoder.encode(JSON.stringify(head));
  const bodyLength = body.reduce((sum, part) => sum + part.length, 0);
  const frame = new Uint8Array(HEAD_AT + headBytes.length + bodyLength + DIGEST);
  const view = new DataView(frame.buffer);
  frame.set(encoder.encode(MAGIC));
  view.setUint32(4, VERSION, true);
  view.setUint32(8, headBytes.length, true);
  view.setUint32(12, bodyLength, true);
  let at = HEAD_AT;
  for (const part of [headBytes, ...body]) {
    frame.set(part, at);
    at += part.length;
  }
  frame.set(await digest(frame.subarray(0, at)), at);
  return frame;
}

/** The key of a frame, without a look at the rest; undefined when it is damaged there. */
export function keyOf(frame: Uint8Array): string | undefined {
  return readHead(frame)?.key;
}

function readHead(frame: Uint8Array): Head | undefined {
  if (frame.length < HEAD_AT + DIGEST || decoder.decode(frame.subarray(0, 4)) !== MAGIC) return undefined;
  const view = new DataView(frame.buffer, frame.byteOffset);
  const length = view.getUint32(8, true);
  const whole = HEAD_AT + length + view.getUint32(12, true) + DIGEST === frame.length;
  if (view.getUint32(4, true) !== VERSION || !whole) return undefined;
  try {
    return JSON.parse(decoder.decode(frame.subarray(HEAD_AT, HEAD_AT + length)));
  } catch {
    return undefined;
  }
}

/**
 * What was encoded; undefined when the frame is damaged, of another version, of another generator or of another
 * component, all of which mean "make it again".
 */
export async function decode(
  key: string,
  frame: Uint8Array<ArrayBuffer>,
  component: Uint8Array,
): Promise<Transpiled | undefined> {
  const head = readHead(frame);
  if (!head || head.key !== key || head.generator !== GENERATOR) return undefined;
  const end = frame.length - DIGEST;
  if (!same(await digest(frame.subarray(0, end)), frame.subarray(end))) return undefined;
  let at = HEAD_AT + new DataView(frame.buffer, frame.byteOffset).getUint32(8, true);
  const take = (length: number): Uint8Array<ArrayBuffer> => frame.slice(at, (at += length));
  const script = decoder.decode(take(head.script));
  const modules = head.modules.map(([name, where]) => [
    name,
    typeof where === 'number' ? take(where) : new Uint8Array(component.subarray(...where)),
  ]);
  return { script, modules: Object.fromEntries(modules) };
}
