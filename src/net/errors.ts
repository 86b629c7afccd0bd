/** The error codes of `wasi:sockets/network@0.2`, in the order of its enum: the position is the number on the wire. */
export const NET_CODES = [
  'unknown',
  'access-denied',
  'not-supported',
  'invalid-argument',
  'out-of-memory',
  'timeout',
  'concurrency-conflict',
  'not-in-progress',
  'would-block',
  'invalid-state',
  'new-socket-limit',
  'address-not-bindable',
  'address-in-use',
  'remote-unreachable',
  'connection-refused',
  'connection-reset',
  'connection-aborted',
  'datagram-too-large',
  'name-unresolvable',
  'temporary-resolver-failure',
  'permanent-resolver-failure',
] as const;

export type NetCode = (typeof NET_CODES)[number];

/** What of TLS failed, where it was that: `wasi:http` has codes of its own for it. */
export const TLS_FAILURES = ['protocol', 'certificate', 'alert'] as const;

export type TlsFailure = (typeof TLS_FAILURES)[number];

/** The one error of the network. The message is a sentence for a person. */
export class NetError extends Error {
  override readonly name = 'NetError';
  readonly code: NetCode;
  readonly tls: TlsFailure | undefined;
  constructor(code: NetCode, message: string = code, options: ErrorOptions & { tls?: TlsFailure } = {}) {
    super(message, options);
    this.code = code;
    this.tls = options.tls;
  }
}
