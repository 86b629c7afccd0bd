import { ERROR_CODES, type ErrorCode } from '../../fs/errors.ts';

/** The error numbers of WASI preview 1 that this host says by itself. */
export const ERRNO = {
  success: 0,
  badf: 8,
  inval: 28,
  io: 29,
  nametoolong: 37,
  notdir: 54,
  notsock: 57,
  notsup: 58,
  nosys: 52,
  overflow: 61,
  spipe: 70,
} as const;

const NUMBERS: Record<ErrorCode, number> = {
  access: 2,
  'would-block': 6,
  already: 7,
  'bad-descriptor': 8,
  busy: 10,
  deadlock: 16,
  quota: 19,
  exist: 20,
  'file-too-large': 22,
  'illegal-byte-sequence': 25,
  'in-progress': 26,
  interrupted: 27,
  invalid: 28,
  io: 29,
  'is-directory': 31,
  loop: 32,
  'too-many-links': 34,
  'message-size': 35,
  'name-too-long': 37,
  'no-device': 43,
  'no-entry': 44,
  'no-lock': 46,
  'insufficient-memory': 48,
  'insufficient-space': 51,
  'not-directory': 54,
  'not-empty': 55,
  'not-recoverable': 56,
  unsupported: 58,
  'no-tty': 59,
  'no-such-device': 60,
  overflow: 61,
  'not-permitted': 63,
  pipe: 64,
  'read-only': 69,
  'invalid-seek': 70,
  'text-file-busy': 74,
  'cross-device': 75,
};

const BY_POSITION = ERROR_CODES.map((code) => NUMBERS[code]);

/** The error number of what `Client.call` returned: 0, or that of `~code`. */
export function errnoOf(outcome: number): number {
  return outcome < 0 ? (BY_POSITION[~outcome] ?? ERRNO.io) : ERRNO.success;
}
