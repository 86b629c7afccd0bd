import { loopback, type SocketAddress } from '../address.ts';
import { NetError } from '../errors.ts';
import type { Connection } from './connection.ts';
import type { Owner } from './ports.ts';

/** Connections that wait to be accepted, when the program says nothing. */
export const BACKLOG = 128;
const MOST_BACKLOG = 4096;

/** Somebody who wants to connect and waits until the backlog has room. */
export interface Caller {
  family: 4 | 6;
  /** Its own port. */
  port: number;
  /** The address that it asked for. */
  remote: SocketAddress;
  party: number;
  opened(connection: Connection): void;
  failed(error: NetError): void;
}

export interface ListenerHost {
  owner: Owner;
  address: SocketAddress;
  backlog: number;
  connect(caller: Caller): Connection;
  /** So many connections can be accepted now. */
  changed(waiting: number): void;
}

/** A socket that listens: the connections that nobody has accepted yet, and beyond the backlog those that wait to be. */
export class Listener {
  readonly owner: Owner;
  readonly address: SocketAddress;
  readonly #host: ListenerHost;
  readonly #ready: Connection[] = [];
  readonly #callers: Caller[] = [];
  readonly #backlog: number;

  constructor(host: ListenerHost) {
    this.owner = host.owner;
    this.address = host.address;
    this.#host = host;
    this.#backlog = Math.min(host.backlog, MOST_BACKLOG);
  }

  /** Returns what calls the attempt off while it waits. */
  call(caller: Caller): () => void {
    if (this.#ready.length < this.#backlog) this.#open(caller);
    else this.#callers.push(caller);
    return () => {
      const at = this.#callers.indexOf(caller);
      if (at >= 0) this.#callers.splice(at, 1);
    };
  }

  #open(caller: Caller): void {
    let connection: Connection;
    try {
      connection = this.#host.connect(caller);
    } catch (error) {
      caller.failed(error instanceof NetError ? error : new NetError('unknown', String(error), { cause: error }));
      return;
    }
    this.#ready.push(connection);
    this.#host.changed(this.#ready.length);
    caller.opened(connection);
  }

  /** The connection that waits longest. */
  accept(): Connection | undefined {
    const connection = this.#ready.shift();
    const caller = this.#callers.shift();
    if (caller) this.#open(caller);
    this.#host.changed(this.#ready.length);
    return connection;
  }

  /** Nobody accepts any more: what was not accepted is reset. */
  close(): void {
    for (const connection of this.#ready.splice(0)) connection.reset(1, false);
    for (const caller of this.#callers.splice(0)) {
      caller.failed(new NetError('connection-reset', 'the other side stopped listening'));
    }
  }

  /** The addresses that the listening side of a connection sees: of its own family, whatever the caller's is. */
  view(caller: Pick<Caller, 'port'>): { local: SocketAddress; remote: SocketAddress } {
    const own = loopback(this.address.family);
    const { port } = this.address;
    return { local: { ...own, port }, remote: { ...own, port: caller.port } };
  }
}
