/** Frames over a WebSocket, one in each binary message. */

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { PROTOCOL } from './protocol.ts';
import { LARGEST_FRAME } from './session.ts';
import type { Wire, WireEvents } from './wire.ts';

/** How long a client may take to answer a close, in milliseconds. */
const CLOSE_MS = 2000;
/** What a frame that waits to be sent takes beside its bytes, about: many small ones must not go for few bytes. */
const FRAME_COST = 1024;
/** Pieces that one frame may come in. Each may keep alive a whole chunk of what was received. */
const MOST_PIECES = 64;

class WebSocketWire implements Wire {
  readonly transport = 'websocket';
  readonly #socket: WebSocket;
  #events!: WireEvents;
  /** Frames that the system has not taken yet. */
  #unsent = 0;
  readonly #sent = (): void => {
    this.#unsent--;
    this.#events.drained();
  };

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  start(events: WireEvents): void {
    this.#events = events;
    this.#socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) events.frame(data);
      else this.#socket.close(1003, 'only binary messages');
    });
    // An error (a frame too large, a broken one) is followed by a close.
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => events.closed());
  }

  get buffered(): number {
    return this.#socket.bufferedAmount + this.#unsent * FRAME_COST;
  }

  send(frame: Uint8Array): void {
    this.#unsent++;
    this.#socket.send(frame, this.#sent);
  }

  close(): void {
    this.#socket.close(1000);
    const timer = setTimeout(() => this.#socket.terminate(), CLOSE_MS);
    this.#socket.once('close', () => clearTimeout(timer));
  }

  cut(): void {
    this.#socket.terminate();
  }
}

export class WebSocketTransport {
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: LARGEST_FRAME,
    maxFragments: MOST_PIECES,
    perMessageDeflate: false,
    clientTracking: false,
    handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false),
  });

  /** Finishes an upgrade that may be made, and hands the wire over. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, attach: (wire: Wire) => WireEvents): void {
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      const wire = new WebSocketWire(webSocket);
      wire.start(attach(wire));
    });
  }
}
