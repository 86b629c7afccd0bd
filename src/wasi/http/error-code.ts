/** `error-code` of `wasi:http/types` in a guest's memory, and how errors of the network become one. */

import type { NetCode, TlsFailure } from '../../net/errors.ts';
import { HTTP_CODES, HttpError } from '../../net/http/errors.ts';
import type { Guest } from '../memory.ts';
import { IoError } from '../streams.ts';

/** What a stream of a body failed with, which `http-error-code` tells. */
export class HttpIoError extends IoError {
  readonly failure: HttpError;
  constructor(failure: HttpError) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Cases with an option of a number of bytes: 64 bits, 32 bits, and those in a record with a name. */
const SIZE_64 = new Set(['HTTP-request-body-size', 'HTTP-response-body-size']);
const SIZE_32 = new Set([
  'HTTP-request-header-section-size',
  'HTTP-request-trailer-section-size',
  'HTTP-response-header-section-size',
  'HTTP-response-trailer-section-size',
]);
const FIELD_SIZE = new Set([
  'HTTP-request-header-size',
  'HTTP-request-trailer-size',
  'HTTP-response-header-size',
  'HTTP-response-trailer-size',
]);
const TEXT = new Set(['DNS-error', 'HTTP-response-transfer-coding', 'HTTP-response-content-coding', 'internal-error']);

/** Bytes of the variant, which is aligned to 8. */
const SIZE = 32;

/** Stores the variant: its case at `at`, what it carries 8 bytes further. */
export function putErrorCode(guest: Guest, at: number, { code, detail }: HttpError): void {
  const { size, text } = detail;
  guest.bytes.fill(0, at, at + SIZE);
  guest.view.setUint8(at, HTTP_CODES.indexOf(code));
  const payload = at + 8;
  if (TEXT.has(code) && text !== undefined) {
    guest.putString(payload + 4, text);
    guest.view.setUint8(payload, 1);
  }
  if (size === undefined) return;
  const { view } = guest;
  if (SIZE_64.has(code)) {
    view.setUint8(payload, 1);
    view.setBigUint64(payload + 8, BigInt(size), true);
  } else if (SIZE_32.has(code)) {
    view.setUint8(payload, 1);
    view.setUint32(payload + 4, size, true);
  } else if (FIELD_SIZE.has(code)) {
    view.setUint8(payload + 12, 1);
    view.setUint32(payload + 16, size, true);
  }
}

const OF_TLS = {
  protocol: 'TLS-protocol-error',
  certificate: 'TLS-certificate-error',
  alert: 'TLS-alert-received',
} as const;

/** What a connection that could not be made is for HTTP (R3.8-2). */
export function ofNetwork(code: NetCode, tls: TlsFailure | undefined): HttpError {
  if (tls) return new HttpError(OF_TLS[tls]);
  switch (code) {
    case 'access-denied':
      return new HttpError('HTTP-request-denied');
    case 'name-unresolvable':
      return new HttpError('DNS-error', { text: 'NXDOMAIN' });
    case 'temporary-resolver-failure':
    case 'permanent-resolver-failure':
      return new HttpError('DNS-error', { text: 'SERVFAIL' });
    case 'timeout':
      return new HttpError('connection-timeout');
    case 'connection-refused':
      return new HttpError('connection-refused');
    case 'connection-reset':
    case 'connection-aborted':
      return new HttpError('connection-terminated');
    case 'new-socket-limit':
      return new HttpError('connection-limit-reached');
    case 'remote-unreachable':
      return new HttpError('destination-unavailable');
    default:
      return new HttpError('internal-error', { text: code });
  }
}
