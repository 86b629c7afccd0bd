/**
 * The way outside of a world: its relay. It is asked for when something of the world first goes outside, comes back by
 * itself after it was lost, and tells how it is. Streams live and die with their connection.
 */

import type { RelayState } from '../../core/protocol.ts';
import type { IpAddress, SocketAddress } from '../address.ts';
import { type NetCode, NetError } from '../errors.ts';
import type {
  Outside,
  OutsideDatagrams,
  OutsideDatagramsEvents,
  OutsideStream,
  OutsideStreamEvents,
  OutsideTarget,
} from '../outside.ts';
import { checkRelayAddress, discoverRelay, RelayAddressError } from './address.ts';
import { DatagramReceiver, type RelayConnection, resolveOver, StreamReceiver } from './connection.ts';
import { establish, Refusal } from './establish.ts';
import type { Platform, TransportKind, Way } from './transport.ts';

/** Pauses between attempts, in milliseconds: doubled each time, a part of them by chance so that not all come at once. */
const FIRST_PAUSE_MS = 500;
const MOST_PAUSE_MS = 30_000;
/** Something that wants outside brings the next attempt forward, but not closer than this to the last. */
const LEAST_PAUSE_MS = 2000;
/** A relay that refused is asked again only after so long. */
const REFUSED_PAUSE_MS = 60_000;
/** Datagrams that wait for the relay. */
const MOST_WAITING = 64;

/** Said of a world that goes nowhere before the visitor has agreed (R8-5), and to its programs. */
export const WAITING = 'Nothing goes outside before the visitor has agreed.';
export const HELD = 'The visitor has not agreed that this world goes outside.';

const BY: Record<TransportKind, string> = {
  websocket: 'WebSocket',
  stream: 'a stream of HTTPS, because WebSocket is blocked here',
  poll: 'HTTPS, one answer after the other, because WebSocket and streams are blocked here',
};

export interface RelayClientOptions {
  /** The relay; null for none; undefined for what the page's host names. */
  relay: string | null | undefined;
  token?: string | undefined;
  /** The folder of the page. */
  base: URL;
  /** Nothing goes outside before `release`: the visitor has not agreed (R8-5). */
  held?: boolean;
  onState?(state: RelayState): void;
  platform?: Partial<Platform>;
}

export class RelayClient implements Outside {
  readonly #options: RelayClientOptions;
  readonly #platform: Platform;
  readonly #closed = new AbortController();
  #state: RelayState = { kind: 'idle', message: 'The relay is asked for when a program first goes outside.' };
  #connection: RelayConnection | undefined;
  /** The attempt that is under way. */
  #attempt: Promise<RelayConnection> | undefined;
  /** Why there is no relay, for good. */
  #never: NetError | undefined;
  #url: URL | undefined;
  #prefer: Way = 'websocket';
  #failures = 0;
  #last = Number.NEGATIVE_INFINITY;
  #lastError: NetError | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #held: boolean;

