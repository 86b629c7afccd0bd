import type { Client } from '../syscall/client.ts';

/**
 * What the answer of an open tells ahead of the questions that usually follow: the metadata, and the content of a small
 * file. A program that opens, asks for the size, and reads to the end makes one call of the core instead of four.
 *
 * As a `Hint`, it is good while the process has looked at nothing from outside since (`Client.looks`).
 */
export class Glance {
  readonly #client: Client;
  readonly #looks: number;
  readonly #node: Float64Array;
  readonly #times: BigInt64Array;
  /** The whole content; undefined when it is not known. */
  readonly #content: Uint8Array | undefined;

  /** Takes over the answer of the open that the client has just got. */
  constructor(client: Client) {
    const { args, times, payload } = client;
    const ahead = args[6] as number;
    this.#client = client;
    this.#looks = client.looks;
    this.#node = args.slice(1, 6);
    this.#times = times.slice();
    this.#content = ahead < 0 ? undefined : payload.slice(times.byteLength, times.byteLength + ahead);
  }

  get #isGood(): boolean {
    return this.#client.looks === this.#looks;
  }

  /** Answers in place of `OP.stat`; false when it has to be asked. */
  stat(): boolean {
    if (!this.#isGood) return false;
    this.#client.args.set(this.#node, 1);
    this.#client.times.set(this.#times);
    return true;
  }

  /** Answers in place of `OP.read` with the bytes that are in the payload now; undefined when it has to be asked. */
  read(offset: number, most: number): number | undefined {
    if (!this.#content || !this.#isGood) return undefined;
    const bytes = this.#content.subarray(offset, offset + most);
    this.#client.payload.set(bytes);
    return bytes.length;
  }
}
