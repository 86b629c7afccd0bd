import type { Client } from '../syscall/client.ts';

export interface Identity {
  inode: number;
  device: number;
}

/**
 * The node at a path, as the core said it a moment ago. A `stat` of preview 1 asks for the metadata and then for the
 * hash of the same path, and its listing asks for the hash of each entry: with this, the second question costs no call.
 *
 * It is good once, and only while the process has looked at nothing from outside since (`Client.looks`): the answer is
 * then one that it could have got.
 */
export class Hint {
  readonly #client: Client;
  #looks = -1;
  #fd = 0;
  #follow = false;
  #path = new Uint8Array(0);
  #identity: Identity = { inode: 0, device: 0 };

  constructor(client: Client) {
    this.#client = client;
  }

  set(fd: number, follow: boolean, path: Uint8Array, identity: Identity): void {
    this.#fd = fd;
    this.#follow = follow;
    this.#path = path.slice();
    this.#identity = identity;
    this.#looks = this.#client.looks;
  }

  take(fd: number, follow: boolean, path: Uint8Array): Identity | undefined {
    const good =
      this.#looks === this.#client.looks &&
      this.#fd === fd &&
      this.#follow === follow &&
      this.#path.length === path.length &&
      this.#path.every((byte, i) => byte === path[i]);
    this.#looks = -1;
    return good ? this.#identity : undefined;
  }
}
