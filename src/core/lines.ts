/** A stderr line beyond this many bytes becomes several entries (R3.1-9). */
const LONGEST = 64 * 1024;

/** Cuts the bytes of stderr, in pieces of any size, into lines of text; broken UTF-8 becomes U+FFFD (R3.1-6, R3.1-9). */
export class LineReader {
  readonly #onLine: (line: string) => void;
  readonly #decoder = new TextDecoder();
  #pieces: Uint8Array[] = [];
  #length = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(bytes: Uint8Array): void {
    let from = 0;
    while (from < bytes.length) {
      const newline = bytes.indexOf(0x0a, from);
      let to = newline < 0 ? bytes.length : newline;
      const room = LONGEST - this.#length;
      const cut = to - from > room;
      if (cut) to = from + room;
      this.#pieces.push(bytes.subarray(from, to));
      this.#length += to - from;
      if (newline < 0 && !cut) return;
      this.#emit();
      from = cut ? to : newline + 1;
    }
  }

  /** The end of stderr: a last line without a newline is a line. */
  end(): void {
    if (this.#length > 0) this.#emit();
  }

  #emit(): void {
    let bytes = this.#pieces[0] ?? new Uint8Array();
    if (this.#pieces.length > 1) {
      bytes = new Uint8Array(this.#length);
      let at = 0;
      for (const piece of this.#pieces) {
        bytes.set(piece, at);
        at += piece.length;
      }
    }
    if (bytes[bytes.length - 1] === 0x0d) bytes = bytes.subarray(0, -1);
    this.#pieces = [];
    this.#length = 0;
    this.#onLine(this.#decoder.decode(bytes));
  }
}
