/**
 * The network of one world, in its core: the loopback with its ports (R5-1), and the way to the outside when there is
 * one. Processes use it through `ProcessNetwork`, the page through `connect` and `listening`.
 */

import type { PortInfo } from '../core/protocol.ts';
import { type IpAddress, isOwn, loopback, parseIp } from './address.ts';
import { Arena } from './arena.ts';
import { type NetCode, NetError } from './errors.ts';
import type { PageFetch } from './http/page-fetch.ts';
import { Connection, type View } from './loopback/connection.ts';
import type { Caller, Listener } from './loopback/listener.ts';
import { type Owner, Ports } from './loopback/ports.ts';
import type { Outside } from './outside.ts';
import type { UdpSocket } from './udp-socket.ts';

/** What says that there is no way out, or that it was refused; other failures are those of one target. */
const COMPLAINTS = new Set<NetCode>(['access-denied', 'remote-unreachable', 'temporary-resolver-failure']);

/** What holds a TCP port: a socket that listens, or one that is only bound or connected. */
export interface PortHolder {
  owner: Owner;
  listener?: Listener | undefined;
  /** Looks after the core's ends of connections when its process rings. */
  attended: Set<() => void>;
}

export interface NetworkOptions {
  /** Wakes the process in a slot. */
  wake(slot: number): void;
  /** Writes a line of the core about a process. */
  log?(owner: Owner, line: string): void;
  /** Hears of each change of the ports that are listened on. */
  onPorts?(ports: PortInfo[]): void;
}

export class Network {
  readonly arena = new Arena();
  readonly tcp = new Ports<PortHolder>();
  readonly udp = new Ports<UdpSocket>();
  /** The way out; undefined without a relay. What is open stays with the one that opened it. */
  outside: Outside | undefined;
  /** What does the HTTP of programs to the outside: connections over `outside` when it is not set, the page's `fetch`, or nothing. */
  http: PageFetch | NetError | undefined;
  readonly #options: NetworkOptions;
  readonly #complained = new Set<string>();

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  /** Wakes a process from the core. The core has no need to wake itself. */
  readonly wake = (party: number): void => {
    if (party > 0) this.#options.wake(party - 1);
  };

  connection(parties: [number, number], views: [View, View]): Connection {
    return new Connection(this.arena, this.wake, parties, views);
  }

  /** Connects inside the world. Tells the caller at once, or when the backlog has room; returns what calls it off. */
  connectLocal(port: number, caller: Caller): () => void {
    const { listener } = this.tcp.get(port) ?? {};
    if (!listener) {
      caller.failed(new NetError('connection-refused', `nothing listens on port ${port} of this world`));
      return () => {};
    }
    return listener.call(caller);
  }

  /** Whether an address or name is the world itself. */
  isLocal(host: IpAddress | { name: string }): boolean {
    if (!('name' in host)) return isOwn(host);
    const name = host.name.toLowerCase().replace(/\.$/, '');
    return name === 'localhost' || name.endsWith('.localhost');
  }

  /** The way out, or the error for a world without one (R3.8-2). */
  way(owner: Owner, code: 'remote-unreachable' | 'temporary-resolver-failure'): Outside {
    if (this.outside) return this.outside;
    const error = new NetError(code, 'this world has no relay, so nothing outside of it can be reached');
    this.complain(owner, error);
    throw error;
  }

  /** Who does a request to a host: the page's `fetch`, or undefined for a connection. Throws when nobody may (R3.8-2). */
  httpWay(owner: Owner, host: IpAddress | { name: string }): PageFetch | undefined {
    if (this.isLocal(host)) return undefined;
    if (!(this.http instanceof NetError)) return this.http;
    this.complain(owner, this.http);
    throw this.http;
  }

  /** Writes a line about a process that could not get outside, once for each process (R3.8-2). */
  complain(owner: Owner, { code, message }: NetError): void {
    if (COMPLAINTS.has(code)) this.complainOf(owner, message);
  }

  /** As `complain`, of whatever it was. */
  complainOf(owner: Owner, message: string): void {
    if (this.#complained.has(owner.pid)) return;
    this.#complained.add(owner.pid);
    this.#options.log?.(owner, `not reached: ${message}`);
  }

  /** The addresses of a name. An address is its own, and `localhost` is the world. */
  async resolve(owner: Owner, name: string, signal: AbortSignal): Promise<IpAddress[]> {
    const ip = parseIp(name);
    if (ip) return [ip];
    if (this.isLocal({ name })) return [loopback(4), loopback(6)];
    try {
      return await this.way(owner, 'temporary-resolver-failure').resolve(name, signal);
    } catch (error) {
      if (error instanceof NetError) this.complain(owner, error);
      throw error;
    }
  }

  /** The TCP ports that are listened on, in their order. */
  listening(): PortInfo[] {
    const ports: PortInfo[] = [];
    for (const [port, { owner, listener }] of this.tcp) if (listener) ports.push({ port, ...owner });
    return ports.sort((a, b) => a.port - b.port);
  }

  /** To be called after the ports that are listened on have changed. */
  portsChanged(): void {
    this.#options.onPorts?.(this.listening());
  }

  /** A process has ended. */
  forget(owner: Owner): void {
    this.#complained.delete(owner.pid);
  }
}
