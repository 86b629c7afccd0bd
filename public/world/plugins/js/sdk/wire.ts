/** JSON-RPC, one JSON object a line, both ways: over stdin and stdout (`core.ts`) and over connections (`endpoint.ts`). */

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

export class Wire {
  readonly #waiting = new Map<Id, Waiting>();
  readonly #write: (line: string) => void;
  /** Hears of requests of the other side. */
  onRequest: ((request: Request) => void) | undefined;
  /** Why nothing can be asked any more. */
  #ended: string | undefined;
  #lastId = 0;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  /** Somebody waits for an answer. */
  get waits(): boolean {
    return this.#waiting.size > 0;
  }

  get ended(): boolean {
    return this.#ended !== undefined;
  }

  #send(message: object): void {
    this.#write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  request(method: string, params: object, waits: Waiting): void {
    if (this.#ended !== undefined) {
      waits.reject(new RpcError(CODE.noAnswer, `${method} is not called: ${this.#ended}`));
      return;
    }
    const id = ++this.#lastId;
    this.#waiting.set(id, waits);
    this.#send({ id, method, params });
  }

  notification(method: string, params: object): void {
    this.#send({ method, params });
  }

  respond(id: Id, result: unknown): void {
    this.#send({ id, result: result ?? null });
  }

  respondError(id: Id, { code, message, data }: RpcError): void {
    this.#send({ id, error: { code, message, ...(data !== undefined && { data }) } });
  }

  /** A line of the other side; one that is no message is ignored (R3.1-4). */
  receive(line: string): void {
    let message: Record<string, unknown>;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    if (typeof message !== 'object' || message === null) return;
    if (typeof message.method === 'string') this.#receiveRequest(message as unknown as Request);
    else this.#receiveResponse(message);
  }

  #receiveRequest({ id, method, params }: Request): void {
    if (method === 'core.notify' && id === undefined) {
      const { call, name, params: told } = params as { call: Id; name: string; params: unknown };
      this.#waiting.get(call)?.told?.(name, told);
    } else {
      this.onRequest?.({ id, method, params: params ?? {} });
    }
  }

  #receiveResponse(message: Record<string, unknown>): void {
    const waits = this.#waiting.get(message.id as Id);
    if (!waits) return;
    this.#waiting.delete(message.id as Id);
    const { error } = message as { error?: { code: number; message: string; data?: unknown } };
    if (error) waits.reject(new RpcError(error.code, error.message, error.data));
    else waits.resolve(message.result);
  }

  /** No answer comes any more: whoever waits for one hears why. */
  end(why: string): void {
    this.#ended ??= why;
    const pending = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of pending) reject(new RpcError(CODE.noAnswer, why));
  }
}
