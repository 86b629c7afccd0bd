/** The resources `outgoing-request` and `request-options`, and how a request becomes an exchange. */

import { HttpError } from '../../net/http/errors.ts';
import { chunkHead, encodeHead, LINE_END } from '../../net/http/request-encoder.ts';
import { contentLength, isTarget, isToken, parseAuthority, valueText } from '../../net/http/syntax.ts';
import { HTTP_WAY, OP } from '../../syscall/protocol.ts';
import type { NetworkCalls } from '../sockets/calls.ts';
import { OutgoingBody } from './bodies.ts';
import { ConnectionExchange } from './connection-exchange.ts';
import { type Exchange, networkCall } from './exchange.ts';
import { FetchExchange } from './fetch-exchange.ts';
import type { Fields } from './fields.ts';

/** The cases of `method` without the last, `other`. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'] as const;
/** The cases of `scheme` without the last, `other`. */
export const SCHEMES = ['http', 'https'] as const;

export class RequestOptions {
  /** Nanoseconds. */
  connect: bigint | undefined;
  firstByte: bigint | undefined;
  betweenBytes: bigint | undefined;
}

/** Of the nanoseconds of an option; without one, for ever. */
const milliseconds = (time: bigint | undefined): number =>
  time === undefined ? Number.POSITIVE_INFINITY : Number(BigInt.asUintN(64, time)) / 1e6;

export class OutgoingRequest {
  readonly headers: Fields;
  method = 'GET';
  target: string | undefined;
  scheme: string | undefined;
  authority: string | undefined;
  #body: OutgoingBody | undefined;
  readonly #calls: NetworkCalls;

  constructor(calls: NetworkCalls, headers: Fields) {
    this.#calls = calls;
    this.headers = headers;
  }

  /** Setters answer whether the value is one. */
  setMethod(method: string): boolean {
    if (!isToken(method)) return false;
    this.method = method;
    return true;
  }

  setTarget(target: string | undefined): boolean {
    if (target !== undefined && !isTarget(target) && !(target.startsWith('?') && isTarget(`/${target}`))) return false;
    this.target = target;
    return true;
  }

  setScheme(scheme: string | undefined): boolean {
    if (scheme !== undefined && !/^[a-z][a-z0-9+.-]*$/i.test(scheme)) return false;
    this.scheme = scheme;
    return true;
  }

  setAuthority(authority: string | undefined): boolean {
    if (authority !== undefined && !parseAuthority(authority)) return false;
    this.authority = authority;
    return true;
  }

  /** The body, once. */
  body(): OutgoingBody | undefined {
    if (this.#body) return undefined;
    const promised = contentLength(this.headers.entries);
    this.#body = new OutgoingBody(this.#calls.client, Number.isNaN(promised) ? undefined : promised);
    return this.#body;
  }

  /** Sends it. Throws `HttpError` for a request that cannot be sent. */
  send(options = new RequestOptions()): Exchange {
    const scheme = this.scheme?.toLowerCase() ?? 'https';
    if (scheme !== 'http' && scheme !== 'https') throw new HttpError('HTTP-protocol-error', { text: scheme });
    const authority = this.authority === undefined ? undefined : parseAuthority(this.authority);
    if (!authority) throw new HttpError('HTTP-request-URI-invalid');
    if (this.method === 'CONNECT') throw new HttpError('HTTP-request-method-invalid');
    const fields = this.headers.entries;
    if (Number.isNaN(contentLength(fields))) throw new HttpError('HTTP-protocol-error', { text: 'content-length' });
    const body = this.#body;
    const target = this.target?.startsWith('?') ? `/${this.target}` : (this.target ?? '/');
    const timeouts = {
      connect: milliseconds(options.connect),
      firstByte: milliseconds(options.firstByte),
      betweenBytes: milliseconds(options.betweenBytes),
    };
    const calls = this.#calls;
    networkCall(calls, OP.httpWay, calls.client.putText(authority.host));
    if (calls.client.args[0] === HTTP_WAY.fetch) {
      const url = `${scheme}://${this.authority}${target}`;
      const headers = fields.map(([name, value]): [string, string] => [name, valueText(value)]);
      const how = body === undefined ? 'none' : body.length === undefined ? 'stream' : 'whole';
      const head = { method: this.method, url, headers, body: how } as const;
      const exchange = new FetchExchange({ calls, head, body: body?.takeBuffered() ?? [], timeouts });
      body?.attach(exchange);
      return exchange;
    }
    const { bytes, framing } = encodeHead({
      method: this.method,
      target,
      authority: this.authority!,
      fields,
      body: body && (body.length === undefined ? {} : { length: body.length }),
    });
    const head = [bytes];
    for (const piece of body?.takeBuffered() ?? []) {
      if (framing.kind === 'chunked') head.push(chunkHead(piece.length), piece, LINE_END);
      else head.push(piece);
    }
    const exchange = new ConnectionExchange({
      calls,
      host: authority.host,
      port: authority.port ?? (scheme === 'https' ? 443 : 80),
      tls: scheme === 'https',
      method: this.method,
      head,
      framing,
      timeouts,
    });
    body?.attach(exchange);
    return exchange;
  }
}
