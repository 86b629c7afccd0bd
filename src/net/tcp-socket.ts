/** A TCP socket of a process, as the core holds it. What the program may do in which state, the process itself checks. */

import { type IpAddress, isOwn, isUnspecified, loopback, type SocketAddress } from './address.ts';
import { Bridge } from './bridge.ts';
import { NetError } from './errors.ts';
import type { Connection, Side, View } from './loopback/connection.ts';
import { Listener } from './loopback/listener.ts';
import type { Owner } from './loopback/ports.ts';
import type { Network, PortHolder } from './network.ts';

/** What a cell says of a socket that connects. A cell of one that listens counts the connections that wait. */
export const CONNECT = { pending: 0, done: 1 } as const;

/** What a socket needs to know of its process. */
export interface SocketHost {
  network: Network;
  owner: Owner;
  /** The process, for those whom it waits for. */
  party: number;
  attended: Set<() => void>;
}

export class TcpSocket implements PortHolder {
  readonly family: 4 | 6;
  readonly cell: number;
  listener: Listener | undefined;
  readonly #host: SocketHost;
  #bound: SocketAddress | undefined;
  #callOff: (() => void) | undefined;
  #failed: NetError | undefined;
  #end: { connection: Connection; side: Side } | undefined;

  constructor(host: SocketHost, family: 4 | 6, accepted?: Connection) {
    const cell = host.network.arena.takeCell();
    if (cell === undefined) throw new NetError('new-socket-limit', 'the world has too many sockets');
    this.#host = host;
    this.family = family;
    this.cell = cell;
    if (accepted) this.#end = { connection: accepted, side: 1 };
  }

  get owner(): Owner {
    return this.#host.owner;
  }

  get attended(): Set<() => void> {
    return this.#host.attended;
  }

  /** Throws `address-in-use`, `address-not-bindable`: a world has no addresses but its own. */
  bind(address: SocketAddress): void {
    if (!isOwn(address)) throw new NetError('address-not-bindable', 'a world has only the addresses of its loopback');
    const port = this.#host.network.tcp.take(address.port, this);
    this.#bound = { ...address, port };
  }

  listen(backlog: number): void {
    const { network, owner, party } = this.#host;
    if (!this.#bound) this.bind({ family: this.family, bytes: new Uint8Array(this.family === 4 ? 4 : 16), port: 0 });
    const listener: Listener = new Listener({
      owner,
      address: this.#bound!,
      backlog,
      connect: (caller) => {
        const { family, port, remote } = caller;
        const view = { local: { ...loopback(family), port }, remote };
        return network.connection([caller.party, party], [view, listener.view(caller)]);
      },
      changed: (waiting) => this.#tell(waiting),
    });
    this.listener = listener;
    network.portsChanged();
  }

  /** Stores what the cell says and wakes the process. */
  #tell(value: number): void {
    const { network, party } = this.#host;
    Atomics.store(network.arena.cells, this.cell, value);
    network.wake(party);
  }

  /** Throws `would-block`. */
  accept(): TcpSocket {
    const connection = this.listener?.accept();
    if (!connection) throw new NetError('would-block', 'no connection waits');
    try {
      return new TcpSocket(this.#host, this.family, connection);
    } catch (error) {
      connection.reset(1, false);
      throw error;
    }
  }

  /** Begins to connect: the cell changes when it is decided, which may be before this returns. */
  connect(address: SocketAddress): void {
    if (isOwn(address)) this.#connectLocal(address);
    else this.#connectOut(address, address.port);
  }

  /** As `connect`, to a name, and with TLS when `tls` says so. Names of the world itself have no TLS. */
  connectName(host: IpAddress | { name: string }, port: number, tls?: { serverName: string }): void {
    const { network } = this.#host;
    if (!network.isLocal(host)) {
      this.#connectOut(host, port, tls);
      return;
    }
    if (tls) throw new NetError('not-supported', 'inside the world there is no TLS', { tls: 'protocol' });
    this.#connectLocal({ ...loopback(this.family), port });
  }

  #connectLocal(remote: SocketAddress): void {
    const { network, party } = this.#host;
    this.#bound ??= { ...loopback(this.family), port: network.tcp.take(0, this) };
    this.#callOff = network.connectLocal(remote.port, {
      family: this.family,
      port: this.#bound.port,
      remote: isUnspecified(remote) ? { ...loopback(remote.family), port: remote.port } : remote,
      party,
      opened: (connection) => this.#opened(connection),
      failed: (error) => this.#fail(error),
    });
  }

  #connectOut(host: IpAddress | { name: string }, port: number, tls?: { serverName: string }): void {
    const { network, owner, party, attended } = this.#host;
    const outside = network.way(owner, 'remote-unreachable');
    const bridge = new Bridge({
      open: (credit, events) =>
        outside.connect({ host: 'name' in host ? host : { ...host }, port, ...(tls && { tls }) }, credit, events),
      connection: (view: View) => network.connection([party, 0], [view, { local: view.remote, remote: view.local }]),
      opened: (connection) => {
        attended.add(bridge.attend);
        this.#opened(connection);
      },
      failed: (error) => {
        network.complain(owner, error);
        this.#fail(error);
      },
      done: () => attended.delete(bridge.attend),
    });
    this.#callOff = () => bridge.callOff();
  }

  #opened(connection: Connection): void {
    this.#callOff = undefined;
    this.#end = { connection, side: 0 };
    this.#tell(CONNECT.done);
  }

  #fail(error: NetError): void {
    this.#callOff = undefined;
    this.#failed = error;
    this.#tell(CONNECT.done);
  }

  /** The connection and the side of it, or the error that it came to. Throws `would-block` while it is not decided. */
  connected(): { at: number; side: Side } {
    if (this.#failed) throw this.#failed;
    if (!this.#end) throw new NetError('would-block', 'not connected yet');
    return { at: this.#end.connection.at, side: this.#end.side };
  }

  get local(): SocketAddress {
    const address = this.#end?.connection.views[this.#end.side].local ?? this.#bound;
    if (!address) throw new NetError('invalid-state', 'the socket has no address yet');
    return address;
  }

  get remote(): SocketAddress {
    if (!this.#end) throw new NetError('invalid-state', 'the socket is not connected');
    return this.#end.connection.views[this.#end.side].remote;
  }

  /** Lets go of everything: the port is free (R5-6), the other side of a connection hears of it. */
  close(killed: boolean): void {
    const { network } = this.#host;
    this.#callOff?.();
    const { listener } = this;
    this.listener = undefined;
    listener?.close();
    if (this.#end && killed) this.#end.connection.reset(this.#end.side, true);
    else this.#end?.connection.release(this.#end.side);
    if (this.#bound) network.tcp.release(this.#bound.port, this);
    network.arena.freeCell(this.cell);
    if (listener) network.portsChanged();
  }
}
