import { Numbered } from '../syscall/numbered.ts';
import { NetError } from './errors.ts';
import type { FetchSocket } from './fetch-socket.ts';
import type { Lookup } from './lookup.ts';
import type { Owner } from './loopback/ports.ts';
import type { Network } from './network.ts';
import type { SocketHost, TcpSocket } from './tcp-socket.ts';
import type { UdpSocket } from './udp-socket.ts';

export type Socket = TcpSocket | UdpSocket | Lookup | FetchSocket;

/** Sockets and lookups that one process can have open. */
const SOCKETS = 4096;

/** What one process has of the network: its sockets, which go when it ends (R5-6). */
export class ProcessNetwork implements SocketHost {
  readonly network: Network;
  readonly owner: Owner;
  readonly attended = new Set<() => void>();
  readonly #party: () => number;
  readonly #sockets = new Numbered<Socket>(1);

  /** `party` is 1 + the slot in which the process runs. */
  constructor(network: Network, owner: Owner, party: () => number) {
    this.network = network;
    this.owner = owner;
    this.#party = party;
  }

  get party(): number {
    return this.#party();
  }

  add(make: () => Socket): { id: number; socket: Socket } {
    if (this.#sockets.count >= SOCKETS) {
      throw new NetError('new-socket-limit', `the process has ${SOCKETS} sockets open, which is the limit`);
    }
    const socket = make();
    return { id: this.#sockets.add(socket), socket };
  }

  get<T extends Socket>(id: number, type: abstract new (...args: never[]) => T): T {
    const socket = this.#sockets.get(id);
    if (socket instanceof type) return socket;
    throw new NetError('invalid-state', `${id} is no ${type.name} of this process`);
  }

  closeSocket(id: number): void {
    this.#sockets.remove(id)?.close(false);
  }

  /** The process rang: it may have written to, or made room in, a connection whose other end is the core's. */
  attend(): void {
    for (const attend of this.attended) attend();
  }

  /** The process has ended. `killed` says that it did not end by itself: its connections are reset (R5-6). */
  close(killed: boolean): void {
    for (const socket of [...this.#sockets.values()]) socket.close(killed);
    this.#sockets.clear();
    this.attend();
    this.network.forget(this.owner);
  }
}
