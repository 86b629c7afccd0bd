/** The plugin netprobe in worker threads of Node, over the real pool of machines: several processes and one network. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { build } from 'vite';
import type { Machine } from '../../../../src/core/host.ts';
import type { PortInfo, WorkerFactory } from '../../../../src/core/protocol.ts';
import { MemoryFileSystem } from '../../../../src/fs/memory.ts';
import { MountedNamespace } from '../../../../src/fs/namespace.ts';
import { WorkerMachines } from '../../../../src/syscall/machines.ts';
import type { ReadyComponent } from '../../../../src/syscall/protocol.ts';
import { ready } from '../../wasi/support/component.ts';

const NETPROBE = join(import.meta.dirname, '../../../plugins/netprobe/plugin.wasm');

export interface Failure {
  code: number;
  message: string;
  // biome-ignore lint/suspicious/noExplicitAny: data of any shape
  data?: any;
}

export interface Outcome {
  // biome-ignore lint/suspicious/noExplicitAny: results of any shape
  result?: any;
  error?: Failure;
}

export type Step = { op: string } & Record<string, unknown>;

/** One process; its outcome is what it answers, or that it ended without an answer. */
export interface Running {
  readonly pid: string;
  readonly outcome: Promise<Outcome>;
  /** Resolves when the core has cleaned up after it. */
  readonly ended: Promise<unknown>;
  /** Resolves when it has told this name with core.notify. */
  told(name: string): Promise<void>;
  /** What it has written to stderr. */
  stderr(): string;
  closeStdin(): void;
  kill(): void;
}

export class Machines {
  readonly lines: string[] = [];
  readonly ports: PortInfo[][] = [];
  readonly machines: WorkerMachines;
  readonly namespace = new MountedNamespace(new MemoryFileSystem({ device: 1 }));
  readonly #component: ReadyComponent;
  readonly #folder: string;
  #count = 0;

  private constructor(component: ReadyComponent, folder: string) {
    this.#component = component;
    this.#folder = folder;
    this.machines = new WorkerMachines({
      factory: nodeFactory(join(folder, 'worker.js')),
      limit: 8,
      warm: 4,
      journalBacklog: () => 0,
      trace: false,
      network: {
        log: (owner, line) => this.lines.push(`${owner.pid}: ${line}`),
        onPorts: (ports) => this.ports.push(ports),
      },
    });
  }

  static async create(): Promise<Machines> {
    const folder = mkdtempSync(join(tmpdir(), 'sausage-net-'));
    await build({
      configFile: false,
      logLevel: 'silent',
      build: { ssr: join(import.meta.dirname, 'worker.ts'), outDir: folder },
    });
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    return new Machines(await ready('netprobe', readFileSync(NETPROBE)), folder);
  }

  get network() {
    return this.machines.network;
  }

  /** Starts a process for one call, of netprobe or of another component. */
  start(method: string, params: object = {}, component = this.#component): Running {
    const pid = `netprobe-${++this.#count}`;
    let text = '';
    let errors = '';
    let machine!: Machine;
    const heard = new Map<string, { done: () => void; promise: Promise<void> }>();
    const told = (name: string) => {
      let one = heard.get(name);
      if (!one) {
        let done!: () => void;
        const promise = new Promise<void>((resolve) => {
          done = resolve;
        });
        one = { done, promise };
        heard.set(name, one);
      }
      return one;
    };
    let resolveEnded!: (exit: unknown) => void;
    const ended = new Promise<unknown>((resolve) => {
      resolveEnded = resolve;
    });
    const outcome = new Promise<Outcome>((resolve) => {
      machine = this.machines.start(
        {
          owner: { pid, plugin: 'netprobe' },
          component,
          args: ['netprobe'],
          env: [['SAUSAGE_PID', pid]],
          namespace: this.namespace,
        },
        {
          stdout: (bytes) => {
            text += new TextDecoder().decode(bytes);
            const lines = text.split('\n');
            text = lines.pop() ?? '';
            for (const message of lines.filter((line) => line !== '').map((line) => JSON.parse(line))) {
              if (!('method' in message)) resolve(message);
              else told(message.params.name).done();
            }
          },
          stderr: (bytes) => {
            errors += new TextDecoder().decode(bytes);
          },
          stdinFull: () => {},
          ended: (exit) => {
            resolve({ error: { code: -32002, message: `ended: ${JSON.stringify(exit)} ${errors}` } });
            resolveEnded(exit);
          },
        },
      );
    });
    machine.write(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`));
    return {
      pid,
      outcome,
      ended,
      told: (name) => told(name).promise,
      stderr: () => errors,
      closeStdin: () => machine.closeStdin(),
      kill: () => machine.kill(),
    };
  }

  run(steps: Step[]): Running {
    return this.start('do', { steps });
  }

  /** Waits until a process listens on a port. */
  async listening(port: number): Promise<void> {
    while (!this.network.listening().some((one) => one.port === port)) await new Promise(setImmediate);
  }

  close(): void {
    this.machines.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function nodeFactory(file: string): WorkerFactory {
  const workers = new Map<number, Worker>();
  return {
    create(id, _kind, port) {
      const worker = new Worker(file);
      workers.set(id, worker);
      worker.on('error', (error) => console.error(error));
      worker.postMessage({ port }, [port as never]);
    },
    terminate(id) {
      void workers.get(id)?.terminate();
      workers.delete(id);
    },
    onFailure() {},
  };
}
