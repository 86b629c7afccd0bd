const P1 = 0x9e3779b1;
const P2 = 0x85ebca77;
const P3 = 0xc2b2ae3d;
const P4 = 0x27d4eb2f;

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function round(lane: number, word: number): number {
  return Math.imul(rotate((lane + Math.imul(word, P2)) | 0, 13), P1);
}

/** xxHash32 of whole words: fast enough (about 2 GB/s) to be taken of everything that goes into the log. */
export function xxHash32(words: Uint32Array, from: number, to: number, seed: number): number {
  let at = from;
  let hash: number;
  if (to - from >= 4) {
    let a = (seed + P1 + P2) | 0;
    let b = (seed + P2) | 0;
    let c = seed | 0;
    let d = (seed - P1) | 0;
    for (const end = to - 4; at <= end; at += 4) {
      a = round(a, words[at] as number);
      b = round(b, words[at + 1] as number);
      c = round(c, words[at + 2] as number);
      d = round(d, words[at + 3] as number);
    }
    hash = (rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18)) | 0;
  } else {
    hash = (seed + 0x165667b1) | 0;
  }
  hash = (hash + (to - from) * 4) | 0;
  for (; at < to; at++) hash = Math.imul(rotate((hash + Math.imul(words[at] as number, P3)) | 0, 17), P4);
  hash = Math.imul(hash ^ (hash >>> 15), P2);
  hash = Math.imul(hash ^ (hash >>> 13), P3);
  return (hash ^ (hash >>> 16)) >>> 0;
}
