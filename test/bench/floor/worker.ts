/**
 * The floor of a call: the same component with the same bindings in one warm worker, where every import is answered on
 * the spot, by a file system in memory and a stdin that holds the request. No other thread takes part.
 */

import { expose } from 'comlink';
import { decode } from '../../../src/components/frame.ts';
import { readPack } from '../../../src/components/pack.ts';
import { sha256 } from '../../../src/core/plugins.ts';
import { MemoryFileSystem } from '../../../src/fs/memory.ts';
import { MountedNamespace } from '../../../src/fs/namespace.ts';
import { ProcessChannel } from '../../../src/syscall/channel.ts';
import { Client } from '../../../src/syscall/client.ts';
import { Doorbell } from '../../../src/syscall/doorbell.ts';
import { Kernel } from '../../../src/syscall/kernel.ts';
import { WORD } from '../../../src/syscall/protocol.ts';
import { Host } from '../../../src/wasi/host.ts';
import { wasi } from '../../../src/wasi/imports.ts';
import { adapterInstance, isAdapter } from '../../../src/wasi/preview1/adapter.ts';
import type { ComponentScript } from '../../../src/wasi/process.ts';

/** Answers the calls of the process in the thread of the process. */
class DirectClient extends Client {
  kernel: Kernel | undefined;
  readonly #channel: ProcessChannel;

  constructor(channel: ProcessChannel) {
    super(channel.buffer, new Doorbell().buffer, 0);
    this.#channel = channel;
  }

  override call(op: number, length = 0): number {
    this.looks++;
    Atomics.store(this.words, WORD.op, op);
    Atomics.store(this.words, WORD.length, length);
    Atomics.store(this.words, WORD.call, 1);
    void this.kernel!.serve(this.#channel);
    Atomics.store(this.words, WORD.call, 0);
    const error = Atomics.load(this.words, WORD.error);
    return error === 0 ? Atomics.load(this.words, WORD.length) : -error;
  }
}

export class FloorWorker {
  readonly #channel = new ProcessChannel(new Doorbell(), 0);
  readonly #client = new DirectClient(this.#channel);
  readonly #host = new Host(this.#client);
  readonly #imports = wasi(this.#host);
  readonly #namespace = new MountedNamespace(new MemoryFileSystem({ device: 1 }));
  #script!: ComponentScript;
  #modules: Record<string, WebAssembly.Module> = {};

  /** Loads a component that is in the pack, and puts files into the world that it sees. */
  async prepare(component: string, pack: string, files: Record<string, string>): Promise<void> {
    const bytes = async (url: string) => new Uint8Array(await (await fetch(url)).arrayBuffer());
    const wasm = await bytes(component);
    const key = await sha256(wasm);
    const frame = (await readPack(await bytes(pack))).get(key);
    const transpiled = frame && (await decode(key, frame, wasm));
    if (!transpiled) throw new Error('the component is not in the pack');
    for (const [name, module] of Object.entries(transpiled.modules)) {
      this.#modules[name] = await WebAssembly.compile(module);
    }
    const url = URL.createObjectURL(new Blob([transpiled.script], { type: 'text/javascript' }));
    this.#script = (await import(/* @vite-ignore */ url)) as ComponentScript;
    for (const [path, text] of Object.entries(files)) {
      await this.#namespace.createDirectories(path.slice(0, path.lastIndexOf('/')));
      await this.#namespace.writeFile(path, new TextEncoder().encode(text));
    }
  }

  /** Instance and run, in milliseconds. */
  run(request: string): number {
    this.#channel.reset();
    this.#client.kernel = new Kernel(this.#namespace);
    this.#channel.writeStdin(new TextEncoder().encode(`${request}\n`), 0);
    this.#channel.closeStdin();
    const from = performance.now();
    this.#client.begin();
    this.#host.begin(['floor'], []);
    const exports = this.#script.instantiate(
      (name) => this.#modules[name]!,
      this.#imports,
      (module, given = {}) =>
        isAdapter(module) ? adapterInstance(this.#host, module, given) : new WebAssembly.Instance(module, given),
    );
    Object.values(exports)[0]!.run!();
    this.#host.end();
    const took = performance.now() - from;
    const answer = this.#channel.readStdout();
    if (!answer || !new TextDecoder().decode(answer).includes('"result"')) throw new Error('the floor had no answer');
    void this.#client.kernel.close();
    return took;
  }

  nothing(): void {}
}

expose(new FloorWorker());
