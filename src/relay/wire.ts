/** What carries frames between the relay and one client: a WebSocket, or requests of HTTPS. */

/** Above so many bytes on their way to the client nothing more is read from outside for it; below, reading goes on. */
export const HIGH_WATER = 4 * 1024 * 1024;
export const LOW_WATER = 1024 * 1024;
/** A client with so many bytes on their way does not read what it is sent at all. */
export const DROWNED = 4 * HIGH_WATER;

export interface Wire {
  readonly transport: 'websocket' | 'https';
  /** Bytes that were sent and have not reached the client, as far as this side can know. */
  readonly buffered: number;
  send(frame: Uint8Array): void;
  /** After what was sent. */
  close(): void;
  /** Without ceremony. */
  cut(): void;
}

export interface WireEvents {
  frame(bytes: Uint8Array): void;
  /** `buffered` has fallen. */
  drained(): void;
  closed(): void;
}
