import type { IpAddress } from './address.ts';
import { NetError } from './errors.ts';
import type { SocketHost } from './tcp-socket.ts';

/** A name that is looked up. Its cell is 1 when there is an outcome. */
export class Lookup {
  readonly cell: number;
  readonly #abort = new AbortController();
  readonly #host: SocketHost;
  #outcome: IpAddress[] | NetError | undefined;

  constructor(host: SocketHost, name: string) {
    const { network, owner } = host;
    const cell = network.arena.takeCell();
    if (cell === undefined) throw new NetError('new-socket-limit', 'the world has too many sockets');
    this.cell = cell;
    this.#host = host;
    network.resolve(owner, name, this.#abort.signal).then(
      (addresses) => this.#settle(addresses),
      (error) => this.#settle(error instanceof NetError ? error : new NetError('unknown', String(error))),
    );
  }

  #settle(outcome: IpAddress[] | NetError): void {
    if (this.#abort.signal.aborted) return;
    const { network, party } = this.#host;
    this.#outcome = outcome;
    Atomics.store(network.arena.cells, this.cell, 1);
    network.wake(party);
  }

  /** Throws what the lookup came to, and `would-block` while it has not come to anything. */
  get addresses(): IpAddress[] {
    if (this.#outcome instanceof NetError) throw this.#outcome;
    if (!this.#outcome) throw new NetError('would-block', 'the name is still looked up');
    return this.#outcome;
  }

  close(): void {
    this.#abort.abort();
    this.#host.network.arena.freeCell(this.cell);
  }
}
