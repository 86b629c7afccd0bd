/** `wasi:sockets/ip-name-lookup`. */

import { ADDRESS_BYTES, type IpAddress, parseIp, takeAddress } from '../../net/address.ts';
import { OP } from '../../syscall/protocol.ts';
import { type Interfaces, resource } from '../bind.ts';
import type { Host } from '../host.ts';
import { Pollable } from '../streams.ts';
import { putIp } from './addresses.ts';
import { answering, attempt, type NetworkCalls, SocketFailure } from './calls.ts';

/** The longest name of DNS, in letters. */
const NAME = 253;

/** The name in the letters of DNS (`grün.de` is `xn--grn-ioa.de`), an address as it is. Throws `invalid-argument`. */
export function asciiName(name: string): string {
  if (parseIp(name)) return name;
  if (!/^[^\s/?#@:[\]\\%<>^|\0]+$/.test(name)) throw new SocketFailure('invalid-argument');
  let ascii: string;
  try {
    ascii = new URL(`http://${name}`).hostname;
  } catch {
    throw new SocketFailure('invalid-argument');
  }
  if (ascii === '' || ascii.length > NAME) throw new SocketFailure('invalid-argument');
  return ascii;
}

/** The addresses of a name, one after the other. */
class ResolveAddressStream {
  readonly #calls: NetworkCalls;
  readonly #id: number;
  readonly #cell: number;
  #addresses: IpAddress[] | undefined;

  constructor(calls: NetworkCalls, name: string) {
    calls.needNetwork();
    this.#calls = calls;
    const { args } = calls.client;
    calls.call(OP.resolve, calls.client.putText(asciiName(name)));
    this.#id = args[0] as number;
    this.#cell = args[1] as number;
  }

  ready(): boolean {
    return this.#addresses !== undefined || this.#calls.cell(this.#cell) !== 0;
  }

  next(): IpAddress | undefined {
    if (!this.ready()) throw new SocketFailure('would-block');
    this.#addresses ??= this.#fetch();
    return this.#addresses.shift();
  }

  #fetch(): IpAddress[] {
    const { args, payload } = this.#calls.client;
    args[0] = this.#id;
    const length = this.#calls.call(OP.addresses);
    return Array.from({ length: length / ADDRESS_BYTES }, (_, i) => takeAddress(payload, i * ADDRESS_BYTES));
  }

  drop(): void {
    this.#calls.close(this.#id);
  }
}

/** Waits for a lookup; not itself the lookup, whose end closes it. */
class LookupReady extends Pollable {
  readonly #stream: ResolveAddressStream;
  constructor(stream: ResolveAddressStream) {
    super();
    this.#stream = stream;
  }
  ready(): boolean {
    return this.#stream.ready();
  }
}

export function lookup(host: Host, calls: NetworkCalls): Interfaces {
  const stream = (handle: number): ResolveAddressStream => host.resources.get(handle, ResolveAddressStream);
  return {
    'wasi:sockets/ip-name-lookup': {
      resolveAddresses: (guest) => (_network: number, at: number, length: number, result: number) =>
        attempt(guest, result, 4, () =>
          guest.ok32(result, host.resources.add(new ResolveAddressStream(calls, guest.string(at, length)))),
        ),
      ResolveAddressStream: resource({
        resolveNextAddress: answering(2, (guest, self, result) => {
          const address = stream(self).next();
          guest.ok(result);
          guest.view.setUint8(result + 2, address ? 1 : 0);
          if (address) putIp(guest, result + 4, address);
        }),
        subscribe: () => (self: number) => host.resources.add(new LookupReady(stream(self))),
      }),
    },
  };
}
