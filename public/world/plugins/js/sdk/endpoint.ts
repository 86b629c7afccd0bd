/**
 * Endpoints: how others reach a process that already runs (chapter 5). The process listens on a port and writes a file that
 * says where; both sides then speak JSON-RPC over the connection, and each can call the other.
 */

import { ask, type Caller, callerOf, type CallOptions } from './call.ts';
import { pid, plugin } from './env.ts';
import { RpcError } from './errors.ts';
import { readText, replaceFile } from './fs.ts';
import { stopping } from './lifetime.ts';
import { type Connection, connect as connectTo, listen as listenAt } from './net.ts';
import { answer, endpointMethods, type Methods, perform } from './serve.ts';
import { type Request, Wire } from './wire.ts';

/** What the endpoint file and `rpc.endpoint` say. */
interface Identity {
  owner: string;
  interface: string;
}

/** Speaks over a connection until it ends, and answers the requests of the other side with what `serve` gives. */
function speak(connection: Connection, serve: (request: Request, caller: Caller) => Promise<unknown>): Wire {
  const wire = new Wire((line) => {
    connection.write(`${line}\n`).catch(() => connection.close());
  });
  const over = new AbortController();
  const stop = () => over.abort(stopping.reason);
  stopping.addEventListener('abort', stop);
  wire.onRequest = (request) =>
    void answer(wire, request, () => serve(request, callerOf(wire, over.signal, request.id)));
  void listenTo(connection, wire).then((why) => {
    stopping.removeEventListener('abort', stop);
    wire.end(why);
    over.abort(new DOMException(why, 'AbortError'));
  });
  return wire;
}

/** Passes lines on; resolves at the end of the connection with how that came. */
async function listenTo(connection: Connection, wire: Wire): Promise<string> {
  try {
    for await (const line of connection.lines()) wire.receive(line);
    return 'the connection ended';
  } catch {
    return 'the connection broke';
  }
}

export interface Listening {
  readonly port: number;
  /** The endpoint file. */
  readonly path: string;
  /** Nobody can connect any more; connections that are there stay. */
  close(): void;
}

/**
 * Serves an interface that `serve({ endpoints })` describes, and writes the endpoint file in one step (R5-2): `/self/<name>`,
 * or a `path` in `/run` for a service that others have to find.
 */
function listen(name: string, { path = `/self/${name}` } = {}): Listening {
  const methods = endpointMethods(name);
  const server = listenAt((connection) => {
    speak(connection, async (request, caller) => {
      if (request.method === 'rpc.endpoint') return { owner: pid, plugin, interface: name };
      return perform(methods, request, caller);
    });
  });
  replaceFile(path, `tcp:127.0.0.1:${server.port} ${pid} ${name}\n`);
  return { port: server.port, path, close: server.close };
}

/** A connection to an endpoint of another process. */
export interface Endpoint {
  /** The ID of the process that serves it. */
  readonly owner: string;
  call<T = unknown>(method: string, params?: object, options?: Pick<CallOptions, 'onTell'>): Promise<T>;
  notify(method: string, params?: object): void;
  close(): void;
}

/**
 * Connects to the endpoint of a file, and makes sure that the process answers that wrote it (R5-3). `methods` are those that
 * the other side may call. Rejects with an error that says what the file, the port or the process is wrong about.
 */
async function connect(path: string, { methods = {} }: { methods?: Methods } = {}): Promise<Endpoint> {
  const file = parse(path, readText(path));
  let connection: Connection;
  try {
    connection = await connectTo(file.port, file.address);
  } catch (error) {
    throw new Error(`${path}: nobody serves it any more: ${(error as Error).message}`, { cause: error });
  }
  const wire = speak(connection, (request, caller) => perform(methods, request, caller));
  try {
    const who = await ask<Identity>(wire, 'rpc.endpoint', {});
    if (who.owner !== file.owner || who.interface !== file.interface) {
      throw new Error(`${path}: ${file.owner} wrote it, and ${who.owner} answers with ${who.interface}`);
    }
  } catch (error) {
    connection.close();
    throw error instanceof RpcError ? new Error(`${path}: ${error.message}`, { cause: error }) : error;
  }
  return {
    owner: file.owner,
    call: (method, params = {}, { onTell } = {}) => ask(wire, method, params, onTell),
    notify: (method, params = {}) => wire.notification(method, params),
    close: () => connection.close(),
  };
}

function parse(path: string, text: string): Identity & { address: string; port: number } {
  const match = /^tcp:(.+):(\d+) (\S+) (\S+)\n?$/.exec(text);
  if (!match) throw new Error(`${path} is no endpoint file`);
  const [, address = '', port = '', owner = '', name = ''] = match;
  return { address, port: Number(port), owner, interface: name };
}

export const endpoint = { listen, connect };
