/** Bodies of requests, in one piece and of a bounded size. */

import type { IncomingMessage } from 'node:http';

/** What a request is refused with. */
export class BadRequest extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Rejects with `BadRequest`, for a body that breaks off too. */
export async function readBody(request: IncomingMessage, most: number): Promise<Buffer> {
  const tooLarge = () => new BadRequest(413, `This body has ${most} bytes at most.`);
  if (Number(request.headers['content-length']) > most) throw tooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > most) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (cause) {
    // The client has gone, or was sent away.
    throw cause instanceof BadRequest ? cause : new BadRequest(400, 'The body is not whole.');
  }
  return Buffer.concat(chunks);
}
