import { NetError } from '../errors.ts';
import type { Connection, Side } from '../loopback/connection.ts';

/** Bytes of one read. */
const PIECE = 64 * 1024;

/** The core's own side of a connection to a process of the world, as promises. */
export class CoreConnection {
  readonly #connection: Connection;
  readonly #side: Side;
  readonly #attended: Set<() => void>;
  #changed: (() => void)[] = [];
  #closed = false;

  /** `attended` are those who look after connections when the process rings. */
  constructor(connection: Connection, side: Side, attended: Set<() => void>) {
    this.#connection = connection;
    this.#side = side;
    this.#attended = attended;
    attended.add(this.#attend);
  }

  readonly #attend = (): void => {
    const changed = this.#changed;
    this.#changed = [];
    for (const go of changed) go();
  };

  #wait(): Promise<void> {
    return new Promise((resolve) => this.#changed.push(resolve));
  }

  /** Writes all bytes, as the other side makes room. Throws `NetError`. */
  async write(bytes: Uint8Array): Promise<void> {
    const writer = this.#connection.writer(this.#side);
    for (let done = 0; done < bytes.length; ) {
      if (this.#closed || writer.broken) throw new NetError('connection-reset');
      done += writer.write(bytes, done);
      if (done < bytes.length && !writer.ready()) await this.#wait();
    }
  }

  /** The next bytes, or undefined at the end. Throws `NetError` when the connection broke. */
  async read(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const reader = this.#connection.reader(this.#side);
    for (;;) {
      if (this.#closed) throw new NetError('connection-aborted');
      // asked first: what was written before the end is there when the end is seen
      const { end } = reader;
      const { held } = reader;
      if (held > 0) {
        const bytes = new Uint8Array(Math.min(held, PIECE));
        reader.readInto(bytes);
        return bytes;
      }
      if (end === 'ended') return undefined;
      if (end === 'reset') throw new NetError('connection-reset');
      if (!reader.ready()) await this.#wait();
    }
  }

  /** Both halves are over; what was written still arrives. */
  close(): void {
    this.#leave(() => this.#connection.release(this.#side));
  }

  /** The other side fails, after what was written. */
  reset(): void {
    this.#leave(() => this.#connection.reset(this.#side, false));
  }

  #leave(end: () => void): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#attended.delete(this.#attend);
    end();
    this.#attend();
  }
}
