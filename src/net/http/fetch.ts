/** Requests of the core itself to an HTTP server of the world: what the page's `fetch` and port previews use. */

import { loopback } from '../address.ts';
import type { Connection } from '../loopback/connection.ts';
import type { Network, PortHolder } from '../network.ts';
import { CoreConnection } from './core-connection.ts';
import { HttpError } from './errors.ts';
import { chunkHead, encodeHead, LINE_END, lastChunk } from './request-encoder.ts';
import { ResponseDecoder, type ResponseHead } from './response-decoder.ts';
import { type Field, fieldOf, isToken, valueText } from './syntax.ts';

export interface LocalRequest {
  method: string;
  /** Path with query. */
  target: string;
  headers: [name: string, value: string][];
  body?: Uint8Array | ReadableStream<Uint8Array> | undefined;
}

export interface LocalResponse {
  status: number;
  statusText: string;
  headers: [name: string, value: string][];
  /** Null for a response that has none by its nature. */
  body: ReadableStream<Uint8Array> | null;
}

/** What this side says itself about the connection. */
const OWN = new Set(['host', 'connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'te', 'content-length']);
const NULL_BODY = new Set([204, 205, 304]);

/** Rejects with `NetError` or `HttpError` when there is no answer, and when `signal` says that nobody waits any more. */
export async function fetchLocal(
  network: Network,
  port: number,
  request: LocalRequest,
  signal?: AbortSignal,
): Promise<LocalResponse> {
  const line = await connect(network, port, signal);
  const abort = () => line.close();
  signal?.addEventListener('abort', abort, { once: true });
  const end = () => {
    signal?.removeEventListener('abort', abort);
    line.close();
  };
  try {
    // An answer can come before the request is whole, so a failure of the sending shows in what is read.
    const sent = send(line, port, request).catch(() => {});
    const response = await receive(line, request.method, end);
    void sent;
    return response;
  } catch (error) {
    end();
    throw error;
  }
}

function connect(network: Network, port: number, signal?: AbortSignal): Promise<CoreConnection> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const holder: PortHolder = { owner: { pid: 'console', plugin: 'console' }, attended: new Set() };
    const own = network.tcp.take(0, holder);
    const done = () => network.tcp.release(own, holder);
    const attended = network.tcp.get(port)?.attended ?? new Set();
    const callOff = network.connectLocal(port, {
      family: 4,
      port: own,
      remote: { ...loopback(4), port },
      party: 0,
      opened(connection: Connection) {
        done();
        resolve(new CoreConnection(connection, 0, attended));
      },
      failed(error) {
        done();
        reject(error);
      },
    });
    signal?.addEventListener('abort', () => {
      callOff();
      done();
      reject(signal.reason);
    });
  });
}

async function send(
  line: CoreConnection,
  port: number,
  { method, target, headers, body }: LocalRequest,
): Promise<void> {
  const fields: Field[] = headers
    .filter(([name]) => isToken(name) && !OWN.has(name.toLowerCase()))
    .map(([name, value]) => fieldOf(name, value));
  const length = body instanceof Uint8Array ? { length: body.length } : {};
  const { bytes } = encodeHead({ method, target, authority: `127.0.0.1:${port}`, fields, body: body && length });
  await line.write(bytes);
  if (body instanceof Uint8Array) return line.write(body);
  if (!body) return;
  const reader = body.getReader();
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      if (piece.value.length === 0) continue;
      await line.write(chunkHead(piece.value.length));
      await line.write(piece.value);
      await line.write(LINE_END);
    }
    await line.write(lastChunk());
  } catch (error) {
    // the server must not take half a body for a whole one
    line.close();
    await reader.cancel(error);
    throw error;
  }
}

async function receive(line: CoreConnection, method: string, end: () => void): Promise<LocalResponse> {
  let head: ResponseHead | undefined;
  let whole = false;
  const pieces: Uint8Array[] = [];
  const decoder = new ResponseDecoder(method, {
    head(got) {
      head = got;
    },
    data: (bytes) => pieces.push(bytes),
    end() {
      whole = true;
    },
  });
  /** Reads on until there is something new to see. */
  const more = async (): Promise<void> => {
    const bytes = await line.read();
    if (bytes) decoder.push(bytes);
    else if (!head) throw new HttpError('connection-terminated');
    else decoder.close();
  };
  while (!head) await more();
  const { status, reason, fields } = head;
  const none = method === 'HEAD' || NULL_BODY.has(status);
  if (none) end();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          while (pieces.length === 0 && !whole) await more();
          const piece = pieces.shift();
          if (piece) controller.enqueue(piece);
          if (pieces.length > 0 || !whole) return;
          controller.close();
          end();
        } catch (error) {
          end();
          throw error;
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
  const headers = fields.map(([name, value]): [string, string] => [name, valueText(value)]);
  return { status, statusText: reason, headers, body: none ? null : body };
}
