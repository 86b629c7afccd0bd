/** `wasi:http/types`, but for what only a server needs. */

import { HttpError } from '../../net/http/errors.ts';
import { type Interfaces, type Lowered, type Resource, resource } from '../bind.ts';
import type { Host } from '../host.ts';
import type { Guest } from '../memory.ts';
import type { NetworkCalls } from '../sockets/calls.ts';
import { IoError } from '../streams.ts';
import { IncomingBody, OutgoingBody } from './bodies.ts';
import { HttpIoError, putErrorCode } from './error-code.ts';
import { Fields, fields } from './fields.ts';
import { METHODS, OutgoingRequest, RequestOptions, SCHEMES } from './request.ts';
import { type Found, FutureResponse, FutureTrailers, IncomingResponse } from './response.ts';

/** Takes a handle that the guest gave away out of the table; what it stands for lives on. */
export function move<T extends object>(host: Host, handle: number, type: abstract new (...args: never[]) => T): T {
  const item = host.resources.get(handle, type);
  host.resources.take(handle);
  return item;
}

/** Stores `option<string>`. */
function putOption(guest: Guest, at: number, text: string | undefined): void {
  if (text !== undefined) guest.putString(at + 4, text);
  guest.view.setUint8(at, text === undefined ? 0 : 1);
}

/** Stores a variant whose last case is `other(string)`. */
function putVariant(guest: Guest, at: number, cases: readonly string[], text: string): void {
  const known = cases.indexOf(text);
  if (known < 0) guest.putString(at + 4, text);
  guest.view.setUint8(at, known < 0 ? cases.length : known);
}

const variant = (guest: Guest, cases: readonly string[], number: number, at: number, length: number): string =>
  cases[number] ?? guest.string(at, length);

/** Stores an option of a result of a result, as the futures answer it; `ok` stores the inner ok at its address. */
function putFound<T>(guest: Guest, at: number, found: Found<T>, ok: (at: number, value: T) => void): void {
  const { view } = guest;
  view.setUint8(at, found === undefined ? 0 : 1);
  if (found === undefined) return;
  view.setUint8(at + 8, found === 'taken' ? 1 : 0);
  if (found === 'taken') return;
  view.setUint8(at + 16, 'error' in found ? 1 : 0);
  if ('error' in found) putErrorCode(guest, at + 24, found.error);
  else ok(at + 24, found.value);
}

/** Stores `result<own<…>>` of something that is given once. */
function putOnce(host: Host, guest: Guest, result: number, item: object | undefined): void {
  if (item) guest.ok32(result, host.resources.add(item));
  else guest.view.setUint8(result, 1);
}

/** A resource of which there is never one: its methods cannot be reached with a handle that the host gave out. */
function never(methods: string[], statics: string[] = [], make?: Lowered): Resource {
  const trap: Lowered = () => () => {
    throw new WebAssembly.RuntimeError('unknown handle: this host asks no component for a response');
  };
  const all = (names: string[]) => Object.fromEntries(names.map((name) => [name, trap]));
  return resource(all(methods), { statics: all(statics), ...(make && { make }) });
}

function outgoingRequest(host: Host, calls: NetworkCalls): Resource {
  const request = (handle: number): OutgoingRequest => host.resources.get(handle, OutgoingRequest);
  /** `result` without payloads is one number, in which 1 is the error. */
  const set = (accepted: boolean): number => (accepted ? 0 : 1);
  const optional =
    (work: (self: OutgoingRequest, text: string | undefined) => boolean): Lowered =>
    (guest) =>
    (self: number, some: number, at: number, length: number) =>
      set(work(request(self), some === 0 ? undefined : guest.string(at, length)));
  return resource(
    {
      body: (guest) => (self: number, result: number) => putOnce(host, guest, result, request(self).body()),
      method: (guest) => (self: number, result: number) => putVariant(guest, result, METHODS, request(self).method),
      setMethod: (guest) => (self: number, number: number, at: number, length: number) =>
        set(request(self).setMethod(variant(guest, METHODS, number, at, length))),
      pathWithQuery: (guest) => (self: number, result: number) => putOption(guest, result, request(self).target),
      setPathWithQuery: optional((self, text) => self.setTarget(text)),
      scheme: (guest) => (self: number, result: number) => {
        const { scheme } = request(self);
        if (scheme !== undefined) putVariant(guest, result + 4, SCHEMES, scheme);
        guest.view.setUint8(result, scheme === undefined ? 0 : 1);
      },
      setScheme: (guest) => (self: number, some: number, number: number, at: number, length: number) =>
        set(request(self).setScheme(some === 0 ? undefined : variant(guest, SCHEMES, number, at, length))),
      authority: (guest) => (self: number, result: number) => putOption(guest, result, request(self).authority),
      setAuthority: optional((self, text) => self.setAuthority(text)),
      headers: () => (self: number) => host.resources.add(new Fields(request(self).headers.entries, true)),
    },
    { make: () => (headers: number) => host.resources.add(new OutgoingRequest(calls, move(host, headers, Fields))) },
  );
}

