import { HttpError } from './errors.ts';
import { contentLength, type Field, isFieldValue, isToken, valuesOf } from './syntax.ts';

export interface ResponseHead {
  status: number;
  reason: string;
  fields: Field[];
}

export interface ResponseEvents {
  head(head: ResponseHead): void;
  /** A piece of the body, which belongs to the receiver; it is a view of what was pushed. */
  data(bytes: Uint8Array): void;
  end(trailers: Field[] | undefined): void;
}

/** Bytes of a head with all its lines, and of all trailers. */
const HEAD_BYTES = 256 * 1024;
/** Letters of the line before a chunk. */
const CHUNK_LINE = 1024;
const LF = 10;

type State = 'status' | 'fields' | 'sized' | 'until close' | 'chunk line' | 'chunk' | 'chunk end' | 'trailers' | 'done';

const decoder = new TextDecoder();
const latin1 = new TextDecoder('latin1');
const encoder = new TextEncoder();

/**
 * Reads one response of HTTP/1.1 as it comes, in pieces of any size. Interim responses (1xx) are passed over. Throws
 * `HttpError` for what is no response; it must not be used after that.
 */
export class ResponseDecoder {
  readonly #events: ResponseEvents;
  /** The method was HEAD: there is no body whatever the headers say. */
  readonly #headOnly: boolean;
  #state: State = 'status';
  /** The pieces of a line whose end has not come. */
  #line: Uint8Array[] = [];
  #lineBytes = 0;
  /** Bytes of the head, or of the trailers, so far. */
  #section = 0;
  #head: ResponseHead = { status: 0, reason: '', fields: [] };
  #trailers: Field[] = [];
  /** Bytes of the body, or of the chunk, that are still to come. */
  #left = 0;

  constructor(method: string, events: ResponseEvents) {
    this.#headOnly = method === 'HEAD';
    this.#events = events;
  }

  get done(): boolean {
    return this.#state === 'done';
  }

