/**
 * Short-lived tokens that let a page use a relay that others can reach: `v1.<claims>.<mark>`, both in base64url. The
 * claims are JSON, the mark is HMAC-SHA-256 over `v1.<claims>` with the relay's secret, so that any server of the same
 * site can issue one in a few lines of any language.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';

export interface Claims {
  /** Who it was given to, for limits and the log. */
  sub: string;
  /** Seconds since 1970 after which it is worth nothing. */
  exp: number;
  /** The only origin from whose pages it may be used. */
  origin: string;
}

/** A token holds for a day at most, whatever it says. */
const MOST_SECONDS = 24 * 60 * 60;
const MOST_BYTES = 2048;
const LEAST_SECRET = 16;

const markOf = (secret: string, text: string): Buffer => createHmac('sha256', secret).update(text).digest();

export function checkSecret(secret: string): void {
  if (secret.length < LEAST_SECRET) {
    throw new RangeError(`The relay's secret is shorter than ${LEAST_SECRET} characters; take 32 random ones.`);
  }
}

/** A token for `claims`; `verifyToken` is its inverse. */
export function issueToken(secret: string, { sub, exp, origin }: Claims): string {
  checkSecret(secret);
  const body = `v1.${Buffer.from(JSON.stringify({ sub, exp, origin })).toString('base64url')}`;
  return `${body}.${markOf(secret, body).toString('base64url')}`;
}

/**
 * The claims of a token that holds now and for a page of `origin`; undefined for any other. `now` is in seconds. Origins
 * are compared as browsers send them.
 */
export function verifyToken(
  secret: string,
  token: string,
  origin: string | undefined,
  now: number,
): Claims | undefined {
  const match = token.length <= MOST_BYTES ? /^(v1\.([\w-]+))\.([\w-]{43})$/.exec(token) : null;
  if (!match) return undefined;
  const [, body, claims, mark] = match as unknown as [string, string, string, string];
  const given = Buffer.from(mark, 'base64url');
  const right = markOf(secret, body);
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
  let parsed: Partial<Claims> | null;
  try {
    parsed = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as Partial<Claims> | null;
  } catch {
    return undefined;
  }
  const { sub, exp, origin: allowed } = parsed ?? {};
  if (typeof sub !== 'string' || typeof exp !== 'number' || typeof allowed !== 'string') return undefined;
  if (sub === '' || !(exp > now) || exp > now + MOST_SECONDS || allowed !== origin) return undefined;
  return { sub, exp, origin: allowed };
}