  constructor(options: RelayClientOptions) {
    this.#options = options;
    this.#platform = { WebSocket: globalThis.WebSocket, fetch: globalThis.fetch, ...options.platform };
    this.#held = options.held ?? false;
    if (options.relay === null) this.#none('No relay is wanted, so no program opens a connection to the outside.');
    else if (this.#held) this.#tell({ kind: 'held', message: WAITING });
    globalThis.addEventListener?.('online', this.#online);
  }

  get state(): RelayState {
    return this.#state;
  }

  /** The visitor has agreed. */
  release(): void {
    if (!this.#held) return;
    this.#held = false;
    if (this.#never) return;
    this.#tell({ kind: 'idle', message: 'The relay is asked for when a program first goes outside.' });
  }

  connect(target: OutsideTarget, initialCredit: number, events: OutsideStreamEvents): OutsideStream {
    let receiver: StreamReceiver | undefined;
    let over = false;
    this.#ready('remote-unreachable').then(
      (connection) => {
        if (!over) receiver = new StreamReceiver(connection, target, initialCredit, events);
      },
      (error) => {
        if (!over) events.closed(error);
      },
    );
    return {
      send: (bytes) => receiver?.send(bytes),
      end: () => receiver?.end(),
      grant: (bytes) => receiver?.grant(bytes),
      reset() {
        over = true;
        receiver?.reset();
      },
    };
  }

  openDatagrams(family: 4 | 6, events: OutsideDatagramsEvents): OutsideDatagrams {
    let receiver: DatagramReceiver | undefined;
    let over = false;
    const waiting: [Uint8Array, SocketAddress][] = [];
    this.#ready('remote-unreachable').then(
      (connection) => {
        if (over) return;
        receiver = new DatagramReceiver(connection, family, events);
        for (const [bytes, to] of waiting) receiver.send(bytes, to);
      },
      (error) => {
        if (!over) events.closed(error);
      },
    );
    return {
      send(bytes, to) {
        if (receiver) receiver.send(bytes, to);
        else if (waiting.length < MOST_WAITING) waiting.push([bytes.slice(), to]);
      },
      close() {
        over = true;
        receiver?.close();
      },
    };
  }

  async resolve(name: string, signal: AbortSignal): Promise<IpAddress[]> {
    return resolveOver(await this.#ready('temporary-resolver-failure'), name, signal);
  }

  /** Ends all that is open; programs hear the reason. */
  close(reason = new NetError('connection-aborted', 'The world was closed.')): void {
    this.#closed.abort();
    clearTimeout(this.#timer);
    globalThis.removeEventListener?.('online', this.#online);
    this.#connection?.end(reason);
  }

  readonly #online = (): void => {
    if (this.#timer !== undefined) this.#retry();
  };

  /** The connection, once there is one. Rejects with a `NetError` that names the relay. */
  async #ready(code: NetCode): Promise<RelayConnection> {
    if (this.#connection) return this.#connection;
    if (this.#held) throw new NetError('access-denied', HELD);
    if (this.#never)
      throw new NetError(this.#never.code === 'access-denied' ? 'access-denied' : code, this.#never.message);
    const pause = this.#lastError instanceof Refusal ? REFUSED_PAUSE_MS : LEAST_PAUSE_MS;
    if (!this.#attempt && performance.now() - this.#last < pause) throw this.#away(code);
    try {
      return await (this.#attempt ?? this.#retry());
    } catch {
      if (this.#never) return this.#ready(code);
      throw this.#away(code);
    }
  }

  #away(code: NetCode): NetError {
    const refused = this.#lastError instanceof Refusal;
    const message = this.#state.kind === 'away' ? this.#state.message : `The relay ${this.#name} is away.`;
    return new NetError(refused ? 'access-denied' : code, message, { cause: this.#lastError });
  }

  #retry(): Promise<RelayConnection> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#attempt ??= this.#try().finally(() => {
      this.#attempt = undefined;
    });
    this.#attempt.catch(() => {});
    return this.#attempt;
  }

  async #try(): Promise<RelayConnection> {
    try {
      this.#url ??= await this.#find();
      this.#tell({ kind: 'connecting', relay: this.#name, message: `The relay ${this.#name} is asked.` });
      const onLost = (error: NetError) => this.#lost(error);
      const { token = '' } = this.#options;
      const { signal } = this.#closed;
      const connection = await establish(this.#platform, this.#url, token, this.#prefer, onLost, signal);
      if (signal.aborted) {
        connection.end(new NetError('connection-aborted', 'The world was closed.'));
        throw new NetError('connection-aborted', 'The world was closed.');
      }
      this.#connection = connection;
      this.#prefer = connection.transport === 'websocket' ? 'websocket' : 'https';
      this.#failures = 0;
      this.#tell({
        kind: 'connected',
        relay: this.#name,
        transport: connection.transport,
        message: `The relay ${this.#name} is connected by ${BY[connection.transport]}.`,
      });
      return connection;
    } catch (error) {
      this.#failed(error);
      throw error;
    } finally {
      this.#last = performance.now();
    }
  }

  /** The address of the relay. After a rejection `#never` is set if it is for good. */
  async #find(): Promise<URL> {
    const { relay, base } = this.#options;
    try {
      const url = relay == null ? await discoverRelay(base, this.#platform.fetch) : checkRelayAddress(relay, base);
      if (url) return url;
    } catch (error) {
      if (error instanceof RelayAddressError) this.#none(error.message);
      throw error;
    }
    throw this.#none('The host of this page names no relay, so no program opens a connection to the outside.');
  }

  get #name(): string {
    const { relay, base } = this.#options;
    return this.#url ? this.#url.href.replace(/^http/, 'ws') : (relay ?? base.host);
  }

  #none(message: string): NetError {
    this.#never = new NetError('remote-unreachable', message);
    this.#tell({ kind: 'none', message });
    return this.#never;
  }

  #lost(error: NetError): void {
    this.#connection = undefined;
    if (this.#closed.signal.aborted) return;
    this.#last = performance.now();
    this.#again(`The relay ${this.#name} is away: ${error.message}`, error);
  }

  #failed(error: unknown): void {
    if (this.#never || this.#closed.signal.aborted) return;
    // The other way may be open now, or this one may not be any more.
    this.#prefer = 'websocket';
    const cause = error instanceof NetError ? error : new NetError('remote-unreachable', (error as Error).message);
    const message =
      cause instanceof Refusal
        ? `The relay ${this.#name} does not let this page in: ${cause.message}`
        : `The relay ${this.#name} is away: ${cause.message.replace(/\.?$/, '.')}`;
    this.#again(message, cause);
  }

  /** Waits, longer each time, for the next attempt. */
  #again(message: string, error: NetError): void {
    this.#lastError = error;
    const pause =
      error instanceof Refusal ? REFUSED_PAUSE_MS : Math.min(MOST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures++);
    const wait = pause * (0.5 + Math.random() / 2);
    clearTimeout(this.#timer);
    // Before it is known where the relay is, only need makes another attempt.
    this.#timer = this.#url && setTimeout(() => void this.#retry(), wait);
    const retry = this.#url && { retry: Date.now() + wait };
    this.#tell({ kind: 'away', relay: this.#name, ...retry, message });
  }

  #tell(state: RelayState): void {
    if (this.#closed.signal.aborted) return;
    this.#state = state;
    this.#options.onState?.(state);
  }
}
