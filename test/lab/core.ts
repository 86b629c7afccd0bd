/** The core of the lab: a world's files in OPFS, and the machines that run programs over them. */

import { expose, transfer } from 'comlink';
import type { Machine } from '../../src/core/host.ts';
import type { WorkerFactory } from '../../src/core/protocol.ts';
import { MountedNamespace } from '../../src/fs/namespace.ts';
import { openWorldFileSystem, type WorldFileSystem } from '../../src/fs/world/index.ts';
import { ProcessChannel } from '../../src/syscall/channel.ts';
import { Doorbell } from '../../src/syscall/doorbell.ts';
import { WorkerMachines } from '../../src/syscall/machines.ts';
import type { Exit, ReadyComponent } from '../../src/syscall/protocol.ts';

export interface RunOptions {
  stdin?: string;
  /** Leave stdin open after what was given; `feed` and `end` go on. */
  keepOpen?: boolean;
  env?: [name: string, value: string][];
}

export interface Ran {
  pid: number;
  stdout: string;
  stderr: string;
  exit: Exit | { kind: 'killed' };
}

interface Factory {
  create(id: number, port: MessagePort): void;
  terminate(id: number): void;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const container = async (id: string): Promise<FileSystemDirectoryHandle> => {
  const root = await navigator.storage.getDirectory();
  return (await root.getDirectoryHandle('lab', { create: true })).getDirectoryHandle(id, { create: true });
};

export class LabCore {
  #world!: WorldFileSystem;
  #files!: MountedNamespace;
  #machines: WorkerMachines | undefined;
  readonly #components = new Map<string, Promise<ReadyComponent>>();
  readonly #running = new Map<number, Machine>();
  #lastPid = 0;

  async open(id: string, page: Factory): Promise<{ took: number; repairs: readonly string[] }> {
    const folder = await container(id);
    const from = performance.now();
    this.#world = await openWorldFileSystem(folder);
    const took = performance.now() - from;
    this.#files = new MountedNamespace(this.#world);
    const factory: WorkerFactory = {
      create: (number, _kind, port) => void page.create(number, transfer(port, [port])),
      terminate: (number) => void page.terminate(number),
      onFailure: () => {},
    };
    this.#machines = new WorkerMachines({ factory, limit: 100, warm: 2, journalBacklog: () => 0, trace: false });
    return { took, repairs: this.#world.repairs };
  }

  /** Runs a program to its end. `listen` gets what it prints as it comes, after its number for `feed` and `kill`. */
  async run(
    name: string,
    args: string[],
    { stdin = '', keepOpen = false, env = [] }: RunOptions = {},
    listen?: (text: string, pid: number) => void,
  ): Promise<Ran> {
    const component = await this.#component(name);
    const pid = ++this.#lastPid;
    const output = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
    const exit = await new Promise<Ran['exit']>((resolve) => {
      const machine = this.#machines!.start(
        {
          owner: { pid: `${name}-${pid}`, plugin: name },
          component,
          args: [name, ...args],
          env,
          namespace: this.#files,
        },
        {
          stdout: (bytes) => {
            output.stdout.push(bytes);
            listen?.(decoder.decode(bytes), pid);
          },
          stderr: (bytes) => output.stderr.push(bytes),
          stdinFull: () => {},
          ended: resolve,
        },
      );
      this.#running.set(pid, machine);
      if (stdin) machine.write(encoder.encode(stdin));
      if (!keepOpen) machine.closeStdin();
    });
    this.#running.delete(pid);
    const text = (parts: Uint8Array[]) => decoder.decode(joined(parts));
    return { pid, stdout: text(output.stdout), stderr: text(output.stderr), exit };
  }

  feed(pid: number, text: string): void {
    this.#running.get(pid)?.write(encoder.encode(text));
  }

  end(pid: number): void {
    this.#running.get(pid)?.closeStdin();
  }

  kill(pid: number): void {
    this.#running.get(pid)?.kill();
  }

  async write(path: string, text: string | Uint8Array): Promise<void> {
    await this.#files.createDirectories(path.slice(0, path.lastIndexOf('/')) || '/');
    await this.#files.writeFile(path, typeof text === 'string' ? encoder.encode(text) : text);
  }

  async read(path: string): Promise<string> {
    return decoder.decode(await this.#files.readFile(path));
  }

  /** The size of a file in bytes; 0 while it is not there. */
  size(path: string): number {
    try {
      return this.#files.stat(this.#files.resolve(this.#files.root, path)).size;
    } catch {
      return 0;
    }
  }

  async remove(path: string): Promise<void> {
    await this.#files.removeAll(path);
  }

  /** Waits until the folder in OPFS is what the world is. */
  async settled(): Promise<void> {
    await this.#world.settled();
  }

  get usage() {
    return this.#world.usage;
  }

  /** Ends the world in good order, or as a lost worker would: what was not applied stays in the log. */
  async close(): Promise<void> {
    this.#machines?.close();
    await this.#world.close();
  }

  /**
   * Answers so many calls with nothing, as fast as a doorbell and a channel allow: what a system call costs before
   * anything is done. `RawFiles.call` makes them.
   */
  async answer(channel: SharedArrayBuffer, doorbell: SharedArrayBuffer, count: number): Promise<void> {
    const bell = new Doorbell(doorbell);
    const theirs = new ProcessChannel(bell, 0, channel);
    for (let answered = 0; answered < count; ) {
      bell.marked();
      if (theirs.hasCall()) {
        theirs.take();
        theirs.answer(0, 0);
        answered++;
      }
      if (answered < count) await bell.wait();
    }
  }

  async #load(name: string): Promise<ReadyComponent> {
    const file = async (path: string) =>
      (await fetch(new URL(path, location.href.replace(/assets\/.*/, '')))).arrayBuffer();
    const { script, modules } = JSON.parse(decoder.decode(await file(`programs/${name}.json`))) as {
      script: string;
      modules: Record<string, string>;
    };
    const compiled = Object.entries(modules).map(
      async ([key, path]) => [key, await WebAssembly.compile(await file(`programs/${path}`))] as const,
    );
    return { key: name, script, modules: Object.fromEntries(await Promise.all(compiled)) };
  }

  #component(name: string): Promise<ReadyComponent> {
    const known = this.#components.get(name) ?? this.#load(name);
    this.#components.set(name, known);
    return known;
  }
}

function joined(parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

expose(new LabCore());
