/**
 * Bytes on their way to a socket, one write at a time. What comes meanwhile is gathered in one piece, so that a client
 * which sends byte by byte to somebody who does not read holds its window in memory and not many times that: a write that
 * waits costs Node some hundred bytes, and may keep alive the whole chunk of which its data is a part.
 */

import type { Socket } from 'node:net';

/** Bytes that are gathered in at first; twice as many each time that they do not suffice. */
const FIRST = 16 * 1024;

export class Outgoing {
  readonly #socket: Socket;
  readonly #taken: (bytes: number) => void;
  #writing = false;
  #gathered = Buffer.alloc(0);
  #length = 0;
  #ended: (() => void) | undefined;

  /** `taken` hears how many bytes the system has taken. */
  constructor(socket: Socket, taken: (bytes: number) => void) {
    this.#socket = socket;
    this.#taken = taken;
  }

  write(data: Uint8Array): void {
    if (!this.#writing) {
      this.#write(data);
      return;
    }
    const length = this.#length + data.length;
    if (length > this.#gathered.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(FIRST, length, 2 * this.#gathered.length));
      larger.set(this.#gathered.subarray(0, this.#length));
      this.#gathered = larger;
    }
    this.#gathered.set(data, this.#length);
    this.#length = length;
  }

  /** Ends this half after what was written; `done` is called when it is out. */
  end(done: () => void): void {
    if (this.#writing) this.#ended = done;
    else this.#socket.end(done);
  }

  #write(data: Uint8Array): void {
    this.#writing = true;
    this.#socket.write(data, (error) => {
      this.#writing = false;
      // The socket tells of it, and is over.
      if (error) return;
      this.#next();
      this.#taken(data.length);
    });
  }

  #next(): void {
    if (this.#length > 0) {
      const data = this.#gathered.subarray(0, this.#length);
      this.#gathered = Buffer.alloc(0);
      this.#length = 0;
      this.#write(data);
    } else if (this.#ended) this.#socket.end(this.#ended);
  }
}
