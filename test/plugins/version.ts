/** Makes versions of the probe without a compiler, by writing over the slot that `probe/src/version.rs` keeps for it. */

const MARKER = new TextEncoder().encode('SAUSAGE-PROBE-VERSION=');
const ROOM = 40;

/** A copy of the probe that reports `version` (at most 40 bytes); another version has another SHA-256. */
export function withVersion(probe: Uint8Array, version: string): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(version);
  if (text.length > ROOM) throw new RangeError(`a version has at most ${ROOM} bytes`);
  const copy = new Uint8Array(probe);
  const found = places(copy);
  if (found.length !== 1) throw new Error(`the probe has ${found.length} slots for its version`);
  copy.fill(0x20, found[0], found[0]! + ROOM);
  copy.set(text, found[0]);
  return copy;
}

/** Where the text of the slot begins, for each slot. */
function places(bytes: Uint8Array): number[] {
  const result: number[] = [];
  for (let at = bytes.indexOf(MARKER[0]!); at >= 0; at = bytes.indexOf(MARKER[0]!, at + 1)) {
    if (MARKER.every((byte, index) => bytes[at + index] === byte)) result.push(at + MARKER.length);
  }
  return result;
}
