import { deflateRawSync, crc32 as nodeCrc32 } from 'node:zlib';

/** A zip put together by hand, so that it can be wrong in any way. What is not given is right. */
export interface Part {
  name: string;
  data?: Uint8Array | string;
  /** 8 is deflated, 0 stored. */
  method?: number;
  flags?: number;
  /** What the directory says, whatever the truth. */
  size?: number;
  packedSize?: number;
  crc?: number;
  /** 3 is Unix, 0 DOS. */
  madeBy?: number;
  mode?: number;
  /** The name in front of the data, when it is another. */
  localName?: string;
  /** Share the data of the part with this index. */
  sharedWith?: number;
}

const encoder = new TextEncoder();

export function makeZip(parts: Part[], options: { comment?: string; count?: number } = {}): Blob {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  const offsets: number[] = [];
  let at = 0;
  for (const part of parts) {
    const data = typeof part.data === 'string' ? encoder.encode(part.data) : (part.data ?? new Uint8Array());
    const method = part.method ?? 8;
    const packed = method === 8 ? deflateRawSync(data) : data;
    const name = encoder.encode(part.name);
    const common = record(
      [2, 20],
      [2, (part.flags ?? 0) | 0x800],
      [2, method],
      [2, 0],
      [2, 0x5821],
      [4, part.crc ?? crc32(data)],
      [4, part.packedSize ?? packed.length],
      [4, part.size ?? data.length],
    );
    let offset = offsets[part.sharedWith ?? -1];
    if (offset === undefined) {
      offset = at;
      const localName = encoder.encode(part.localName ?? part.name);
      const local = [record([4, 0x04034b50]), common, record([2, localName.length], [2, 0]), localName];
      for (const chunk of [...local, new Uint8Array(packed)]) {
        chunks.push(chunk);
        at += chunk.length;
      }
    }
    offsets.push(offset);
    directory.push(
      record([4, 0x02014b50], [2, ((part.madeBy ?? 3) << 8) | 20]),
      common,
      record([2, name.length], [2, 0], [2, 0], [2, 0], [2, 0], [4, ((part.mode ?? 0o100644) << 16) >>> 0], [4, offset]),
      name,
    );
  }
  const length = directory.reduce((sum, chunk) => sum + chunk.length, 0);
  const comment = encoder.encode(options.comment ?? '');
  const count = (options.count ?? parts.length) & 0xffff;
  const end = record(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, length],
    [4, at],
    [2, comment.length],
  );
  return new Blob([...chunks, ...directory, end, comment]);
}

/** A zip of so many empty files, with the records that more than 65,535 need. */
export function makeCrowd(count: number): Blob {
  const local = record(
    [4, 0x04034b50],
    [2, 20],
    [2, 0],
    [2, 0],
    [4, 0x58210000],
    [4, 0],
    [4, 0],
    [4, 0],
    [2, 7],
    [2, 0],
  );
  const header = record([4, 0x02014b50], [2, 0x0314], [2, 20], [2, 0], [2, 0], [4, 0x58210000], [4, 0], [4, 0], [4, 0]);
  const rest = record([2, 7], [2, 0], [2, 0], [2, 0], [2, 0], [4, 0x81a40000]);
  // In one piece: a blob of a million pieces is slow by itself.
  const files = new Uint8Array(count * 37);
  const directory = new Uint8Array(count * 53);
  const view = new DataView(directory.buffer);
  for (let i = 0; i < count; i++) {
    const name = encoder.encode(i.toString(36).padStart(7, '0'));
    files.set(local, i * 37);
    files.set(name, i * 37 + 30);
    directory.set(header, i * 53);
    directory.set(rest, i * 53 + 28);
    view.setUint32(i * 53 + 42, i * 37, true);
    directory.set(name, i * 53 + 46);
  }
  const start = count * 37;
  const length = count * 53;
  const end64 = record(
    [4, 0x06064b50],
    [8, 44],
    [2, 45],
    [2, 45],
    [4, 0],
    [4, 0],
    [8, count],
    [8, count],
    [8, length],
    [8, start],
  );
  const locator = record([4, 0x07064b50], [4, 0], [8, start + length], [4, 1]);
  const end = record([4, 0x06054b50], [2, 0], [2, 0], [2, 0xffff], [2, 0xffff], [4, length], [4, start], [2, 0]);
  return new Blob([files, directory, end64, locator, end]);
}

function record(...fields: [bytes: number, value: number][]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [bytes]) => sum + bytes, 0)));
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 2) view.setUint16(at, value, true);
    else if (bytes === 4) view.setUint32(at, value, true);
    else view.setBigUint64(at, BigInt(value), true);
    at += bytes;
  }
  return new Uint8Array(view.buffer);
}

function crc32(data: Uint8Array): number {
  if (nodeCrc32) return nodeCrc32(data);
  let crc = ~0;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}
