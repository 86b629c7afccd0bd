import type { NetCode } from '../../net/errors.ts';
import type { PipeReader, PipeWriter } from '../../net/pipe.ts';
import type { Client } from '../../syscall/client.ts';
import { CLOSED, InputStream, IoError, OutputStream } from '../streams.ts';

/** What a stream of a socket failed with, which `network-error-code` tells. */
export class SocketIoError extends IoError {
  readonly networkCode: NetCode;
  constructor(code: NetCode) {
    super(code);
    this.networkCode = code;
  }
}

/** What comes over a connection. */
export class SocketInput extends InputStream {
  readonly #client: Client;
  readonly #reader: PipeReader;
  readonly #dropped: () => void;
  #closed = false;
  #failed = false;

  constructor(client: Client, reader: PipeReader, dropped: () => void) {
    super();
    this.#client = client;
    this.#reader = reader;
    this.#dropped = dropped;
  }

  ready(): boolean {
    return this.#closed || this.#failed || this.#reader.ready();
  }

  prepare(most: number, wait: boolean): number {
    if (this.#closed || this.#failed) return CLOSED;
    const [client, reader] = [this.#client, this.#reader];
    for (;;) {
      const seen = client.event();
      // asked first: what was written before the end is there when the end is seen
      const { end } = reader;
      const { held } = reader;
      if (held > 0) return Math.min(held, most);
      if (end === 'ended') return CLOSED;
      if (end === 'reset') {
        this.#failed = true;
        throw new SocketIoError('connection-reset');
      }
      if (!wait || most === 0) return 0;
      if (!reader.ready()) client.sleep(seen);
    }
  }

  take(into: Uint8Array): void {
    this.#reader.readInto(into);
  }

  skip(count: number): void {
    this.#reader.skip(count);
  }

  /** Nothing is received any more: the program shut this half down. */
  shutdown(): void {
    this.#closed = true;
    this.#reader.discard();
  }

  override drop(): void {
    this.shutdown();
    this.#dropped();
  }
}

/** What goes over a connection. What was written is on its way: the end waits for nothing. */
export class SocketOutput extends OutputStream {
  readonly #client: Client;
  readonly #writer: PipeWriter;
  readonly #dropped: () => void;
  #failed = false;

  constructor(client: Client, writer: PipeWriter, dropped: () => void) {
    super();
    this.#client = client;
    this.#writer = writer;
    this.#dropped = dropped;
  }

  ready(): boolean {
    return this.#failed || this.#writer.broken || this.#writer.ready();
  }

  permit(): number {
    this.#client.looks++;
    if (this.#failed) return CLOSED;
    if (this.#writer.broken) return this.#fail();
    if (this.#writer.ended) return CLOSED;
    return this.#writer.ready() ? this.#writer.free : 0;
  }

  #fail(): never {
    this.#failed = true;
    throw new SocketIoError('connection-reset');
  }

  write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      const count = this.#writer.broken ? this.#fail() : this.#writer.write(bytes, done);
      done += count;
      if (count === 0) this.wait();
    }
  }

  wait(): void {
    for (;;) {
      const seen = this.#client.event();
      if (this.ready()) return;
      this.#client.sleep(seen);
    }
  }

  /** Nothing is sent any more: the other side comes to the end. */
  shutdown(): void {
    this.#writer.close();
  }

  override drop(): void {
    this.shutdown();
    this.#dropped();
  }
}
