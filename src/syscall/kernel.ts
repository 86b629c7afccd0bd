import { ERROR_CODES, FsError } from '../fs/errors.ts';
import type { MaybePromise, Namespace } from '../fs/filesystem.ts';
import { chain } from '../fs/maybe.ts';
import { NET_CODES, NetError, TLS_FAILURES } from '../net/errors.ts';
import type { ProcessNetwork } from '../net/process-network.ts';
import type { ProcessChannel } from './channel.ts';
import { Descriptors } from './descriptors.ts';
import { type Call, OPERATIONS } from './operations.ts';
import { SOCKET_OPERATIONS, type SocketOperation } from './socket-operations.ts';

export interface KernelOptions {
  /** How many files and folders the process may have open at once; 1024 when not given. */
  descriptors?: number;
  /** What the process has of the network; without it there are no sockets. */
  network?: ProcessNetwork | undefined;
  /** Hears of errors that no file system should throw; the process gets `io`. */
  onFault?: (error: unknown) => void;
}

/** The core's half of the calls of one process: its descriptor table over the namespace that it sees. */
export class Kernel {
  readonly #namespace: Namespace;
  readonly #descriptors: Descriptors;
  readonly #onFault: (error: unknown) => void;
  readonly #network: ProcessNetwork | undefined;
  #pending: Promise<void> | undefined;
  #closed = false;

  constructor(namespace: Namespace, options: KernelOptions = {}) {
    this.#namespace = namespace;
    this.#descriptors = new Descriptors(namespace.root, options.descriptors ?? 1024);
    this.#network = options.network;
    this.#onFault = options.onFault ?? ((error) => console.error('a call of a process failed:', error));
  }

  /**
   * Serves the call that is pending on `channel`; there must be one (`hasCall`). Synchronous when the file system
   * answers at once; a promise otherwise, which never rejects.
   */
  serve(channel: ProcessChannel): MaybePromise<void> {
    const call = channel.take();
    const socketOperation = SOCKET_OPERATIONS[call.op];
    if (socketOperation) return this.#serveSocket(channel, call, socketOperation);
    const done = (length: number): void => {
      if (!this.#closed) channel.answer(0, length);
    };
    const failed = (error: unknown): void => {
      if (!(error instanceof FsError)) this.#onFault(error);
      const code = error instanceof FsError ? error.code : 'io';
      if (!this.#closed) channel.answer(1 + ERROR_CODES.indexOf(code), 0);
    };
    try {
      const operation = OPERATIONS[call.op];
      if (!operation) throw new FsError('unsupported', `there is no call ${call.op}`);
      const length = chain(this.#takeUnused(channel), () => operation(call, this.#descriptors, this.#namespace));
      if (!(length instanceof Promise)) return done(length);
      const pending = length.then(done, failed).finally(() => {
        this.#pending = undefined;
      });
      this.#pending = pending;
      return pending;
    } catch (error) {
      failed(error);
    }
  }

  #serveSocket(channel: ProcessChannel, call: Call, operation: SocketOperation): void {
    try {
      if (!this.#network) throw new NetError('not-supported', 'there is no network here');
      channel.answer(0, operation(call, this.#network));
    } catch (error) {
      if (!(error instanceof NetError)) this.#onFault(error);
      call.args[0] = error instanceof NetError && error.tls ? 1 + TLS_FAILURES.indexOf(error.tls) : 0;
      channel.answer(1 + NET_CODES.indexOf(error instanceof NetError ? error.code : 'unknown'), 0);
    }
  }

  /** The process rang: what it gave back is closed, what it left for the core in its connections is moved on. */
  attend(channel: ProcessChannel): void {
    this.#takeUnused(channel);
    this.#network?.attend();
  }

  #takeUnused(channel: ProcessChannel): MaybePromise<void> {
    const fd = channel.takeUnused();
    if (fd === 0) return;
    try {
      const closing = this.#descriptors.remove(fd).file?.close();
      return closing?.catch(this.#onFault);
    } catch (error) {
      this.#onFault(error);
    }
  }

  /**
   * The process has ended: closes everything that it had open, its sockets at once. `killed` says that it did not end by
   * itself, so that its connections are reset (R5-6). Returns when its last file operation has returned, also
   * one that was under way when the process was killed, so that its locks can go on then (R6-4). A call that ends after
   * this is not answered; its channel ended with the worker.
   */
  close(killed = false): MaybePromise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#network?.close(killed);
    if (!this.#pending) return this.#closeFiles();
    return this.#pending.then(() => this.#closeFiles());
  }

  #closeFiles(): MaybePromise<void> {
    const closing: Promise<void>[] = [];
    for (const file of this.#descriptors.files()) {
      try {
        const closed = file.close();
        if (closed instanceof Promise) closing.push(closed.catch(this.#onFault));
      } catch (error) {
        this.#onFault(error);
      }
    }
    if (closing.length > 0) return Promise.all(closing).then(() => undefined);
  }
}
