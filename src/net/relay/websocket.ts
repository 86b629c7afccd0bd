/** Frames over a WebSocket. */

import { PROTOCOL } from '../../relay/protocol.ts';
import type { OpenTransport, Platform } from './transport.ts';

export function webSocketTransport({ WebSocket }: Pick<Platform, 'WebSocket'>): OpenTransport {
  return (url, hello, events, signal) =>
    new Promise((resolve, reject) => {
      const address = new URL(url);
      address.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
      const socket = new WebSocket(address, [PROTOCOL]);
      socket.binaryType = 'arraybuffer';
      const close = () => {
        socket.onopen = socket.onclose = socket.onmessage = null;
        socket.close();
      };
      const abort = () => {
        close();
        reject(new Error('it does not answer'));
      };
      signal.addEventListener('abort', abort, { once: true });
      socket.onopen = () => {
        signal.removeEventListener('abort', abort);
        socket.onclose = ({ reason }) => events.closed(reason || 'the connection was lost');
        socket.send(hello);
        // Frames are made for this one use, so none is a view of shared memory.
        resolve({ kind: 'websocket', send: (frame) => socket.send(frame as Uint8Array<ArrayBuffer>), close });
      };
      socket.onmessage = ({ data }) => {
        if (data instanceof ArrayBuffer) events.frame(new Uint8Array(data));
      };
      socket.onclose = () => {
        signal.removeEventListener('abort', abort);
        reject(new Error('it cannot be reached'));
      };
      if (signal.aborted) abort();
    });
}
