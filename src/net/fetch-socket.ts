/** The core's side of a request that the page's own `fetch` does: moves the bodies between it and a process. */

import { loopback } from './address.ts';
import { NetError } from './errors.ts';
import { CoreConnection } from './http/core-connection.ts';
import { HttpError } from './http/errors.ts';
import { type FetchedHead, type FetchHead, FetchRefusal, headOf, type PageFetch } from './http/page-fetch.ts';
import type { Side } from './loopback/connection.ts';
import type { SocketHost } from './tcp-socket.ts';

export class FetchSocket {
  readonly cell: number;
  /** The connection over which the bodies go, and the side of it that is the process's. */
  readonly at: number;
  readonly side: Side = 0;
  readonly #host: SocketHost;
  readonly #line: CoreConnection;
  readonly #release: (killed: boolean) => void;
  readonly #abort = new AbortController();
  #outcome: FetchedHead | HttpError | undefined;

  constructor(host: SocketHost, head: FetchHead, page: PageFetch) {
    const { network, party, attended } = host;
    const cell = network.arena.takeCell();
    if (cell === undefined) throw new NetError('new-socket-limit', 'the world has too many sockets');
    this.#host = host;
    this.cell = cell;
    const nowhere = { ...loopback(4), port: 0 };
    const view = { local: nowhere, remote: nowhere };
    try {
      const connection = network.connection([party, 0], [view, view]);
      this.at = connection.at;
      this.#line = new CoreConnection(connection, 1, attended);
      this.#release = (killed) => (killed ? connection.reset(0, true) : connection.release(0));
    } catch (error) {
      network.arena.freeCell(cell);
      throw error;
    }
    void this.#run(head, page);
  }

  async #run(head: FetchHead, page: PageFetch): Promise<void> {
    const line = this.#line;
    try {
      const response = await page.request(head, () => line.read(), this.#abort.signal);
      this.#settle(headOf(response));
      const reader = response.body?.getReader();
      for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
        await line.write(piece.value);
      }
      line.close();
    } catch (error) {
      const failed =
        error instanceof HttpError ? error : new HttpError('HTTP-response-incomplete', {}, { cause: error });
      if (error instanceof FetchRefusal) this.#host.network.complainOf(this.#host.owner, error.message);
      this.#settle(failed);
      line.reset();
      // what the server still sends is wanted no more
      this.#abort.abort();
    }
  }

  /** The first outcome counts; what goes wrong after the head shows in the connection. */
  #settle(outcome: FetchedHead | HttpError): void {
    if (this.#outcome || this.#abort.signal.aborted) return;
    const { network, party } = this.#host;
    this.#outcome = outcome;
    Atomics.store(network.arena.cells, this.cell, 1);
    network.wake(party);
  }

  /** Throws `would-block` while there is none. */
  get outcome(): FetchedHead | HttpError {
    if (!this.#outcome) throw new NetError('would-block', 'there is no answer yet');
    return this.#outcome;
  }

  close(killed: boolean): void {
    this.#abort.abort();
    this.#release(killed);
    this.#line.close();
    this.#host.network.arena.freeCell(this.cell);
  }
}
