/**
 * Frames over requests, where no WebSocket comes through: one GET after the other brings bytes down, POSTs take them up,
 * each frame after its length. A request that was cut is made again from where it was, so a short fault loses nothing.
 */

import { encode } from '../../relay/protocol.ts';
import type { OpenTransport, Platform, Transport, TransportEvents } from './transport.ts';

/** How long the first bytes of a stream may take, in milliseconds; where they take longer something keeps them back. */
const STREAM_MS = 3000;
/** How long requests may fail before the session counts as lost, and the pause between tries, in milliseconds. */
const PATIENCE_MS = 15_000;
const PAUSE_MS = 500;
/** Bytes in one POST, about. */
const BATCH = 256 * 1024;
/** Bytes after which the relay is told that they have arrived. */
const ACKNOWLEDGE = 512 * 1024;

/** The relay does not know the session any more. */
class SessionGone extends Error {}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

class HttpsTransport implements Transport {
  readonly #fetch: Platform['fetch'];
  readonly #url: string;
  readonly #session: string;
  readonly #events: TransportEvents;
  /** Nothing is read any more: it was closed here, or lost. */
  readonly #ended = new AbortController();
  #lost = false;
  /** Frames to send, each with its length before it. */
  #outgoing: Uint8Array[] = [];
  #sequence = 0;
  #posting = false;
  #received = 0;
  #acknowledged = 0;
  #poll = false;
  /** The start of a frame whose rest has not come yet. */
  #partial = new Uint8Array(0);

  constructor(fetch: Platform['fetch'], url: string, session: string, events: TransportEvents) {
    this.#fetch = fetch;
    this.#url = url;
    this.#session = session;
    this.#events = events;
    void this.#read();
  }

  get kind(): 'stream' | 'poll' {
    return this.#poll ? 'poll' : 'stream';
  }

  send(frame: Uint8Array): void {
    const framed = new Uint8Array(4 + frame.length);
    new DataView(framed.buffer).setUint32(0, frame.length);
    framed.set(frame, 4);
    this.#outgoing.push(framed);
    if (!this.#posting) void this.#post();
  }

  /** What was sent still goes out, and then that the session is over. */
  close(): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    const goodbye = encode({ op: 'reset', stream: 0, code: 'connection-aborted', message: '' });
    this.send(goodbye);
  }

  #lose(reason: string): void {
    this.#lost = true;
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    this.#events.closed(reason);
  }

  #headers(more: Record<string, string> = {}): Record<string, string> {
    return { 'Sausage-Session': this.#session, 'Sausage-Received': String(this.#received), ...more };
  }

  /** Does `request` until it works, for as long as there is hope and `wanted` says so. */
  async #insist(request: () => Promise<void>, wanted: () => boolean): Promise<void> {
    let failing: number | undefined;
    while (!this.#lost && wanted()) {
      try {
        await request();
        return;
      } catch (error) {
        failing ??= performance.now();
        if (error instanceof SessionGone) this.#lose(error.message);
        else if (performance.now() - failing > PATIENCE_MS) this.#lose('the connection was lost');
        else await pause(PAUSE_MS);
      }
    }
  }

  async #read(): Promise<void> {
    const wanted = () => !this.#ended.signal.aborted;
    while (wanted()) await this.#insist(() => this.#get(), wanted);
  }

  async #get(): Promise<void> {
    const given = new AbortController();
    const signal = AbortSignal.any([this.#ended.signal, given.signal]);
    const first = this.#received === 0 && !this.#poll;
    const timer = first ? setTimeout(() => given.abort(), STREAM_MS) : undefined;
    try {
      const headers = this.#headers(this.#poll ? { 'Sausage-Poll': '1' } : {});
      this.#acknowledged = this.#received;
      const response = await this.#fetch(`${this.#url}/down`, { headers, signal, cache: 'no-store' });
      await this.#check(response);
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done || this.#ended.signal.aborted) return;
        clearTimeout(timer);
        this.#take(value);
      }
    } catch (error) {
      if (given.signal.aborted) this.#poll = true;
      else throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #check(response: Response): Promise<void> {
    if (response.ok) return;
    const text = (await response.text().catch(() => '')).trim();
    if (response.status === 404 || response.status === 409) throw new SessionGone(text || 'the session is over');
    throw new Error(`status ${response.status}`);
  }

  #take(bytes: Uint8Array): void {
    this.#received += bytes.length;
    let data = bytes;
    if (this.#partial.length > 0) {
      data = new Uint8Array(this.#partial.length + bytes.length);
      data.set(this.#partial);
      data.set(bytes, this.#partial.length);
    }
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    let at = 0;
    while (at + 4 <= data.length) {
      const end = at + 4 + view.getUint32(at);
      if (end > data.length) break;
      this.#events.frame(data.slice(at + 4, end));
      at = end;
    }
    this.#partial = data.slice(at);
    if (this.#received - this.#acknowledged > ACKNOWLEDGE && !this.#posting) void this.#post();
  }

  async #post(): Promise<void> {
    this.#posting = true;
    do {
      let length = 0;
      let count = 0;
      while (count < this.#outgoing.length && (length === 0 || length < BATCH)) {
        length += (this.#outgoing[count++] as Uint8Array).length;
      }
      const body = new Blob(this.#outgoing.splice(0, count) as Uint8Array<ArrayBuffer>[]);
      const sequence = String(this.#sequence++);
      const attempt = async () => {
        this.#acknowledged = this.#received;
        const headers = this.#headers({ 'Sausage-Sequence': sequence, 'Content-Type': 'application/octet-stream' });
        await this.#check(await this.#fetch(`${this.#url}/up`, { method: 'POST', headers, body }));
      };
      await this.#insist(attempt, () => true);
    } while (
      !this.#lost &&
      (this.#outgoing.length > 0 || (!this.#ended.signal.aborted && this.#received - this.#acknowledged > ACKNOWLEDGE))
    );
    this.#posting = false;
  }
}

export function httpsTransport({ fetch }: Pick<Platform, 'fetch'>): OpenTransport {
  return async (url, hello, events, signal) => {
    const address = url.href.replace(/\/$/, '');
    // As a function of its own: `fetch` wants no other `this` than the global one.
    const request: typeof fetch = (input, init) => fetch(input, init);
    const response = await request(`${address}/session`, {
      method: 'POST',
      body: hello,
      headers: { 'Content-Type': 'application/octet-stream' },
      signal,
    }).catch((cause) => {
      throw new Error(signal.aborted ? 'it does not answer' : 'it cannot be reached', { cause });
    });
    const text = (await response.text()).trim();
    if (response.status !== 201) {
      const sentence = response.headers.get('content-type')?.startsWith('text/plain') && text.replace(/\.$/, '');
      throw new Error(sentence || `it answers with status ${response.status}`);
    }
    return new HttpsTransport(request, address, text, events);
  };
}
