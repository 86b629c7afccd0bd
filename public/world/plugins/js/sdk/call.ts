import { core, request } from './core.ts';
import type { Id, Wire } from './wire.ts';

export interface CallOptions {
  /** Hears of what the callee tells before it answers (`tell`, `progress`). */
  onTell?: (name: string, params: unknown) => void;
  /** The callee outlives this process and has no parent (R3.4-1). */
  detach?: boolean;
}

/** Calls a method of a plugin or of the core: `call('notes.add', { text: 'milk' })`. Rejects with `RpcError`. */
export function call<T = unknown>(method: string, params: object = {}, options: CallOptions = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const waits = { resolve: resolve as (result: unknown) => void, reject, told: options.onTell };
    if (options.detach) request('core.call', { method, params, detach: true }, waits);
    else request(method, params, waits);
  });
}

/** Starts a method and waits for nothing; what becomes of it stands in the journal (R3.3-10). */
export function notify(method: string, params: object = {}): void {
  core.notification(method, params);
}

/** Tells whoever called this process something, before the answer; nobody needs to listen (R3.5-1). */
export function tell(name: string, params: object = {}): void {
  core.notification('core.notify', { name, params });
}

export interface Progress {
  done: number;
  total?: number;
  [more: string]: unknown;
}

/** Tells how far the work is: `progress({ done: 3, total: 10 })`. */
export function progress(params: Progress): void {
  tell('progress', params);
}

/** Whoever a handler works for, as the handler sees it. */
export interface Caller {
  /** Aborted when this process is being stopped, and for a caller over a connection also when that has ended. */
  signal: AbortSignal;
  /** Tells the caller something, before the answer (R3.5-1). */
  tell(name: string, params?: object): void;
  progress(params: Progress): void;
  /** In a handler of an endpoint, calls a method of its client (R5-4); else the same as `call`. */
  call<T = unknown>(method: string, params?: object): Promise<T>;
}

/** The caller of a request that came over a wire: over a connection, what is told has the ID of the call (R5-4). */
export function callerOf(wire: Wire, signal: AbortSignal, id?: Id): Caller {
  const told = (name: string, params: object = {}) =>
    wire.notification('core.notify', { ...(wire !== core && { call: id }), name, params });
  return {
    signal,
    tell: told,
    progress: (params) => told('progress', params),
    call: <T>(method: string, params: object = {}) =>
      wire === core ? call<T>(method, params) : ask<T>(wire, method, params),
  };
}

/** Calls a method of the other side of a connection. */
export function ask<T>(
  wire: Wire,
  method: string,
  params: object,
  told?: (name: string, params: unknown) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    wire.request(method, params, { resolve: resolve as (result: unknown) => void, reject, told });
  });
}
