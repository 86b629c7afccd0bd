/** Why the relay does not do what it was asked: the code that the guest sees, and a sentence for the journal. */

import type { ErrorCode } from './protocol.ts';

export class RelayFailure extends Error {
  override readonly name = 'RelayFailure';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** One sentence for all that is refused, so that it does not tell what a name leads to inside. */
export const refused = (): RelayFailure =>
  new RelayFailure('access-denied', 'The relay does not open connections to this address and port.');

const SYSTEM: Readonly<Record<string, ErrorCode>> = {
  ECONNREFUSED: 'connection-refused',
  ECONNRESET: 'connection-reset',
  EPIPE: 'connection-reset',
  ECONNABORTED: 'connection-aborted',
  ETIMEDOUT: 'timeout',
  ENETUNREACH: 'remote-unreachable',
  EHOSTUNREACH: 'remote-unreachable',
  ENETDOWN: 'remote-unreachable',
  EADDRNOTAVAIL: 'remote-unreachable',
  EAFNOSUPPORT: 'remote-unreachable',
  EINVAL: 'remote-unreachable',
  EACCES: 'access-denied',
  EPERM: 'access-denied',
  EMFILE: 'new-socket-limit',
  ENFILE: 'new-socket-limit',
  ENOBUFS: 'out-of-memory',
  ENOMEM: 'out-of-memory',
  EMSGSIZE: 'datagram-too-large',
  EPROTO: 'tls-protocol',
};

/** What OpenSSL says of a certificate that it does not believe. */
const CERTIFICATE =
  /^(?:ERR_TLS_CERT_ALTNAME_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CRL_|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|PATH_LENGTH)/;

function tlsCode(code: string): ErrorCode | undefined {
  if (/^ERR_SSL_.*ALERT/.test(code)) return 'tls-alert';
  return /^ERR_(?:SSL|TLS)_/.test(code) ? 'tls-protocol' : undefined;
}

/** What a socket of Node failed with, as the protocol says it. */
export function socketFailure(error: unknown): RelayFailure {
  if (error instanceof RelayFailure) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  const text = error instanceof Error ? error.message : String(error);
  if (CERTIFICATE.test(code)) {
    return new RelayFailure('tls-certificate', `The certificate of the other side is not valid: ${text}`, {
      cause: error,
    });
  }
  const known = SYSTEM[code] ?? tlsCode(code) ?? 'unknown';
  return new RelayFailure(known, `The connection failed: ${known.replaceAll('-', ' ')}.`, { cause: error });
}
