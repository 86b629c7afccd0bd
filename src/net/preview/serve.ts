/** The core's end of a preview's channel: requests to one port of the world, and to no other. */

import type { Network } from '../network.ts';
import { fetchPort } from '../port-fetch.ts';
import type { FromPort, ToPort } from './protocol.ts';

/** Answers what comes over the channel; the function that is returned ends it and all that is under way. */
export function servePreview(network: Network, port: number, channel: MessagePort): () => void {
  /** Requests that have no answer yet. */
  const under = new Map<number, AbortController>();
  /** Also ends bodies that are still on their way. */
  const ended = new AbortController();
  const tell = (message: FromPort, transfer: Transferable[] = []) => channel.postMessage(message, transfer);

  const serve = async ({ id, request }: Extract<ToPort, { type: 'request' }>): Promise<void> => {
    const abort = new AbortController();
    under.set(id, abort);
    try {
      const [response, given] = await fetchPort(network, port, request, AbortSignal.any([abort.signal, ended.signal]));
      tell({ type: 'response', id, response }, given);
    } catch (error) {
      tell({ type: 'failed', id, message: error instanceof Error ? error.message : String(error) });
    } finally {
      under.delete(id);
    }
  };

  channel.onmessage = ({ data }: MessageEvent<ToPort>) => {
    if (data?.type === 'request') void serve(data);
    else if (data?.type === 'cancel') under.get(data.id)?.abort();
  };
  return () => {
    channel.onmessage = null;
    channel.close();
    ended.abort();
  };
}
