/** A request and its response as HTTP/1.1 over a connection of their own, spoken in the process itself. */

import { CHUNK_OVERHEAD, chunkHead, type Framing, LINE_END, lastChunk } from '../../net/http/request-encoder.ts';
import { ResponseDecoder } from '../../net/http/response-decoder.ts';
import type { Field } from '../../net/http/syntax.ts';
import type { PipeWriter } from '../../net/pipe.ts';
import { OP, SOCKET } from '../../syscall/protocol.ts';
import type { NetworkCalls } from '../sockets/calls.ts';
import { Exchange, networkCall, type Pipes, type Timeouts } from './exchange.ts';

export interface ConnectionOptions {
  calls: NetworkCalls;
  host: string;
  port: number;
  tls: boolean;
  method: string;
  /** The head of the request, and what of its body is there already. */
  head: Uint8Array[];
  framing: Framing;
  timeouts: Timeouts;
}

export class ConnectionExchange extends Exchange {
  protected readonly overhead = CHUNK_OVERHEAD;
  readonly #cell: number;
  readonly #firstByte: number;
  readonly #decoder: ResponseDecoder;
  readonly #framing: Framing;

  constructor({ calls, host, port, tls, method, head, framing, timeouts }: ConnectionOptions) {
    const { args } = calls.client;
    args[0] = SOCKET.tcp;
    args[1] = 4;
    networkCall(calls, OP.socket);
    const [id, cell] = [args[0] as number, args[1] as number];
    args[0] = id;
    args[1] = port;
    args[2] = tls ? 1 : 0;
    try {
      networkCall(calls, OP.connectName, calls.client.putText(host));
    } catch (error) {
      calls.close(id);
      throw error;
    }
    super(calls, id, head, performance.now() + timeouts.connect, timeouts.betweenBytes);
    this.#cell = cell;
    this.#firstByte = timeouts.firstByte;
    this.#framing = framing;
    this.#decoder = new ResponseDecoder(method, {
      head: (head) => {
        this.head = head;
      },
      data: (bytes) => this.body.push(bytes),
      end: (trailers) => {
        this.trailers = trailers;
        this.ended = true;
      },
    });
  }

  protected connect(id: number): Pipes | undefined {
    if (this.calls.cell(this.#cell) === 0) return undefined;
    const { args } = this.calls.client;
    args[0] = id;
    networkCall(this.calls, OP.connected);
    this.lateAt = performance.now() + this.#firstByte;
    return this.calls.pipes(args[0] as number, args[1] as number);
  }

  protected answered(): boolean {
    return true;
  }

  protected receive(bytes: Uint8Array): void {
    this.#decoder.push(bytes);
  }

  protected close(): void {
    this.#decoder.close();
  }

  protected sendPiece(bytes: Uint8Array, writer: PipeWriter): void {
    if (this.#framing.kind === 'chunked') {
      writer.write(chunkHead(bytes.length));
      writer.write(bytes);
      writer.write(LINE_END);
    } else writer.write(bytes);
  }

  protected finish(trailers: readonly Field[]): void {
    if (this.#framing.kind === 'chunked') this.unsent.push(lastChunk(trailers));
  }
}
