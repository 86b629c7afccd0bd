/** What carries frames between the page and its relay, and what can be said of it. */

import type { RelayState } from '../../core/protocol.ts';

export type TransportKind = Extract<RelayState, { kind: 'connected' }>['transport'];

/** The ways to a relay that are tried. By HTTPS it shows only then whether streams come through. */
export type Way = 'websocket' | 'https';

export interface Transport {
  /** Known for good when the relay has said WELCOME. */
  readonly kind: TransportKind;
  send(frame: Uint8Array): void;
  /** Ends it; `closed` is not told. */
  close(): void;
}

export interface TransportEvents {
  frame(bytes: Uint8Array): void;
  /** It broke, or the relay ended it. Once. */
  closed(reason: string): void;
}

/** Opens a transport and sends HELLO on it. Rejects with an `Error` whose message is a sentence without its end. */
export type OpenTransport = (
  url: URL,
  hello: Uint8Array<ArrayBuffer>,
  events: TransportEvents,
  signal: AbortSignal,
) => Promise<Transport>;

/** The parts of a browser that are used here, so that Node's tests can bring others. */
export interface Platform {
  WebSocket: typeof WebSocket;
  fetch: typeof fetch;
}
