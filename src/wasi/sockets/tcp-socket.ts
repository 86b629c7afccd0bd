/** The state of one TCP socket of the program: what may be done when, as `wasi:sockets/tcp` says it. */

import { isUnspecified, type SocketAddress } from '../../net/address.ts';
import { OP, SOCKET } from '../../syscall/protocol.ts';
import { Pollable } from '../streams.ts';
import { isUnicast } from './addresses.ts';
import { type NetworkCalls, SocketFailure } from './calls.ts';
import { TcpOptions } from './options.ts';
import { SocketInput, SocketOutput } from './streams.ts';

type State =
  | 'unbound'
  | 'bind-started'
  | 'bound'
  | 'listen-started'
  | 'listening'
  | 'connect-started'
  | 'connected'
  | 'closed';

/** Ready when the socket's next step can be finished. */
class SocketReady extends Pollable {
  readonly #socket: TcpSocket;
  constructor(socket: TcpSocket) {
    super();
    this.#socket = socket;
  }
  ready(): boolean {
    return this.#socket.ready();
  }
}

export class TcpSocket {
  readonly family: 4 | 6;
  readonly options: TcpOptions;
  readonly #calls: NetworkCalls;
  readonly #id: number;
  readonly #cell: number;
  #state: State = 'unbound';
  /** What the finishing of a step will fail with. */
  #failure: SocketFailure | undefined;
  #input: SocketInput | undefined;
  #output: SocketOutput | undefined;
  /** The program's handles: of the socket and of its streams. The core hears of the end when all are dropped. */
  #handles = 1;

  /** Use `create`. */
  constructor(calls: NetworkCalls, family: 4 | 6, id: number, cell: number, options = new TcpOptions()) {
    this.#calls = calls;
    this.family = family;
    this.#id = id;
    this.#cell = cell;
    this.options = options;
  }

  static create(calls: NetworkCalls, family: 4 | 6): TcpSocket {
    calls.needNetwork();
    const { args } = calls.client;
    args[0] = SOCKET.tcp;
    args[1] = family;
    calls.call(OP.socket);
    return new TcpSocket(calls, family, args[0] as number, args[1] as number);
  }

  #need(...states: State[]): void {
    if (!states.includes(this.#state)) throw new SocketFailure('invalid-state');
  }

  /** Does the work of a step at its start. What it fails with is told when the step is finished. */
  #begin(started: State, work: () => void): void {
    this.#state = started;
    this.#failure = undefined;
    try {
      work();
    } catch (error) {
      if (!(error instanceof SocketFailure)) throw error;
      this.#failure = error;
    }
  }

  #finish(started: State, done: State, failed: State): void {
    if (this.#state !== started) throw new SocketFailure('not-in-progress');
    this.#state = this.#failure ? failed : done;
    if (this.#failure) throw this.#failure;
  }

  startBind(address: SocketAddress): void {
    this.#need('unbound');
    if (!isUnicast(address, this.family)) throw new SocketFailure('invalid-argument');
    this.#begin('bind-started', () => this.#calls.withAddress(OP.bind, this.#id, SOCKET.tcp, address));
  }

  finishBind(): void {
    this.#finish('bind-started', 'bound', 'unbound');
  }

  startListen(): void {
    this.#need('bound');
    this.#begin('listen-started', () => {
      const { args } = this.#calls.client;
      args[0] = this.#id;
      args[1] = this.options.backlog;
      this.#calls.call(OP.listen);
    });
  }

  finishListen(): void {
    this.#finish('listen-started', 'listening', 'closed');
  }

  startConnect(address: SocketAddress): void {
    this.#need('unbound', 'bound');
    if (!isUnicast(address, this.family) || isUnspecified(address) || address.port === 0) {
      throw new SocketFailure('invalid-argument');
    }
    this.#begin('connect-started', () => this.#calls.withAddress(OP.connect, this.#id, 0, address));
  }

  finishConnect(): { input: SocketInput; output: SocketOutput } {
    if (this.#state !== 'connect-started') throw new SocketFailure('not-in-progress');
    if (!this.ready()) throw new SocketFailure('would-block');
    const { args } = this.#calls.client;
    try {
      if (this.#failure) throw this.#failure;
      args[0] = this.#id;
      this.#calls.call(OP.connected);
    } catch (error) {
      this.#state = 'closed';
      throw error;
    }
    return this.#connected(args[0] as number, args[1] as number);
  }

  #connected(at: number, side: number): { input: SocketInput; output: SocketOutput } {
    const { reader, writer } = this.#calls.pipes(at, side);
    const dropped = () => this.#dropped();
    this.#input = new SocketInput(this.#calls.client, reader, dropped);
    this.#output = new SocketOutput(this.#calls.client, writer, dropped);
    this.#handles += 2;
    this.#state = 'connected';
    return { input: this.#input, output: this.#output };
  }

  accept(): { socket: TcpSocket; input: SocketInput; output: SocketOutput } {
    this.#need('listening');
    if (!this.ready()) throw new SocketFailure('would-block');
    const { args } = this.#calls.client;
    args[0] = this.#id;
    this.#calls.call(OP.accept);
    const socket = new TcpSocket(this.#calls, this.family, args[0]!, args[1]!, this.options.inherited());
    return { socket, ...socket.#connected(args[2]!, args[3]!) };
  }

  get listening(): boolean {
    return this.#state === 'listening';
  }

  get local(): SocketAddress {
    this.#need('bound', 'listen-started', 'listening', 'connect-started', 'connected');
    return this.#calls.addressOf(OP.localAddress, this.#id, SOCKET.tcp);
  }

  get remote(): SocketAddress {
    this.#need('connected');
    return this.#calls.addressOf(OP.remoteAddress, this.#id, SOCKET.tcp);
  }

  setBacklog(size: number): void {
    if (size === 0) throw new SocketFailure('invalid-argument');
    this.#need('unbound', 'bind-started', 'bound', 'listen-started', 'listening');
    // what listens already keeps the size that it began with, which a host may choose
    this.options.backlog = size;
  }

  shutdown(receive: boolean, send: boolean): void {
    this.#need('connected');
    if (receive) this.#input?.shutdown();
    if (send) this.#output?.shutdown();
  }

  ready(): boolean {
    if (this.#state === 'connect-started') return this.#failure !== undefined || this.#calls.cell(this.#cell) !== 0;
    if (this.#state === 'listening') return this.#calls.cell(this.#cell) > 0;
    return true;
  }

  subscribe(): Pollable {
    return new SocketReady(this);
  }

  drop(): void {
    this.#dropped();
  }

  #dropped(): void {
    if (--this.#handles === 0) this.#calls.close(this.#id);
  }
}
