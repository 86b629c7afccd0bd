/** A UDP socket for a client: it sends to public addresses and hears only from those it has written to. */

import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { canonical, fromBytes, parseIp, route } from './addresses.ts';
import { RelayFailure, socketFailure } from './failures.ts';
import { encode, type Frame, ProtocolError } from './protocol.ts';
import type { Session, Stream } from './session.ts';

/** Peers that one socket may talk to; the one that was written to longest ago makes room. */
const MOST_PEERS = 256;
/** How long after the last datagram to it a peer may answer, in milliseconds. */
const ANSWER_MS = 120_000;
/** Bytes that wait to be sent by the system. */
const MOST_QUEUED = 1024 * 1024;

class UdpStream implements Stream {
  readonly #session: Session;
  readonly #stream: number;
  readonly #family: 4 | 6;
  readonly #leave: () => void;
  readonly #socket: Socket;
  /** When each peer, as `address port`, was last written to, and what the client calls it. The order of the map is that of writing. */
  readonly #peers = new Map<string, { at: number; ip: Uint8Array }>();
  readonly #seen = new Set<string>();
  readonly #started = performance.now();
  #queued = 0;
  #bound = false;
  #over = false;
  #up = 0;
  #down = 0;
  #dropped = 0;
  active = performance.now();

  constructor(session: Session, { stream, family }: Extract<Frame, { op: 'openUdp' }>, leave: () => void) {
    this.#session = session;
    this.#stream = stream;
    this.#family = family;
    this.#leave = leave;
    this.#socket = createSocket(family === 4 ? 'udp4' : 'udp6');
    this.#socket.on('message', (data, from) => this.#hear(data, from));
    this.#socket.on('error', (error) => this.#end(socketFailure(error)));
    this.#socket.on('close', () => this.#end());
    void this.#open();
  }

  async #open(): Promise<void> {
    try {
      await this.#session.surroundings.limiter.open(this.#session.visitor);
      if (this.#over) return;
      this.#socket.bind(0, () => {
        this.#bound = true;
        const { port } = this.#socket.address();
        const ip = new Uint8Array(this.#family === 4 ? 4 : 16);
        const remote = { ip, port: 0 };
        this.#session.send(encode({ op: 'opened', stream: this.#stream, local: { ip, port }, remote }));
      });
    } catch (error) {
      if (!(error instanceof RelayFailure)) this.#session.fault(error);
      this.#end(error instanceof RelayFailure ? error : new RelayFailure('unknown', 'The relay failed.'));
    }
  }

  receive(frame: Frame): void {
    if (frame.op === 'dgram') {
      if (!this.#bound) throw new ProtocolError('a datagram before the socket was opened');
      return void this.#write(frame);
    }
    if (frame.op === 'reset' || frame.op === 'end') {
      this.#end();
      return;
    }
    throw new ProtocolError(`${frame.op} of a UDP socket`);
  }

  async #write({ peer, data }: Extract<Frame, { op: 'dgram' }>): Promise<void> {
    const ip = fromBytes(peer.ip);
    const to = route(ip);
    const { policy, limiter } = this.#session.surroundings;
    const fits = (ip.kind() === 'ipv4') === (this.#family === 4) && canonical(ip) === ip;
    this.active = performance.now();
    this.#seen.add(`${ip.toString()} ${peer.port}`);
    if (this.#seen.size > MOST_PEERS) this.#seen.clear();
    if (!fits || !policy.allows('udp', to, peer.port) || this.#queued + data.length > MOST_QUEUED) {
      this.#dropped++;
      return;
    }
    const bytes = data.slice();
    this.#queued += bytes.length;
    const may = await limiter.datagram(this.#session.visitor).catch((error) => {
      this.#session.fault(error);
      return false;
    });
    this.#queued -= bytes.length;
    if (!may || this.#over) {
      this.#dropped++;
      return;
    }
    const address = to.toString();
    this.#remember(`${address} ${peer.port}`, peer.ip);
    this.#queued += bytes.length;
    // An error of one datagram is no more than its loss.
    const mapped = to.kind() === 'ipv4' && this.#family === 6 ? `::ffff:${address}` : address;
    this.#socket.send(bytes, peer.port, mapped, (error) => {
      this.#queued -= bytes.length;
      if (error) this.#dropped++;
      else this.#up += bytes.length;
    });
    this.#session.carried(bytes.length);
  }

  #remember(key: string, ip: Uint8Array): void {
    this.#peers.delete(key);
    this.#peers.set(key, { at: performance.now(), ip });
    if (this.#peers.size <= MOST_PEERS) return;
    const [oldest] = this.#peers.keys();
    this.#peers.delete(oldest as string);
  }

  #hear(data: Buffer, { address, port }: RemoteInfo): void {
    const ip = parseIp(address.replace(/%.*/, ''));
    const peer = ip && this.#peers.get(`${canonical(ip).toString()} ${port}`);
    if (!peer || performance.now() - peer.at > ANSWER_MS || !this.#session.writable) {
      this.#dropped++;
      return;
    }
    this.active = performance.now();
    this.#down += data.length;
    this.#session.send(encode({ op: 'dgram', stream: this.#stream, peer: { ip: peer.ip, port }, data }));
    this.#session.carried(data.length);
  }

  resume(): void {}

  expire(): void {
    this.#end(new RelayFailure('timeout', 'Nothing was sent for too long.'));
  }

  abandon(): void {
    this.#end();
  }

  #end(failure?: RelayFailure): void {
    if (this.#over) return;
    this.#over = true;
    if (failure && this.#bound) {
      this.#session.send(encode({ op: 'reset', stream: this.#stream, code: failure.code, message: failure.message }));
    } else if (failure) {
      this.#session.fail(this.#stream, failure);
    }
    this.#leave();
    this.#session.ended(this.#stream);
    try {
      this.#socket.close();
    } catch {
      // It was closed before.
    }
    const { from, visitor, surroundings } = this.#session;
    surroundings.log({
      event: 'udp',
      who: visitor.token,
      from,
      to: [...this.#seen].slice(0, 8).join(', '),
      ms: Math.round(performance.now() - this.#started),
      up: this.#up,
      down: this.#down,
      outcome: failure?.code ?? (this.#dropped > 0 ? `closed, ${this.#dropped} dropped` : 'closed'),
    });
  }
}

export const openUdp = (session: Session, request: Extract<Frame, { op: 'openUdp' }>, leave: () => void): Stream =>
  new UdpStream(session, request, leave);
