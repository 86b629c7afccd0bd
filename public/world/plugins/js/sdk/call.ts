import { notification, request } from './wire.ts';

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
  notification(method, params);
}

/** Tells whoever called this process something, before the answer; nobody needs to listen (R3.5-1). */
export function tell(name: string, params: object = {}): void {
  notification('core.notify', { name, params });
}

/** Tells how far the work is: `progress({ done: 3, total: 10 })`. */
export function progress(params: { done: number; total?: number; [more: string]: unknown }): void {
  tell('progress', params);
}
