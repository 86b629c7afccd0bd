/**
 * Requests of programs to the outside by the browser's own `fetch`, for those who have no relay, or want none. It reaches
 * what any page of this origin reaches, as a stranger: without cookies, and only what the other site lets pages read.
 */

import { BodySource } from './body-source.ts';
import { HttpError } from './errors.ts';

/** What a process says of its request. */
export interface FetchHead {
  method: string;
  url: string;
  headers: [name: string, value: string][];
  /** `whole`: it was written before the request is sent. */
  body: 'none' | 'whole' | 'stream';
}

/** What it gets. */
export interface FetchedHead {
  status: number;
  headers: [name: string, value: string][];
}

/** Said by the browser itself of the body that it has taken apart already. */
const NOT_OF_THE_BODY = new Set([
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'connection',
  'keep-alive',
]);
/** What cannot change anything on a server. */
const HARMLESS = new Set(['GET', 'HEAD']);
/** Those that no page may use. */
const FORBIDDEN = new Set(['CONNECT', 'TRACE', 'TRACK']);

/** The request was not made, or its answer may not be read; `message` is a sentence for the visitor. */
export class FetchRefusal extends HttpError {
  constructor(code: HttpError['code'], sentence: string, options?: ErrorOptions) {
    super(code, {}, options);
    this.message = sentence;
  }
}

export interface PageFetchOptions {
  /** The folder of the page. */
  base: URL;
  fetch?: typeof fetch;
  /** Whether the browser is connected to any network, as far as it knows. */
  online?: () => boolean;
}

export class PageFetch {
  readonly #origin: string;
  readonly #fetch: typeof fetch;
  readonly #online: () => boolean;
  /** Origins that take no body as a stream, which needs HTTP/2. */
  readonly #wantWhole = new Set<string>();

  constructor({ base, fetch: own = (...request) => fetch(...request), online }: PageFetchOptions) {
    this.#origin = base.origin;
    this.#fetch = own;
    this.#online = online ?? (() => navigator.onLine !== false);
  }

  /** Rejects with `HttpError`. `read` gives the next bytes of the body, undefined at its end. */
  async request(
    { method, url: text, headers, body: how }: FetchHead,
    read: () => Promise<Uint8Array<ArrayBuffer> | undefined>,
    signal: AbortSignal,
  ): Promise<Response> {
    const url = this.#check(method, text);
    const init: RequestInit = {
      ...{ method, headers: headersOf(headers), signal },
      // Redirects are followed: a page cannot see where one leads.
      ...{ mode: 'cors', credentials: 'omit', cache: 'no-store', redirect: 'follow', referrerPolicy: 'no-referrer' },
    };
    const source = new BodySource(read);
    try {
      if (how === 'none') return await this.#fetch(url, init);
      if (how === 'stream' && STREAMS && !this.#wantWhole.has(url.origin)) {
        try {
          return await this.#fetch(url, { ...init, body: source.stream(), duplex: 'half' } as RequestInit);
        } catch (error) {
          // Refused because it is a stream, or for a reason that will show again: nothing of it has been answered.
          if (!(error instanceof TypeError) || signal.aborted || !source.whole) throw error;
          const response = await this.#fetch(url, { ...init, ...(await bodyOf(source)) });
          this.#wantWhole.add(url.origin);
          return response;
        }
      }
      return await this.#fetch(url, { ...init, ...(await bodyOf(source)) });
    } catch (error) {
      if (error instanceof HttpError) throw error;
      throw this.#refusal(url, method, error);
    }
  }

  #check(method: string, text: string): URL {
    if (!URL.canParse(text)) throw new HttpError('HTTP-request-URI-invalid');
    const url = new URL(text);
    if (FORBIDDEN.has(method.toUpperCase())) throw new HttpError('HTTP-request-method-invalid');
    if (url.origin === this.#origin) {
      // To the page's own host a request would come as one of the page.
      if (HARMLESS.has(method)) return url;
      throw new FetchRefusal(
        'HTTP-request-denied',
        `The page's fetch asks ${url.host}, the page's own host, with GET and HEAD only.`,
      );
    }
    if (url.protocol === 'https:') return url;
    throw new FetchRefusal(
      'HTTP-request-denied',
      `The page's fetch reaches sites with https only, so not ${url.origin}; a relay would.`,
    );
  }

  /** A browser does not tell a page whether a site could not be reached or may not be read. */
  #refusal(url: URL, method: string, cause: unknown): HttpError {
    if (!(cause instanceof TypeError)) return new HttpError('connection-terminated', {}, { cause });
    if (!this.#online()) {
      return new FetchRefusal('destination-unavailable', `The browser has no network, so ${url.host} was not reached.`);
    }
    const sentence =
      url.origin === this.#origin
        ? `The page's own host ${url.host} could not be reached.`
        : `The browser did not give the answer of ${url.host} to ${method}: either the site does not let other pages read it (CORS), or it could not be reached. A relay has no such rule; choose one in the settings.`;
    return new FetchRefusal('HTTP-request-denied', sentence, { cause });
  }
}

/** Without what a browser refuses to send, which it would drop in silence anyway. */
function headersOf(list: [string, string][]): Headers {
  const headers = new Headers();
  for (const [name, value] of list) {
    if (NOT_OF_THE_BODY.has(name.toLowerCase())) continue;
    try {
      headers.append(name, value);
    } catch {
      throw new HttpError('HTTP-request-header-size', { text: name });
    }
  }
  return headers;
}

async function bodyOf(source: BodySource): Promise<{ body?: Blob }> {
  const pieces = await source.rest();
  // A body without a byte is none: GET must not have one.
  return pieces.length === 0 ? {} : { body: new Blob(pieces) };
}

/** The head of a response as the guest gets it. */
export const headOf = ({ status, headers }: Response): FetchedHead => ({
  status,
  headers: [...headers].filter(([name]) => !NOT_OF_THE_BODY.has(name)),
});

/** Whether this browser sends a body as it comes; one that does not reads the stream as a text. */
const STREAMS = ((): boolean => {
  let asked = false;
  try {
    const request = new Request('https://a.test', {
      method: 'POST',
      body: new ReadableStream(),
      get duplex() {
        asked = true;
        return 'half';
      },
    } as RequestInit);
    return asked && !request.headers.has('Content-Type');
  } catch {
    return false;
  }
})();
