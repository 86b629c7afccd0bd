/** The cases of `error-code` in `wasi:http/types@0.2`, in their order: the position is the number on the wire. */
export const HTTP_CODES = [
  'DNS-timeout',
  'DNS-error',
  'destination-not-found',
  'destination-unavailable',
  'destination-IP-prohibited',
  'destination-IP-unroutable',
  'connection-refused',
  'connection-terminated',
  'connection-timeout',
  'connection-read-timeout',
  'connection-write-timeout',
  'connection-limit-reached',
  'TLS-protocol-error',
  'TLS-certificate-error',
  'TLS-alert-received',
  'HTTP-request-denied',
  'HTTP-request-length-required',
  'HTTP-request-body-size',
  'HTTP-request-method-invalid',
  'HTTP-request-URI-invalid',
  'HTTP-request-URI-too-long',
  'HTTP-request-header-section-size',
  'HTTP-request-header-size',
  'HTTP-request-trailer-section-size',
  'HTTP-request-trailer-size',
  'HTTP-response-incomplete',
  'HTTP-response-header-section-size',
  'HTTP-response-header-size',
  'HTTP-response-body-size',
  'HTTP-response-trailer-section-size',
  'HTTP-response-trailer-size',
  'HTTP-response-transfer-coding',
  'HTTP-response-content-coding',
  'HTTP-response-timeout',
  'HTTP-upgrade-failed',
  'HTTP-protocol-error',
  'loop-detected',
  'configuration-error',
  'internal-error',
] as const;

export type HttpCode = (typeof HTTP_CODES)[number];

/** What some cases carry: a number of bytes, or a text (of a DNS failure its code). */
export interface HttpDetail {
  size?: number;
  text?: string;
}

export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly code: HttpCode;
  readonly detail: HttpDetail;
  constructor(code: HttpCode, detail: HttpDetail = {}, options?: ErrorOptions) {
    super([code, detail.text ?? detail.size].filter((part) => part !== undefined).join(': '), options);
    this.code = code;
    this.detail = detail;
  }
}
