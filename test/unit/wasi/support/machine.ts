/** Runs components in a worker of Node over a namespace, with the core's half of the syscalls in this thread. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { build } from 'vite';
import type { Namespace } from '../../../../src/fs/filesystem.ts';
import { Network } from '../../../../src/net/network.ts';
import { ProcessNetwork } from '../../../../src/net/process-network.ts';
import { ProcessChannel } from '../../../../src/syscall/channel.ts';
import { Doorbell } from '../../../../src/syscall/doorbell.ts';
import { Kernel } from '../../../../src/syscall/kernel.ts';
import type { Exit, ReadyComponent, ToProcess } from '../../../../src/syscall/protocol.ts';

export interface Run {
  stdout: string;
  stderr: string;
  exit: Exit;
}

export interface RunOptions {
  namespace: Namespace;
  stdin?: string | Uint8Array;
  /** Leave stdin open after what was given. */
  keepOpen?: boolean;
  args?: string[];
  env?: [string, string][];
  trace?: boolean;
  /** Sees stdout as it comes, and may write to stdin or close it. */
  onStdout?: (text: string, channel: ProcessChannel) => void;
}

export class Machine {
  readonly #worker: Worker;
  readonly #doorbell = new Doorbell();
  readonly #known = new Set<string>();
  readonly network = new Network({ wake: (slot) => this.#doorbell.notify(slot) });
  readonly channel = new ProcessChannel(this.#doorbell, 0);

  private constructor(worker: Worker) {
    this.#worker = worker;
    const { buffer } = this.channel;
    const network = this.network.arena.buffer;
    this.#post({ type: 'channel', channel: buffer, doorbell: this.#doorbell.buffer, slot: 0, network });
  }

  /** `onDebug` gets the lines of the worker's `console.debug`. */
  static async create({ onDebug }: { onDebug?: (line: string) => void } = {}): Promise<Machine> {
    const folder = mkdtempSync(join(tmpdir(), 'sausage-wasi-'));
    try {
      await build({
        configFile: false,
        logLevel: 'silent',
        build: { ssr: join(import.meta.dirname, 'worker.ts'), outDir: folder },
      });
      const file = join(folder, 'worker.js');
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      const worker = new Worker(file);
      worker.on('message', (message: { debug?: string }) => {
        if (message.debug !== undefined) onDebug?.(message.debug);
      });
      await new Promise<void>((resolve, reject) => {
        worker.once('message', () => resolve());
        worker.once('error', reject);
      });
      return new Machine(worker);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  #post(message: ToProcess): void {
    this.#worker.postMessage(message);
  }

  async run(component: ReadyComponent, options: RunOptions): Promise<Run> {
    const { channel } = this;
    const owner = { pid: 'plugin-1', plugin: 'plugin' };
    const kernel = new Kernel(options.namespace, { network: new ProcessNetwork(this.network, owner, () => 1) });
    const known = this.#known.has(component.key);
    this.#known.add(component.key);
    channel.reset();
    const { stdin = '', args = ['plugin'], env = [], trace = false } = options;
    const input = typeof stdin === 'string' ? new TextEncoder().encode(stdin) : stdin;
    this.#post({ type: 'start', key: component.key, ...(known ? {} : { component }), args, env, trace });
    let written = channel.writeStdin(input, 0);
    const output = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
    for (let closed = false; ; ) {
      if (!closed && written === input.length && !options.keepOpen) {
        channel.closeStdin();
        closed = true;
      }
      this.#doorbell.marked();
      if (written < input.length) written += channel.writeStdin(input, written);
      const exit = channel.exit();
      kernel.attend(channel);
      const out = channel.readStdout();
      if (out) {
        output.stdout.push(out);
        options.onStdout?.(new TextDecoder().decode(out), channel);
      }
      const err = channel.readStderr();
      if (err) output.stderr.push(err);
      if (channel.hasCall()) await kernel.serve(channel);
      if (exit) {
        await kernel.close();
        const text = (parts: Uint8Array[]) => new TextDecoder().decode(Buffer.concat(parts));
        return { stdout: text(output.stdout), stderr: text(output.stderr), exit };
      }
      await this.#doorbell.wait();
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
