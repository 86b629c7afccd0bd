/** From what a client asked for to an address that may be connected to. */

import type { Ip } from './addresses.ts';
import { canonical, translated } from './addresses.ts';
import { refused } from './failures.ts';
import type { Policy } from './policy.ts';
import type { Resolver } from './resolver.ts';

/** The addresses of a host that a TCP connection may go to. Throws `RelayFailure`. */
export async function destinations(resolver: Resolver, policy: Policy, host: string, port: number): Promise<Ip[]> {
  const addresses = (await resolver.resolve(host)).map((address) =>
    translated(address) ? address : canonical(address),
  );
  const open = addresses.filter((address) => policy.allows('tcp', address, port));
  if (open.length === 0) throw refused();
  return open;
}

/** The addresses of a name that may be told. Throws `RelayFailure`. */
export async function tellable(resolver: Resolver, policy: Policy, name: string): Promise<Ip[]> {
  const addresses = (await resolver.resolve(name)).filter((address) => policy.resolves(address));
  if (addresses.length === 0) throw refused();
  return addresses;
}
