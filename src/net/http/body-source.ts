import { HttpError } from './errors.ts';

/** Bytes that are kept of a body on its way, so that it can be sent a second time. */
const KEPT = 1024 * 1024;
/** Of a body that a browser takes only whole. */
const MOST = 64 * 1024 * 1024;

/** The body of a request: as a stream, as a whole, or as a stream at first and then, while it is short, as a whole. */
export class BodySource {
  readonly #read: () => Promise<Uint8Array<ArrayBuffer> | undefined>;
  #pieces: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;
  #streamed = false;
  #ended = false;
  /** Reads come one after the other, whoever asks. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(read: () => Promise<Uint8Array<ArrayBuffer> | undefined>) {
    this.#read = read;
  }

  /** Nothing that was read is lost, so `rest` gives all of it. */
  get whole(): boolean {
    return !this.#streamed || this.#bytes <= KEPT;
  }

  stream(): ReadableStream<Uint8Array> {
    this.#streamed = true;
    return new ReadableStream(
      {
        pull: async (controller) => {
          const piece = await this.#next();
          if (piece) controller.enqueue(piece);
          else controller.close();
        },
      },
      { highWaterMark: 0 },
    );
  }

  /** The pieces from the start on, when it has come to its end. */
  async rest(): Promise<Uint8Array<ArrayBuffer>[]> {
    this.#streamed = false;
    while (await this.#next()) {
      if (this.#bytes > MOST) throw new HttpError('HTTP-request-body-size', { size: this.#bytes });
    }
    return this.#pieces;
  }

  #next(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const next = this.#last.then(async () => {
      const piece = this.#ended ? undefined : await this.#read();
      if (!piece) {
        this.#ended = true;
        return undefined;
      }
      this.#bytes += piece.length;
      if (this.whole) this.#pieces.push(piece);
      else this.#pieces = [];
      return piece;
    });
    this.#last = next.catch(() => {});
    return next;
  }
}
