/** As much of HTTP as a page needs: one request a connection, with a body of at most 1 MB. */

import type { Connection } from 'sausage/net';

export interface Request {
  method: string;
  /** Decoded, without the query. */
  path: string;
  body: string;
}

export interface Answer {
  status: number;
  type: string;
  body: Uint8Array | string;
}

const MOST = 1024 * 1024;
const WORDS: Record<number, string> = { 200: 'OK', 400: 'Bad Request', 404: 'Not Found', 405: 'Method Not Allowed' };

export const text = (status: number, body: string): Answer => ({ status, type: 'text/plain; charset=utf-8', body });
export const json = (value: unknown): Answer => ({
  status: 200,
  type: 'application/json',
  body: JSON.stringify(value ?? null),
});

/** What a client asks; undefined when it went away or speaks something else. */
export async function readRequest(connection: Connection): Promise<Request | undefined> {
  let bytes = new Uint8Array();
  for await (const more of pieces(connection)) {
    const all = new Uint8Array(bytes.length + more.length);
    all.set(bytes);
    all.set(more, bytes.length);
    bytes = all;
    if (bytes.length > MOST) return undefined;
    const request = parse(bytes);
    if (request) return request;
  }
  return undefined;
}

/** What comes; unlike the connection's own iterator, it leaves the connection open for the answer. */
async function* pieces(connection: Connection): AsyncGenerator<Uint8Array> {
  for (let bytes = await connection.read(); bytes; bytes = await connection.read()) yield bytes;
}

/** The request, once all of it is there. */
export function parse(bytes: Uint8Array): Request | undefined {
  // one letter a byte, so that places in the text are places in the bytes
  const latin = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  const end = latin.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [line = '', ...headers] = latin.slice(0, end).split('\r\n');
  const header = (name: string) => headers.find((one) => one.toLowerCase().startsWith(`${name}:`))?.slice(name.length + 1);
  const rest = latin.slice(end + 4);
  const body = /chunked/i.test(header('transfer-encoding') ?? '')
    ? joined(rest)
    : whole(rest, Number(header('content-length') ?? 0));
  if (body === undefined) return undefined;
  const [method = '', target = ''] = line.split(' ');
  const text = new TextDecoder().decode(Uint8Array.from(body, (letter) => letter.charCodeAt(0)));
  return { method, path: decodeURIComponent(target.replace(/\?.*/, '')), body: text };
}

const whole = (text: string, length: number) => (text.length < length ? undefined : text.slice(0, length));

/** A body that comes in pieces, each with its length in a line before it; the last has none. */
function joined(text: string): string | undefined {
  let body = '';
  for (let at = 0; ; ) {
    const start = text.indexOf('\r\n', at) + 2;
    const length = Number.parseInt(text.slice(at, start), 16);
    if (start < 2 || text.length < start + length + 2) return undefined;
    if (!(length > 0)) return body;
    body += text.slice(start, start + length);
    at = start + length + 2;
  }
}

export async function answer(connection: Connection, { status, type, body }: Answer, head: boolean): Promise<void> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const lines = [
    `HTTP/1.1 ${status} ${WORDS[status] ?? 'Error'}`,
    `Content-Type: ${type}`,
    `Content-Length: ${bytes.length}`,
    'Connection: close',
  ];
  await connection.write(`${lines.join('\r\n')}\r\n\r\n`);
  if (!head) await connection.write(bytes);
  await connection.end();
}
