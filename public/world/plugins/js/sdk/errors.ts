/** Codes that the protocol gives a meaning to. */
export const CODE = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  noPlugin: -32001,
  noAnswer: -32002,
} as const;

/**
 * An error as it travels: what a call rejects with, and what a handler throws to answer one. Any other error that a
 * handler throws is answered as -32603 with its message, and its stack goes to the journal.
 */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
