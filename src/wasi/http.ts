/**
 * `wasi:http`, for a host without a network: a program can put a request together, and sending it answers an error that
 * says so. What comes after an answer links, and cannot be reached.
 */

import { type CoreFunction, type Interfaces, type Lowered, type Resource, resource } from './bind.ts';
import type { Host } from './host.ts';
import type { Guest } from './memory.ts';

/** The position of `internal-error(option<string>)` in the `error-code` of `wasi:http/types`. */
const INTERNAL_ERROR = 38;

class Fields {
  entries: [name: string, value: Uint8Array][] = [];
}

class OutgoingRequest {
  readonly headers: Fields;
  constructor(headers: Fields) {
    this.headers = headers;
  }
}

class RequestOptions {}

/** `result<_, _>` or an option or result without a payload that matters: its case alone. */
const constant =
  (value: number): Lowered =>
  () =>
  (): number =>
    value;

/** Stores the first byte of a result or an option: `err` and `some` are 1. */
const stored =
  (value: number): Lowered =>
  (guest: Guest): CoreFunction =>
  (...args: number[]) =>
    guest.view.setUint8(args.at(-1) as number, value);

function never(methods: string[], statics: string[] = [], make?: Lowered): Resource {
  const trap: Lowered = () => () => {
    throw new WebAssembly.RuntimeError('unknown handle: this host has no HTTP');
  };
  const all = (names: string[]) => Object.fromEntries(names.map((name) => [name, trap]));
  return resource(all(methods), { statics: all(statics), ...(make && { make }) });
}

function fields(host: Host): Resource {
  const get = (handle: number): Fields => host.resources.get(handle, Fields);
  const copy = (entries: Fields['entries']): Fields => Object.assign(new Fields(), { entries: [...entries] });
  const putValues = (guest: Guest, result: number, values: Uint8Array[]): void => {
    const list = guest.allocate(4, values.length * 8);
    values.forEach((value, i) => {
      guest.putBytes(list + i * 8, value);
    });
    guest.setList(result, list, values.length);
  };
  const readList = (guest: Guest, at: number): Uint8Array => {
    const { view } = guest;
    return guest.list(view.getUint32(at, true), view.getUint32(at + 4, true)).slice();
  };
  return resource(
    {
      get: (guest) => (self: number, at: number, length: number, result: number) => {
        const name = guest.string(at, length).toLowerCase();
        const values = get(self).entries.filter(([key]) => key.toLowerCase() === name);
        putValues(
          guest,
          result,
          values.map(([, value]) => value),
        );
      },
      has: (guest) => (self: number, at: number, length: number) => {
        const name = guest.string(at, length).toLowerCase();
        return get(self).entries.some(([key]) => key.toLowerCase() === name) ? 1 : 0;
      },
      set: (guest) => (self: number, at: number, length: number, values: number, count: number, result: number) => {
        const name = guest.string(at, length);
        const target = get(self);
        target.entries = target.entries.filter(([key]) => key.toLowerCase() !== name.toLowerCase());
        for (let i = 0; i < count; i++) target.entries.push([name, readList(guest, values + i * 8)]);
        guest.ok(result);
      },
      delete: (guest) => (self: number, at: number, length: number, result: number) => {
        const name = guest.string(at, length).toLowerCase();
        const target = get(self);
        target.entries = target.entries.filter(([key]) => key.toLowerCase() !== name);
        guest.ok(result);
      },
      append:
        (guest) => (self: number, at: number, length: number, valueAt: number, valueLength: number, result: number) => {
          get(self).entries.push([guest.string(at, length), guest.list(valueAt, valueLength).slice()]);
          guest.ok(result);
        },
      // A pair of a string and bytes lies in memory as two lists.
      entries: (guest) => (self: number, result: number) => {
        const { entries } = get(self);
        const list = guest.allocate(4, entries.length * 16);
        entries.forEach(([name, value], i) => {
          guest.putString(list + i * 16, name);
          guest.putBytes(list + i * 16 + 8, value);
        });
        guest.setList(result, list, entries.length);
      },
      clone: () => (self: number) => host.resources.add(copy(get(self).entries)),
    },
    {
      make: () => () => host.resources.add(new Fields()),
      statics: {
        fromList: (guest) => (at: number, count: number, result: number) => {
          const made = new Fields();
          const decoder = new TextDecoder();
          for (let i = 0; i < count; i++) {
            const entry = (at >>> 0) + i * 16;
            made.entries.push([decoder.decode(readList(guest, entry)), readList(guest, entry + 8)]);
          }
          guest.ok32(result, host.resources.add(made));
        },
      },
    },
  );
}

export function http(host: Host): Interfaces {
  /** A moved handle: it is the host's now. */
  const move = <T>(handle: number, type: abstract new (...args: never[]) => T): T => {
    const item = host.resources.get(handle, type);
    host.resources.drop(handle);
    return item;
  };
  const request = (handle: number): OutgoingRequest => host.resources.get(handle, OutgoingRequest);
  return {
    'wasi:http/types': {
      Fields: fields(host),
      OutgoingRequest: resource(
        {
          // There is no body to write to: `err`.
          body: stored(1),
          method: stored(0),
          setMethod: constant(0),
          pathWithQuery: stored(0),
          setPathWithQuery: constant(0),
          scheme: stored(0),
          setScheme: constant(0),
          authority: stored(0),
          setAuthority: constant(0),
          headers: () => (self: number) => {
            const { entries } = request(self).headers;
            return host.resources.add(Object.assign(new Fields(), { entries: [...entries] }));
          },
        },
        { make: () => (headers: number) => host.resources.add(new OutgoingRequest(move(headers, Fields))) },
      ),
      RequestOptions: resource(
        {
          connectTimeout: stored(0),
          setConnectTimeout: constant(0),
          firstByteTimeout: stored(0),
          setFirstByteTimeout: constant(0),
          betweenBytesTimeout: stored(0),
          setBetweenBytesTimeout: constant(0),
        },
        { make: () => () => host.resources.add(new RequestOptions()) },
      ),
      IncomingRequest: never(['method', 'pathWithQuery', 'scheme', 'authority', 'headers', 'consume']),
      ResponseOutparam: never(['sendInformational'], ['set']),
      IncomingResponse: never(['status', 'headers', 'consume']),
      IncomingBody: never(['stream'], ['finish']),
      FutureTrailers: never(['subscribe', 'get']),
      OutgoingResponse: never(['statusCode', 'setStatusCode', 'headers', 'body'], [], () => () => {
        throw new WebAssembly.RuntimeError('this host asks no component for a response');
      }),
      OutgoingBody: never(['write'], ['finish']),
      FutureIncomingResponse: never(['subscribe', 'get']),
      httpErrorCode: (guest) => (_error: number, result: number) => guest.view.setUint8(result, 0),
    },
    'wasi:http/outgoing-handler': {
      handle: (guest) => (sent: number, hasOptions: number, options: number, result: number) => {
        move(sent, OutgoingRequest);
        if (hasOptions) move(options, RequestOptions);
        guest.putString(result + 20, 'this host has no network yet');
        const { view } = guest;
        view.setUint8(result, 1);
        view.setUint8(result + 8, INTERNAL_ERROR);
        view.setUint8(result + 16, 1);
      },
    },
  };
}
