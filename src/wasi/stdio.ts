import type { Client, OutputRing } from '../syscall/client.ts';
import { CLOSED, InputStream, OutputStream } from './streams.ts';

/** stdin: the ring that the core fills. All handles of it read the same bytes, each byte once. */
export class Stdin extends InputStream {
  readonly #client: Client;

  constructor(client: Client) {
    super();
    this.#client = client;
  }

  ready(): boolean {
    // The order matters: what was written before the end is in the ring when the end is seen.
    return this.#client.stdinClosed || this.#client.stdin.held > 0;
  }

  prepare(most: number, wait: boolean): number {
    const client = this.#client;
    for (;;) {
      const seen = client.event();
      const closed = client.stdinClosed;
      const held = client.stdin.held;
      if (held > 0) return Math.min(held, most);
      if (closed) return CLOSED;
      if (!wait || most === 0) return 0;
      client.sleep(seen);
    }
  }

  take(into: Uint8Array): void {
    this.#client.stdin.readInto(into);
    this.#client.stdinTaken();
  }

  skip(count: number): void {
    this.#client.stdin.skip(count);
    this.#client.stdinTaken();
  }
}

/** stdout or stderr: a ring that the core empties, so a program that writes faster waits. */
export class StandardOutput extends OutputStream {
  readonly #client: Client;
  readonly #ring: OutputRing;

  constructor(client: Client, ring: OutputRing) {
    super();
    this.#client = client;
    this.#ring = ring;
  }

  ready(): boolean {
    return this.#ring.free > 0;
  }

  permit(): number {
    return this.#ring.free;
  }

  write(bytes: Uint8Array): void {
    this.#ring.writeAll(bytes);
  }

  wait(): void {
    for (;;) {
      const seen = this.#client.event();
      if (this.ready()) return;
      this.#client.sleep(seen);
    }
  }
}
