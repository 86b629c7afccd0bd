import { args } from 'sausage:host';
import { type Caller, callerOf } from './call.ts';
import { core, listen } from './core.ts';
import { discover } from './document.ts';
import { pid } from './env.ts';
import { CODE, RpcError } from './errors.ts';
import { begun, run, stop, stopping } from './lifetime.ts';
import { check, type Schema, type Static } from './schema.ts';
import type { Request, Wire } from './wire.ts';

/** What a handler gets beside its params. */
export interface Context extends Caller {
  pid: string;
}

export interface Method<P = never, R = unknown> {
  /** For those who call it; part of the interface. */
  description?: string;
  deprecated?: boolean;
  params?: Schema<P>;
  result?: Schema<R>;
  run(params: P, context: Context): R | Promise<R>;
}

// biome-ignore lint/suspicious/noExplicitAny: methods of all params and results
export type Methods = Record<string, Method<any, any>>;

export interface ServeOptions {
  title?: string;
  version?: string;
  description?: string;
  methods: Methods;
  /** Interfaces that a running process serves on a port, by name: what the document says of them (chapter 5). */
  endpoints?: Record<string, Methods>;
  /** Seconds that running processes get when a new version is activated; 60 when not given. */
  grace?: number;
  /** Called once when the last process of an older version has ended, with its SHA-256 (R3.7-4). */
  retired?(previous: string): unknown;
}

type NoParams = Record<string, never>;

/** One method, with the types of its params and its result taken from their schemas. */
export function method<P = NoParams, R = void>(definition: Method<P, R>): Method<P, R> {
  return definition;
}

let served: ServeOptions | undefined;

/** Answers the call that this process was started for. A plugin calls it once. */
export function serve(options: ServeOptions): void {
  if (served) throw new Error('serve() is called once: put all methods into one');
  served = options;
  // in a test, the test calls the methods (`invoke`)
  if (args()[1]?.startsWith('--test')) return;
  listen({
    request(request) {
      begun();
      void answer(core, request, () => performOwn(options, request));
    },
    end: stop,
  });
}

/** What `serve` was told of the interface of an endpoint; for `endpoint.listen`. */
export function endpointMethods(name: string): Methods {
  const methods = served?.endpoints?.[name];
  if (methods) return methods;
  throw new Error(`there is no endpoint ${name}: serve({ endpoints: { ${name}: … } }) says what it offers`);
}

/** The same as a call, without a process: for tests. */
export async function invoke(name: string, params: object): Promise<unknown> {
  if (!served) throw new Error('import the module that calls serve() first');
  return performOwn(served, { method: name, params: params as Record<string, unknown> });
}

/** Answers a request that came over a wire with what `work` gives. */
export function answer(wire: Wire, { id, method: name }: Request, work: () => Promise<unknown>): Promise<void> {
  return run(async () => {
    try {
      const result = await work();
      if (id !== undefined) wire.respond(id, result);
    } catch (error) {
      if (!(error instanceof RpcError)) console.error(error);
      if (id === undefined) {
        if (error instanceof RpcError) console.error(`${name}: ${error.message}`);
        return;
      }
      wire.respondError(id, error instanceof RpcError ? error : internal(error));
    }
  });
}

function internal(error: unknown): RpcError {
  return new RpcError(CODE.internal, error instanceof Error ? `${error.name}: ${error.message}` : String(error));
}

async function performOwn(options: ServeOptions, request: Request): Promise<unknown> {
  const { method: name, params } = request;
  if (name === 'rpc.discover') return discover(options);
  if (name === 'rpc.retired' && options.retired) return (await options.retired(String(params.previous))) ?? {};
  return perform(options.methods, request, callerOf(core, stopping));
}

/** Runs one of some methods, its params and its result held against their schemas. */
export async function perform(methods: Methods, { method: name, params }: Request, caller: Caller): Promise<unknown> {
  const called = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (!called) throw new RpcError(CODE.methodNotFound, `there is no method ${name}`);
  if (called.params) {
    const fault = check(called.params, params, 'params');
    if (fault) throw new RpcError(CODE.invalidParams, `${name}: ${fault}`);
  }
  const result = await called.run(params as never, { pid, ...caller });
  const fault = called.result && check(called.result, result, 'the result');
  if (fault) throw new RpcError(CODE.internal, `${name}: ${fault}`);
  return result;
}

export type { Static };
