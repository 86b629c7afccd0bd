/** `TextEncoder` and `TextDecoder`, for UTF-8, UTF-16LE and Latin-1 by its modern meaning of windows-1252's lower half. */

import { decodeUtf8, encodeUtf8 } from 'sausage:host';

class TextEncoder {
  readonly encoding = 'utf-8';

  encode(text = ''): Uint8Array<ArrayBuffer> {
    return encodeUtf8(String(text).toWellFormed());
  }

  encodeInto(text: string, into: Uint8Array): { read: number; written: number } {
    let [read, written] = [0, 0];
    for (const character of String(text).toWellFormed()) {
      const bytes = encodeUtf8(character);
      if (written + bytes.length > into.length) break;
      into.set(bytes, written);
      written += bytes.length;
      read += character.length;
    }
    return { read, written };
  }
}

const NAMES: Record<string, string> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'unicode-1-1-utf-8': 'utf-8',
  'utf-16': 'utf-16le',
  'utf-16le': 'utf-16le',
  latin1: 'windows-1252',
  ascii: 'windows-1252',
  'us-ascii': 'windows-1252',
  'iso-8859-1': 'windows-1252',
  'windows-1252': 'windows-1252',
};

const NONE = new Uint8Array();

class TextDecoder {
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  /** What the last part of a stream ended with in the middle of a character. */
  #rest: Uint8Array = NONE;
  #begun = false;

  constructor(label = 'utf-8', { fatal = false, ignoreBOM = false }: TextDecoderOptions = {}) {
    const encoding = NAMES[String(label).trim().toLowerCase()];
    if (!encoding) throw new RangeError(`the encoding ${label} is not known here`);
    this.encoding = encoding;
    this.fatal = Boolean(fatal);
    this.ignoreBOM = Boolean(ignoreBOM);
  }

  decode(input?: ArrayBufferView | ArrayBuffer, { stream = false }: TextDecodeOptions = {}): string {
    const given = input === undefined ? NONE : view(input);
    let bytes = given;
    if (this.#rest.length > 0) {
      bytes = new Uint8Array(this.#rest.length + given.length);
      bytes.set(this.#rest);
      bytes.set(given, this.#rest.length);
    }
    const [text, rest] = this.#decode(bytes, stream);
    this.#rest = stream && rest > 0 ? bytes.slice(bytes.length - rest) : NONE;
    const marked = !this.#begun && !this.ignoreBOM && text.startsWith('\ufeff');
    this.#begun = stream && (this.#begun || text.length > 0);
    return marked ? text.slice(1) : text;
  }

  #decode(bytes: Uint8Array, stream: boolean): [string, number] {
    if (this.encoding === 'utf-8') return decodeUtf8(bytes, this.fatal, stream);
    const wide = this.encoding === 'utf-16le';
    const rest = wide ? bytes.length % 2 : 0;
    let text = '';
    for (let at = 0; at + (wide ? 1 : 0) < bytes.length; at += wide ? 2 : 1) {
      text += String.fromCharCode((bytes[at] as number) | (wide ? (bytes[at + 1] as number) << 8 : 0));
    }
    if (wide && this.fatal && (!text.isWellFormed() || (rest > 0 && !stream))) {
      throw new TypeError('the bytes are not UTF-16');
    }
    if (!wide) return [text, 0];
    return [rest > 0 && !stream ? `${text.toWellFormed()}\ufffd` : text.toWellFormed(), rest];
  }
}

function view(input: ArrayBufferView | ArrayBuffer): Uint8Array {
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  return new Uint8Array(input);
}

Object.defineProperty(globalThis, 'TextEncoder', { value: TextEncoder, writable: true, configurable: true });
Object.defineProperty(globalThis, 'TextDecoder', { value: TextDecoder, writable: true, configurable: true });
