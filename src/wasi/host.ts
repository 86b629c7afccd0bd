import type { Client } from '../syscall/client.ts';
import { Guest } from './memory.ts';
import { Resources } from './resources.ts';

/** Thrown through the guest's frames when it exits; `Host.exitCode` has the number. */
export class ProcessExit extends Error {
  override readonly name = 'ProcessExit';
}

/** What jco gives to a host function when it binds it for an instance. */
export interface Lowering {
  memory?: WebAssembly.Memory;
  realloc?: (old: number, oldSize: number, align: number, size: number) => number;
}

/**
 * What the host functions of a worker work on. They are made once in the life of a worker, so that they stay compiled,
 * and find the process that runs now in here; `begin` and `end` exchange it.
 */
export class Host {
  readonly client: Client;
  /** The memory of the program, or of the first instance of a program that is made of several. */
  readonly guest = new Guest();
  readonly resources = new Resources();
  args: string[] = [];
  env: [name: string, value: string][] = [];
  /** Set when the program called exit. */
  exitCode: number | undefined;
  #others: Guest[] = [];

  constructor(client: Client) {
    this.client = client;
  }

  begin(args: string[], env: [name: string, value: string][]): void {
    this.args = args;
    this.env = env;
    this.exitCode = undefined;
  }

  /** Lets go of everything of the process, its memory above all: only then can it be collected. */
  end(): void {
    this.guest.release();
    this.#others = [];
    this.resources.clear();
  }

  exit(code: number): never {
    this.exitCode = code;
    throw new ProcessExit(`exit ${code}`);
  }

  /**
   * The guest that a function is bound for. A program can have several: it may be composed of components with a memory
   * each, and one memory can have two allocators (an adapter's and the program's own).
   */
  guestFor({ memory, realloc }: Lowering): Guest {
    if (!memory) return this.guest;
    for (const guest of [this.guest, ...this.#others]) {
      guest.memory ??= memory;
      if (guest.memory !== memory) continue;
      if (realloc) guest.realloc ??= realloc;
      if (!realloc || guest.realloc === realloc) return guest;
    }
    const guest = new Guest();
    guest.memory = memory;
    guest.realloc = realloc;
    this.#others.push(guest);
    return guest;
  }
}
