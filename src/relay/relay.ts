/**
 * The relay as a part of a server: it takes the requests at its path and below. What it opens is `Policy`, for whom
 * `Limiter`; the frames are `protocol.ts`; one client is a `Session`.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { createSecureContext, rootCertificates } from 'node:tls';
import { canonical, parseIp } from './addresses.ts';
import { RelayFailure } from './failures.ts';
import { HttpsTransport } from './https.ts';
import { Limiter, type LimitsPer, OWN_LIMITS, SHARED_LIMITS } from './limits.ts';
import type { Log } from './log.ts';
import { isLocal, isLoopbackHost, ownOrigins, parseOrigin } from './origins.ts';
import { Policy } from './policy.ts';
import { PROTOCOL } from './protocol.ts';
import { BadRequest } from './request-body.ts';
import { Resolver } from './resolver.ts';
import { Session, type Surroundings, type Timeouts } from './session.ts';
import { checkSecret, verifyToken } from './token.ts';
import { WebSocketTransport } from './websocket.ts';
import type { Wire, WireEvents } from './wire.ts';

export interface RelayOptions {
  /** `ADDRESS[/BITS]:PORT` of what is open beside the public internet. */
  allow?: readonly string[];
  /** More addresses under which this machine is reached. */
  own?: readonly string[];
  /** Origins of pages on other hosts that may use this relay. */
  origins?: readonly string[];
  /** The key of tokens. Without it, only pages on this machine can use the relay. */
  secret?: string;
  /** Name servers, `ADDRESS` or `ADDRESS:PORT`; the machine's when not given. */
  dns?: readonly string[];
  /** Certificates (PEM) of authorities that are believed beside the usual ones. */
  ca?: readonly string[];
  /** A proxy stands before the relay: the client's address is the last of `X-Forwarded-For`. */
  trustProxy?: boolean;
  limits?: { token?: Partial<LimitsPer['token']>; address?: Partial<LimitsPer['address']> };
  timeouts?: Partial<Timeouts>;
  /** A connected client of `ioredis` or `redis`: relays that share it share their rates. */
  redis?: object;
  log?: Log;
}

export const TIMEOUTS: Timeouts = { handshake: 10_000, connect: 15_000, idle: 600_000, ping: 25_000 };

/** The path of the relay on its host; the page finds it through `relay.json`. */
export const RELAY_PATH = '/relay';
/** TCP streams, UDP sockets and look-ups of one connection. */
const STREAMS = 1000;
/** How often the end of the streams is looked for while the relay stops, in milliseconds. */
const DRAIN_STEP = 20;

const STOPS = 'The relay stops.';

const HTTPS_HEADERS = 'sausage-session, sausage-received, sausage-sequence, sausage-poll, content-type';

