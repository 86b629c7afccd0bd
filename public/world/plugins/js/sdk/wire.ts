/** Messages: one JSON object a line, read from stdin and written to stdout (R3.1-2). */

import { onLine, write } from 'sausage:host';
import { CODE, RpcError } from './errors.ts';

export type Id = string | number | null;

/** A request, or a notification when it has no `id`. */
export interface Request {
  id?: Id;
  method: string;
  params: Record<string, unknown>;
}

export interface Waiting {
  resolve(result: unknown): void;
  reject(error: RpcError): void;
  /** What the callee tells before it answers (R3.5-1). */
  told?(name: string, params: unknown): void;
}

export interface Listener {
  request(request: Request): void;
  /** stdin has ended: the process is being stopped (R3.6-2). */
  end(): void;
}

const waiting = new Map<Id, Waiting>();
let listener: Listener | undefined;
let ended = false;
let lastId = 0;

/** A message begins with a newline too, so that a text printed before it does no harm (R3.1-4). */
function send(message: object): void {
  write(`\n${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

export function request(method: string, params: object, waits: Waiting): number {
  const id = ++lastId;
  if (ended) {
    waits.reject(new RpcError(CODE.noAnswer, `${method} is not called: this process is being stopped`));
    return id;
  }
  waiting.set(id, waits);
  send({ id, method, params });
  read();
  return id;
}

export const notification = (method: string, params: object): void => send({ method, params });

export const respond = (id: Id, result: unknown): void => send({ id, result: result ?? null });

export function respondError(id: Id, error: RpcError): void {
  const { code, message, data } = error;
  send({ id, error: { code, message, ...(data !== undefined && { data }) } });
}

/** From now on requests are read too, and stdin is read until `listen(undefined)`. */
export function listen(next: Listener | undefined): void {
  listener = next;
  read();
}

/** Reads as long as somebody waits for something: a process that waits for nothing ends by itself. */
function read(): void {
  onLine((listener || waiting.size > 0) && !ended ? receive : null);
}

function receive(line: string | null): void {
  if (line === null) return end();
  let message: Record<string, unknown>;
  try {
    message = JSON.parse(line);
  } catch {
    return; // the core writes messages only; an empty line is none
  }
  if (typeof message !== 'object' || message === null) return;
  if (typeof message.method === 'string') receiveRequest(message as unknown as Request);
  else receiveResponse(message);
  read();
}

function receiveRequest({ id, method, params }: Request): void {
  if (method === 'core.notify' && id === undefined) {
    const { call, name, params: told } = params as { call: Id; name: string; params: unknown };
    waiting.get(call)?.told?.(name, told);
  } else {
    listener?.request({ id, method, params: params ?? {} });
  }
}

function receiveResponse(message: Record<string, unknown>): void {
  const waits = waiting.get(message.id as Id);
  if (!waits) return;
  waiting.delete(message.id as Id);
  const { error } = message as { error?: { code: number; message: string; data?: unknown } };
  if (error) waits.reject(new RpcError(error.code, error.message, error.data));
  else waits.resolve(message.result);
}

function end(): void {
  ended = true;
  const pending = [...waiting.values()];
  waiting.clear();
  for (const { reject } of pending) reject(new RpcError(CODE.noAnswer, 'this process is being stopped'));
  listener?.end();
}
