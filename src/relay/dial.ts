/** Connects to the outside: one address after the other, with TLS checked here when it was asked for. */

import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls, type SecureContext } from 'node:tls';
import { type Ip, route } from './addresses.ts';
import { RelayFailure, socketFailure } from './failures.ts';

export interface Dialled {
  socket: Socket;
  address: Ip;
}

export interface DialOptions {
  port: number;
  /** The name that the certificate must be for; undefined for no TLS. */
  serverName?: string | undefined;
  /** Whom to believe; the usual authorities when it is not given. */
  secureContext?: SecureContext | undefined;
  /** Milliseconds for all addresses together. */
  timeout: number;
  signal: AbortSignal;
}

/** The first address that answers. The socket is paused and stays open when the other side ends its half. */
export async function dial(addresses: readonly Ip[], options: DialOptions): Promise<Dialled> {
  const until = performance.now() + options.timeout;
  let failure = new RelayFailure('timeout', 'The other side did not answer in time.');
  for (const [at, address] of addresses.entries()) {
    const left = until - performance.now();
    if (left <= 0) break;
    try {
      return { socket: await attempt(address, options, left / (addresses.length - at)), address };
    } catch (error) {
      failure = socketFailure(error);
      if (options.signal.aborted || failure.code.startsWith('tls-')) break;
    }
  }
  throw failure;
}

function attempt(
  address: Ip,
  { port, serverName, secureContext, signal }: DialOptions,
  timeout: number,
): Promise<Socket> {
  const host = route(address).toString();
  const common = { host, port, allowHalfOpen: true };
  const socket =
    serverName === undefined
      ? connectTcp({ ...common, noDelay: true })
      : connectTls({
          ...common,
          // A name for the other side's choice of a certificate; an address is none, and is only checked.
          ...(isIP(serverName) === 0 && { servername: serverName }),
          checkServerIdentity: (_, certificate) => checkServerIdentity(serverName, certificate),
          minVersion: 'TLSv1.2',
          ...(secureContext && { secureContext }),
        });
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
      reject(error);
    };
    const onAbort = () => fail(new RelayFailure('connection-aborted', 'The opening was called off.'));
    const timer = setTimeout(
      () => fail(new RelayFailure('timeout', 'The other side did not answer in time.')),
      timeout,
    );
    signal.addEventListener('abort', onAbort, { once: true });
    // The listener stays: an error after the connection must not be without one, however briefly.
    socket.on('error', fail);
    const onClose = () => fail(new RelayFailure('connection-reset', 'The other side closed the connection.'));
    socket.once('close', onClose);
    socket.once(serverName === undefined ? 'connect' : 'secureConnect', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.off('close', onClose);
      socket.setNoDelay(true);
      resolve(socket);
    });
    if (signal.aborted) onAbort();
  });
}
