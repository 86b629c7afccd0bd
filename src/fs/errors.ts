/** The error codes of `wasi:filesystem/types@0.2`, in the order of its enum: the position is the number on the wire. */
export const ERROR_CODES = [
  'access',
  'would-block',
  'already',
  'bad-descriptor',
  'busy',
  'deadlock',
  'quota',
  'exist',
  'file-too-large',
  'illegal-byte-sequence',
  'in-progress',
  'interrupted',
  'invalid',
  'io',
  'is-directory',
  'loop',
  'too-many-links',
  'message-size',
  'name-too-long',
  'no-device',
  'no-entry',
  'no-lock',
  'insufficient-memory',
  'insufficient-space',
  'not-directory',
  'not-empty',
  'not-recoverable',
  'unsupported',
  'no-tty',
  'no-such-device',
  'overflow',
  'not-permitted',
  'pipe',
  'read-only',
  'invalid-seek',
  'text-file-busy',
  'cross-device',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** The one error of the file systems. The message is a sentence for a person and names the path where it is known. */
export class FsError extends Error {
  override readonly name = 'FsError';
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string = code, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
