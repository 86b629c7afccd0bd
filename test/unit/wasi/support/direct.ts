import type { Namespace } from '../../../../src/fs/filesystem.ts';
import { ProcessChannel } from '../../../../src/syscall/channel.ts';
import { Client } from '../../../../src/syscall/client.ts';
import { Doorbell } from '../../../../src/syscall/doorbell.ts';
import { Kernel } from '../../../../src/syscall/kernel.ts';
import { WORD } from '../../../../src/syscall/protocol.ts';

/** Answers the calls of a process in the thread of the process, so that a host can be used without a worker. */
export class DirectClient extends Client {
  readonly channel: ProcessChannel;
  readonly #kernel: Kernel;

  constructor(namespace: Namespace) {
    const [doorbell, channel] = [new Doorbell(), new ProcessChannel(new Doorbell(), 0)];
    super(channel.buffer, doorbell.buffer, 0);
    this.channel = channel;
    this.#kernel = new Kernel(namespace);
    this.begin();
  }

  override call(op: number, length = 0): number {
    this.looks++;
    Atomics.store(this.words, WORD.op, op);
    Atomics.store(this.words, WORD.length, length);
    Atomics.store(this.words, WORD.call, 1);
    const later = this.#kernel.serve(this.channel);
    if (later instanceof Promise) throw new Error('a file system in memory does not wait');
    Atomics.store(this.words, WORD.call, 0);
    const error = Atomics.load(this.words, WORD.error);
    return error === 0 ? Atomics.load(this.words, WORD.length) : -error;
  }
}
