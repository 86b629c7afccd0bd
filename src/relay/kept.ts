/**
 * The bytes of a session on their way down that the client may not have yet, numbered from the session's start. They lie in
 * blocks, so that a million frames which nobody fetches take the room of their bytes.
 */

const BLOCK = 64 * 1024;

export class Kept {
  /** All full but the last. */
  readonly #blocks: Uint8Array[] = [];
  /** The number of the first byte of the first block. */
  #base = 0;
  #start = 0;
  #end = 0;

  /** The number of the first byte that is kept. */
  get start(): number {
    return this.#start;
  }

  /** How many bytes there were in all. */
  get end(): number {
    return this.#end;
  }

  append(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      const at = (this.#end - this.#base) % BLOCK;
      if (this.#end - this.#base === this.#blocks.length * BLOCK) this.#blocks.push(new Uint8Array(BLOCK));
      const part = bytes.subarray(done, done + BLOCK - at);
      (this.#blocks.at(-1) as Uint8Array).set(part, at);
      done += part.length;
      this.#end += part.length;
    }
  }

  /** A piece of what comes after the first `at` bytes of the session; empty at the end. It stays as it is. */
  after(at: number): Uint8Array {
    if (at === this.#end) return new Uint8Array(0);
    const index = Math.floor((at - this.#base) / BLOCK);
    const first = this.#base + index * BLOCK;
    return (this.#blocks[index] as Uint8Array).subarray(at - first, Math.min(BLOCK, this.#end - first));
  }

  /** The client has the first `to` bytes of the session. */
  forget(to: number): void {
    this.#start = to;
    const blocks = to === this.#end ? this.#blocks.length : Math.floor((to - this.#base) / BLOCK);
    this.#blocks.splice(0, blocks);
    this.#base = this.#blocks.length === 0 ? to : this.#base + blocks * BLOCK;
  }
}
