/** The page's client of a relay, in Node, and streams over it with promises for what a test waits for. */

import { WebSocket } from 'ws';
import type { RelayState } from '../../../../src/core/protocol.ts';
import { loopback, type SocketAddress } from '../../../../src/net/address.ts';
import type { NetError } from '../../../../src/net/errors.ts';
import type { Outside, OutsideStream, OutsideTarget } from '../../../../src/net/outside.ts';
import { RelayClient, type RelayClientOptions } from '../../../../src/net/relay/client.ts';
import { later, until } from './relay.ts';

export interface TestClient extends RelayClient {
  states: RelayState[];
}

export function openClient(base: string, options: Partial<RelayClientOptions> = {}): TestClient {
  const states: RelayState[] = [];
  const client = new RelayClient({
    relay: undefined,
    base: new URL(base),
    onState: (state) => states.push(state),
    ...options,
    platform: { WebSocket: WebSocket as unknown as typeof globalThis.WebSocket, ...options.platform },
  });
  later(() => client.close());
  return Object.assign(client, { states });
}

/** A platform on which no WebSocket comes through. */
export const blocked = {
  WebSocket: class {
    onclose?: () => void;
    constructor() {
      queueMicrotask(() => this.onclose?.());
    }
    close() {}
  } as unknown as typeof globalThis.WebSocket,
};

export const local = (port: number): OutsideTarget => ({ host: loopback(4), port });

/** A stream that keeps what it hears. */
export class TestStream {
  readonly stream: OutsideStream;
  readonly pieces: Uint8Array[] = [];
  addresses: { local: SocketAddress; remote: SocketAddress } | undefined;
  received = 0;
  room = 0;
  ended = false;
  closed = false;
  error: NetError | undefined;
  /** How often each end was told: none may be told twice. */
  told = { opened: 0, end: 0, closed: 0 };
  /** Whether what comes is granted again at once. */
  generous = true;
  #wake = () => {};

  constructor(client: Outside, target: OutsideTarget, credit = 256 * 1024) {
    let inside = true;
    const outside = () => {
      if (inside) throw new Error('told from within the call');
      this.#wake();
    };
    this.stream = client.connect(target, credit, {
      opened: (addresses) => {
        this.addresses = addresses;
        this.told.opened++;
        outside();
      },
      data: (bytes) => {
        this.pieces.push(bytes);
        this.received += bytes.length;
        if (this.generous) this.stream.grant(bytes.length);
        outside();
      },
      end: () => {
        this.ended = true;
        this.told.end++;
        outside();
      },
      room: (bytes) => {
        this.room += bytes;
        outside();
      },
      closed: (error) => {
        this.closed = true;
        this.error = error;
        this.told.closed++;
        outside();
      },
    });
    inside = false;
  }

  /** Resolves at each event, or after a moment. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, 50);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async opened(): Promise<this> {
    await until(() => this.addresses !== undefined || this.closed, 'the opening');
    if (this.error) throw this.error;
    return this;
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      if (this.closed) throw this.error;
      if (this.room === 0) {
        await this.#change();
        continue;
      }
      const piece = bytes.subarray(at, at + this.room);
      this.room -= piece.length;
      at += piece.length;
      this.stream.send(piece);
    }
  }

  async whole(): Promise<Buffer> {
    while (!this.ended) {
      if (this.closed) throw this.error;
      await this.#change();
    }
    return Buffer.concat(this.pieces);
  }
}
