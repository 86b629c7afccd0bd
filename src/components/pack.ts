/**
 * The shipped pack: transpiled components of the plugins that come with the playground, so that a first visit does not
 * load jco. Format (`docs/FORMATS.md`): 'SAUP', u32 version, then gzip over frames (`frame.ts`), each after its length
 * (u32, little-endian).
 */

import { keyOf } from './frame.ts';

const MAGIC = 'SAUP';
const VERSION = 1;

/** `compress` is gzip without a time stamp, so that equal frames give equal bytes. */
export function packFrames(frames: Uint8Array[], compress: (bytes: Uint8Array) => Uint8Array): Uint8Array<ArrayBuffer> {
  const body = new Uint8Array(frames.reduce((sum, frame) => sum + 4 + frame.length, 0));
  let at = 0;
  for (const frame of frames) {
    new DataView(body.buffer).setUint32(at, frame.length, true);
    body.set(frame, at + 4);
    at += 4 + frame.length;
  }
  const compressed = compress(body);
  const pack = new Uint8Array(8 + compressed.length);
  pack.set(new TextEncoder().encode(MAGIC));
  new DataView(pack.buffer).setUint32(4, VERSION, true);
  pack.set(compressed, 8);
  return pack;
}

/** The frames of a pack by their keys; none for a pack of another version, whose components are then made anew. */
export async function readPack(pack: Uint8Array<ArrayBuffer>): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const frames = new Map<string, Uint8Array<ArrayBuffer>>();
  const magic = new TextDecoder().decode(pack.subarray(0, 4));
  if (magic !== MAGIC || new DataView(pack.buffer, pack.byteOffset).getUint32(4, true) !== VERSION) return frames;
  const stream = new Blob([pack.subarray(8)]).stream().pipeThrough(new DecompressionStream('gzip'));
  const body = await new Response(stream).arrayBuffer();
  const view = new DataView(body);
  for (let at = 0; at < body.byteLength; ) {
    const length = view.getUint32(at, true);
    const frame = new Uint8Array(body, at + 4, length);
    const key = keyOf(frame);
    if (key) frames.set(key, frame);
    at += 4 + length;
  }
  return frames;
}
