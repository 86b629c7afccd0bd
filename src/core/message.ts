/** The lines of stdout as JSON-RPC messages (R3.1-2 … R3.1-9), and the messages that the core writes. */

import { RpcError } from './errors.ts';
import { writeJson } from './interfaces/json.ts';
import { type Member, ObjectScanner } from './scanner.ts';

/** A line beyond this many bytes is discarded (R3.1-8). */
export const LONGEST_LINE = 64 * 1024 * 1024;

/** An ID: the text as its sender wrote it, and a key under which equal IDs are equal (R3.3-8). */
export interface Id {
  text: string;
  key: string;
}

export type Message =
  /** `params` is undefined when they are no object: the request is invalid (R3.1-7). */
  | { kind: 'request'; id: Id; method: string; params: Uint8Array | undefined }
  | { kind: 'notification'; method: string; params: Uint8Array | undefined }
  | { kind: 'response'; id: Id; reply: Reply }
  /** A JSON-RPC object that is neither; `reason` for the journal. */
  | { kind: 'invalid'; reason: string };

/** What a request is answered with: the text of the result, or of the error object. */
export type Reply = { result: Uint8Array } | { error: Uint8Array };

const NAMES = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'];
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const encode = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);
export const decode = (bytes: Uint8Array): string => decoder.decode(bytes);
/** The JSON text of a value, as bytes. Its inverse is `parse`. */
export const stringify = (value: unknown): Uint8Array<ArrayBuffer> => encoder.encode(JSON.stringify(value));
export const parse = (json: Uint8Array): unknown => JSON.parse(decoder.decode(json));

export const EMPTY_OBJECT = encode('{}');

/**
 * Turns the bytes of stdout, in pieces of any size, into messages. Lines that are none are counted by `onDiscard`
 * with a reason; empty lines are silent (R3.1-3).
 */
export class MessageReader {
  readonly #scanner = new ObjectScanner(NAMES);
  readonly #onMessage: (message: Message) => void;
  readonly #onDiscard: (reason: string) => void;
  #pieces: Uint8Array[] = [];
  #length = 0;
  #tooLong = false;

  constructor(onMessage: (message: Message) => void, onDiscard: (reason: string) => void) {
    this.#onMessage = onMessage;
    this.#onDiscard = onDiscard;
  }

  /** `bytes` are kept: the caller does not change them afterwards. */
  push(bytes: Uint8Array): void {
    let from = 0;
    while (from < bytes.length) {
      const newline = bytes.indexOf(0x0a, from);
      const to = newline < 0 ? bytes.length : newline;
      this.#add(bytes, from, to);
      if (newline < 0) return;
      this.#endLine();
      from = newline + 1;
    }
  }

  /** The end of stdout: a last line without a newline counts (R3.1-5). */
  end(): void {
    if (this.#length > 0 || this.#tooLong) this.#endLine();
  }

  #add(bytes: Uint8Array, from: number, to: number): void {
    if (from === to || this.#tooLong) return;
    if (this.#length + (to - from) > LONGEST_LINE) {
      this.#tooLong = true;
      this.#pieces = [];
      return;
    }
    this.#scanner.scan(bytes, from, to, this.#length);
    this.#length += to - from;
    // of a line that is no message nothing is kept
    if (this.#scanner.bad) this.#pieces = [];
    else this.#pieces.push(bytes.subarray(from, to));
  }

  #endLine(): void {
    const scanner = this.#scanner;
    if (this.#tooLong) this.#onDiscard(`a line of more than ${LONGEST_LINE / 1048576} MiB`);
    else if (!scanner.whole) {
      if (!scanner.blank) this.#onDiscard('a line that is no JSON-RPC message');
    } else {
      const message = this.#read(join(this.#pieces, this.#length), scanner.members);
      if (message) this.#onMessage(message);
      else this.#onDiscard('a line that is no JSON-RPC message');
    }
    this.#pieces = [];
    this.#length = 0;
    this.#tooLong = false;
    scanner.reset();
  }

  #read(line: Uint8Array, members: Map<string, Member>): Message | undefined {
    const text = (name: string) => {
      const member = members.get(name);
      return member && line.subarray(member.start, member.end);
    };
    const version = text('jsonrpc');
    if (!version || asString(version) !== '2.0') return undefined;
    const rawMethod = text('method');
    const rawId = text('id');
    const id = rawId && readId(rawId);
    if (rawId && !id) return { kind: 'invalid', reason: 'its id is neither a string, a number nor null' };
    if (rawMethod) {
      const method = asString(rawMethod);
      if (method === undefined) return { kind: 'invalid', reason: 'its method is no string' };
      const rawParams = text('params');
      const params = !rawParams ? EMPTY_OBJECT : rawParams[0] === 0x7b ? rawParams : undefined;
      return id ? { kind: 'request', id, method, params } : { kind: 'notification', method, params };
    }
    const result = text('result');
    const error = text('error');
    if (!id || (result === undefined) === (error === undefined)) {
      return { kind: 'invalid', reason: 'it is neither a request nor a response' };
    }
    return { kind: 'response', id, reply: result ? { result } : { error: error! } };
  }
}

/** The ID in a JSON text, or undefined when it is no string, number or null. */
export function readId(json: Uint8Array): Id | undefined {
  const first = json[0]!;
  const text = decode(json);
  if (first === 0x22) return { text, key: text.includes('\\') ? JSON.stringify(JSON.parse(text)) : text };
  return first === 0x7b || first === 0x5b || first === 0x74 || first === 0x66 ? undefined : { text, key: text };
}

/** The string that a JSON text holds, or undefined when it holds something else. */
export function asString(json: Uint8Array): string | undefined {
  if (json[0] !== 0x22) return undefined;
  const text = decode(json);
  return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
}

function join(pieces: Uint8Array[], length: number): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Joins texts and JSON bytes to one line. */
export function line(...parts: (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const pieces = parts.map((part) => (typeof part === 'string' ? encoder.encode(part) : part));
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** A request or notification as a line for stdin. */
export function requestLine(id: string | undefined, method: string, params: Uint8Array): Uint8Array {
  const head = id === undefined ? '{"jsonrpc":"2.0",' : `{"jsonrpc":"2.0","id":${id},`;
  return line(`${head}"method":${JSON.stringify(method)},"params":`, params, '}\n');
}

/** A response as a line for stdin. `id` is the text of the ID as the caller wrote it (R3.3-4). */
export function responseLine(id: string, reply: Reply): Uint8Array {
  const head = `{"jsonrpc":"2.0","id":${id},`;
  return 'result' in reply
    ? line(`${head}"result":`, reply.result, '}\n')
    : line(`${head}"error":`, reply.error, '}\n');
}

/** The error of a reply, whatever JSON the callee wrote there. */
export const errorOf = ({ error }: Extract<Reply, { error: Uint8Array }>): RpcError => RpcError.from(parse(error));

export function errorReply(error: RpcError): Reply {
  // the data may hold integers that only the text can carry exactly
  return { error: encode(writeJson(error.toJSON())) };
}
