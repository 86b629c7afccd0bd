/** The core's end of a connection to the outside: moves bytes between the rings of a process and a stream of the relay. */

import { Budget, Grants } from '../relay/credit.ts';
import type { SocketAddress } from './address.ts';
import type { NetError } from './errors.ts';
import type { Connection, View } from './loopback/connection.ts';
import type { OutsideStream, OutsideStreamEvents } from './outside.ts';

/** Bytes that the other side may be ahead of the process, at first and while the process keeps up. */
export const WINDOW = 256 * 1024;
export const MOST_WINDOW = 4 * 1024 * 1024;
/** What all streams of a world may be ahead together, beyond their first windows. */
const BUDGET = new Budget(64 * 1024 * 1024);
/** How long a stream whose process has gone may take to end, in milliseconds. */
const LINGER = 30_000;
const CHUNK = 64 * 1024;

export interface BridgeHost {
  open(credit: number, events: OutsideStreamEvents): OutsideStream;
  /** Makes the connection whose second side is the core's. */
  connection(view: View): Connection;
  opened(connection: Connection): void;
  failed(error: NetError): void;
  /** The bridge moves nothing any more. */
  done(): void;
}

export class Bridge implements OutsideStreamEvents {
  readonly #host: BridgeHost;
  readonly #stream: OutsideStream;
  #connection: Connection | undefined;
  /** What came and had no room in the ring yet. */
  readonly #incoming: { bytes: Uint8Array; offset: number }[] = [];
  #room = 0;
  readonly #grants = new Grants(WINDOW, MOST_WINDOW, BUDGET);
  #sentEnd = false;
  #gotEnd = false;
  #closed: { error?: NetError } | undefined;
  #linger: ReturnType<typeof setTimeout> | undefined;
  #done = false;

  constructor(host: BridgeHost) {
    this.#host = host;
    this.#stream = host.open(WINDOW, this);
  }

  opened({ local, remote }: { local: SocketAddress; remote: SocketAddress }): void {
    if (this.#done) return;
    try {
      this.#connection = this.#host.connection({ local, remote });
    } catch (error) {
      this.callOff();
      this.#host.failed(error as NetError);
      return;
    }
    this.#host.opened(this.#connection);
    this.attend();
  }

  data(bytes: Uint8Array): void {
    this.#incoming.push({ bytes, offset: 0 });
    this.attend();
  }

  end(): void {
    this.#gotEnd = true;
    this.attend();
  }

  room(bytes: number): void {
    this.#room += bytes;
    this.attend();
  }

  closed(error?: NetError): void {
    this.#closed = error ? { error } : {};
    if (this.#connection) this.attend();
    else {
      this.#finish();
      if (error) this.#host.failed(error);
    }
  }

  /** Gives up an opening that is under way. */
  callOff(): void {
    if (this.#done) return;
    this.#stream.reset();
    this.#finish();
  }

  /** Moves what can be moved. The process rings when it has made room or written something. */
  readonly attend = (): void => {
    const connection = this.#connection;
    if (!connection || this.#done) return;
    this.#send(connection);
    if (!this.#done) this.#receive(connection);
  };

  #send(connection: Connection): void {
    const reader = connection.reader(1);
    if (this.#closed) {
      // nobody is there who would take it
      connection.reader(1).leave();
      return;
    }
    do {
      const { end } = reader;
      while (this.#room > 0 && reader.held > 0) {
        const bytes = new Uint8Array(Math.min(this.#room, reader.held, CHUNK));
        reader.readInto(bytes);
        this.#room -= bytes.length;
        this.#stream.send(bytes);
      }
      if (reader.held > 0) return;
      if (end === 'reset') {
        this.#stream.reset();
        connection.release(1);
        this.#finish();
        return;
      }
      if (end === 'ended') {
        if (!this.#sentEnd) this.#stream.end();
        this.#sentEnd = true;
        return;
      }
    } while (reader.ready());
  }

  #receive(connection: Connection): void {
    const writer = connection.writer(1);
    do {
      for (let first = this.#incoming[0]; first; first = this.#incoming[0]) {
        // for a process that has let go, what comes is taken and dropped, so that the other side comes to its end
        const taken = writer.broken ? first.bytes.length - first.offset : writer.write(first.bytes, first.offset);
        if (taken === 0) break;
        first.offset += taken;
        const credit = this.#grants.used(taken);
        if (credit > 0 && !this.#closed && !this.#gotEnd) this.#stream.grant(credit);
        if (first.offset === first.bytes.length) this.#incoming.shift();
      }
      if (this.#incoming.length === 0) break;
    } while (writer.ready());
    if (this.#incoming.length === 0) {
      if (this.#gotEnd) writer.close();
      if (this.#closed?.error) connection.reset(1, false);
      else if (this.#closed) connection.release(1);
      if (this.#closed) this.#finish();
    }
    if (writer.broken && this.#sentEnd && !this.#done) {
      this.#linger ??= setTimeout(() => {
        this.#stream.reset();
        connection.release(1);
        this.#finish();
      }, LINGER);
    }
  }

  #finish(): void {
    this.#done = true;
    this.#grants.release();
    clearTimeout(this.#linger);
    this.#incoming.length = 0;
    this.#host.done();
  }
}