const pathOf = (request: IncomingMessage): string => (request.url ?? '').replace(/[?#].*$/s, '');

export class Relay {
  readonly #options: RelayOptions;
  readonly #surroundings: Omit<Surroundings, 'identify'>;
  readonly #origins: ReadonlySet<string>;
  readonly #anonymous: boolean;
  readonly #policy: Policy;
  readonly #sessions = new Set<Session>();
  readonly #webSockets = new WebSocketTransport();
  readonly #https: HttpsTransport;
  #closing = false;

  /** `url` is where pages find the server, `host` the address that it listens on. Throws `RangeError` for options that say nothing. */
  constructor(url: string, host: string, options: RelayOptions = {}) {
    this.#options = options;
    if (options.secret !== undefined) checkSecret(options.secret);
    this.#anonymous = isLoopbackHost(host) && !options.trustProxy;
    this.#origins = new Set([...ownOrigins(url, host), ...(options.origins ?? []).map(parseOrigin)]);
    this.#policy = new Policy({ allow: options.allow ?? [], own: options.own ?? [] });
    const timeouts = { ...TIMEOUTS, ...options.timeouts };
    this.#https = new HttpsTransport(timeouts.handshake);
    const base = this.#anonymous ? OWN_LIMITS : SHARED_LIMITS;
    const limits = {
      token: { ...base.token, ...options.limits?.token },
      address: { ...base.address, ...options.limits?.address },
    };
    this.#surroundings = {
      policy: this.#policy,
      resolver: new Resolver(options.dns),
      limiter: new Limiter(limits, options.redis),
      timeouts,
      streams: STREAMS,
      ...(options.ca && { secureContext: createSecureContext({ ca: [...rootCertificates, ...options.ca] }) }),
      log: options.log ?? (() => {}),
    };
  }

  /** Whether anybody can use it: somebody on another machine needs a token, and a token needs a secret. */
  get usable(): boolean {
    return this.#anonymous || this.#options.secret !== undefined;
  }

  /** In a sentence, for whoever starts it. */
  describe(): string {
    if (!this.usable) return 'Relay: off, because others can reach this server and there is no secret for tokens.';
    const who = this.#anonymous ? 'the page on this machine' : 'pages with a token';
    return `Relay: opens ${this.#policy.describe()}, for ${who}.`;
  }

  /** Sessions now. */
  get sessions(): number {
    return this.#sessions.size;
  }

  /** Takes a request to upgrade; false when it is for another path. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (pathOf(request) !== RELAY_PATH) return false;
    socket.on('error', () => {});
    const refuse = (status: string, why: string) => {
      this.#refused(request, why);
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n${why}\n`);
    };
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
    const complaint = this.#complaint(request);
    if (this.#closing) refuse('503 Service Unavailable', STOPS);
    else if (complaint) refuse('403 Forbidden', complaint);
    else if (!offered.includes(PROTOCOL)) refuse('400 Bad Request', `The relay speaks ${PROTOCOL} only.`);
    else {
      this.#knock(request).then(
        () => this.#webSockets.accept(request, socket, head, (wire) => this.#attach(request, wire)),
        (error) => refuse('429 Too Many Requests', this.#sentence(error)),
      );
    }
    return true;
  }

  /** Answers a request of the way without WebSocket; false when it is for another path. */
  request(request: IncomingMessage, response: ServerResponse): boolean {
    const path = pathOf(request);
    const what = path.startsWith(`${RELAY_PATH}/`) ? path.slice(RELAY_PATH.length + 1) : '';
    if (what !== 'session' && what !== 'down' && what !== 'up') return false;
    this.#answer(what, request, response).catch((error) => {
      if (!(error instanceof BadRequest)) this.#fault(error);
      const status = error instanceof BadRequest ? error.status : 500;
      if (response.headersSent) return void response.destroy();
      // The rest of a body that is too large is not read.
      response.writeHead(status, { ...this.#headers(request), 'Content-Type': 'text/plain', Connection: 'close' });
      response.end(`${this.#sentence(error)}\n`);
    });
    return true;
  }

  /** Opens nothing any more, gives what is open `grace` milliseconds to end, then ends it. */
  async close(grace: number): Promise<void> {
    this.#closing = true;
    for (const session of [...this.#sessions]) session.drain();
    const until = performance.now() + grace;
    while (this.#sessions.size > 0 && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, DRAIN_STEP));
    }
    for (const session of [...this.#sessions]) session.stop();
    this.#https.close();
    this.#surroundings.resolver.close();
  }

  async #answer(what: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const complaint = this.#complaint(request);
    if (complaint) {
      this.#refused(request, complaint);
      throw new BadRequest(403, complaint);
    }
    const headers = this.#headers(request);
    if (request.method === 'OPTIONS') {
      response.writeHead(204, {
        ...headers,
        'Access-Control-Allow-Methods': 'GET, POST',
        'Access-Control-Allow-Headers': HTTPS_HEADERS,
        'Access-Control-Max-Age': '600',
      });
      response.end();
      return;
    }
    if (what === 'session') {
      if (this.#closing) throw new BadRequest(503, STOPS);
      await this.#knock(request).catch((error) => {
        throw new BadRequest(429, this.#sentence(error));
      });
    }
    await this.#https.handle(what, request, response, headers, (wire) => this.#attach(request, wire));
  }

  /** Why a request is not looked at any further. */
  #complaint(request: IncomingMessage): string | undefined {
    const { origin } = request.headers;
    if (origin !== undefined && !this.#origins.has(origin)) {
      return `Pages of ${origin} may not use this relay. Its --origin option names those that may.`;
    }
    return undefined;
  }

  #headers(request: IncomingMessage): Record<string, string> {
    const { origin } = request.headers;
    const known = origin !== undefined && this.#origins.has(origin);
    return {
      Vary: 'Origin',
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      ...(known && { 'Access-Control-Allow-Origin': origin }),
    };
  }

  #attach(request: IncomingMessage, wire: Wire): WireEvents {
    const from = this.#address(request);
    const { origin } = request.headers;
    const local = isLocal(request);
    const identify = (token: string): string => {
      const { secret } = this.#options;
      if (token !== '' && secret !== undefined) {
        const claims = verifyToken(secret, token, origin, Date.now() / 1000);
        if (claims) return claims.sub;
        throw new RelayFailure('access-denied', 'The token is not valid for this relay and page, or no longer.');
      }
      if (this.#anonymous && local) return 'anonymous';
      throw new RelayFailure('access-denied', 'This relay wants a token.');
    };
    const session = new Session(wire, from, { ...this.#surroundings, identify }, () => this.#sessions.delete(session));
    this.#sessions.add(session);
    return session;
  }

  #knock(request: IncomingMessage): Promise<void> {
    return this.#surroundings.limiter.knock(this.#address(request));
  }

  /** Whom the limits per address are counted for: an IPv6 network of 64 bits is one customer. */
  #address(request: IncomingMessage): string {
    const forwarded = this.#options.trustProxy ? request.headers['x-forwarded-for'] : undefined;
    const last = String(forwarded ?? '')
      .split(',')
      .at(-1)
      ?.trim();
    const ip = parseIp(last || (request.socket.remoteAddress ?? '').replace(/%.*/, ''));
    if (!ip) return 'unknown';
    const plain = canonical(ip).toNormalizedString();
    return plain.includes(':') ? `${plain.split(':').slice(0, 4).join(':')}::/64` : plain;
  }

  #sentence(error: unknown): string {
    return error instanceof RelayFailure || error instanceof BadRequest ? error.message : 'The relay failed.';
  }

  #refused(request: IncomingMessage, why: string): void {
    this.#surroundings.log({ event: 'refused', from: this.#address(request), why });
  }

  #fault(error: unknown): void {
    this.#surroundings.log({
      event: 'fault',
      why: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  }
}
