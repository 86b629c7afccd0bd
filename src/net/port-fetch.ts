/** The core's side of requests that come as messages: to a server of the world and back. The inverse of `port-request.ts`. */

import type { PortRequest, PortResponse } from '../core/protocol.ts';
import { NetError } from './errors.ts';
import { HttpError } from './http/errors.ts';
import { fetchLocal } from './http/fetch.ts';
import type { Network } from './network.ts';
import { receiveStream, sendStream } from './port-stream.ts';

/** The answer, and what of it is given away. Rejects with an error whose message is a sentence. */
export async function fetchPort(
  network: Network,
  port: number,
  request: PortRequest,
  signal: AbortSignal,
): Promise<[PortResponse, Transferable[]]> {
  const { body } = request;
  const stream = body instanceof MessagePort ? receiveStream(body) : body;
  try {
    const response = await fetchLocal(network, port, { ...request, body: stream }, signal);
    if (!response.body) return [{ ...response, body: null }, []];
    const { port1, port2 } = new MessageChannel();
    sendStream(response.body, port1);
    return [{ ...response, body: port2 }, [port2]];
  } catch (error) {
    if (!(error instanceof NetError || error instanceof HttpError)) throw error;
    // without its code, which would be taken for one of files
    throw new Error(`No answer from port ${port} of this world: ${error.message}.`);
  }
}
