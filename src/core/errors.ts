/** The error codes of the protocol (R3.9-1). */
export const CODE = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  noPlugin: -32001,
  noAnswer: -32002,
  rejected: -32003,
} as const;

/** An error as JSON-RPC carries it. The message is a sentence for a person. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.data = data;
  }

  /** The `error` member of a response. Its inverse is `RpcError.from`. */
  toJSON(): { code: number; message: string; data?: unknown } {
    return { code: this.code, message: this.message, ...(this.data !== undefined && { data: this.data }) };
  }

  /** The error that a response carries; what is no proper error object becomes an internal error that shows it. */
  static from(value: unknown): RpcError {
    if (typeof value === 'object' && value !== null) {
      const { code, message, data } = value as Record<string, unknown>;
      if (typeof code === 'number' && typeof message === 'string') return new RpcError(code, message, data);
    }
    return new RpcError(CODE.internal, 'the callee answered with an error that is no error object', value);
  }
}
