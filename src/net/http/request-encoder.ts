import { contentLength, type Field } from './syntax.ts';

const encoder = new TextEncoder();
export const LINE_END = encoder.encode('\r\n');

/** How the end of a body is found: it has none, a length, or comes in chunks. */
export type Framing = { kind: 'none' } | { kind: 'length'; length: number } | { kind: 'chunked' };

export interface RequestHead {
  method: string;
  /** Path and query. */
  target: string;
  authority: string;
  /** Without `host`, `connection` and `transfer-encoding`, which are made here. */
  fields: readonly Field[];
  /** Undefined when there is no body; a length when it is known. */
  body: { length?: number } | undefined;
}

/** Methods that usually have a body: without one they say so. */
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/** The head of a request over a connection that is for this request alone, and how its body is to be sent. */
export function encodeHead({ method, target, authority, fields, body }: RequestHead): {
  bytes: Uint8Array;
  framing: Framing;
} {
  const given = contentLength(fields);
  const length = given ?? body?.length ?? (!body && WITH_BODY.has(method) ? 0 : undefined);
  const framing: Framing = !body
    ? { kind: 'none' }
    : length === undefined
      ? { kind: 'chunked' }
      : { kind: 'length', length };
  const made: Field[] = [['host', encoder.encode(authority)], ...fields, ['connection', encoder.encode('close')]];
  if (given === undefined && length !== undefined) made.push(['content-length', encoder.encode(String(length))]);
  if (framing.kind === 'chunked') made.push(['transfer-encoding', encoder.encode('chunked')]);
  const line = encoder.encode(`${method} ${escaped(target)} HTTP/1.1\r\n`);
  return { bytes: joined([line, encodeFields(made), LINE_END]), framing };
}

/** The target with what is beyond ASCII escaped; what is escaped already stays as it is. */
const escaped = (target: string): string => target.replace(/[\u{80}-\u{10ffff}]+/gu, encodeURIComponent);

/** Lines of headers or trailers, without the empty one. */
export function encodeFields(fields: readonly Field[]): Uint8Array {
  return joined(fields.flatMap(([name, value]) => [encoder.encode(`${name}: `), value, LINE_END]));
}

/** What stands before the bytes of a chunk; `LINE_END` comes after them. */
export const chunkHead = (length: number): Uint8Array => encoder.encode(`${length.toString(16)}\r\n`);

/** The end of a body in chunks. */
export const lastChunk = (trailers: readonly Field[] = []): Uint8Array =>
  joined([encoder.encode('0\r\n'), encodeFields(trailers), LINE_END]);

/** More than a chunk adds to its bytes. */
export const CHUNK_OVERHEAD = 16;

function joined(parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
