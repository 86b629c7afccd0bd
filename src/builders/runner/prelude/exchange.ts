/** One request over `wasi:http` and its response: what the resources of the host need, in the order in which they go. */

import * as host from 'sausage:host';
import type { Bytes } from './bodies.ts';
import { ReadableStream } from './streams.ts';

const { input, output, future, incomingBody, outgoingBody, response } = host.KIND;
/** Bytes of a response that are taken at once. */
const PIECE = 64 * 1024;

export interface Sent {
  method: string;
  url: URL;
  headers: [string, string][];
  body: Bytes | ReadableStream<Uint8Array> | undefined;
  signal: AbortSignal | undefined;
}

export interface Received {
  status: number;
  headers: [string, string][];
  body: ReadableStream<Uint8Array>;
}

/** The resources of one request. When it is given up, nobody waits any more and all are given back, inner ones first. */
class Exchange {
  readonly #waits = new Map<number, (reason: unknown) => void>();
  readonly #held: [kind: number, handle: number][] = [];
  #reason: unknown;
  #over = false;

  hold(kind: number, handle: number): number {
    this.#held.unshift([kind, handle]);
    return handle;
  }

  drop(kind: number, handle: number): void {
    const at = this.#held.findIndex(([one, held]) => one === kind && held === handle);
    if (at < 0) return;
    this.#held.splice(at, 1);
    host.drop(kind, handle);
  }

  /** Another keeps it from now on. */
  give(kind: number, handle: number): void {
    const at = this.#held.findIndex(([one, held]) => one === kind && held === handle);
    if (at >= 0) this.#held.splice(at, 1);
  }

  ready(kind: number, handle: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#over) return reject(this.#reason);
      const id = host.whenReady(kind, handle, () => {
        this.#waits.delete(id);
        resolve();
      });
      this.#waits.set(id, reject);
    });
  }

  check(): void {
    if (this.#over) throw this.#reason;
  }

  /** Gives everything back; whoever waits gets the reason. */
  end(reason?: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#reason = reason;
    for (const [id, reject] of this.#waits) {
      host.forget(id);
      reject(reason);
    }
    for (const [kind, handle] of this.#held) host.drop(kind, handle);
    this.#held.length = 0;
  }
}

export async function exchange({ method, url, headers, body, signal }: Sent): Promise<Received> {
  const all = new Exchange();
  const abort = () => all.end(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener('abort', abort);
  try {
    const scheme = url.protocol.slice(0, -1);
    const flat = headers.flat();
    const parts = host.httpSend(method, scheme, url.host, url.pathname + url.search, flat, body !== undefined);
    const [waited, sent, out] = parts as [number, number, number];
    all.hold(future, waited);
    if (body !== undefined) {
      all.hold(outgoingBody, sent);
      all.hold(output, out);
      // the response may come before the body is through, or instead of it
      send(all, sent, out, body).catch((error) => all.end(error));
    }
    for (;;) {
      const got = host.httpResponse(waited);
      if (got) return received(all, got, () => signal?.removeEventListener('abort', abort));
      await all.ready(future, waited);
      all.check();
    }
  } catch (error) {
    all.end(error);
    signal?.removeEventListener('abort', abort);
    throw error;
  }
}

async function send(
  all: Exchange,
  body: number,
  out: number,
  content: Bytes | ReadableStream<Uint8Array>,
): Promise<void> {
  for await (const chunk of content instanceof Uint8Array ? [content] : content) {
    for (let at = 0; at < chunk.length; ) {
      all.check();
      let count: number;
      try {
        count = host.writeStream(out, chunk.subarray(at));
      } catch {
        return; // the server reads no more of it: what it answers says why
      }
      at += count;
      if (count === 0) await all.ready(output, out);
    }
  }
  all.check();
  all.drop(output, out);
  all.give(outgoingBody, body);
  host.httpEndBody(body);
}

function received(all: Exchange, got: NonNullable<ReturnType<typeof host.httpResponse>>, over: () => void): Received {
  const [status, flat, handle, body, stream] = got;
  all.hold(response, handle);
  all.hold(incomingBody, body);
  all.hold(input, stream);
  const headers: [string, string][] = [];
  for (let i = 0; i < flat.length; i += 2) headers.push([flat[i] as string, flat[i + 1] as string]);
  const finish = (reason?: unknown) => {
    all.end(reason);
    over();
  };
  const read = async (): Promise<Bytes | null> => {
    for (;;) {
      all.check();
      const bytes = host.readStream(stream, PIECE);
      if (bytes === null || bytes.length > 0) return bytes;
      await all.ready(input, stream);
    }
  };
  const source = {
    async pull(controller: { enqueue(chunk: Uint8Array): void; close(): void }) {
      let bytes: Bytes | null;
      try {
        bytes = await read();
      } catch (error) {
        finish(error);
        throw error;
      }
      if (bytes) return controller.enqueue(bytes);
      finish();
      controller.close();
    },
    cancel: finish,
  };
  return { status, headers, body: new ReadableStream<Uint8Array>(source) };
}