  /** What comes after the end of the response is not looked at. */
  push(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length && this.#state !== 'done') {
      if (this.#state === 'until close') {
        this.#events.data(bytes.subarray(at));
        return;
      }
      at = this.#state === 'sized' || this.#state === 'chunk' ? this.#body(bytes, at) : this.#text(bytes, at);
    }
  }

  /** The connection has ended. */
  close(): void {
    if (this.#state === 'done') return;
    if (this.#state !== 'until close') throw new HttpError('HTTP-response-incomplete');
    this.#end(undefined);
  }

  #body(bytes: Uint8Array, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    this.#events.data(bytes.subarray(at, end));
    if (this.#left > 0) return end;
    if (this.#state === 'sized') this.#end(undefined);
    else this.#state = 'chunk end';
    return end;
  }

  #text(bytes: Uint8Array, at: number): number {
    const found = bytes.indexOf(LF, at);
    const end = found < 0 ? bytes.length : found + 1;
    this.#line.push(bytes.slice(at, end));
    this.#lineBytes += end - at;
    this.#section += end - at;
    const limit = this.#state === 'status' || this.#state === 'fields' ? HEAD_BYTES : CHUNK_LINE;
    if (
      this.#state === 'trailers' ? this.#section > HEAD_BYTES : this.#lineBytes > limit || this.#section > HEAD_BYTES
    ) {
      throw new HttpError(this.#tooLarge, { size: this.#section });
    }
    if (found < 0) return end;
    const line = new Uint8Array(this.#lineBytes);
    let to = 0;
    for (const piece of this.#line) {
      line.set(piece, to);
      to += piece.length;
    }
    this.#line = [];
    this.#lineBytes = 0;
    const length = line.length > 1 && line[line.length - 2] === 13 ? line.length - 2 : line.length - 1;
    this.#gotLine(line.subarray(0, length));
    return end;
  }

  get #tooLarge(): 'HTTP-response-header-section-size' | 'HTTP-response-trailer-section-size' | 'HTTP-protocol-error' {
    if (this.#state === 'status' || this.#state === 'fields') return 'HTTP-response-header-section-size';
    return this.#state === 'trailers' ? 'HTTP-response-trailer-section-size' : 'HTTP-protocol-error';
  }

  #gotLine(line: Uint8Array): void {
    switch (this.#state) {
      case 'status':
        this.#gotStatus(line);
        break;
      case 'fields':
        if (line.length > 0) addField(this.#head.fields, line);
        else this.#gotHead();
        break;
      case 'chunk line':
        this.#gotChunkLine(latin1.decode(line));
        break;
      case 'chunk end':
        if (line.length > 0) throw new HttpError('HTTP-protocol-error', { text: 'a chunk is longer than it says' });
        this.#section = 0;
        this.#state = 'chunk line';
        break;
      default:
        if (line.length > 0) addField(this.#trailers, line);
        else this.#end(this.#trailers.length > 0 ? this.#trailers : undefined);
    }
  }

  #gotStatus(line: Uint8Array): void {
    const match = /^HTTP\/1\.[01] ([1-9]\d\d)(?: (.*))?$/.exec(decoder.decode(line));
    if (!match) throw new HttpError('HTTP-protocol-error', { text: 'this is no response of HTTP/1.1' });
    this.#head = { status: Number(match[1]), reason: match[2] ?? '', fields: [] };
    this.#state = 'fields';
  }

  #gotHead(): void {
    const { status, fields } = this.#head;
    this.#section = 0;
    if (status === 101) throw new HttpError('HTTP-upgrade-failed');
    if (status < 200) {
      this.#state = 'status';
      return;
    }
    const codings = valuesOf(fields, 'transfer-encoding').flatMap((value) => value.toLowerCase().split(','));
    const length = contentLength(fields);
    const other = codings.map((one) => one.trim()).find((coding) => coding !== 'chunked');
    if (other !== undefined) throw new HttpError('HTTP-response-transfer-coding', { text: other });
    if (codings.length > 1) throw new HttpError('HTTP-protocol-error', { text: 'chunked twice' });
    if (codings.length === 0 && Number.isNaN(length)) {
      throw new HttpError('HTTP-protocol-error', { text: 'its Content-Length is no number' });
    }
    this.#events.head(this.#head);
    if (this.#headOnly || status === 204 || status === 304) this.#end(undefined);
    else if (codings.length === 1) this.#state = 'chunk line';
    else if (length === undefined) this.#state = 'until close';
    else {
      this.#left = length;
      this.#state = 'sized';
      if (length === 0) this.#end(undefined);
    }
  }

  #gotChunkLine(line: string): void {
    const match = /^([0-9a-f]{1,13})[ \t]*(?:;.*)?$/i.exec(line);
    if (!match) throw new HttpError('HTTP-protocol-error', { text: 'the size of a chunk is no number' });
    this.#left = Number.parseInt(match[1]!, 16);
    this.#section = 0;
    this.#state = this.#left > 0 ? 'chunk' : 'trailers';
  }

  #end(trailers: Field[] | undefined): void {
    this.#state = 'done';
    this.#events.end(trailers);
  }
}

function addField(fields: Field[], line: Uint8Array): void {
  const last = fields.at(-1);
  if (line[0] === 32 || line[0] === 9) {
    // a line that goes on; long out of use, and read as one space (RFC 9112, 5.2)
    if (!last) throw new HttpError('HTTP-protocol-error', { text: 'a header begins with a space' });
    last[1] = encoder.encode(`${decoder.decode(last[1])} ${latin1.decode(line).trim()}`);
    return;
  }
  const colon = line.indexOf(58);
  const name = colon < 0 ? '' : latin1.decode(line.subarray(0, colon));
  let [from, to] = [colon + 1, line.length];
  while (from < to && isBlank(line[from])) from++;
  while (to > from && isBlank(line[to - 1])) to--;
  const value = line.slice(from, to);
  if (!isToken(name) || !isFieldValue(value)) {
    throw new HttpError('HTTP-protocol-error', { text: 'a line among the headers is no header' });
  }
  fields.push([name, value]);
}

const isBlank = (byte: number | undefined): boolean => byte === 32 || byte === 9;
