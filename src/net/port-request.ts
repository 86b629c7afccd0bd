/** A request of a page to an HTTP server of the world, on its way to the core: a request, and the answer, as messages. */

import type { PortRequest, PortResponse } from '../core/protocol.ts';
import { receiveStream, sendStream } from './port-stream.ts';

/** The request, and what of it is given away. Of the address only path and query count. Firefox shows no stream of a request's body. */
export async function portRequest(request: Request): Promise<[PortRequest, Transferable[]]> {
  const { pathname, search } = new URL(request.url);
  const headers = [...request.headers];
  const head = { method: request.method, target: pathname + search, headers };
  if (request.body) {
    const { port1, port2 } = new MessageChannel();
    sendStream(request.body, port1);
    return [{ ...head, body: port2 }, [port2]];
  }
  const bytes = new Uint8Array(await request.arrayBuffer());
  return bytes.length === 0 ? [head, []] : [{ ...head, body: bytes }, [bytes.buffer]];
}

/** The body of an answer; null for one that has none. */
export const bodyOf = ({ body }: PortResponse): ReadableStream<Uint8Array> | null => body && receiveStream(body);
