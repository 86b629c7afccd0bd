/** What a page gives as the params of a call, as the bytes that go to the core (R3.1-7). */

import { CODE, RpcError } from './core/errors.ts';

/** What the core takes as the params of one call, in bytes (R3.1-8). */
const LARGEST_PARAMS = 64 * 1024 * 1024;

const encoder = new TextEncoder();

/** The text of the params, on one line. What is no call is refused before it is sent. */
export function encodeParams(method: unknown, params: unknown): Uint8Array<ArrayBuffer> {
  if (typeof method !== 'string') throw new RpcError(CODE.invalidRequest, 'the method of a call is a string');
  const refuse = (what: string) => new RpcError(CODE.invalidRequest, `the params of ${method} ${what}`);
  let text: string | undefined;
  try {
    text = typeof params === 'string' ? checked(params) : JSON.stringify(params);
  } catch (error) {
    // the engines have no error of their own for a stack that is used up, but a TypeError is something else in all
    const deep = !(error instanceof TypeError || error instanceof SyntaxError);
    throw refuse(deep ? 'are nested too deep' : `are no JSON: ${(error as Error).message}`);
  }
  if (typeof text !== 'string' || !text.startsWith('{')) throw refuse('are no object');
  const bytes = encoder.encode(text);
  if (bytes.length > LARGEST_PARAMS) throw refuse('have more than 64 MiB');
  return bytes;
}

/** A text of JSON as it was given, but for its line breaks, which only stand between its parts. */
function checked(json: string): string {
  JSON.parse(json);
  return json.trim().replace(/[\r\n]+/g, ' ');
}