function requestOptions(host: Host): Resource {
  type Name = 'connect' | 'firstByte' | 'betweenBytes';
  const options = (handle: number): RequestOptions => host.resources.get(handle, RequestOptions);
  const get =
    (name: Name): Lowered =>
    (guest) =>
    (self: number, result: number) => {
      const time = options(self)[name];
      guest.view.setUint8(result, time === undefined ? 0 : 1);
      if (time !== undefined) guest.view.setBigUint64(result + 8, BigInt.asUintN(64, time), true);
    };
  const set =
    (name: Name): Lowered =>
    () =>
    (self: number, some: number, time: bigint) => {
      options(self)[name] = some === 0 ? undefined : time;
      return 0;
    };
  return resource(
    {
      connectTimeout: get('connect'),
      setConnectTimeout: set('connect'),
      firstByteTimeout: get('firstByte'),
      setFirstByteTimeout: set('firstByte'),
      betweenBytesTimeout: get('betweenBytes'),
      setBetweenBytesTimeout: set('betweenBytes'),
    },
    { make: () => () => host.resources.add(new RequestOptions()) },
  );
}

function bodies(host: Host): { IncomingBody: Resource; OutgoingBody: Resource } {
  const alive = (what: string) => new WebAssembly.RuntimeError(`the stream of the ${what} is still there`);
  return {
    IncomingBody: resource(
      {
        stream: (guest) => (self: number, result: number) =>
          putOnce(host, guest, result, host.resources.get(self, IncomingBody).stream()),
      },
      {
        statics: {
          finish: () => (self: number) => {
            const body = move(host, self, IncomingBody);
            if (body.streamAlive) throw alive('body');
            const trailers = host.resources.add(new FutureTrailers(body.exchange));
            body.drop();
            return trailers;
          },
        },
      },
    ),
    OutgoingBody: resource(
      {
        write: (guest) => (self: number, result: number) =>
          putOnce(host, guest, result, host.resources.get(self, OutgoingBody).write()),
      },
      {
        statics: {
          finish: (guest) => (self: number, some: number, trailers: number, result: number) => {
            const body = move(host, self, OutgoingBody);
            if (body.streamAlive) throw alive('body');
            try {
              body.finish(some === 0 ? [] : move(host, trailers, Fields).entries);
              guest.ok(result);
            } catch (error) {
              if (!(error instanceof HttpError)) throw error;
              putErrorCode(guest, result + 8, error);
              guest.view.setUint8(result, 1);
            }
          },
        },
      },
    ),
  };
}

export function types(host: Host, calls: NetworkCalls): Interfaces {
  const response = (handle: number): IncomingResponse => host.resources.get(handle, IncomingResponse);
  const future = (handle: number): FutureResponse => host.resources.get(handle, FutureResponse);
  const trailers = (handle: number): FutureTrailers => host.resources.get(handle, FutureTrailers);
  return {
    'wasi:http/types': {
      Fields: fields(host),
      OutgoingRequest: outgoingRequest(host, calls),
      RequestOptions: requestOptions(host),
      ...bodies(host),
      FutureIncomingResponse: resource({
        subscribe: () => (self: number) => host.resources.add(future(self).subscribe()),
        get: (guest) => (self: number, result: number) =>
          putFound(guest, result, future(self).get(), (at, value) =>
            guest.view.setUint32(at, host.resources.add(value), true),
          ),
      }),
      IncomingResponse: resource({
        status: () => (self: number) => response(self).head.status,
        headers: () => (self: number) => host.resources.add(new Fields(response(self).headers.entries, true)),
        consume: (guest) => (self: number, result: number) => putOnce(host, guest, result, response(self).consume()),
      }),
      FutureTrailers: resource({
        subscribe: () => (self: number) => host.resources.add(trailers(self).subscribe()),
        get: (guest) => (self: number, result: number) =>
          putFound(guest, result, trailers(self).get(), (at, value) => {
            guest.view.setUint8(at, value ? 1 : 0);
            if (value) guest.view.setUint32(at + 4, host.resources.add(value), true);
          }),
      }),
      IncomingRequest: never(['method', 'pathWithQuery', 'scheme', 'authority', 'headers', 'consume']),
      ResponseOutparam: never(['sendInformational'], ['set']),
      OutgoingResponse: never(['statusCode', 'setStatusCode', 'headers', 'body'], [], () => () => {
        throw new WebAssembly.RuntimeError('this host asks no component for a response');
      }),
      httpErrorCode: (guest) => (error: number, result: number) => {
        const failed = host.resources.get(error, IoError);
        const known = failed instanceof HttpIoError;
        if (known) putErrorCode(guest, result + 8, failed.failure);
        guest.view.setUint8(result, known ? 1 : 0);
      },
    },
  };
}
