import { ERROR_CODES, type ErrorCode } from '../fs/errors.ts';

/** A resource `error` of `wasi:io`: what a stream's last operation failed with. */
export class IoError {
  /** The position of the error in `ERROR_CODES`, when a file system said it. */
  readonly filesystemCode: number | undefined;
  readonly message: string;

  constructor(message: string, filesystemCode?: number) {
    this.message = message;
    this.filesystemCode = filesystemCode;
  }

  static filesystem(code: number): IoError {
    return new IoError(ERROR_CODES[code] ?? 'io', code);
  }

  get code(): ErrorCode | undefined {
    return this.filesystemCode === undefined ? undefined : ERROR_CODES[this.filesystemCode];
  }
}

/** Something to wait for. Asked again after each event of the process, and at its deadline. */
export abstract class Pollable {
  abstract ready(): boolean;
  /** Milliseconds of `performance.now()` at which it will be ready by itself. */
  get deadline(): number {
    return Number.POSITIVE_INFINITY;
  }
}

/** Files never make a program wait. */
export class AlwaysReady extends Pollable {
  ready(): boolean {
    return true;
  }
}

/** Ready when a stream is. */
export class StreamReady extends Pollable {
  readonly #stream: InputStream | OutputStream;
  constructor(stream: InputStream | OutputStream) {
    super();
    this.#stream = stream;
  }
  ready(): boolean {
    return this.#stream.ready();
  }
}

/** A stream was at its end, or it failed earlier. */
export const CLOSED = -1;

/**
 * A resource `input-stream`. A read is two steps, so that the bytes go straight to their place: `prepare` finds out how
 * many there are, `take` moves them. A failure is thrown as `IoError`.
 */
export abstract class InputStream {
  /** A read would return at once: there is data, the end, or an error. */
  abstract ready(): boolean;
  /** How many bytes, at most `most`, can be taken now, or `CLOSED`. With `wait`, 0 only when `most` is 0. */
  abstract prepare(most: number, wait: boolean): number;
  /** Moves the prepared bytes, all of them, to `into`. */
  abstract take(into: Uint8Array): void;
  /** Takes the prepared bytes away unseen. */
  abstract skip(count: number): void;
  subscribe(): Pollable {
    return new StreamReady(this);
  }
  drop(): void {}
}

/** A resource `output-stream`. A failure is thrown as `IoError`. What was written is delivered: there is no flush. */
export abstract class OutputStream {
  abstract ready(): boolean;
  /** How many bytes `write` takes without a wait; 0 when none, or `CLOSED`. */
  abstract permit(): number;
  /** Writes all of `bytes`, and waits for room when there is more than was permitted. */
  abstract write(bytes: Uint8Array): void;
  /** Waits until something is permitted. */
  abstract wait(): void;
  subscribe(): Pollable {
    return new StreamReady(this);
  }
  drop(): void {}
}
